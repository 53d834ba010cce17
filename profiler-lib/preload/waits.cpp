// SPDX-License-Identifier: Apache-2.0
// The C library's functions in which a thread waits for another one: condition variables,
// semaphores, barriers, futexes (C++20's atomics, semaphores, latches and barriers, futures), and those
// that wait for events. How long they sleep depends on the other threads, so it is not a latency of the
// program's, as that of a read, or a child process, is. Locks: locks.cpp.
//
// Not seen, so that they count as latency: waits inside of the C library (stdio, malloc, rand, poll with
// _FORTIFY_SOURCE where it checks a size), epoll_pwait2, sigwait, read() of an eventfd, and reading from a pipe or a
// socket whose other end this process has.
#include "preload/given_mutex.h"
#include "preload/hooks.h"
#include "preload/next_function.h"
#include "preload/waiting.h"

#include <cerrno>
#include <cstdint>
#include <linux/futex.h>
#include <optional>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <threads.h>
#include <utility>

using namespace tp::preload;

namespace {

TP_NEXT NextFunction<int(pthread_cond_t*, pthread_mutex_t*)> next_cond_wait("pthread_cond_wait");
TP_NEXT NextFunction<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)>
    next_cond_timedwait("pthread_cond_timedwait");
TP_NEXT NextFunction<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>
    next_cond_clockwait("pthread_cond_clockwait");
#if defined(__x86_64__)
// Their condition variables have another layout.
TP_NEXT NextFunction<int(pthread_cond_t*, pthread_mutex_t*)> next_old_cond_wait("pthread_cond_wait",
                                                                                "GLIBC_2.2.5");
TP_NEXT NextFunction<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)>
    next_old_cond_timedwait("pthread_cond_timedwait", "GLIBC_2.2.5");
#endif
TP_NEXT NextFunction<int(sem_t*)> next_sem_wait("sem_wait"), next_sem_trywait("sem_trywait");
TP_NEXT NextFunction<int(sem_t*, const timespec*)> next_sem_timedwait("sem_timedwait");
TP_NEXT NextFunction<int(sem_t*, clockid_t, const timespec*)> next_sem_clockwait("sem_clockwait");
TP_NEXT NextFunction<int(pthread_barrier_t*)> next_barrier_wait("pthread_barrier_wait");
TP_NEXT NextFunction<int(pollfd*, nfds_t, int)> next_poll("poll");
TP_NEXT NextFunction<int(pollfd*, nfds_t, const timespec*, const sigset_t*)> next_ppoll("ppoll");
TP_NEXT NextFunction<int(int, fd_set*, fd_set*, fd_set*, timeval*)> next_select("select");
TP_NEXT NextFunction<int(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*)>
    next_pselect("pselect");
TP_NEXT NextFunction<int(int, epoll_event*, int, int)> next_epoll_wait("epoll_wait");
TP_NEXT NextFunction<int(int, epoll_event*, int, int, const sigset_t*)>
    next_epoll_pwait("epoll_pwait");
TP_NEXT NextFunction<int(int, eventfd_t*)> next_eventfd_read("eventfd_read");
TP_NEXT NextFunction<int(pthread_once_t*, void (*)())> next_once("pthread_once");
TP_NEXT NextFunction<int(cnd_t*, mtx_t*)> next_cnd_wait("cnd_wait");
TP_NEXT NextFunction<int(cnd_t*, mtx_t*, const timespec*)> next_cnd_timedwait("cnd_timedwait");
TP_NEXT NextFunction<void(once_flag*, void (*)())> next_call_once("call_once");

// A thread that waits until another one has called the routine, or calls it itself. It may be left by an exception.
class Once {
public:
  explicit Once(void (*routine)()) : routine_(routine), outer_(innermost), waiting_(std::in_place) {
    innermost = this;
  }
  ~Once() { innermost = outer_; }
  Once(const Once&) = delete;
  Once& operator=(const Once&) = delete;

  // The routine of the innermost call.
  static void run() {
    innermost->waiting_.reset();
    innermost->routine_();
  }

private:
  [[gnu::tls_model("initial-exec")]] static constinit thread_local Once* innermost;
  void (*const routine_)();
  Once* const outer_;
  std::optional<Waiting> waiting_; // until it calls the routine
};
constinit thread_local Once* Once::innermost = nullptr;

