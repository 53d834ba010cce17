// SPDX-License-Identifier: Apache-2.0
// The state of a recorded thread, and of a task that is being executed. A thread finds its state
// with one thread_local pointer, and only that thread accesses it, except at the end of the process
// (session.cpp). Owned by the session.
#pragma once

#include "base/recording_state.h"
#include "base/site_cache.h"
#include "builder/held_locks.h"
#include "builder/region_table.h"
#include "clock/work_clock.h"
#include "output/trace_writer.h"
#include "sites/call_path.h"
#include "tp/hooks.h"

#include <atomic>
#include <cstdint>

namespace tp::rt {

struct ThreadState;

// What has to be written before the record that closes the open step.
enum Extras : std::uint8_t {
  kExtraAsleep = 1,  // closed_asleep
  kExtraLocks = 2,   // of `locks`
  kExtraRegions = 4, // `regions`, unless they have been cleared since
};

// Work of a thread between its steps, by what it did: by the tp_construct of the wait that it was in, or these.
inline constexpr unsigned kOfEvents = TP_CONSTRUCT_COUNT;  // a task or wait that began or ended
inline constexpr unsigned kOutsideOfTasks = kOfEvents + 1; // a worker thread without a task
inline constexpr unsigned kInLockWaits = kOutsideOfTasks + 1;
inline constexpr unsigned kKindsBetweenSteps = kInLockWaits + 1;

// Eight bytes: a new frame gets them with one store, and several of them are compared at once.
struct FrameFlags {
  bool step_open = false;
  bool has_tickets = false; // hooks/tickets.h
  bool split_next = false;
  bool reopen = false; // a spawn closed the step: tp_on_spawn_end opens the next
  bool failed =
      false; // a saved frame: the task threw, and the library will run it again to cancel it
  bool threw = false;
  bool site_tagged = false; // the site comes from tp-c++ or a header, not from an address
  // What the thread does while this is its frame, and no step is open: the tp_construct of the innermost wait in
  // progress, or of the numbers above.
  std::uint8_t between = kOfEvents;
};
static_assert(sizeof(FrameFlags) == sizeof(std::uint64_t));

// A task that is being executed. Stored in the tp_frame that libtbb has on its stack; the root
// frame of a thread, for the code outside of all tasks, is part of its ThreadState.
struct Frame : FrameFlags {
  Frame* outer;
  ThreadState* thread;        // null: not recorded
  std::uint64_t own_context;  // packed id + 1 of the context of the task, 0: none
  std::uint64_t last_context; // packed id + 1 of the context that this frame's records named last
  const void* type;           // vtable pointer of the task
  const void* task_words;     // identifies the task if it is run again after an exception
  std::uint32_t site;
  std::uint32_t call_site; // of the algorithm call in progress, with kInternalSite cleared; 0: none
  std::uint32_t region;    // open causal region + 1, 0: none
  std::uint32_t region_depth;
  std::uint64_t region_mark; // work reading from which the region counts in the open step
  std::uint32_t waits;       // waits in progress
  std::uint32_t loops;       // loop body calls in progress
  // The part of the task within which the edge of a flag is acquired once (AcquiredFlag); 0: has no
  // number yet.
  std::uint64_t part;
  std::uint64_t portion_time; // when the body call's open portion began
};
static_assert(sizeof(Frame) <= sizeof(tp_frame), "raise the size of tp_frame");

// The frame of a task is on the stack, below everything that the task calls: its address. Null for
// other frames.
inline const void* task_stack_of(const Frame& frame) noexcept {
  return frame.task_words != nullptr ? &frame : nullptr;
}

// A flag of collaborative_call_once whose edge one part of a frame has acquired (tp_on_after_once).
struct AcquiredFlag {
  const void* flag;
  // Number of functions of flags that had ended in the process when the edge was looked up. Once
  // another one has ended, the flag may have another edge.
  std::uint64_t ends;
  std::uint64_t edge;
  std::uint64_t part; // Frame::part
};
inline constexpr unsigned kAcquiredFlags = 8;

// How many iterations of a site's loops a thread runs between two looks at the clock
// (loop_portions.h). Direct-mapped: sites may share an entry.
inline constexpr unsigned kBlockSizes = 32;

// The figures of a step that has just been closed.
struct ClosedStep {
  std::uint64_t lead;
  std::uint64_t work;
  std::uint64_t wall;
};

// A call of the runtime that lies in the open step: how the clock was read at its begin.
enum RuntimeCall : std::uint8_t { kNoCall, kCall, kPlainCall };

// How the operand of the pending Begin is written.
struct PendingBegin {
  std::uint16_t flags = 0; // of Op::Begin, in their place in the tag
  std::uint16_t bytes = 0; // of begin_id
};

// Of the open step. Four bytes: in a plain step nothing of it is set but that a Begin is pending (is_plain_step).
struct OpenStep {
  // A Begin that is not written yet: if the task has no events inside, Begin and End become one
  // record.
  bool begin_pending = false;
  // Whether recording was paused when the open step began, which decides whether it counts: at its
  // end other threads that waited for the task may already have paused or resumed.
  Pause step_pause = Pause::Never;
  bool pause_written = false; // the stream says that its steps do not count
  std::uint8_t extras = 0;    // Extras
};
static_assert(sizeof(OpenStep) == sizeof(std::uint32_t));

struct ThreadState : OpenStep {
  ThreadState(TraceWriter& stream_writer, std::uint32_t session)
      : writer(stream_writer), ordinals(stream_writer.ordinals),
        first_word(trace::pack_id(stream_writer.stream(), 0) + 1), generation(session) {}
  ~ThreadState() { delete locks; }
  ThreadState(const ThreadState&) = delete;
  ThreadState& operator=(const ThreadState&) = delete;

