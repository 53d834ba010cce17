// SPDX-License-Identifier: Apache-2.0
// See fork.h. The session's lock, and those that are acquired under it, are held from before the fork until
// both processes are in a known state.
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

namespace tp::rt {
namespace {

void before_fork() {
  session().mutex.lock();
  lock_sampler();
  lock_site_registry();
}

void after_fork_in_parent() {
  unlock_site_registry();
  unlock_sampler();
  session().mutex.unlock();
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
  this_thread = nullptr;
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
}

} // namespace

void handle_forks() {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

} // namespace tp::rt
