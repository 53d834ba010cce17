// SPDX-License-Identifier: Apache-2.0
// What the tool knows of a task, a team, a taskgroup. The runtime keeps our pointer with its own object, in
// ompt_data_t: a Task with each task, a Team with each parallel region.
//
// Whom OpenMP waits for. A taskwait waits for the children of its task only, a barrier and the end of a
// taskgroup for all descendants. So each task has a context for its children, and what they leave unjoined
// when a task ends is handed over to what waits deeply: the taskgroup around the task, else the barrier that
// ends the phase in which it runs. A phase lasts from one barrier of a team to the next. At most two are
// alive: a thread that is fast arrives at the next barrier while a slow one still leaves this one.
#pragma once

#include "call_sites.h"
#include "ompt.h"

#include "tp/hooks.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tp::omp {

class DependenceTable;
class LoopOrder;
struct DependenceNode;
struct Task;

struct Phase {
  std::uint64_t context = 0; // of what its barrier waits for
  std::atomic<std::uint32_t> left{0};
  std::atomic<LoopOrder*> order{nullptr}; // owned
};

// One parallel region, or the implicit one around an initial task. Freed by the last reference: those of the
// region itself and of its implicit tasks, whose ends some threads see late.
struct Team {
  std::atomic<std::uint32_t> refs{1};
  std::atomic<std::uint32_t> size{0}; // known when the first implicit task begins
  std::uint32_t requested = 0;
  std::uint64_t context = 0;                      // of its implicit tasks
  unsigned construct = TP_CONSTRUCT_OMP_PARALLEL; // of that context
  Team* outer = nullptr;  // in which the thread was that has begun the region
  bool is_league = false; // a teams construct: its implicit tasks are the teams
  bool runs_team = false; // with the code of one team, which libomp runs as a region
  bool is_alone = false;  // runs_team: of a league of one, which has no implicit task of its own
  Team* league = nullptr; // runs_team, not alone: its implicit task is one of the league's
  std::atomic<Team*> inner{nullptr};       // runs_team: the region in it
  Team* around = nullptr;                  // of that region
  const tp_arena* limit = nullptr;         // team_limits.h; null: none
  const tp_arena* limit_outside = nullptr; // of the code that has begun the region
  const void* caller = nullptr;
  const void* function = nullptr; // with the region's code; null: not known
  std::uint32_t site = 0;
  bool has_combined_sections = false; // which libomp reports as a loop
  bool has_combined_loop = false;     // in one call with the region, by g++
  bool is_of_gcc = false; // whose static and distributed loops are part of the implicit tasks
  // From what the first thread has combined of a reduction in a barrier; how many threads have yet to acquire it.
  std::atomic<std::uint64_t> combined{0};
  std::atomic<std::uint32_t> combined_left{0};
  bool waits_for_combined =
      false; // the others do until the first thread, which alone knows it, says so
  static constexpr unsigned kPhases = 4;
  Phase phases[kPhases];
  std::uint64_t (*words)[2] = nullptr; // of the implicit tasks, as tp_task; as many as requested
};

struct Group {
  Group* outer = nullptr; // around it, also of another task
  Task* owner = nullptr;
  std::uint64_t children = 0;  // context: tasks that its owner creates in it
  std::uint64_t all_below = 0; // context: their descendants
  bool unjoined = false;
  bool waits = false;
  bool joined = false; // the wait is over
};

// A loop or sections: what one thread runs of it is a task of its own, so that loops of one region do not
// count as one.
struct Worksharing {
  Task* outer; // in whose loop or sections the thread was before, in another region
  tp_frame frame;
  std::uint64_t words[2];
  std::uint64_t context;
  unsigned construct;
  std::uint64_t regions; // of a loop that distribute deals out: that its thread has begun in it
};

// How the iterations of a body call could be divided further.
enum class Division : std::uint8_t {
  Even,      // as far as the grain size says
  InOrder,   // not known: they wait for each other
  WithTasks, // not known: they create tasks, and which iteration creates which is not known
  ByRegions, // by the parallel regions in it
  None,      // they run one after the other in any case
};

// What the creation and the end of a task without events read comes first, and its frame: one thread creates the task,
// another one runs it, and each line of memory that it has to fetch then would count as the task's work (touch_task).
struct alignas(64) Task {
  std::uint64_t words[2];
  std::uint64_t
      own_context; // copy of the word of its context, or the word itself, of a task that is alone in it
  unsigned traits;
  std::uint32_t phase;
  std::uint64_t children;  // context of those that it creates outside of its taskgroups
  Group* group;            // the innermost around it
  Team* team;              // implicit tasks count as references, others are over before it is
  Task* creator;           // valid while it creates the task; undeferred: it waits for the task
  DependenceNode* node;    // of its own dependences
  std::uint64_t fulfilled; // edge from there
  DependenceTable* table;  // of its children's dependences
  // Nothing of these eight bytes is set of a task without children and waits.
  alignas(8) std::uint32_t waits; // in progress
  bool unjoined;                  // tasks in `children` that no wait has joined
  bool has_more;                  // `node`, `fulfilled` or `table`
  // What most tasks are is said by eight bytes, and whether anything was or is special by eight others: is_plain().
  alignas(8) bool is_simple; // a deferred, tied task without a loop of its own
  bool is_implicit, is_initial, is_final, is_untied, is_undeferred, is_taskloop;
  bool begun;
  bool has_chunk, chunk_is_assumed, is_detached, has_worksharing;
  bool ended;
  bool blocked;        // its step is closed while its thread runs another task
  Division division;   // of the iterations of its loop
  bool creates;        // its step is closed until the creation of a task is over
  std::uint64_t grain; // of a taskloop
  Task* next_free;
  tp_frame frame;
  // Colder.
  std::uint64_t chunk;      // iterations of the open body call
  const void* thread;       // of an untied task that runs
  void* routine;            // of an untied task: its code, where ours is called in its place
  std::uint64_t iterations; // of a task of a taskloop, where known
  bool runs_at_once;        // libomp defers it as little as any other task of its team
  Taskloop share;           // `tasks` > 0: the task is libomp's, and creates these
  Task* outer_taskwait;
  Task* around;        // the implicit task in whose place libomp keeps this one
  std::int64_t loops;  // of an implicit task: begun so far
  unsigned index;      // of an implicit task: its thread's in the team
  const void* ordered; // the ordered block of its loop that it is in, as a lock
  Worksharing work;    // only if has_worksharing
};

