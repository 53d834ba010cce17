// pthread_cancel: file operations are points where a thread can be cancelled, and that is an exception. None may come out
// of a hook, which the program knows as a function that does not throw.
#pragma once

#include <pthread.h>

namespace tp::rt {

// While it lives the calling thread is not cancelled; a request waits. Cold.
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
