// SPDX-License-Identifier: Apache-2.0
// CALL SITES: the spawn sites of OpenMP's constructs, numbers for tp_task::words[1], 0 if nothing is recorded.
//
// OMPT reports a return address, which is not always one in the construct: where a region is the last thing in a
// function, compilers jump to the runtime, and taskloops are reported with addresses inside libomp. The entry points
// (entry_points.cpp) see what the compiler passes: the place in the source in programs of clang++ -g, and the
// function that contains the construct's code.
#pragma once

#include <cstdint>

namespace tp::omp {

struct Team;
struct Task;

// The place that clang passes to each entry point (ident_t). `source`: ";file;function;line;column;;".
struct Ident {
  std::int32_t reserved_1;
  std::int32_t flags;
  std::int32_t reserved_2;
  std::int32_t reserved_3;
  const char* source;
};

// A taskloop, or the part of one whose tasks a task of libomp's creates.
struct Taskloop {
  std::uint64_t grain = 1;
  // Still to be created: so many tasks, of so many iterations each; the first `longer` of them have one more. 0: not known.
  std::uint64_t tasks = 0, iterations = 0, longer = 0;
  // While there are more, libomp creates a task of its own for the second half of them, which does the same.
  std::uint64_t most_at_once = 0;
};
// A call of an entry point. Most are short-lived ones of tasks: little to clear.
struct Call {
  const Ident* ident = nullptr;   // null: none
  const void* function = nullptr; // of the code of the construct; null: not known
  const void* caller = nullptr;   // return address
  Task* creator = nullptr;        // its step is closed until the creation of tasks is over
  Taskloop* taskloop = nullptr;   // null: it is none
  void* task = nullptr;   // libomp's, whose code may be wrapped unless it is the detachable_task
  unsigned depth = 0;     // Here::tasks_begun then
  bool is_simple = false; // creates one task, deferred if libomp likes, and has not done so yet
  bool is_used = false;   // a task was created
  bool is_undeferred = false; // by an if clause
  bool is_sections = false;   // not a loop; of a region: that are one with it
  bool is_loop = false;       // of a region: it is one with the loop in it, or its sections
  bool starts_search = false; // of a loop: the call also looks for the thread's first chunk
  bool is_of_runtime = false; // of a region: libomp's own helper threads
  bool is_counted = false;    // of a loop: note_iterations() will say what the thread runs of it
};
// Of a region: was it g++ that compiled it?
inline bool is_region_of_gcc(const Call& call) {
  return call.ident == nullptr && call.function != nullptr;
}
// The region that this thread is about to begin.
extern constinit thread_local Call region_call [[gnu::tls_model("initial-exec")]];
// While this thread begins a static loop, or sections.
extern constinit thread_local Call loop_call [[gnu::tls_model("initial-exec")]];

// The task that the thread has allocated last, if it is to be detached: its end is reported as such, see detach().
extern constinit thread_local void* detachable_task [[gnu::tls_model("initial-exec")]];

// Where the thread has created its last task.
struct LastTask {
  const void* caller;
  const Ident* ident;
  bool is_taskloop;
  std::uint32_t site; // 0: it has not
};
// Of the calling thread: what the events of each task read.
struct Here {
  // It creates a task, or the tasks of a taskloop; null: as far as is known it does not.
  Call* task_call;
  unsigned tasks_begun; // explicit tasks, or parts of them, that have begun and not ended
  bool is_known;        // to the runtime, or a worker thread
  // What it has left of an untied task before libomp made that available to others; the report that it left is still to
  // come.
  bool has_left;
  Task* last_left; // what libomp reported last that it left for another task
  Task* plain;     // memory of tasks that were plain at their ends (take_plain_task)
  unsigned plain_count;
  LastTask last_task;
};
extern constinit thread_local Here here [[gnu::tls_model("initial-exec")]];

// Its call, if the task that now runs has made it; else null: that of a task in whose call it runs counts no more.
inline Call* own_task_call() {
  return here.task_call != nullptr && here.task_call->depth == here.tasks_begun ? here.task_call
                                                                                : nullptr;
}

// Registers handlers (pthread_atfork): a fork()ed child can learn places, and its sites have other numbers.
void handle_forks();
// `caller`: the return address that OMPT reports. `around`: the site of the region around it, whose code has made the
// call; 0: none.
std::uint32_t site_of_region(const void* caller, unsigned construct, std::uint32_t around);
// `call`: of the creator, as own_task_call() returns it; `is_first`: of the tasks that it creates.
std::uint32_t site_of_task(const Call* call, const Task& creator, const void* caller,
                           bool is_first);
// The same of a call for one task, if the thread's last one was of that place; else 0.
inline std::uint32_t known_site_of_task(const Call& call) {
  const LastTask& last = here.last_task;
  return last.caller == call.caller && last.ident == call.ident && !last.is_taskloop ? last.site
                                                                                     : 0;
}
// Without an address that of the region is taken. `is_combined`: it is one call with the region.
std::uint32_t site_of_worksharing(const Team& team, const void* caller, unsigned construct,
                                  bool is_combined);
std::uint32_t site_of_reduction(const Team& team, const Ident* ident, const void* caller);

} // namespace tp::omp
