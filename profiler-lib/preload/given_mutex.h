// SPDX-License-Identifier: Apache-2.0
// The mutex of a condition variable.
#pragma once

#include "preload/hooks.h"

#include <pthread.h>
#include <threads.h>

namespace tp::preload {

// Whether locks of the C library are announced in this process (locks.cpp).
extern bool announces_locks;
void decide_on_locks() noexcept;

// tp_locks_are_on, or 0.
inline unsigned locks_state() noexcept {
  return announces_locks ? __atomic_load_n(&tp_locks_are_on, __ATOMIC_RELAXED) : 0;
}
inline bool locks_are_on() noexcept {
  return locks_state() != 0;
}

// How its acquisition counts. The kind is in the lower two bits in all versions of the C library since
// those of 2002.
inline unsigned mode_of(const pthread_mutex_t* mutex) noexcept {
  return (mutex->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE_NP ? TP_LOCK_RECURSIVE : 0;
}

// C11's is the same, under another name.
inline const pthread_mutex_t* mutex_of(const mtx_t* mutex) noexcept {
  static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) &&
                alignof(mtx_t) == alignof(pthread_mutex_t));
  return reinterpret_cast<const pthread_mutex_t*>(mutex);
}
inline unsigned mode_of(const mtx_t* mutex) noexcept {
  return mode_of(mutex_of(mutex));
}

// While one lives, a condition variable's wait has the mutex, if the thread had it.
class GivenMutex {
public:
  GivenMutex(const pthread_mutex_t* mutex, const void* caller) noexcept
      : mutex_(locks_are_on() && tp_on_lock_given(mutex) != 0 ? mutex : nullptr), caller_(caller) {}
  ~GivenMutex() {
    if (mutex_ != nullptr)
      tp_on_lock_taken(mutex_, TP_LOCK_PTHREAD_MUTEX, mode_of(mutex_), caller_);
  }
  GivenMutex(const GivenMutex&) = delete;
  GivenMutex& operator=(const GivenMutex&) = delete;

private:
  const pthread_mutex_t* const mutex_;
  const void* const caller_;
};

} // namespace tp::preload