  TraceWriter& writer;
  std::atomic<Frame*> frame{
      nullptr}; // the current one; other threads read it at the end of the process only
  // The open step, or the end of the last one.
  std::uint64_t step_work = 0;
  std::uint64_t step_time = 0;
  std::uint64_t close_time = 0;
  std::uint64_t close_work = 0;
  std::uint64_t idle_since_close = 0;
  std::uint64_t reader_time = 0; // the time that a reader of the records written so far has reached
  std::uint64_t search_start = 0; // since when the thread searches for a task, 0: it does not
  std::uint64_t begin_id = 0;
  PendingBegin begin;
  StreamOrdinals ordinals;
  std::uint64_t first_word; // packed id + 1 of the first task that the stream spawns
  RegionTable regions;      // of the open step
  // Of the closed step, until it is written: ThreadClock::asleep; of it, waiting for other threads.
  std::uint64_t closed_asleep = 0, closed_waited = 0;
  std::uint64_t closed_asleep_in[trace::kSleepKinds] = {}; // of it, by what the thread slept in
  // Of tp_on_runtime_call, inside of the open step, which began before it.
  RuntimeCall in_runtime_call = kNoCall;
  Reading runtime_call{};
  std::uint64_t runtime_call_extra[kMaxExtraEvents] = {};
  LockState* locks = nullptr;       // null until the first lock; owned
  LockState* timed_locks = nullptr; // the same, if no sections are sampled
  unsigned outside_of_step =
      0; // OutsideOfStep that are alive: what the thread does is the runtime's
  // Extra events: their counts when the open step began, and those of the closed step until they
  // are written.
  std::uint64_t step_extra[kMaxExtraEvents] = {};
  std::uint64_t closed_extra[kMaxExtraEvents] = {};
  ThreadClock clock;
  SiteCache<9> sites;
  SiteCache<7> known_regions; // region + 1
  SiteCache<7> task_kinds;    // TaskKind by vtable
  CallPaths call_paths;
  AcquiredFlag acquired_flags[kAcquiredFlags] = {};
  std::uint32_t parts = 0; // that have a number of this thread
  std::uint64_t block_sizes[kBlockSizes] = {};
  // The message that an input_node offers now, and the key of the node's item (tp_offer_message).
  const void* offered = nullptr;
  const void* offered_from = nullptr;
  std::uint32_t arena = 0; // tp_arena::id of the one in which the thread executes, as recorded
  // The whole range of a loop that is about to start (tp_on_proportional_loop).
  tp_range loop_whole{};
  // Cold.
  std::uint64_t between_steps[kKindsBetweenSteps] = {};
  unsigned between = kOutsideOfTasks; // index of what follows the last step
  Frame root{};
  Frame base{};    // below the frames of a stack that the library lent the thread (resumable tasks)
  Frame failed{};  // the frame of a task that threw, until the library runs it again
  Frame created{}; // of a thread that the program created: the task that it is
  std::uint32_t generation;
  std::uint64_t os_thread = 0;
  std::uint64_t paused_work = 0;
  bool is_worker = false;     // of oneTBB
  bool has_root_steps = true; // false: the code outside of tasks is not the program's
};

// The calling thread's state: null before its first event, after its end, and after a fork.
extern constinit thread_local ThreadState* this_thread TP_TLS;
// Of the calling thread, before it has a state.
extern constinit thread_local SleepByKind early_sleep TP_TLS;

} // namespace tp::rt
