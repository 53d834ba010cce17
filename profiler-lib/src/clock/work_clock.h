// SPDX-License-Identifier: Apache-2.0
// WORK CLOCK: reads "work done by this thread so far" and "time" at each step boundary. Chosen once
// per process (docs/explanation/clocks.md); `auto` takes the first of these that works here:
//
//   PerfUser     a hardware event, read in user space (rdpmc)
//   PerfRead     a hardware event, read with a system call
//   TscRseq      on-CPU TSC with the rseq marker as proof
//   TscPerfPage  on-CPU TSC with the page of a perf event as proof
//   ThreadCpu    CLOCK_THREAD_CPUTIME_ID
//
// On-CPU TSC: the time stamp counter, minus the ticks during which the thread was not on a CPU. As
// long as something proves that the thread was not switched out, work = TSC - offset, which costs
// one rdtsc and one load. The proof is either the rseq marker: the kernel clears the pointer
// `rseq_cs` of a thread whenever it preempts it, so if a dummy pointer is still there, the thread
// was not preempted. Or the perf page: the `lock` of a mapped page changes each time the thread is
// scheduled in. The TSC is read before the proof is checked, so a valid proof covers the whole time
// up to the reading. Without a proof, and after 200 us (a hypervisor may have taken the CPU away),
// the offset is computed again from CLOCK_THREAD_CPUTIME_ID: the thread takes a new anchor.
//
// Functions with a ThreadClock run on the thread that owns it, unless stated otherwise; those that
// choose the clock run before the first thread is set up.
#pragma once

#include "base/attributes.h"
#include "clock/core_kinds.h"
#include "clock/counted_events.h"
#include "tp/trace/trace_format.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace tp::rt {

enum class ClockKind : std::uint8_t {
  Virtual,
  TscRseq,
  TscPerfPage,
  PerfUser,
  PerfRead,
  ThreadCpu
};

// Time stamp for timelines: ticks of a counter that all cores share.
TP_HOT std::uint64_t read_time() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::uint64_t(now.tv_sec) * 1000000000u + std::uint64_t(now.tv_nsec);
#endif
}

// Its ticks per second as the hardware reports them; 0: it does not.
inline std::uint64_t nominal_time_hz() noexcept {
#if defined(__aarch64__)
  std::uint64_t hz;
  asm("mrs %0, cntfrq_el0" : "=r"(hz));
  return hz;
#else
  return 0;
#endif
}

// Nanoseconds of a POSIX clock.
inline std::uint64_t read_posix(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return std::uint64_t(now.tv_sec) * 1000000000u + std::uint64_t(now.tv_nsec);
}

// read_time() and CLOCK_MONOTONIC at the same moment: the closest of a few pairs of readings, since
// the thread may be preempted between two.
struct TimePair {
  std::uint64_t time;
  std::uint64_t mono_ns;
};
TimePair read_time_pair() noexcept;

// The choice of the process and its calibration. Written before the first thread is set up,
// constant afterwards. No constructor and no destructor: hooks may run before the constructors of
// other files, and after their destructors.
struct ClockConfig {
  ClockKind kind = ClockKind::ThreadCpu;
  const char* name = "thread-cpu"; // for run.json "clock"
  const char* event = "CPU time";  // what is counted
  const char* unit = "ns";
  std::uint64_t unit_hz = 1000000000; // units per second if the unit is time, else 0
  bool kernel_included = true;
  bool same_as_time = false;        // the unit is ticks of read_time()
  char reason[1024] = "";           // why no better clock; empty if there is none
  double ticks_per_ns = 1.0;        // of read_time()
  std::uint64_t reanchor_ticks = 0; // 200 us
  std::uint64_t least_sleep = 0;    // 50 us, in ticks
  // Whether ThreadClock::asleep is known.
  bool sees_sleep() const { return same_as_time || kind == ClockKind::Virtual; }
  // The event group of each thread: the work, if the clock is PerfUser or PerfRead, then the extra
  // events.
  unsigned event_count = 0;
  unsigned extra_count = 0;
  CountedEvent events[kMaxEvents];
  CoreKinds core_kinds;
  // What reading the clock adds to each step: units of work and ns.
  std::uint64_t step_cost = 0;
  std::uint64_t step_cost_ns = 0;
  // What reading the clock and the extra events adds to the time between two steps.
  std::uint64_t gap_cost_ns = 0;

  bool counts_events() const { return kind == ClockKind::PerfUser || kind == ClockKind::PerfRead; }
  const CountedEvent* extra_events() const { return events + (event_count - extra_count); }
};
extern ClockConfig clock_config;

// The counter page of a perf event: struct perf_event_mmap_page of linux/perf_event.h.
struct PerfPage;

// Open events of one thread, numbered as in ClockConfig::events; one leads the group, so that all
// are counted at the same times.
struct EventGroup {
  int fds[kMaxEvents] = {-1, -1, -1, -1, -1};
  const volatile PerfPage* pages[kMaxEvents] = {}; // for reading in user space
  unsigned leader = 0;
};