// In all versions of the C library since 2014 the second bit of a pthread_once_t says that the routine has been called.
// C11's flag is the same, under another name.
template <typename Flag>
bool is_done(const Flag* control) noexcept {
  static_assert(sizeof(Flag) == sizeof(pthread_once_t));
  constexpr pthread_once_t kDone = 2;
  return (__atomic_load_n(reinterpret_cast<const pthread_once_t*>(control), __ATOMIC_ACQUIRE) &
          kDone) != 0;
}

// How many threads it lets pass before one of them posts is not known: that one has passed is all that is recorded.
int pass(int result, const sem_t* semaphore, const void* caller) noexcept {
  if (result != 0 || !locks_are_on())
    return result;
  tp_on_lock_taken(semaphore, TP_LOCK_SEMAPHORE, TP_LOCK_SHARED, caller);
  tp_on_lock_given(semaphore);
  return result;
}

// The attempt may change errno, which a call that succeeds leaves alone.
template <typename... Args>
int wait_for_semaphore(const void* caller, NextFunction<int(sem_t*, Args...)>& wait,
                       sem_t* semaphore, std::type_identity_t<Args>... arguments) {
  const int before = errno;
  if (next_sem_trywait.get()(semaphore) == 0)
    return pass(0, semaphore, caller);
  errno = before;
  return pass(waiting(wait, semaphore, arguments...), semaphore, caller);
}

// Without anything to wait for, it is a sleep.
template <typename... Args>
int wait_for_events(bool any, NextFunction<int(Args...)>& wait,
                    std::type_identity_t<Args>... arguments) {
  return any ? waiting(wait, arguments...) : calling(kClock, wait, arguments...);
}

} // namespace

// The C library's headers have reserved names.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
#define TP_EXPORT [[gnu::visibility("default")]]

#if defined(__x86_64__)
#define TP_NEWER(name) tp_newer_##name // of two versions
#else
#define TP_NEWER(name) pthread_##name
#endif

extern "C" {

// The mutex is free during the wait, and the thread's again after it, also where it is cancelled. How long
// the wait lasts because another thread has the mutex is not known: it is waiting like the rest.
TP_EXPORT int TP_NEWER(cond_wait)(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  const GivenMutex given(mutex, __builtin_return_address(0));
  return waiting(next_cond_wait, condition, mutex);
}

TP_EXPORT int TP_NEWER(cond_timedwait)(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                       const timespec* until) {
  const GivenMutex given(mutex, __builtin_return_address(0));
  return waiting(next_cond_timedwait, condition, mutex, until);
}

TP_EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                     clockid_t clock, const timespec* until) {
  const GivenMutex given(mutex, __builtin_return_address(0));
  return waiting(next_cond_clockwait, condition, mutex, clock, until);
}

#if defined(__x86_64__)
// Who was linked without versions of symbols (valgrind's drd, for one) gets the oldest functions of all that
// concerns condition variables, and must get them from here, too (versions.map).
TP_EXPORT int tp_old_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  const GivenMutex given(mutex, __builtin_return_address(0));
  return waiting(next_old_cond_wait, condition, mutex);
}
asm(".symver tp_newer_cond_wait, pthread_cond_wait@@GLIBC_2.3.2");
asm(".symver tp_old_cond_wait, pthread_cond_wait@GLIBC_2.2.5");

TP_EXPORT int tp_old_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                    const timespec* until) {
  const GivenMutex given(mutex, __builtin_return_address(0));
  return waiting(next_old_cond_timedwait, condition, mutex, until);
}
asm(".symver tp_newer_cond_timedwait, pthread_cond_timedwait@@GLIBC_2.3.2");
asm(".symver tp_old_cond_timedwait, pthread_cond_timedwait@GLIBC_2.2.5");
#endif

TP_EXPORT int sem_wait(sem_t* semaphore) {
  return wait_for_semaphore(__builtin_return_address(0), next_sem_wait, semaphore);
}

TP_EXPORT int sem_timedwait(sem_t* semaphore, const timespec* until) {
  return wait_for_semaphore(__builtin_return_address(0), next_sem_timedwait, semaphore, until);
}

TP_EXPORT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  return wait_for_semaphore(__builtin_return_address(0), next_sem_clockwait, semaphore, clock,
                            until);
}

