// SPDX-License-Identifier: Apache-2.0
// Protection against pthread_cancel. File operations are cancellation points, and a cancellation
// unwinds the stack like an exception; it must not leave a hook, which is noexcept.
#pragma once

#include <pthread.h>

namespace tp::rt {

// While it lives the calling thread is not cancelled; a request stays pending. Cold.
class NoCancel {
public:
  NoCancel() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &former_); }
  ~NoCancel() { pthread_setcancelstate(former_, nullptr); }
  NoCancel(const NoCancel&) = delete;
  NoCancel& operator=(const NoCancel&) = delete;

private:
  int former_ = PTHREAD_CANCEL_ENABLE;
};

} // namespace tp::rt
