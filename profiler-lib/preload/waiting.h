// SPDX-License-Identifier: Apache-2.0
// A call of the C library in which the thread waits for another one.
#pragma once

#include "preload/hooks.h"
#include "preload/next_function.h"

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

} // namespace tp::preload
