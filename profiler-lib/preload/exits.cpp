// SPDX-License-Identifier: Apache-2.0
// _exit, _Exit and quick_exit end a process without the destructors of its libraries: they end the
// recording here. A child of vfork(), which shares its parent's memory, ends nothing: the runtime
// compares process ids.
//
// They may be called in a signal handler, while the thread holds a lock that the end of a recording
// needs, malloc's for example. So a watchdog ends the process if that takes too long; it uses
// nothing but system calls. Without a watchdog the recording stays open, as if the process had been
// killed.
#include "preload/hooks.h"

#include <cstdlib>
#include <ctime>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr long kMostSeconds = 3;

alignas(16) char watchdog_stack[16384];
int exit_status;

[[noreturn]] void leave(int status) noexcept {
  for (;;)
    syscall(SYS_exit_group, status);
}

// Runs with the thread-local storage of the thread that ends the process: must not use any.
[[gnu::no_stack_protector]] int watch(void* /*unused*/) {
  const timespec limit{kMostSeconds, 0};
  syscall(SYS_nanosleep, &limit, nullptr);
  leave(exit_status);
}

void end_recording(int status) noexcept {
  if (tp_end_recording == nullptr || !tp_is_recording_here())
    return;
  exit_status = status;
  constexpr int kThread =
      CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
  if (clone(watch, watchdog_stack + sizeof watchdog_stack, kThread, nullptr) >= 0)
    tp_end_recording();
}

[[gnu::constructor]] void watch_quick_exit() {
  if (tp_end_recording != nullptr)
    at_quick_exit([] { tp_end_recording(); });
}

} // namespace

#define TP_EXPORT [[gnu::visibility("default")]]

extern "C" {

TP_EXPORT void _exit(int status) {
  end_recording(status);
  leave(status);
}

TP_EXPORT void _Exit(int status) noexcept {
  end_recording(status);
  leave(status);
}

} // extern "C"
