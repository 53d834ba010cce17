// SPDX-License-Identifier: Apache-2.0
// See fork.h. The session's lock, and those that are acquired under it, are held from before the fork until
// both processes are in a known state. So long the thread has no state, and gets none: functions that we
// put in front of the C library's, called here or by the program's own handlers, must not read the clock,
// whose pages the child does not have, nor wait for these locks.
#include "session/fork.h"

#include "base/recording_state.h"
#include "builder/edge_table.h"
#include "builder/lock_posts.h"
#include "builder/lock_records.h"
#include "sampling/sampler.h"
#include "session/control.h"
#include "session/openmp_use.h"
#include "session/session_state.h"
#include "sites/site_registry.h"

#include <pthread.h>
#include <utility>

// Of the C library (pthread_atfork() is made of it): what it registers for no object is never taken away.
extern "C" [[gnu::weak]] int __register_atfork(void (*before)(), void (*in_parent)(),
                                               void (*in_child)(), void* object);

namespace tp::rt {
namespace {

constinit thread_local bool forks TP_TLS = false;
constinit thread_local ThreadState* forking_thread TP_TLS = nullptr;

void before_fork() {
  forks = true;
  forking_thread = std::exchange(this_thread, nullptr);
  session().mutex.lock();
  lock_sampler();
  lock_site_registry();
}

void after_fork_in_parent() {
  unlock_site_registry();
  unlock_sampler();
  session().mutex.unlock();
  this_thread = std::exchange(forking_thread, nullptr);
  forks = false;
}

void after_fork_in_child() {
  leave_control();
  Session& s = session();
  s.directory.forget();
  for (ThreadState* thread : s.threads)
    forget_clock(thread->clock);
  forget_clock(s.start_clock);
  s.threads.clear();
  s.idle_writers.clear();
  s.writers.clear();
  s.virtual_work = 0;
  std::fill(std::begin(s.between_steps), std::end(s.between_steps), 0);
  s.not_counted_ns = 0;
  s.run_delay = {};
  // The states of the parent's threads stay allocated: the frames on this thread's stack point to
  // one of them.
  forking_thread = nullptr;
  forget_counted_locks();
  forget_openmp_threads();
  clear_edges();
  forget_lock_posts();
  current_generation.fetch_add(1);
  __atomic_store_n(&tp_locks_are_on, 0, __ATOMIC_RELAXED);
  if (recording() == Recording::On)
    set_recording(Recording::NotStarted);
  s.start = read_start_point();
  s.start_clock = ThreadClock{};
  pthread_setspecific(s.key, nullptr);
  forget_sampling();
  unlock_site_registry();
  unlock_sampler();
  s.mutex.unlock();
  forks = false;
}

} // namespace

bool is_forking() noexcept {
  return forks;
}

// Another thread may fork while the process exits, which takes away what pthread_atfork() registered: between
// its handlers, too, so that our locks would stay acquired.
void handle_forks() {
  if (__register_atfork != nullptr)
    __register_atfork(before_fork, after_fork_in_parent, after_fork_in_child, nullptr);
  else
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

} // namespace tp::rt