// All open events of one thread: one group or, where cores have unlike PMUs, one for each kind of
// core, which counts while the thread is on such a core. What an event counted is the sum.
struct EventGroups {
  EventGroup of_kind[kMaxCoreKinds];
  unsigned kinds = 0;       // 0: not open
  unsigned event_count = 0; // in each group
  bool user_read = false;   // all pages are mapped
};

// How long the calling thread has waited for a free CPU since it was created; not known where the kernel
// does not say. Reads a file.
struct RunDelay {
  bool known = false;
  std::uint64_t ns = 0;
};
// By the descriptor of the thread's file, if there is one: without, it takes six times as long.
RunDelay read_run_delay(int file = -1) noexcept;
// The same of a thread of this process that is alive.
RunDelay read_run_delay_of(std::uint64_t os_thread) noexcept;

// What a thread slept in.
struct SleepByKind {
  std::uint64_t total = 0;
  std::uint64_t of[trace::kSleepKinds] = {}; // valid if `total` is not 0
  TP_COLD void add(trace::SleepKind kind, std::uint64_t time) noexcept;
};

// The clock of one thread: made by open_clock, released by close_clock.
struct ThreadClock {
  std::uint64_t offset = 0;    // on-CPU TSC: work = time - offset
  std::uint64_t last_time = 0; // of the last reading: time and work never run
  std::uint64_t last_work = 0; // backwards
  // On-CPU TSC: as long as what `proof` points to is `proven`, the thread has not been switched out since
  // its last anchor. Null: of other clocks, and where extra events are read as well.
  const volatile std::uint64_t* proof = nullptr;
  std::uint64_t proven =
      0; // TscRseq: address of the dummy descriptor; TscPerfPage: perf::lock_of()
  std::uint64_t* rseq_slot = nullptr;           // TscRseq: &rseq_cs of this thread
  const volatile PerfPage* lock_page = nullptr; // TscPerfPage
  bool has_lock_page = false; // else lock_page is a placeholder that proves nothing
  // Time in which the thread slept since the open step began, in the unit of work: it gave up the CPU
  // itself, in a system call or at a page that had to be read from disk. On-CPU TSC: of losses of at
  // least 50 us, the time until it could run again, where the kernel says since when it waited for a
  // CPU, else until it ran; Virtual: what tp_sleep added up; else 0. The builder
  // sets it to 0.
  std::uint64_t asleep = 0;
  // Since then, how long the thread waited for others, asleep or not; likewise.
  std::uint64_t waited = 0;
  SleepByKind known_sleep;                   // of `asleep`
  long major_faults = 0;                     // of the thread, up to its last anchor
  bool reads_delay = false;                  // it is in a call of ours that may sleep
  long voluntary_switches = 0;               // of the thread, up to its last anchor
  int delay_file = -1;                       // for read_run_delay()
  RunDelay delay;                            // of the thread, when it last slept; and what it
  std::uint64_t preempted = 0;               // has lost since without sleep
  std::uint64_t virtual_work = 0;            // Virtual: what tp_spend added up
  std::uint64_t extra[kMaxExtraEvents] = {}; // the last reading of the extra events
  std::uint64_t opened_cpu_ns = 0;           // CPU time of the thread when the clock was opened,
  std::uint64_t lost_cpu_ns = 0;             // and since when its events are not open
  EventGroups groups;
};

struct Reading {
  std::uint64_t work;
  std::uint64_t time;
};

// The time from `start` to `now`; 0 if `now` is earlier, since `start` may be a reading of another
// CPU's clock.
constexpr std::uint64_t elapsed_since(std::uint64_t start, std::uint64_t now) {
  return now > start ? now - start : 0;
}

// read_time(), but not less than the thread's last reading, which another CPU's counter may have
// given.
TP_HOT std::uint64_t read_own_time(const ThreadClock& clock) noexcept {
  const std::uint64_t now = read_time();
  return now > clock.last_time ? now : clock.last_time;
}

// The same, for clocks whose work is not derived from time; remembers the reading.
TP_HOT std::uint64_t advance_time(ThreadClock& clock) noexcept {
  return clock.last_time = read_own_time(clock);
}

// Has the thread been off its CPU since its last anchor? False of clocks without anchors.
TP_HOT bool was_off_cpu(const ThreadClock& clock) noexcept;

// Chooses the clock for the events that `text` names ("auto", "instructions,cache-misses", ...: one that
// parse_events accepts), in two stages. The first runs while the library is loaded and only tries
// events of perf_event_open, since those count from the moment they are opened; true if the work is
// one of them. The second runs when the first event is recorded; `start` was read as early as
// possible, to measure the tick rate. If an event that was named explicitly cannot be counted,
// another clock is chosen, with a warning, and ClockConfig::reason says why.
bool choose_counting_clock(std::string_view text);
void choose_other_clock(std::string_view text, TimePair start);
struct Problem;
// True if all events in `text` work here; else `problem` says what is wrong.
bool probe_events(std::string_view text, Problem& problem);