TP_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  return waiting(next_barrier_wait, barrier);
}

TP_EXPORT int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  const GivenMutex given(mutex_of(mutex), __builtin_return_address(0));
  return waiting(next_cnd_wait, condition, mutex);
}

TP_EXPORT int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  const GivenMutex given(mutex_of(mutex), __builtin_return_address(0));
  return waiting(next_cnd_timedwait, condition, mutex, until);
}

// std::call_once.
TP_EXPORT int pthread_once(pthread_once_t* control, void (*routine)()) {
  if (is_done(control)) [[likely]]
    return 0;
  const Once here(routine);
  return next_once.get()(control, &Once::run);
}

TP_EXPORT void call_once(once_flag* control, void (*routine)()) {
  if (is_done(control)) [[likely]]
    return;
  const Once here(routine);
  next_call_once.get()(control, &Once::run);
}

TP_EXPORT int poll(pollfd* events, nfds_t count, int milliseconds) {
  return wait_for_events(count > 0, next_poll, events, count, milliseconds);
}

TP_EXPORT int ppoll(pollfd* events, nfds_t count, const timespec* most, const sigset_t* mask) {
  return wait_for_events(count > 0, next_ppoll, events, count, most, mask);
}

TP_EXPORT int select(int count, fd_set* read, fd_set* write, fd_set* except, timeval* most) {
  return wait_for_events(count > 0, next_select, count, read, write, except, most);
}

TP_EXPORT int pselect(int count, fd_set* read, fd_set* write, fd_set* except, const timespec* most,
                      const sigset_t* mask) {
  return wait_for_events(count > 0, next_pselect, count, read, write, except, most, mask);
}

TP_EXPORT int epoll_wait(int set, epoll_event* events, int count, int milliseconds) {
  return waiting(next_epoll_wait, set, events, count, milliseconds);
}

TP_EXPORT int epoll_pwait(int set, epoll_event* events, int count, int milliseconds,
                          const sigset_t* mask) {
  return waiting(next_epoll_pwait, set, events, count, milliseconds, mask);
}

TP_EXPORT int eventfd_read(int file, eventfd_t* value) {
  return waiting(next_eventfd_read, file, value);
}

} // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)

// ---- futexes ----

#if defined(__x86_64__) || defined(__aarch64__)

namespace {

using SystemCall = long(long, long, long, long, long, long, long);
TP_NEXT NextFunction<SystemCall> next_syscall("syscall");

} // namespace

extern "C" {

[[gnu::visibility("hidden")]] extern SystemCall* tp_next_syscall;

// Until the first call: such as are made before the constructors of this library.
static long first_syscall(long number, long a, long b, long c, long d, long e, long f) {
  tp_next_syscall = next_syscall.get();
  return tp_next_syscall(number, a, b, c, d, e, f);
}
SystemCall* tp_next_syscall = first_syscall;

[[gnu::visibility("hidden")]] long tp_futex(long number, long word, long operation, long value,
                                            long time, long word2, long value3) {
  const auto call = [&] {
    return next_syscall.get()(number, word, operation, value, time, word2, value3);
  };
  switch (operation & FUTEX_CMD_MASK) {
  case FUTEX_WAIT:
  case FUTEX_WAIT_BITSET:
  case FUTEX_LOCK_PI: {
    const Waiting here;
    return call();
  }
  default:
    return call();
  }
}

[[gnu::constructor]] static void find_syscall() {
  tp_next_syscall = next_syscall.get();
}

} // extern "C"

// Every other system call goes on as it came, without a frame of ours: one that returns twice, or on
// another stack, finds what it left.
#if defined(__x86_64__)
asm(R"(
.pushsection .text
.globl syscall
.type syscall, @function
syscall:
  endbr64
  cmp $202, %rdi
  je tp_futex
  jmp *tp_next_syscall(%rip)
.size syscall, .-syscall
.popsection
)");
static_assert(SYS_futex == 202);
#else
asm(R"(
.pushsection .text
.globl syscall
.type syscall, %function
syscall:
  hint #34
  cmp x0, #98
  b.eq tp_futex
  adrp x16, tp_next_syscall
  ldr x16, [x16, #:lo12:tp_next_syscall]
  br x16
.size syscall, .-syscall
.popsection
)");
static_assert(SYS_futex == 98);
#endif
#endif
