// SPDX-License-Identifier: Apache-2.0
// OMPT EVENTS: what the OpenMP runtime reports, as events of tp/hooks.h. libomp calls ompt_start_tool() when
// OpenMP is first used, and the functions below then, on the thread that an event concerns.
//
// An implicit task ends for us where it arrives at the barrier that ends its region: what libomp reports as its
// end, and the end of that barrier, comes to worker threads late, when the team may be gone.
#include "call_sites.h"
#include "chunks.h"
#include "dependences.h"
#include "loop_order.h"
#include "ompt.h"
#include "program_code.h"
#include "tasks.h"
#include "team_limits.h"

#include "tp/hooks.h"

#include <algorithm>
#include <new>
#include <sched.h>
#include <utility>

namespace tp::omp {
namespace {

constexpr unsigned kGathering = TP_CONTEXT_EXCLUSIVE | TP_CONTEXT_GATHERS;

// An external thread's first use.
void note_use() noexcept {
  if (here.is_known)
    return;
  here.is_known = true;
  tp_on_external_thread();
  tp_on_scheduler_ready();
}

std::uint64_t preset(std::uint32_t site) {
  return site | TP_TASK_SITE_PRESET;
}

tp_context children_of(Task& task) {
  return {&task.children, kTaskTraits};
}
tp_context children_of(Group& group) {
  return {&group.children, kTaskTraits};
}
tp_context all_below(Group& group) {
  return {&group.all_below, TP_CONSTRUCT_OMP_TASK | kGathering};
}
tp_context phase_of(const Task& task) {
  return {&task.team->phases[task.phase % Team::kPhases].context,
          TP_CONSTRUCT_OMP_BARRIER | kGathering};
}
// The code of a team is an initial task of its league.
bool has_own_tasks(const Team& team) {
  return team.league == nullptr;
}
tp_context region_of(Team& team) {
  Team& own = has_own_tasks(team) ? team : *team.league;
  return {&own.context, own.construct | kGathering};
}

// In which a task is, and how it is described once it has been spawned.
tp_context context_of(Task& task) {
  return {&task.own_context, task.traits};
}
tp_task description_of(Task& task) {
  return {task.words, nullptr, nullptr};
}

void end_context(std::uint64_t& context) {
  tp_on_context_end(&context);
  context = 0;
}

// ---- waits and interruptions

// May the task be in the middle of a step?
bool may_have_step(const Task& task) {
  return task.waits == 0 && !task.blocked && !task.creates && !task.ended;
}
// The task's thread is going to run another task.
void interrupt(Task& task) {
  if (!may_have_step(task))
    return;
  task.blocked = true;
  tp_on_block();
}
void resume(Task& task) {
  if (task.waits > 0 || task.ended)
    tp_on_search(); // until it runs another one
  if (!task.blocked)
    return;
  task.blocked = false;
  tp_on_unblock();
}

void begin_wait(Task& task, const tp_context& context) {
  ++task.waits;
  tp_on_wait(nullptr, nullptr, &context);
  tp_on_search();
}
void end_wait(Task& task) {
  if (task.waits == 0)
    return;
  --task.waits;
  tp_on_wait_end(0);
}
void wait_shortly(const tp_context& context) { // all of it has ended
  tp_on_wait(nullptr, nullptr, &context);
  tp_on_wait_end(0);
}

// ---- body calls

// As a hook takes them: 0 iterations: not known, or not all of them can run at a time. Of the latter the grain size is how
// many there are, plus one.
struct Iterations {
  std::uint64_t count, grain;
};
[[gnu::noinline]] Iterations iterations_as_divided(const Task& task) {
  switch (task.division) {
  case Division::WithTasks: // of one iteration there is nothing to know
    if (task.chunk == 1)
      return {1, 1};
    [[fallthrough]];
  case Division::InOrder:
    return {0, task.chunk + 1};
  // Of what distribute deals out to a team, if there are regions in it: one for each iteration, or for each chunk of a
  // loop of both, which the region divides further. Other teams can have the parts that have a region each.
  case Division::ByRegions:
    return {task.chunk, (task.chunk + task.work.regions - 1) / task.work.regions};
  case Division::None:
    return {task.chunk, std::max(task.chunk, task.grain)};
  case Division::Even:
    break;
  }
  return {task.chunk, task.grain};
}
Iterations iterations_of(const Task& task) {
  return task.division == Division::Even ? Iterations{task.chunk, task.grain}
                                         : iterations_as_divided(task);
}

void begin_first_search() {
  searches_first = true;
  tp_on_runtime_call();
}

// `task`'s chunk of a loop, or of a taskloop, creates a task. Divided, the chunk would create it earlier: when is not known.
void note_task_of_chunk(Task& task) {
  if (task.has_chunk && (task.has_worksharing || task.is_taskloop) &&
      task.division == Division::Even)
    task.division = Division::WithTasks;
}
// It has ended, or waited for all of its tasks.
void forget_tasks_of_chunk(Task& task) {
  if (task.division == Division::WithTasks)
    task.division = Division::Even;
}

void end_chunk(Task& task) {
  if (!task.has_chunk)
    return;
  task.has_chunk = task.chunk_is_assumed = false;
  const Iterations iterations = iterations_of(task);
  forget_tasks_of_chunk(task);
  tp_on_loop_end(iterations.count, iterations.grain);
}
void begin_chunk(Task& task, std::uint64_t iterations) {
  if (task.chunk_is_assumed) { // what was not known at its begin
    task.chunk_is_assumed = false;
    task.chunk = iterations;
    return;
  }
  end_chunk(task);
  end_search();
  task.has_chunk = true;
  task.chunk = iterations;
  tp_on_loop_begin();
}

void end_worksharing(Task& task) {
  end_chunk(task);
  end_search();
  Worksharing& work = task.work;
  if (!task.has_worksharing)
    return;
  task.has_worksharing = false;
  in_worksharing = work.outer;
  tp_on_task_end(&work.frame, 0);
  tp_on_wait_end(0);
  end_context(work.context);
}

// `is_shared`: its threads take chunks while they run it.
void begin_worksharing(Task& task, unsigned construct, bool is_shared, const void* caller) {
  if (loop_call.starts_search)
    tp_on_runtime_return();
  end_worksharing(task);
  Worksharing& work = task.work;
  const bool is_combined = task.team->has_combined_loop && task.is_implicit && task.loops == 0;
  if (is_combined ? task.team->has_combined_sections : loop_call.is_sections)
    construct = TP_CONSTRUCT_OMP_SECTIONS;
  const std::uint32_t site = site_of_worksharing(*task.team, caller, construct, is_combined);
  work.words[0] = 0;
  work.words[1] = preset(site);
  work.context = 0;
  const tp_task described{work.words, nullptr, caller};
  const tp_context context{&work.context,
                           construct | TP_CONTEXT_EXCLUSIVE | (is_shared ? TP_CONTEXT_GATHERS : 0)};
  tp_on_wait(&described, &context, &context);
  tp_on_task_begin(&work.frame, &described, &context, 0);
  work.construct = construct;
  work.regions = 0;
  task.has_worksharing = true;
  task.division = Division::Even;
  ++task.loops;
  work.outer = in_worksharing;
  in_worksharing = &task;
  if (loop_call.starts_search)
    begin_first_search();
}

// ---- tasks

// What no wait has joined of the task's children is waited for where the task's descendants are.
void hand_over_unjoined(std::uint64_t& children, bool& unjoined, const tp_context& to) {
  if (children == 0)
    return;
  const tp_context from{&children, kTaskTraits};
  if (unjoined)
    tp_on_hand_over(&from, &to);
  else
    end_context(children);
  unjoined = false;
  children = 0;
}
void hand_over_children(Task& task, const tp_context& to) {
  hand_over_unjoined(task.children, task.unjoined, to);
}

// Then it lets go of them: else a chain of tasks would be kept, and released by as deep a recursion.
void come_after_dependences(Task& task) {
  if (task.node == nullptr)
    return;
  for (DependenceNode* const before : task.node->after) {
    const std::uint64_t edge = before->edge.load(std::memory_order_acquire);
    tp_on_acquire_shared(&edge, 1);
    release(before);
  }
  task.node->after.clear();
}

// Around all that runs of a task, one after the other, of those that it excludes (depend(mutexinoutset: ...)): held like
// locks that no thread waits for, since libomp begins another task meanwhile.
void enter_sets(const Task& task) {
  if (task.node == nullptr || __atomic_load_n(&tp_locks_are_on, __ATOMIC_RELAXED) == 0)
    return;
  for (const void* const set : task.node->sets)
    tp_on_lock_taken(set, TP_LOCK_OMP_MUTEXINOUTSET, 0, task.node->caller);
}
void leave_sets(const Task& task) {
  if (task.node == nullptr || __atomic_load_n(&tp_locks_are_on, __ATOMIC_RELAXED) == 0)
    return;
  for (auto set = task.node->sets.rbegin(); set != task.node->sets.rend(); ++set)
    tp_on_lock_given(*set);
}

// Is it libomp's, which creates others of its taskloop?
bool is_share(const Task& task) {
  return task.share.most_at_once > 0;
}

// `task` is the next one that libomp creates for the loop.
void take_share(Task& task, Taskloop& loop) {
  if (loop.tasks <= loop.most_at_once) {
    --loop.tasks;
    task.iterations = loop.iterations + (loop.longer > 0 ? 1 : 0);
    loop.longer -= loop.longer > 0 ? 1 : 0;
    return;
  }
  task.share = loop;
  const std::uint64_t first_half = loop.tasks / 2;
  task.share.tasks -= first_half;
  task.share.longer -= std::min(task.share.longer, first_half);
  loop.tasks = first_half;
  if (loop.longer >= first_half) {
    ++loop.iterations;
    loop.longer = 0;
  }
}

void begin_task(Task& task, bool cancelled) {
  const tp_task described = description_of(task);
  const tp_context context = context_of(task);
  touch_task(task);
  task.thread = &here;
  __atomic_store_n(&task.begun, true, __ATOMIC_RELEASE);
  ++here.tasks_begun;
  tp_on_task_begin(&task.frame, &described, &context, cancelled ? 1 : 0);
  come_after_dependences(task);
  if (!cancelled)
    enter_sets(task);
}

// Its end lets go those that depend on it.
void release_dependences(Task& task) {
  if (task.node == nullptr)
    return;
  task.node->edge.store(tp_on_release(0), std::memory_order_release);
}

void end_body(Task& task) {
  end_worksharing(task);
  hand_over_children(task, task.group != nullptr ? all_below(*task.group) : phase_of(task));
}

void complete_task(Task& task) {
  leave_sets(task);
  if (task.fulfilled != 0)
    tp_on_acquire(task.fulfilled, 0);
  release_dependences(task);
  task.ended = true;
  --here.tasks_begun;
  tp_on_task_end(&task.frame, 0);
  if (task.is_undeferred && task.creator != nullptr) {
    end_wait(*task.creator);
    tp_on_context_end(&task.own_context);
  }
}

void end_task(Task& task, bool cancelled) {
  if (task.is_implicit) // not expected
    return;
  if (!task.begun)
    begin_task(task, cancelled);
  if (is_share(task))
    std::exchange(task.creates, false) ? tp_on_spawn_end() : tp_on_runtime_return();
  if (!task.ended) {
    end_body(task);
    complete_task(task);
  }
  free_task(&task);
}

// The task's frame ends; what is left of it is a new task of the same site, in the same context.
void continue_later(Task& task) {
  std::uint64_t words[2] = {0, preset(static_cast<std::uint32_t>(task.words[1]))};
  const tp_task described{words, nullptr, nullptr};
  const tp_context context = context_of(task);
  leave_sets(task);
  tp_on_spawn(&described, &context);
  tp_on_spawn_end();
  --here.tasks_begun;
  tp_on_task_end(&task.frame, 0);
  task.words[0] = words[0];
  task.words[1] = words[1];
}

// ---- untied tasks (clang's) run in parts, on any thread. The rest of one is a new task of the same site.

void leave_rest(Task& task) {
  continue_later(task);
  __atomic_store_n(&task.begun, false, __ATOMIC_RELEASE);
}

// Without our entry points, libomp makes the rest available before it reports that the task has left its thread: another
// thread that has it already waits for the report, which comes unless that thread has lost its CPU for long.
void wait_for_rest(const Task& task) {
  constexpr int kTries = 100'000;
  for (int i = 0; i < kTries && __atomic_load_n(&task.begun, __ATOMIC_ACQUIRE); ++i)
    sched_yield();
}

// libomp does not report the end of the last part where the thread with the part before is still in libomp: that one
// reports the end of the task then. So the code of an untied task is called by us.
struct Part {
  const Task* task;
  Part* outer;
  bool has_left = false; // the rest is another part
};
[[gnu::tls_model("initial-exec")]] constinit thread_local Part* innermost_part = nullptr;

using Routine = std::int32_t (*)(std::int32_t thread, void* task);
Task* running_task(const Data* reported);

std::int32_t run_part(std::int32_t thread, void* libomp_task) {
  Task* const task = running_task(nullptr);
  Task* const left = here.last_left;
  Part part{task, innermost_part};
  innermost_part = &part;
  const std::int32_t result = reinterpret_cast<Routine>(task->routine)(thread, libomp_task);
  innermost_part = part.outer;
  if (part.has_left) // `task` may run elsewhere, or be over
    return result;
  end_body(*task);
  complete_task(*task);
  if (left != nullptr && left != task)
    resume(*left);
  else
    tp_on_search();
  return result;
}

// `libomp_task`: kmp_task_t, whose second word is the code.
void wrap_routine(Task& task, void* libomp_task) {
  auto& routine = static_cast<void**>(libomp_task)[1];
  task.routine = routine;
  routine = reinterpret_cast<void*>(&run_part);
}

// ---- detached tasks: when the body has ended, a continuation without work is left, which ends where the event
// is fulfilled.

void detach(Task& task) {
  end_body(task);
  continue_later(task);
  task.is_detached = true;
}

// On any thread.
void fulfill(Task& task) {
  const std::uint64_t edge = tp_on_release(0);
  if (!task.is_detached) { // its body has not ended yet
    task.fulfilled = edge;
    task.has_more = true;
    return;
  }
  tp_on_block();
  const tp_task described = description_of(task);
  const tp_context context = context_of(task);
  tp_on_task_begin(&task.frame, &described, &context, 0);
  tp_on_acquire(edge, 0);
  release_dependences(task);
  tp_on_task_end(&task.frame, 0);
  tp_on_unblock();
  free_task(&task);
}

// ---- implicit tasks

// The regions that this thread has begun, innermost first. libomp reports the end of one with data that may be those of
// another one by then.
[[gnu::tls_model("initial-exec")]] constinit thread_local Team* begun_region = nullptr;
[[gnu::tls_model("initial-exec")]] constinit thread_local unsigned lost_regions = 0; // no memory

void end_implicit(Task& task) {
  if (task.ended || task.is_initial)
    return;
  end_worksharing(task);
  hand_over_children(task, region_of(*task.team));
  task.ended = true;
  if (!has_own_tasks(*task.team))
    return;
  tp_on_task_end(&task.frame, 0);
  tp_on_search();
}

// Of a team's implicit tasks. What describes one is not needed any more when it has begun.
bool has_begun(const Team& team, unsigned index) {
  return team.words[index][1] == 0;
}
void set_begun(Team& team, unsigned index) {
  team.words[index][1] = 0;
}

void begin_implicit(Data* region, Data* data, unsigned size, unsigned index, bool is_initial) {
  // The code of a program, or of a league of one team, libomp reports with whatever is left where it keeps the region.
  Team* team = !is_initial || size > 1                              ? team_of(region)
               : begun_region != nullptr && begun_region->is_league ? begun_region
                                                                    : nullptr;
  // Of a region in teams of g++ libomp reports the task with the region around it, and in the place of its task.
  Task* around = nullptr;
  Team* const inner = team != nullptr ? team->inner.load(std::memory_order_acquire) : nullptr;
  if (inner != nullptr && index > 0) // another thread has begun it
    team = inner;
  else if (team != nullptr && index < team->requested && has_begun(*team, index) &&
           begun_region != nullptr && begun_region != team) {
    team = begun_region;
    around = task_of(data);
  }
  const bool is_own = team == nullptr || index >= team->requested;
  if (is_own && !is_initial && team == nullptr)
    return;
  if (is_own) // around an initial task
    team = make_team(0);
  if (team == nullptr)
    return;
  Task* const task = make_task(team);
  if (task == nullptr) {
    if (is_own)
      release(team);
    return;
  }
  data->ptr = task;
  task->around = around;
  task->is_implicit = true; // a reference to the team: of an own one, the first
  task->index = index;
  if (!is_own)
    team->refs.fetch_add(1, std::memory_order_relaxed);
  task->begun = true;
  task->grain = 1;
  if (is_own) {
    team->size.store(1, std::memory_order_relaxed);
    task->is_initial = true;
    return;
  }
  team->size.store(size, std::memory_order_relaxed);
  if (!has_own_tasks(*team))
    return set_begun(*team, index);
  const tp_task described{team->words[index], nullptr, nullptr};
  const tp_context context = region_of(*team);
  task->own_context = team->context;
  tp_on_task_begin(&task->frame, &described, &context, 0);
  set_begun(*team, index);
  // A region of one thread that asked for nothing leaves it where it is.
  if (team->limit != nullptr || size > 1)
    enter_limit(team->limit);
}

// ---- barriers, taskwaits, taskgroups

// The innermost one that the calling thread is in.
[[gnu::tls_model("initial-exec")]] constinit thread_local Reduction* reduction = nullptr;

void arrive(Task& task) {
  end_worksharing(task); // a loop that was cancelled
  const tp_context phase = phase_of(task);
  hand_over_children(task, phase);
  for (Group* group = task.group; group != nullptr && group->owner == &task; group = group->outer)
    hand_over_unjoined(group->children, group->unjoined, phase);
  if (reduction != nullptr) [[unlikely]]
    reduction->note_arrival();
  ++task.waits;
  tp_on_barrier(&phase, task.team->size.load(std::memory_order_relaxed));
  tp_on_search();
}

void leave(Task& task) {
  end_wait(task);
  Phase& phase = task.team->phases[task.phase++ % Team::kPhases];
  if (phase.left.fetch_add(1, std::memory_order_acq_rel) + 1 !=
      task.team->size.load(std::memory_order_relaxed))
    return;
  phase.left.store(0, std::memory_order_relaxed);
  forget_order(phase);
  end_context(phase.context);
}

// The contexts of the task's children, innermost taskgroup first.
template <typename Visit>
void for_each_level(Task& task, Visit visit) {
  for (Group* group = task.group; group != nullptr && group->owner == &task; group = group->outer)
    if (group->unjoined)
      visit(children_of(*group), group->unjoined);
  if (task.unjoined)
    visit(children_of(task), task.unjoined);
}

void begin_taskwait(Task& task) {
  bool any = false;
  for_each_level(task, [&](const tp_context& context, bool /*unjoined*/) {
    if (!any)
      begin_wait(task, context);
    any = true;
  });
  if (!any)
    interrupt(task);
}

void end_taskwait(Task& task) {
  if (task.blocked)
    return resume(task);
  bool is_first = true;
  for_each_level(task, [&](const tp_context& context, bool& unjoined) {
    if (is_first)
      end_wait(task);
    else
      wait_shortly(context);
    is_first = unjoined = false;
  });
  forget_tasks_of_chunk(task);
}

void begin_group(Task& task) {
  Group* const group = new (std::nothrow) Group;
  if (group == nullptr)
    return;
  group->outer = task.group;
  group->owner = &task;
  task.group = group;
}

void wait_for_group(Task& task) {
  Group* const group = task.group;
  if (group == nullptr || group->owner != &task || group->waits)
    return;
  group->waits = true;
  if (group->unjoined)
    begin_wait(task, children_of(*group));
  else
    interrupt(task);
}

void join_group(Task& task, Group& group) {
  wait_for_group(task);
  group.joined = true;
  if (group.unjoined)
    end_wait(task);
  else
    resume(task);
  if (group.children != 0)
    tp_on_context_end(&group.children);
  if (group.all_below != 0) {
    wait_shortly(all_below(group));
    tp_on_context_end(&group.all_below);
  }
}

void end_group(Task& task) {
  Group* const group = task.group;
  if (group == nullptr || group->owner != &task)
    return;
  if (group->joined)
    resume(task);
  else
    join_group(task, *group);
  task.group = group->outer;
  delete group;
  bool any = false;
  for_each_level(task, [&](const tp_context&, bool&) { any = true; });
  if (!any)
    forget_tasks_of_chunk(task);
}

// ---- locks

// How many threads have a lock with that hash, or ask for it. Not 0: a thread that asks for it has to wait, since libomp
// may have promised the lock to another one, or there is another lock with the same hash.
constexpr unsigned kHeldBits = 12;
constinit std::atomic<std::int32_t> held[1u << kHeldBits];
std::atomic<std::int32_t>& held_at(std::uint64_t lock) {
  return held[lock * 0x9e3779b97f4a7c15ull >> (64 - kHeldBits)];
}
[[gnu::tls_model("initial-exec")]] constinit thread_local bool waits_for_lock = false;

// The nested locks that the thread has: it does not wait for these when it sets them again, which libomp reports as an
// acquisition that has begun, and not as one that has succeeded.
struct NestLocks {
  static constexpr unsigned kMost = 16; // of more it is not known; then no wait is reported
  unsigned count;
  std::uint64_t locks[kMost];

