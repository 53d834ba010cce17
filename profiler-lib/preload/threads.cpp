// SPDX-License-Identifier: Apache-2.0
// The C library's functions that create and join threads, and record that. A thread is a task of
// its creator's: it begins after its creation, and who joins it continues after its end, which the
// runtime sees itself. Threads that libtbb creates are its workers: the runtime refuses them.
//
// Not seen: threads that the C library or another one creates by clone(), or by calls that the
// dynamic linker does not bind (getaddrinfo_a, timers with SIGEV_THREAD).
#include "preload/hooks.h"
#include "preload/next_function.h"
#include "preload/thread_table.h"

#include <pthread.h>
#include <threads.h>
#include <utility>

using namespace tp::preload;

namespace {

using Start = void*(void*);
using C11Start = int(void*);

TP_NEXT NextFunction<int(pthread_t*, const pthread_attr_t*, Start*, void*)>
    next_create("pthread_create");
TP_NEXT NextFunction<int(pthread_t, void**)> next_join("pthread_join");
TP_NEXT NextFunction<int(pthread_t, void**)> next_tryjoin("pthread_tryjoin_np");
TP_NEXT NextFunction<int(pthread_t, void**, const timespec*)>
    next_timedjoin("pthread_timedjoin_np");
TP_NEXT NextFunction<int(pthread_t, void**, clockid_t, const timespec*)>
    next_clockjoin("pthread_clockjoin_np");
TP_NEXT NextFunction<int(pthread_t)> next_detach("pthread_detach");
TP_NEXT NextFunction<int(thrd_t*, C11Start*, void*)> next_thrd_create("thrd_create");
TP_NEXT NextFunction<int(thrd_t, int*)> next_thrd_join("thrd_join");
TP_NEXT NextFunction<int(thrd_t)> next_thrd_detach("thrd_detach");

bool is_detached(const pthread_attr_t* attributes) noexcept {
  int state = PTHREAD_CREATE_JOINABLE;
  return attributes != nullptr && pthread_attr_getdetachstate(attributes, &state) == 0 &&
         state == PTHREAD_CREATE_DETACHED;
}

// Where this library is mapped, by the linker.
extern "C" [[gnu::visibility("hidden")]] const char __ehdr_start, etext;

// ThreadSanitizer's runtime in the program (clang++ -fsanitize=thread) is called first, and gives us the function with
// which its threads begin: before that they must not call malloc, which is its own.
bool is_behind_thread_sanitizer() noexcept {
  static const bool is = [] {
    const auto* const first = static_cast<const char*>(dlsym(RTLD_DEFAULT, "pthread_create"));
    return dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr &&
           (first < &__ehdr_start || first >= &etext);
  }();
  return is;
}

// Null: it is not recorded.
CreatedThread* begin_creation(const void* function, void* argument, const void* caller) noexcept {
  CreatedThread* const thread =
      tp_on_thread_create != nullptr && !is_behind_thread_sanitizer() ? make_thread() : nullptr;
  if (thread == nullptr)
    return nullptr;
  thread->holders = 2; // the creator, the thread
  thread->argument = argument;
  if (tp_on_thread_create(&thread->recorded, function, argument, caller) != 0)
    return thread;
  thread->holders = 1;
  drop(thread);
  return nullptr;
}

void end_creation(CreatedThread* thread, bool failed, bool joinable, pthread_t id) noexcept {
  tp_on_thread_created(&thread->recorded, failed ? 1 : 0);
  if (failed) {
    drop(thread); // for the thread
  } else if (joinable) {
    list(thread, id);
  }
  drop(thread);
}

// What the new thread does first.
struct Begun {
  Start* function;
  C11Start* c11_function;
  void* argument;
};
Begun begin(void* created, bool joinable) noexcept {
  auto* const thread = static_cast<CreatedThread*>(created);
  if (joinable)
    list(thread, pthread_self());
  tp_on_thread_begin(&thread->recorded);
  const Begun begun{thread->function, thread->c11_function, thread->argument};
  drop(thread);
  return begun;
}

// Their return ends the thread: nothing of ours is left on its stack when the function runs, but
// this frame.
void* run_joinable(void* created) {
  const Begun begun = begin(created, true);
  return begun.function(begun.argument);
}
void* run_detached(void* created) {
  const Begun begun = begin(created, false);
  return begun.function(begun.argument);
}
int run_c11(void* created) {
  const Begun begun = begin(created, true);
  return begun.c11_function(begun.argument);
}

// A thread that another one waits for, out of the table. The waiting thread may be cancelled, and is
// unwound then.
class Joining {
public:
  explicit Joining(CreatedThread* thread) noexcept : thread_(thread) { tp_on_block(); }
  ~Joining() {
    if (thread_ == nullptr)
      return;
    put_back(thread_);
    tp_on_unblock();
  }
  Joining(const Joining&) = delete;
  Joining& operator=(const Joining&) = delete;
  void succeed() noexcept {
    tp_on_thread_joined(&thread_->recorded);
    drop(std::exchange(thread_, nullptr));
  }

private:
  CreatedThread* thread_;
};

// `join` returns 0 if it joined the thread.
template <typename Join>
int join_thread(pthread_t id, Join join) {
  CreatedThread* const thread = take(id);
  if (thread == nullptr)
    return join();
  Joining joining(thread);
  const int result = join();
  if (result == 0)
    joining.succeed();
  return result;
}

[[gnu::constructor]] void announce_threads() {
  prepare_for_threads();
  if (tp_threads_are_seen != nullptr)
    tp_threads_are_seen();
}

void forget(pthread_t id) noexcept {
  if (CreatedThread* const thread = take(id))
    drop(thread);
}

} // namespace

