// What the runtime keeps per thread, and per executing task. Reached by one thread_local pointer;
// touched by its own thread only, but for the end of the process (session.cpp).
#pragma once

#include "base/site_cache.h"
#include "clock/work_clock.h"
#include "output/trace_writer.h"
#include "tp/hooks.h"

#include <atomic>
#include <cstdint>
#include <pthread.h>

namespace tp::rt {

struct ThreadState;

// A task being executed, a frame of the DPST; lives in the tp_frame that libtbb keeps on its stack.
// The root frame of a thread lives in its ThreadState.
struct Frame {
  Frame* outer;
  ThreadState* thread;        // null: not recorded
  std::uint64_t own_context;  // packed id + 1 of the context of the task, 0: none
  std::uint64_t last_context; // packed id + 1 of the context last named by this frame
  const void* type;           // vtable pointer of the task
  const void* task_words;     // identifies the task if it is run again after an exception
  std::uint32_t site;
  std::uint32_t call_site; // of the algorithm call in progress, with kInternalSite cleared; 0: none
  bool site_told;          // by the headers, not found by an address
  bool step_open;
  bool split_next;
  bool reopen; // a spawn closed the step: tp_on_spawn_end opens the next
  bool failed; // put aside: the task threw, and the library will run it again to cancel it
  bool threw;
  std::uint32_t region; // open causal region + 1, 0: none
  std::uint32_t region_depth;
  std::uint64_t region_mark; // work reading from which the region counts in the open step
  std::uint32_t waits;       // waits in progress
  std::uint32_t loops;       // loop body calls in progress
  std::uint64_t
      part; // of the task, in which edges of flags are acquired once (OnceMemo); 0: not named yet
};
static_assert(sizeof(Frame) <= sizeof(tp_frame), "raise the size of tp_frame");

// Work inside causal regions during the open step, by region; few at a time.
struct RegionWork {
  std::uint32_t region;
  std::uint64_t work;
};
inline constexpr unsigned kRegionsPerStep = 8;

// That one part of a frame goes on after the edge of one flag (tp_on_after_once).
struct OnceMemo {
  const void* flag;
  std::uint64_t
      ends; // of functions until the edge was looked up: it is the flag's until there is another end
  std::uint64_t edge;
  std::uint64_t part; // Frame::part
};
inline constexpr unsigned kOnceMemos = 8;

struct ThreadState {
  ThreadState(TraceWriter& stream_writer, std::uint32_t session)
      : writer(stream_writer), ordinals(stream_writer.ordinals), generation(session) {}

  TraceWriter& writer;
  std::atomic<Frame*> frame{
      nullptr}; // on top of the stack; read by others at the end of the process only
  // The open step, or the end of the last one.
  std::uint64_t step_work = 0;
  std::uint64_t step_time = 0;
  std::uint64_t close_time = 0;
  std::uint64_t idle_since_close = 0;
  std::uint64_t told_time = 0;    // where the records written so far bring their reader's clock
  std::uint64_t search_start = 0; // 0: not searching
  // A Begin not yet written: if the task has no events inside, Begin and End become one record.
  bool begin_pending = false;
  // Whether the open step began while recording was paused. Its begin decides: the end of a task comes after those who
  // wait for it go on, and perhaps pause or resume.
  bool step_paused = false;
  std::uint8_t begin_flags = 0;
  std::uint64_t begin_id = 0;
  StreamOrdinals ordinals;
  unsigned region_count = 0;
  RegionWork regions[kRegionsPerStep];
  // Extra events: where the open step began, and what the closed step counted until a record takes
  // it.
  std::uint64_t step_extra[kMaxExtraEvents] = {};
  std::uint64_t closed_extra[kMaxExtraEvents] = {};
  ThreadClock clock;
  SiteCache sites;
  SiteCache known_regions; // region + 1
  SiteCache task_kinds;    // TaskKind by vtable
  OnceMemo once[kOnceMemos] = {};
  std::uint32_t parts = 0; // named by this thread
  // Cold.
  Frame root{};
  Frame base{};   // below the frames of a borrowed stack
  Frame failed{}; // the frame of a task that threw, until the library runs it again
  std::uint32_t generation;
  std::uint64_t os_thread = 0;
  pthread_t handle{};
  std::uint64_t paused_work = 0;
  bool is_worker = false;
  std::atomic<bool> alive{true};
};

// The calling thread's state: null before its first event and after its end.
extern thread_local ThreadState* this_thread TP_TLS;

} // namespace tp::rt