// The task in whose loop or sections the calling thread is; null: in none.
extern constinit thread_local Task* in_worksharing [[gnu::tls_model("initial-exec")]];

inline Task* task_of(const Data* data) {
  return data != nullptr ? static_cast<Task*>(data->ptr) : nullptr;
}
inline Team* team_of(const Data* data) {
  return data != nullptr ? static_cast<Team*>(data->ptr) : nullptr;
}

// Of a task that runs or is at its end: was there nothing but its code, as far as its memory shows?
inline bool is_plain(const Task& task) {
  static_assert(offsetof(Task, is_simple) == offsetof(Task, waits) + 8 &&
                offsetof(Task, has_chunk) == offsetof(Task, is_simple) + 8 &&
                offsetof(Task, creates) == offsetof(Task, has_chunk) + 7);
  const auto eight_bytes = [&](std::size_t at) {
    std::uint64_t bytes = 0;
    __builtin_memcpy(&bytes, reinterpret_cast<const char*>(&task) + at, sizeof bytes);
    return bytes;
  };
  return task.is_simple && task.begun &&
         (eight_bytes(offsetof(Task, waits)) | eight_bytes(offsetof(Task, has_chunk)) |
          task.children) == 0;
}

// Fetches what the end of the task reads.
inline void touch_task(const Task& task) {
  for (std::size_t at = 0; at < offsetof(Task, chunk); at += 64)
    static_cast<void>(*(reinterpret_cast<const volatile char*>(&task) + at));
}

// Of the context of explicit tasks.
inline constexpr unsigned kTaskTraits = TP_CONSTRUCT_OMP_TASK | TP_CONTEXT_EXCLUSIVE;

// Null: no memory.
Task* make_task(Team* team);
void free_task(Task* task);
void keep_task(Task* task); // the same, of a task that refers to nothing that is its own
// Memory of a simple task, in which all is zero but is_simple, `grain`, which is 1, `traits`, and what is to be set: `words`,
// `own_context`, `phase`, `group`, `team`, `creator`, `is_final` and `begun`. Null: the calling thread has none.
inline Task* take_plain_task() {
  Task* const task = here.plain;
  if (task != nullptr) [[likely]] {
    here.plain = task->next_free;
    --here.plain_count;
  }
  return task;
}
Task* make_plain_task(); // from others, or new; null: no memory
// A thread that runs the tasks of another one passes their memory on, in batches.
inline constexpr unsigned kMostPlain = 256;
void pass_on_plain_tasks(); // kMostPlain of them
// Of a task that is_plain().
inline void keep_plain_task(Task* task) {
  if (here.plain_count == kMostPlain) [[unlikely]]
    pass_on_plain_tasks();
  task->next_free = here.plain;
  here.plain = task;
  ++here.plain_count;
}
void free_kept_tasks(); // of the calling thread, which ends
Team* make_team(std::uint32_t requested);
void forget_order(Phase& phase); // all threads have left it
void release(Team* team);

extern constinit std::atomic<bool> has_leagues; // or had some
// Of clang's regions of one thread. libomp 19 does not report all of those inside of a region in a league: the begin or
// the end of one that it has not reported is noted here.
class SerialRegionBegin {
public:
  SerialRegionBegin();
  ~SerialRegionBegin();
  SerialRegionBegin(const SerialRegionBegin&) = delete;
  SerialRegionBegin& operator=(const SerialRegionBegin&) = delete;

private:
  const Team* const around_;
  Data* const encountering_;
};
class SerialRegionEnd {
public:
  SerialRegionEnd();
  ~SerialRegionEnd();
  SerialRegionEnd(const SerialRegionEnd&) = delete;
  SerialRegionEnd& operator=(const SerialRegionEnd&) = delete;

private:
  const Team* const region_;
  Data* const task_;
};

// While a region of g++'s lasts, by the thread that has begun it. libomp 19 ends a region of one thread, in a region in a
// league, as if it were that one as well: from then on it reports another task in the place of the thread's own.
class KeptTask {
public:
  KeptTask();
  ~KeptTask() {
    if (data_ != nullptr)
      data_->ptr = task_;
  }
  KeptTask(const KeptTask&) = delete;
  KeptTask& operator=(const KeptTask&) = delete;

private:
  Data* const data_; // libomp's; null: not known
  void* const task_;
};

} // namespace tp::omp