// Sets up the calling thread's clock; false if that failed in part: a thread without its events
// counts CPU time if the process's unit is time, else nothing, and not_counted_ns() reports it.
// close_clock releases the clock's pages and descriptors; forget_clock does that in a fork()ed
// child for a clock of the parent, whose pages are not mapped there.
bool open_clock(ThreadClock& clock);
void close_clock(ThreadClock& clock);
void forget_clock(ThreadClock& clock);
// The rare branches of read_clock: after a new anchor; by system calls; of events in user space.
TP_COLD Reading read_anchored(ThreadClock& clock) noexcept;
TP_COLD Reading read_by_kernel(ThreadClock& clock) noexcept;
TP_COLD Reading read_counted_in_user_space(ThreadClock& clock) noexcept;
// Updates clock.extra, unless the reading of the work already did.
TP_COLD void read_extra_events(ThreadClock& clock) noexcept;
// Converts CPU time to the unit of work; 0 if that is not time.
std::uint64_t cpu_ns_to_work(std::uint64_t ns);
// The CPU time during which the events of a thread were not counted (no free counter, a core of
// another kind, no descriptors left). `cpu_ns` is the thread's CPU time since its creation. May be
// called by any thread.
std::uint64_t not_counted_ns(const ThreadClock& clock, std::uint64_t cpu_ns);
// Measures ClockConfig::step_cost, step_cost_ns and gap_cost_ns with an open clock of the calling thread.
void calibrate_step_cost(ThreadClock& clock);

// The steps of the choice, also used by the report for tp-doctor: each tries one kind of clock and,
// if it works, makes it the process's; else `problem` says why not.
struct Problem {
  std::string cause;
  std::string command; // that solves it; empty: none does
};
bool use_counted_work(const EventList& list, bool user_read, Problem& problem);
bool use_extra_events(const EventList& list, Problem& problem); // in addition to the clock chosen

bool use_tsc_by_rseq(Problem& problem);
bool use_tsc_by_perf_page(Problem& problem);
void use_thread_cpu_time();
void use_virtual_clock();

// work_clock_perf.cpp: events and the perf page, with perf_event_open. The functions that open
// return 0 or an errno, and leave nothing open on failure.
namespace perf {
// Opens `count` events for the calling thread, on each of clock_config.core_kinds if one of them is
// generic. `user_read`: they have to be readable in user space. `failed` (may be null) gets the
// index of the event that failed.
int open_groups(const CountedEvent* events, unsigned count, bool user_read, EventGroups& groups,
                unsigned* failed);
void close_groups(EventGroups& groups);
// Reads with one system call for each kind of core; false: not counted any more (descriptors
// closed, no counter). `not_counted_ns` (may be null) gets the CPU time without a counter. May be
// called by any thread.
bool read_groups(const EventGroups& groups, std::uint64_t* values,
                 std::uint64_t* not_counted_ns) noexcept;
// Reads without a system call; false: not possible now.
bool read_groups_in_user_space(const EventGroups& groups, std::uint64_t* values) noexcept;

// The page of a dummy event, whose `lock` changes at each context switch of the calling thread.
int open_lock_page(const volatile PerfPage*& page);
void close_lock_page(const volatile PerfPage* page);
// In one load with the word after it, which is 0 in such a page.
std::uint64_t lock_of(const volatile PerfPage* page) noexcept;
const volatile std::uint64_t* address_of_lock(const volatile PerfPage* page) noexcept;
// For a thread that could not open one: a page of zeros.
const volatile PerfPage* placeholder_page() noexcept;

// What an errno of opening `event` means, and which command helps.
Problem explain(int error, const CountedEvent& event);
} // namespace perf

TP_HOT bool was_off_cpu(const ThreadClock& clock) noexcept {
  if (clock_config.kind == ClockKind::TscRseq)
    return *const_cast<const volatile std::uint64_t*>(clock.rseq_slot) != clock.proven;
  return clock_config.kind == ClockKind::TscPerfPage &&
         perf::lock_of(clock.lock_page) != clock.proven;
}

// Hot: twice per step boundary. No lock, no allocation; a system call only for the clocks that need
// the kernel.
TP_HOT Reading read_clock(ThreadClock& clock) noexcept {
  switch (clock_config.kind) {
  case ClockKind::TscRseq: {
    const std::uint64_t now = read_time();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const bool on_cpu = *const_cast<volatile std::uint64_t*>(clock.rseq_slot) == clock.proven;
    if (!on_cpu || now - clock.last_time > clock_config.reanchor_ticks) [[unlikely]]
      return read_anchored(clock);
    clock.last_time = now;
    return {now - clock.offset, now};
  }
  case ClockKind::Virtual:
    return {clock.virtual_work, advance_time(clock)};
  case ClockKind::TscPerfPage: {
    const std::uint64_t now = read_time();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (perf::lock_of(clock.lock_page) != clock.proven ||
        now - clock.last_time > clock_config.reanchor_ticks) [[unlikely]]
      return read_anchored(clock);
    clock.last_time = now;
    return {now - clock.offset, now};
  }
  case ClockKind::PerfUser:
    return read_counted_in_user_space(clock);
  default:
    return read_by_kernel(clock);
  }
}

} // namespace tp::rt
