// SPDX-License-Identifier: Apache-2.0
// _exit, _Exit and quick_exit end a process without the destructors of its libraries: they end the
// recording here. A child of vfork(), which shares its parent's memory, ends nothing: the runtime
// compares process ids.
//
// If that takes too long, a watchdog (watchdog.h) ends the process.
#include "preload/watchdog.h"

#include <cstdlib>

namespace {

int exit_status;

[[noreturn]] void leave(int status) noexcept {
  for (;;)
    syscall(SYS_exit_group, status);
}

constinit tp::preload::Watchdog exit_watchdog([]() noexcept { leave(exit_status); });

void end_before_exit(int status) noexcept {
  if (tp_end_recording == nullptr || !tp_is_recording_here())
    return;
  exit_status = status;
  exit_watchdog.end_recording();
}

[[gnu::constructor]] void watch_quick_exit() {
  if (tp_end_recording != nullptr)
    at_quick_exit([] { tp_end_recording(); });
}

} // namespace

#define TP_EXPORT [[gnu::visibility("default")]]

extern "C" {

TP_EXPORT void _exit(int status) {
  end_before_exit(status);
  leave(status);
}

TP_EXPORT void _Exit(int status) noexcept {
  end_before_exit(status);
  leave(status);
}

} // extern "C"
