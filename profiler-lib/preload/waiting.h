// SPDX-License-Identifier: Apache-2.0
// Calls of the C library in which the thread waits for another one, or sleeps for a reason that is
// known afterwards.
#pragma once

#include "preload/hooks.h"
#include "preload/next_function.h"

#include <cerrno>
#include <cstdint>
#include <type_traits>

namespace tp::preload {

// The thread waits for another one. It may be cancelled, and is unwound then. Keeps errno.
class Waiting {
public:
  Waiting() noexcept : begun_(tp_on_thread_wait != nullptr ? tp_on_thread_wait() : 0) {}
  ~Waiting() {
    if (begun_ != 0)
      tp_on_thread_wait_end(begun_);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

private:
  const std::uint64_t begun_;
};

template <typename... Args>
int waiting(NextFunction<int(Args...)>& next, std::type_identity_t<Args>... arguments) {
  const Waiting here;
  return next.get()(arguments...);
}

// What a call sleeps in.
struct Known {
  tp_sleep_kind of;
  unsigned kind() const noexcept { return of; }
};
inline constexpr Known kClock{TP_SLEEP_CLOCK};

// The thread may be cancelled, and is unwound then. Keeps errno.
template <typename What>
class Calling {
public:
  explicit Calling(What what) noexcept
      : what_(what), begun_(tp_on_call != nullptr ? tp_on_call() : 0) {}
  ~Calling() {
    if (begun_ == 0)
      return;
    if (const std::uint64_t slept = tp_on_call_end(begun_); slept != 0) [[unlikely]] {
      const int before = errno;
      tp_on_slept(what_.kind(), slept);
      errno = before;
    }
  }
  Calling(const Calling&) = delete;
  Calling& operator=(const Calling&) = delete;

private:
  const What what_;
  const std::uint64_t begun_;
};

template <typename What, typename Result, typename... Args>
Result calling(What what, NextFunction<Result(Args...)>& next,
               std::type_identity_t<Args>... arguments) {
  const Calling here(what);
  return next.get()(arguments...);
}

} // namespace tp::preload