// The C library's headers have reserved names.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
#define TP_EXPORT [[gnu::visibility("default")]]

extern "C" {

TP_EXPORT int pthread_create(pthread_t* id, const pthread_attr_t* attributes, Start* function,
                             void* argument) noexcept {
  prepare_for_threads();
  CreatedThread* const thread = begin_creation(reinterpret_cast<const void*>(function), argument,
                                               __builtin_return_address(0));
  if (thread == nullptr)
    return next_create.get()(id, attributes, function, argument);
  thread->function = function;
  const bool joinable = !is_detached(attributes);
  const int result =
      next_create.get()(id, attributes, joinable ? run_joinable : run_detached, thread);
  end_creation(thread, result != 0, joinable, result == 0 ? *id : pthread_t{});
  return result;
}

TP_EXPORT int pthread_join(pthread_t id, void** value) {
  return join_thread(id, [&] { return next_join.get()(id, value); });
}

TP_EXPORT int pthread_tryjoin_np(pthread_t id, void** value) noexcept {
  return join_thread(id, [&] { return next_tryjoin.get()(id, value); });
}

TP_EXPORT int pthread_timedjoin_np(pthread_t id, void** value, const timespec* until) {
  return join_thread(id, [&] { return next_timedjoin.get()(id, value, until); });
}

TP_EXPORT int pthread_clockjoin_np(pthread_t id, void** value, clockid_t clock,
                                   const timespec* until) {
  return join_thread(id, [&] { return next_clockjoin.get()(id, value, clock, until); });
}

TP_EXPORT int pthread_detach(pthread_t id) noexcept {
  const int result = next_detach.get()(id);
  if (result == 0)
    forget(id);
  return result;
}

TP_EXPORT int thrd_create(thrd_t* id, C11Start* function, void* argument) {
  CreatedThread* const thread = begin_creation(reinterpret_cast<const void*>(function), argument,
                                               __builtin_return_address(0));
  if (thread == nullptr)
    return next_thrd_create.get()(id, function, argument);
  thread->c11_function = function;
  const int result = next_thrd_create.get()(id, run_c11, thread);
  end_creation(thread, result != thrd_success, true, result == thrd_success ? *id : thrd_t{});
  return result;
}

TP_EXPORT int thrd_join(thrd_t id, int* value) {
  return join_thread(id, [&] { return next_thrd_join.get()(id, value); });
}

TP_EXPORT int thrd_detach(thrd_t id) {
  const int result = next_thrd_detach.get()(id);
  if (result == thrd_success)
    forget(id);
  return result;
}

} // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
