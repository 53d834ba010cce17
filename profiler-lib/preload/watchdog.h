// SPDX-License-Identifier: Apache-2.0
// The end of a recording where this process has no later moment for it: at _exit and exec. A thread that
// calls these, in a signal handler for example, may hold a lock that the end of a recording needs,
// malloc's for example. So a watchdog does what the process is about to do if that takes too long.
#pragma once

#include "preload/hooks.h"

#include <ctime>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tp::preload {

class Watchdog {
public:
  // `too_late` runs with the thread-local storage of the thread that ends the recording: it must use
  // none, and nothing but system calls. It may return.
  explicit constexpr Watchdog(void (*too_late)() noexcept) : too_late_(too_late) {}

  // Ends the recording. Without a watchdog it stays open, as if the process had been killed.
  // Once per process, as far as the watchdog has not ended since.
  void end_recording() noexcept {
    constexpr int kThread =
        CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    if (clone(watch, stack_ + sizeof stack_, kThread, this) >= 0)
      tp_end_recording();
  }

private:
  static constexpr long kMostSeconds = 3;

  [[gnu::no_stack_protector]] static int watch(void* self) {
    const timespec limit{kMostSeconds, 0};
    syscall(SYS_nanosleep, &limit, nullptr);
    static_cast<const Watchdog*>(self)->too_late_();
    for (;;)
      syscall(SYS_exit, 0); // of this thread
  }

  void (*too_late_)() noexcept;
  alignas(16) char stack_[16384] = {};
};

} // namespace tp::preload