  bool may_contain(std::uint64_t lock) const {
    return count > kMost || std::find(locks, locks + count, lock) != locks + count;
  }
  void add(std::uint64_t lock) {
    if (count < kMost)
      locks[count] = lock;
    ++count;
  }
  void remove(std::uint64_t lock) {
    if (count == 0)
      return;
    std::uint64_t* const end = locks + std::min(count, kMost);
    if (std::uint64_t* const found = std::find(locks, end, lock); found != end)
      *found = *(end - 1);
    --count;
  }
};
[[gnu::tls_model("initial-exec")]] constinit thread_local NestLocks nest_locks{};

bool is_nested(Mutex kind) {
  return kind == Mutex::NestLock || kind == Mutex::TestNestLock;
}
bool is_tried(Mutex kind) {
  return kind == Mutex::TestLock || kind == Mutex::TestNestLock;
}
bool is_lock(Mutex kind) {
  return kind != Mutex::Ordered && __atomic_load_n(&tp_locks_are_on, __ATOMIC_RELAXED) != 0;
}
unsigned kind_of_lock(Mutex kind) {
  return kind == Mutex::Critical                          ? TP_LOCK_OMP_CRITICAL
         : kind == Mutex::Atomic                          ? TP_LOCK_OMP_ATOMIC
         : kind == Mutex::Lock || kind == Mutex::TestLock ? TP_LOCK_OMP_LOCK
                                                          : TP_LOCK_OMP_NEST_LOCK;
}

// The pseudo-tasks of taskwaits with depend clauses that this thread is in, innermost first. libomp keeps what we know of
// one in a place that its tasks meanwhile need for theirs, so it is kept here.
[[gnu::tls_model("initial-exec")]] constinit thread_local Task* in_taskwait = nullptr;

// ---- callbacks

using TaskInfo = int (*)(int level, int* flags, Data** task, Frame** frame, Data** region,
                         int* thread);
TaskInfo task_info = nullptr;
using ParallelInfo = int (*)(int level, Data** region, int* threads);
ParallelInfo parallel_info = nullptr;
constexpr int kAvailable = 2; // their answer, if they have one

Data* running_task_data() { // libomp's; null: not known
  Data* data = nullptr;
  const bool is_known =
      task_info != nullptr && task_info(0, nullptr, &data, nullptr, nullptr, nullptr) == kAvailable;
  return is_known ? data : nullptr;
}
// `reported`: by libomp, where the other is not known.
Task* running_task(const Data* reported) {
  const Data* const data = running_task_data();
  return task_of(data != nullptr ? data : reported);
}

void on_thread_begin(ThreadType type, Data*) {
  if (type != ThreadType::Worker)
    return;
  here.is_known = true;
  tp_on_worker_thread();
}

void on_thread_end(Data*) {
  free_kept_tasks();
}

// Of a region in teams libomp reports how many threads another one would get. Those that it can have exist before it begins.
unsigned requested_in_teams(unsigned requested) {
  int threads = 0;
  return parallel_info != nullptr && parallel_info(0, nullptr, &threads) == kAvailable &&
                 threads > 0
             ? std::min(requested, static_cast<unsigned>(threads))
             : requested;
}

void on_parallel_begin(Data* encountering, const Frame*, Data* region, unsigned requested,
                       int flags, const void* caller) {
  if (region_call.is_of_runtime) {
    // The helper threads for target tasks that are deferred: threads that wait for tasks, in no region of the program's.
    region_call = {};
    here.is_known = true;
    tp_on_worker_thread();
    region->ptr = nullptr;
    return;
  }
  note_use();
  constexpr int kLeague = 0x40000000; // ompt_parallel_league
  const bool is_league = (flags & kLeague) != 0;
  if (is_league)
    has_leagues.store(true, std::memory_order_relaxed);
  Task* const outer = task_of(encountering);
  Team* const around = outer != nullptr ? outer->team : nullptr;
  // Of a team alone libomp reports an initial task.
  const bool runs_team = !is_league && ((around != nullptr && around->is_league) ||
                                        (outer != nullptr && outer->is_initial &&
                                         begun_region != nullptr && begun_region->is_league));
  const bool is_in_team = around != nullptr && around->runs_team;
  if (runs_team)
    requested = 1;
  else if (is_in_team)
    requested = requested_in_teams(requested);
  else if (is_league && requested == 1)
    requested = 0;
  Team* const team = lost_regions == 0 ? make_team(requested) : nullptr;
  region->ptr = team;
  if (team == nullptr) {
    ++lost_regions;
    return;
  }
  team->outer = begun_region;
  begun_region = team;
  team->caller = caller;
  team->is_of_gcc = is_region_of_gcc(region_call);
  team->function = region_call.function;
  team->has_combined_loop = region_call.is_loop;
  team->has_combined_sections = region_call.is_sections;
  team->is_league = is_league;
  team->runs_team = runs_team;
  // The code of one team: what is known of it is known of its league.
  Team* const league = !runs_team                               ? nullptr
                       : around != nullptr && around->is_league ? around
                                                                : team->outer;
  if (league != nullptr) {
    team->is_alone = league->requested == 0;
    team->league = team->is_alone ? nullptr : league;
    team->is_of_gcc = league->is_of_gcc;
  }
  team->construct =
      is_league || team->is_alone
          ? (team->is_of_gcc ? TP_CONSTRUCT_OMP_TEAMS_GCC : TP_CONSTRUCT_OMP_TEAMS)
          : (team->is_of_gcc ? TP_CONSTRUCT_OMP_PARALLEL_GCC : TP_CONSTRUCT_OMP_PARALLEL);
  if (is_in_team) {
    team->around = around;
    around->inner.store(team, std::memory_order_release);
  }
  if (is_in_team && outer->has_worksharing &&
      outer->work.construct == TP_CONSTRUCT_OMP_DISTRIBUTE) {
    outer->division = Division::ByRegions;
    ++outer->work.regions;
  }
  team->site =
      league != nullptr
          ? league->site
          : site_of_region(caller, is_league ? TP_CONSTRUCT_OMP_TEAMS : TP_CONSTRUCT_OMP_PARALLEL,
                           outer != nullptr && outer->is_implicit ? outer->team->site : 0);
  const bool is_in_region = outer != nullptr && !outer->is_initial;
  const bool is_plain_team = !is_league && !runs_team;
  team->limit = limit_of_region(team->site, requested, !is_in_region && is_plain_team,
                                is_in_region && is_plain_team ? outer->team->limit : nullptr);
  team->limit_outside = entered_limit();
  const tp_context context = region_of(*team);
  if (!has_own_tasks(*team)) {
    team->words[0][1] = preset(team->site);
    return;
  }
  for (unsigned i = 0; i < requested; ++i) {
    team->words[i][1] = preset(team->site);
    const tp_task described{team->words[i], nullptr, caller};
    tp_on_spawn(&described, &context);
  }
  tp_on_wait(nullptr, nullptr, &context);
}

// Of the region that ends: its implicit tasks, and what they have created.
void join_region(Team& team) {
  const tp_context context = region_of(team);
  // Fewer threads came than were asked for: also, of a region of teams, than the size that libomp reports.
  for (unsigned i = 0; i < team.requested; ++i) {
    if (has_begun(team, i))
      continue;
    tp_frame frame;
    const tp_task described{team.words[i], nullptr, nullptr};
    tp_on_task_begin(&frame, &described, &context, 1);
    tp_on_task_end(&frame, 0);
  }
  tp_on_wait_end(0);
  tp_on_context_end(&team.context);
}

void on_parallel_end(Data*, Data*, int, const void*) {
  if (lost_regions > 0) {
    --lost_regions;
    return;
  }
  Team* const team = begun_region;
  if (team == nullptr)
    return;
  begun_region = team->outer;
  if (team->around != nullptr)
    team->around->inner.store(nullptr, std::memory_order_relaxed);
  if (has_own_tasks(*team))
    join_region(*team);
  for (Phase& phase : team->phases) // what tasks have left behind since the last barrier
    if (phase.context != 0) {
      wait_shortly({&phase.context, TP_CONSTRUCT_OMP_BARRIER | kGathering});
      tp_on_context_end(&phase.context);
    }
  enter_limit(team->limit_outside);
  release(team);
}

void on_implicit_task(Endpoint endpoint, Data* region, Data* data, unsigned size, unsigned index,
                      int flags) {
  if (endpoint == Endpoint::Begin)
    return begin_implicit(region, data, size, index, (flags & kTaskInitial) != 0);
  Task* const task = task_of(data);
  if (task == nullptr)
    return;
  end_implicit(*task);
  data->ptr = task->around;
  free_task(task);
}

// Most tasks: one for each call of an entry point, deferred and tied. False: not this one.
[[gnu::always_inline]] inline bool create_simply(const Data* creator_data, Data* data, int flags) {
  Call* const call = own_task_call();
  Task* const creator = task_of(creator_data);
  if (call == nullptr || !call->is_simple || creator == nullptr ||
      (flags & ~kTaskMergeable) != kTaskExplicit || creator->is_final || creator->creates)
    return false;
  const std::uint32_t site = known_site_of_task(*call); // then the thread is known as well
  Task* task = site != 0 ? take_plain_task() : nullptr;
  if (task == nullptr) [[unlikely]] {
    task = site != 0 ? make_plain_task() : nullptr;
    if (task == nullptr)
      return false;
  }
  Group* const group = creator->group;
  task->phase = creator->phase;
  task->group = group;
  task->team = creator->team;
  task->creator = creator;
  task->is_final = task->begun = false;
  data->ptr = task;
  call->is_simple = false;
  call->is_used = true;
  call->creator = creator; // until it returns
  creator->creates = true;
  note_task_of_chunk(*creator);
  const bool in_group = group != nullptr && group->owner == creator;
  (in_group ? group->unjoined : creator->unjoined) = true;
  std::uint64_t& context = in_group ? group->children : creator->children;
  tp_on_child_in_call(task->words, site, &context);
  task->own_context = context;
  return true;
}

// Apart from the plain ones, which then save no registers for this, nor move their parameters.
[[gnu::noipa]] void create_any(Data* creator_data, const Frame*, Data* data, int flags, int,
                               const void* caller) {
  Call* const call = own_task_call();
  // libomp divides a large taskloop by tasks that create others in the name of the task with the taskloop, which may
  // run elsewhere, or have ended.
  Task* const creator = call != nullptr ? task_of(creator_data) : running_task(creator_data);
  if (creator == nullptr || (flags & (kTaskInitial | kTaskImplicit)) != 0)
    return;
  const bool divides = call == nullptr && creator->is_taskloop;
  note_use();
  Task* const task = make_task(creator->team);
  const bool is_first = call != nullptr && !call->is_used;
  if (is_first) {
    call->is_used = true;
    call->is_simple = false;
  }
  if (task == nullptr) {
    if (is_first)
      tp_on_runtime_return();
    return;
  }
  task->creator = creator;
  task->phase = creator->phase;
  task->group = creator->group;
  if ((flags & kTaskTaskwait) != 0) {
    if (is_first)
      tp_on_runtime_return();
    task->outer_taskwait = in_taskwait;
    in_taskwait = task;
    return;
  }
  data->ptr = task;
  task->is_final = (flags & kTaskFinal) != 0 || creator->is_final;
  task->is_untied = (flags & kTaskUntied) != 0;
  task->traits = kTaskTraits;
  task->words[1] = preset(site_of_task(call, *creator, caller, is_first));
  Taskloop* const loop = call != nullptr ? call->taskloop : divides ? &creator->share : nullptr;
  task->is_taskloop = loop != nullptr;
  if (loop != nullptr && loop->tasks > 0)
    take_share(*task, *loop);
  task->grain = divides ? creator->grain : loop != nullptr ? loop->grain : 1;
  // In a team of one thread, unless it is one of a league, libomp defers no task, whatever the program says.
  task->runs_at_once = (flags & kTaskUndeferred) != 0;
  task->is_undeferred =
      (call != nullptr && call->is_undeferred) ||
      (task->runs_at_once &&
       (creator->team->size.load(std::memory_order_relaxed) > 1 || creator->is_final));
  if (task->is_taskloop && task->is_undeferred)
    task->division = Division::None;
  task->is_simple = !task->is_untied && !task->is_taskloop && !task->is_undeferred;
  if (creator
          ->creates) // a taskloop, which creates several: a spawn opens only what was open before it
    tp_on_spawn_end();
  const tp_task described{task->words, nullptr, caller};
  if (task->is_undeferred) {
    const tp_context context = context_of(*task);
    if (is_first || is_share(*creator))
      tp_on_runtime_return();
    ++creator->waits;
    tp_on_wait(&described, &context, &context);
    return;
  }
  note_task_of_chunk(*creator);
  const bool in_group = creator->group != nullptr && creator->group->owner == creator;
  const tp_context context = divides    ? context_of(*creator)
                             : in_group ? children_of(*creator->group)
                                        : children_of(*creator);
  if (!divides)
    (in_group ? creator->group->unjoined : creator->unjoined) = true;
  if (is_first || (is_share(*creator) && !creator->creates))
    tp_on_spawn_in_call(&described, &context);
  else
    tp_on_spawn(&described, &context);
  task->own_context = *context.word;
  if (call != nullptr) { // until it returns
    if (task->is_untied && call->task != nullptr && call->task != detachable_task)
      wrap_routine(*task, call->task);
    call->creator = creator;
    creator->creates = true;
  } else if (is_share(*creator)) { // until it ends
    creator->creates = true;
  } else {
    tp_on_spawn_end();
  }
}

void on_task_create(Data* creator_data, const Frame* frame, Data* data, int flags,
                    int has_dependences, const void* caller) {
  if (!create_simply(creator_data, data, flags)) [[unlikely]]
    create_any(creator_data, frame, data, flags, has_dependences, caller);
}

void on_dependences(Data* data, const Dependence* dependences, int count) {
  Task* const task = data != nullptr && data->ptr == nullptr ? in_taskwait : task_of(data);
  if (task == nullptr || task->is_implicit)
    return;
  Task* const creator = task->creator;
  if (creator == nullptr || task->node != nullptr)
    return;
  if (creator->table == nullptr)
    creator->table = new (std::nothrow) DependenceTable;
  task->node = new (std::nothrow) DependenceNode;
  creator->has_more = task->has_more = true;
  if (creator->table == nullptr || task->node == nullptr)
    return;
  creator->table->add(*task->node, dependences, count);
  if (const Call* const call = own_task_call(); call != nullptr)
    task->node->caller = call->caller;
}

// Most tasks begin in the middle of nothing, and end so. Both are functions of their own, so that the first saves no
// registers, and end with the hook where they can. False: it is not such a begin.
[[gnu::always_inline]] inline bool begin_simply(const Data* prior_data, const Data* next_data) {
  Task* const prior = task_of(prior_data);
  Task* const next = task_of(next_data);
  if (prior == nullptr || here.has_left || next == nullptr || next == prior || !next->is_simple ||
      next->begun || next->node != nullptr || prior->is_untied || may_have_step(*prior))
    return false;
  here.last_left = prior;
  touch_task(*next);
  __atomic_store_n(&next->begun, true, __ATOMIC_RELEASE);
  ++here.tasks_begun;
  tp_on_child_begin(&next->frame, next->words, &next->own_context);
  return true;
}

void switch_in_any_way(Data* prior_data, TaskStatus status, Data* next_data);

[[gnu::noipa]] void complete(Data* prior_data, TaskStatus status, Data* next_data) {
  Task* const prior = task_of(prior_data);
  Task* const next = task_of(next_data);
  if (prior == nullptr || here.has_left || next == prior ||
      (next != nullptr && (next->is_untied || !next->begun)) || !is_plain(*prior)) [[unlikely]]
    return switch_in_any_way(prior_data, status, next_data);
  --here.tasks_begun;
  tp_on_task_end(&prior->frame, 0);
  keep_plain_task(prior);
  prior_data->ptr = nullptr;
  if (next == nullptr)
    tp_on_search();
  else
    resume(*next);
}

[[gnu::noinline]] void switch_in_any_way(Data* prior_data, TaskStatus status, Data* next_data) {
  Task* const prior = task_of(prior_data);
  switch (status) {
  case TaskStatus::Complete:
  case TaskStatus::Cancel:
    if (prior != nullptr) {
      // Another thread has run the rest meanwhile, and libomp reports that as another part: what is left is the end.
      if (here.has_left && !prior->ended)
        wait_for_rest(*prior);
      here.has_left = false;
      // A task of a cancelled taskgroup is never begun: all that is reported of it is this, also where the thread comes by it in
      // the middle of another one's step.
      if (Task* const running = task_of(next_data); running != nullptr && !prior->begun)
        interrupt(*running);
      end_task(*prior, status == TaskStatus::Cancel);
      prior_data->ptr = nullptr;
    }
    break;
  case TaskStatus::Detach:
    if (prior != nullptr)
      detach(*prior);
    break;
  case TaskStatus::EarlyFulfill:
  case TaskStatus::LateFulfill:
    if (prior != nullptr)
      fulfill(*prior);
    return;
  case TaskStatus::TaskwaitComplete: // taskwait depend, and if(0) with depend: no task runs
    if (Task* const taskwait = in_taskwait) {
      in_taskwait = taskwait->outer_taskwait;
      come_after_dependences(*taskwait);
      free_task(taskwait);
    }
    return;
  case TaskStatus::Yield:
  case TaskStatus::Switch:
    break;
  }
  Task* const next = task_of(next_data);
  if (here.has_left && status == TaskStatus::Switch && next != nullptr && next == prior &&
      !next->begun) {
    here.has_left = false; // queues are full: the rest runs at once, inside
    here.last_left = nullptr;
    return begin_task(*next, false);
  }
  if (here.has_left && status == TaskStatus::Switch) { // `prior` may run elsewhere already
    here.has_left = false;
    if (next != nullptr && next != prior)
      resume(*next);
    else
      tp_on_search();
    return;
  }
  const bool is_part = status == TaskStatus::Switch && prior != nullptr && prior->is_untied &&
                       (next == nullptr || next->begun);
  // Where no task is deferred, the parts of an untied task call each other, without a report.
  if (next == prior || (is_part && (prior->is_undeferred || prior->runs_at_once)))
    return;
  const bool leaves_rest = is_part && prior->begun && prior->waits == 0 && prior->thread == &here;
  if (next == nullptr) { // back in the barrier at the end of a region
    if (leaves_rest)
      leave_rest(*prior);
    return tp_on_search();
  }
  if (next->is_untied && next->begun && next->thread != &here)
    wait_for_rest(*next);
  if (next->begun) {
    // A part of an untied task has ended; else `prior` is in the middle of something.
    if (leaves_rest)
      leave_rest(*prior);
    resume(*next);
    return;
  }
  if (prior != nullptr && (status == TaskStatus::Yield || status == TaskStatus::Switch))
    interrupt(*prior);
  here.last_left = prior;
  begin_task(*next, false);
  // Where no task is deferred, libomp does not report the chunks of taskloops; nor that of a task that another thread
  // has begun before its creator goes on.
  if (is_share(*next)) {
    tp_on_runtime_call(); // until it creates a task
    return;
  }
  if (next->is_taskloop && (next->iterations > 0 || next->is_undeferred ||
                            next->team->size.load(std::memory_order_relaxed) == 1)) {
    begin_chunk(*next, next->iterations);
    next->chunk_is_assumed = true;
  }
}

void on_task_schedule(Data* prior_data, TaskStatus status, Data* next_data) {
  if (status == TaskStatus::Complete)
    return complete(prior_data, status, next_data);
  if (status != TaskStatus::Switch || !begin_simply(prior_data, next_data)) [[unlikely]]
    switch_in_any_way(prior_data, status, next_data);
}

void on_sync_region(SyncRegion kind, Endpoint endpoint, Data*, Data* data, const void*) {
  Task* const task = task_of(data);
  if (task == nullptr)
    return;
  const bool begins = endpoint == Endpoint::Begin;
  switch (kind) {
  case SyncRegion::Barrier:
  case SyncRegion::BarrierImplicit:
  case SyncRegion::BarrierExplicit:
  case SyncRegion::BarrierImplementation:
  case SyncRegion::BarrierImplicitWorkshare:
    if (task->is_implicit && !task->ended)
      begins ? arrive(*task) : leave(*task);
    break;
  case SyncRegion::BarrierImplicitParallel:
  case SyncRegion::BarrierTeams:
    if (begins) {
      end_implicit(*task);
      // What libomp keeps of it until the thread leaves the barrier must be nothing: it is in the place that
      // taskwaits with depend clauses need in tasks that run there.
      if (task->ended) {
        data->ptr = nullptr;
        free_task(task);
      }
    }
    break;
  case SyncRegion::Taskwait:
    begins ? begin_taskwait(*task) : end_taskwait(*task);
    break;
  case SyncRegion::Taskgroup:
    begins ? begin_group(*task) : end_group(*task);
    break;
  case SyncRegion::Reduction:
    break;
  }
}

void on_sync_region_wait(SyncRegion kind, Endpoint endpoint, Data*, Data* data, const void*) {
  Task* const task = task_of(data);
  if (task != nullptr && kind == SyncRegion::Taskgroup && endpoint == Endpoint::Begin)
    wait_for_group(*task);
}

void on_work(Work kind, Endpoint endpoint, Data*, Data* data, std::uint64_t count,
             const void* caller) {
  Task* const task = task_of(data);
  if (task == nullptr)
    return;
  switch (kind) {
  case Work::Loop:
  case Work::LoopStatic:
  case Work::LoopDynamic:
  case Work::LoopGuided:
  case Work::LoopOther:
  case Work::Sections:
  case Work::Distribute:
    break;
  default:
    return;
  }
  if (endpoint == Endpoint::End)
    return end_worksharing(*task);
  begin_worksharing(*task,
                    kind == Work::Sections     ? TP_CONSTRUCT_OMP_SECTIONS
                    : kind == Work::Distribute ? TP_CONSTRUCT_OMP_DISTRIBUTE
                                               : TP_CONSTRUCT_OMP_FOR,
                    kind == Work::LoopDynamic || kind == Work::LoopGuided, caller);
  // libomp does not report the chunks of a team of one thread, or of a league of one team.
  const bool is_undivided = kind == Work::Distribute
                                ? task->team->is_alone
                                : task->team->size.load(std::memory_order_relaxed) == 1;
  if (kind != Work::Sections && is_undivided) {
    begin_chunk(*task, count);
    task->chunk_is_assumed = true;
  }
}

void on_dispatch(Data*, Data* data, Dispatch kind, Data instance) {
  Task* const task = task_of(data);
  // Of static loops libomp reports a first chunk, also to threads that have none.
  if (task == nullptr || loop_call.is_counted)
    return;
  const auto* const chunk = static_cast<const Chunk*>(instance.ptr);
  if (kind == Dispatch::Section)
    begin_chunk(*task, 1);
  else if ((kind == Dispatch::LoopChunk || kind == Dispatch::TaskloopChunk ||
            kind == Dispatch::DistributeChunk) &&
           chunk != nullptr)
    begin_chunk(*task, chunk->iterations);
}

// How many iterations of a chunk there were that is given up is not known: what ran is not divided.
void on_cancel(Data* data, int, const void*) {
  if (Task* const task = task_of(data); task != nullptr && task->has_chunk)
    task->chunk = 1;
}

void on_mutex_acquire(Mutex kind, unsigned, unsigned, std::uint64_t lock, const void* caller) {
  if (kind == Mutex::Ordered)
    return wait_for_ordered();
  if (!is_lock(kind) || (is_nested(kind) && nest_locks.may_contain(lock)))
    return;
  if (is_tried(kind)) // libomp does not report that it has failed
    return tp_on_lock_try_failed(reinterpret_cast<const void*>(lock), kind_of_lock(kind),
                                 TP_LOCK_MAY_SUCCEED, caller);
  if (held_at(lock).fetch_add(1, std::memory_order_relaxed) == 0 || waits_for_lock)
    return;
  waits_for_lock = true;
  tp_on_lock_wait_for(reinterpret_cast<const void*>(lock));
}

void on_mutex_acquired(Mutex kind, std::uint64_t lock, const void* caller) {
  if (kind == Mutex::Ordered) // in the order of the iterations
    return enter_ordered(lock, caller);
  if (!is_lock(kind))
    return;
  if (is_tried(kind) || (is_nested(kind) && nest_locks.count > NestLocks::kMost))
    held_at(lock).fetch_add(1, std::memory_order_relaxed);
  if (is_nested(kind))
    nest_locks.add(lock);
  if (waits_for_lock) {
    waits_for_lock = false;
    tp_on_lock_wait_end(0);
  }
  tp_on_lock_taken(reinterpret_cast<const void*>(lock), kind_of_lock(kind), 0, caller);
}

void on_mutex_released(Mutex kind, std::uint64_t lock, const void*) {
  if (kind == Mutex::Ordered)
    return leave_ordered();
  if (!is_lock(kind))
    return;
  held_at(lock).fetch_sub(1, std::memory_order_relaxed);
  if (is_nested(kind))
    nest_locks.remove(lock);
  tp_on_lock_given(reinterpret_cast<const void*>(lock));
}

void on_lock_init(Mutex, unsigned, unsigned, std::uint64_t lock, const void*) {
  tp_on_lock_renewed(reinterpret_cast<const void*>(lock));
}
void on_lock_destroy(Mutex, std::uint64_t lock, const void*) {
  tp_on_lock_renewed(reinterpret_cast<const void*>(lock));
}

// ---- start

template <typename Callback>
AnyFunction as_any(Callback* callback) {
  return reinterpret_cast<AnyFunction>(callback);
}

int initialize(Lookup lookup, int, Data*) {
  const auto set = reinterpret_cast<SetCallback>(lookup("ompt_set_callback"));
  if (set == nullptr)
    return 0;
  tp_on_library_code(reinterpret_cast<const void*>(lookup));
  note_runtime(reinterpret_cast<const void*>(lookup));
  tp_on_library_code(reinterpret_cast<const void*>(&initialize));
  task_info = reinterpret_cast<TaskInfo>(lookup("ompt_get_task_info"));
  parallel_info = reinterpret_cast<ParallelInfo>(lookup("ompt_get_parallel_info"));
  const struct {
    Event event;
    AnyFunction callback;
  } callbacks[] = {
      {Event::ThreadBegin, as_any(on_thread_begin)},
      {Event::ThreadEnd, as_any(on_thread_end)},
      {Event::ParallelBegin, as_any(on_parallel_begin)},
      {Event::ParallelEnd, as_any(on_parallel_end)},
      {Event::TaskCreate, as_any(on_task_create)},
      {Event::TaskSchedule, as_any(on_task_schedule)},
      {Event::ImplicitTask, as_any(on_implicit_task)},
      {Event::SyncRegionWait, as_any(on_sync_region_wait)},
      {Event::MutexReleased, as_any(on_mutex_released)},
      {Event::Dependences, as_any(on_dependences)},
      {Event::Work, as_any(on_work)},
      {Event::SyncRegion, as_any(on_sync_region)},
      {Event::LockInit, as_any(on_lock_init)},
      {Event::LockDestroy, as_any(on_lock_destroy)},
      {Event::MutexAcquire, as_any(on_mutex_acquire)},
      {Event::MutexAcquired, as_any(on_mutex_acquired)},
      {Event::Dispatch, as_any(on_dispatch)},
      {Event::Cancel, as_any(on_cancel)},
  };
  handle_forks();
  for (const auto& each : callbacks)
    set(static_cast<int>(each.event), each.callback);
  return 1; // the tool is active
}

void finalize(Data*) {}

constinit StartToolResult result{initialize, finalize, {0}};

} // namespace

constinit thread_local bool searches_first [[gnu::tls_model("initial-exec")]] = false;

void begin_search() {
  Task* const task = in_worksharing;
  // A chunk that is assumed lasts as long as the loop, unless one is reported.
  if (task == nullptr || task->chunk_is_assumed)
    return;
  if (!task->has_chunk)
    return begin_first_search();
  task->has_chunk = false;
  const Iterations iterations = iterations_of(*task);
  forget_tasks_of_chunk(*task);
  tp_on_last_loop_end(iterations.count, iterations.grain);
}

void end_first_search() {
  searches_first = false;
  tp_on_runtime_return();
}

constinit std::atomic<bool> has_leagues{false};

SerialRegionBegin::SerialRegionBegin()
    : around_(begun_region), encountering_(running_task_data()) {}
SerialRegionBegin::~SerialRegionBegin() {
  if (begun_region != around_) // it has been reported
    return;
  Data* region = nullptr;
  Data* const task = running_task_data();
  if (parallel_info == nullptr || parallel_info(0, &region, nullptr) != kAvailable ||
      region == nullptr || task == nullptr)
    return;
  on_parallel_begin(encountering_, nullptr, region, 1, 0, region_call.caller);
  on_implicit_task(Endpoint::Begin, region, task, 1, 0, kTaskImplicit);
}

SerialRegionEnd::SerialRegionEnd() : region_(begun_region), task_(running_task_data()) {}
SerialRegionEnd::~SerialRegionEnd() {
  if (begun_region != region_ || task_ == nullptr)
    return;
  on_implicit_task(Endpoint::End, nullptr, task_, 1, 0, kTaskImplicit);
  on_parallel_end(nullptr, nullptr, 0, nullptr);
}

KeptTask::KeptTask() : data_(running_task_data()), task_(task_of(data_)) {}

CodeAfterGroup::CodeAfterGroup() : task_(running_task(nullptr)) {
  Group* const group = task_ != nullptr ? task_->group : nullptr;
  if (group == nullptr || group->owner != task_) { // not expected
    task_ = nullptr;
    state_ = tp_on_program_code();
  } else if (group->joined) {
    resume(*task_);
  } else {
    join_group(*task_, *group);
  }
}
CodeAfterGroup::~CodeAfterGroup() {
  if (task_ != nullptr)
    interrupt(*task_);
  else
    tp_on_program_code_end(state_);
}

Reduction::Reduction(void* data, Combine* combine, const Ident* ident, const void* caller,
                     bool waits)
    : data_(data), combine_(combine), ident_(ident), caller_(caller), waits_(waits),
      outer_(std::exchange(reduction, this)) {}

Reduction::~Reduction() {
  reduction = outer_;
  Task* const task = has_arrived_ ? running_task(nullptr) : nullptr;
  if (task == nullptr)
    return;
  if (context_ != 0) {
    wait_shortly({&context_, TP_CONSTRUCT_OMP_REDUCTION | TP_CONTEXT_EXCLUSIVE});
    tp_on_context_end(&context_);
  }
  const std::uint64_t own = edge_.exchange(0, std::memory_order_relaxed);
  Team& team = *task->team;
  if (task->index == 0) {
    team.waits_for_combined = waits_;
    if (waits_)
      tp_forget_edge(own);
    return;
  }
  tp_forget_edge(own);
  const std::uint64_t combined = team.combined.load(std::memory_order_acquire);
  tp_on_acquire_shared(&combined, 1);
  if (team.combined_left.fetch_sub(1, std::memory_order_acq_rel) == 1)
    tp_forget_edge(combined);
}

void Reduction::note_arrival() {
  if (!std::exchange(has_arrived_, true))
    edge_.store(tp_on_release(0), std::memory_order_relaxed);
}

namespace {
// The other threads of the team go on after this one has come so far.
void publish_combined(Team& team, std::uint64_t edge) {
  team.combined.store(edge, std::memory_order_relaxed);
  team.combined_left.store(team.size.load(std::memory_order_relaxed) - 1,
                           std::memory_order_release);
}
} // namespace

void Reduction::combine(void* into, void* from) {
  static_cast<Reduction*>(into)->take_over(*static_cast<Reduction*>(from));
}

void Reduction::take_over(Reduction& from) {
  Task* const task = has_arrived_ ? running_task(nullptr) : nullptr;
  if (task == nullptr) // nothing is recorded
    return combine_(data_, from.data_);
  std::uint64_t words[2] = {0, preset(site_of_reduction(*task->team, ident_, caller_))};
  const tp_task described{words, nullptr, nullptr};
  const tp_context context{&context_, TP_CONSTRUCT_OMP_REDUCTION | TP_CONTEXT_EXCLUSIVE};
  tp_on_spawn(&described, &context);
  tp_frame frame;
  tp_on_task_begin(&frame, &described, &context, 0);
  tp_on_acquire(edge_.exchange(0, std::memory_order_relaxed), 0);
  tp_on_acquire(from.edge_.exchange(0, std::memory_order_relaxed), 0);
  combine_(data_, from.data_);
  const std::uint64_t edge = tp_on_release(0);
  edge_.store(edge, std::memory_order_relaxed);
  if (task->index == 0 && !waits_)
    publish_combined(*task->team, edge);
  tp_on_task_end(&frame, 0);
  tp_on_search();
}

void note_end_of_reduction() {
  Task* const task = running_task(nullptr);
  // Where the threads combine their values themselves, no thread acquires it.
  if (task != nullptr && task->index == 0 && std::exchange(task->team->waits_for_combined, false))
    publish_combined(*task->team, tp_on_release(0));
}

bool is_in_loop() {
  return in_worksharing != nullptr && in_worksharing == running_task(nullptr);
}

void note_end_of_part() {
  Task* const task = running_task(nullptr);
  if (innermost_part != nullptr && innermost_part->task == task)
    innermost_part->has_left = true;
  if (task == nullptr || !task->is_untied || !task->begun || task->ended || task->waits > 0 ||
      task->is_undeferred || task->runs_at_once)
    return;
  end_worksharing(*task);
  here.has_left = true;
  leave_rest(*task);
}

void note_iterations(std::uint64_t count) {
  Task* const task = in_worksharing;
  if (task == nullptr || count == 0)
    return;
  if (!task->has_chunk)
    begin_chunk(*task, count);
  task->chunk = count;
}

} // namespace tp::omp

extern "C" [[gnu::visibility("default")]] tp::omp::StartToolResult*
ompt_start_tool(unsigned /*omp_version*/, const char* /*runtime_version*/) {
  // Before libomp acquires locks of its own: they are not the program's.
  tp_on_library_code(__builtin_return_address(0));
  return &tp::omp::result;
}
