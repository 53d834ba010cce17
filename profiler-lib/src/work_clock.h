// WORK CLOCK: reads "work done by this thread so far" and "time" at each step boundary.
//
// The kind of clock is chosen once per process (design.md section 3), the order of `auto` being:
// hardware event read in user space, hardware event by read(), on-CPU TSC by rseq marker, on-CPU
// TSC by perf page, CLOCK_THREAD_CPUTIME_ID.
//
// On-CPU TSC: the time stamp counter, less the ticks during which the thread was not on a CPU.
// While nothing tells of a context switch, work = TSC - offset costs one rdtsc and one load. What
// tells: (rseq marker) the kernel clears the pointer `rseq_cs` of a thread whenever it is
// preempted, so an intact dummy pointer proves that it was not; (perf page) the `lock` of a mapped
// perf event page changes each time the thread is scheduled in. The TSC is read before the proof is
// looked at, so a proof that holds covers the whole time up to the reading. Without proof, and
// after 200 us (a hypervisor may have taken the CPU away), the offset is set anew from
// CLOCK_THREAD_CPUTIME_ID.
//
// All functions here run on the thread that owns the ThreadClock.
#pragma once

#include "attributes.h"

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

// Nanoseconds of a POSIX clock.
inline std::uint64_t read_posix(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return std::uint64_t(now.tv_sec) * 1000000000u + std::uint64_t(now.tv_nsec);
}

// The two clocks at the same moment: the closest of a few pairs of readings, since the thread may
// be preempted between.
struct TimePair {
  std::uint64_t time;
  std::uint64_t mono_ns;
};
TimePair read_time_pair() noexcept;

// Per-process choice and calibration. Written before the first thread is set up, constant
// afterwards. No constructor and no destructor: hooks run before those of other files, and after
// them.
struct ClockConfig {
  ClockKind kind = ClockKind::ThreadCpu;
  const char* name = "thread-cpu"; // for run.json "clock"
  const char* event = "CPU time";  // what is counted
  const char* unit = "ns";
  std::uint64_t unit_hz = 1000000000; // units per second if the unit is time, else 0
  bool kernel_included = true;
  bool same_as_time = false;        // the unit is ticks of read_time()
  char reason[512] = "";            // why no better clock; empty if there is none
  double ticks_per_ns = 1.0;        // of read_time()
  std::uint64_t reanchor_ticks = 0; // 200 us
  std::uint32_t perf_type = 0;      // PerfUser, PerfRead: the event
  std::uint64_t perf_config = 0;
};
extern ClockConfig clock_config;

// The counter page of a perf event, as far as it is read here; see linux/perf_event.h, struct
// perf_event_mmap_page.
struct PerfPage;

struct ThreadClock {
  std::uint64_t offset = 0;    // on-CPU TSC: work = time - offset
  std::uint64_t last_time = 0; // of the last anchor
  std::uint64_t last_work = 0; // highest reading handed out at an anchor: work never runs backwards
  std::uint64_t* rseq_slot = nullptr;      // TscRseq: &rseq_cs of this thread
  std::uint64_t rseq_marker = 0;           // TscRseq: address of the dummy descriptor
  const volatile PerfPage* page = nullptr; // TscPerfPage, PerfUser
  std::uint32_t page_lock = 0;
  int fd = -1;                    // PerfRead, PerfUser
  std::uint64_t virtual_work = 0; // Virtual: what tp_spend added up
};

struct Reading {
  std::uint64_t work;
  std::uint64_t time;
};

// Chooses the clock for `event` ("auto", "instructions", ...), in two stages. The first runs while
// the library is loaded and only tries hardware events, since those count from the moment they are
// opened; true if one was found. The second runs when the first event is recorded; `start` was read
// as early as possible, for the tick rate. If an event named explicitly cannot be had, another
// clock is chosen, a warning says so, and `reason` why.
bool choose_hardware_clock(std::string_view event);
void choose_other_clock(std::string_view event, TimePair start);
// True if `event` names a clock that works here; else `message` says what is wrong and the command
// that mends it.
bool probe_event(std::string_view event, std::string& message);

// Sets the calling thread's clock up; false if that failed (the thread then counts by
// THREAD_CPUTIME in the process's unit where that is time, else 0). Releases what it holds.
bool open_clock(ThreadClock& clock);
void close_clock(ThreadClock& clock);
TP_COLD Reading read_anchored(ThreadClock& clock) noexcept;
TP_COLD Reading read_by_kernel(ThreadClock& clock) noexcept;
TP_COLD Reading read_perf_user(ThreadClock& clock) noexcept;
// Work of the calling thread since it was created, where the clock can tell (CPU time clocks), else
// 0.
std::uint64_t work_since_creation();
// CPU time in the unit of work; 0 where that is not time.
std::uint64_t cpu_ns_to_work(std::uint64_t ns);

// work_clock_perf.cpp: hardware events and the perf page, through perf_event_open. Each opener
// returns 0 or an errno and leaves nothing behind on failure.
namespace perf {
struct Event {
  std::uint32_t type;
  std::uint64_t config;
};
bool find_event(std::string_view name, Event& event);
// Opens the counter for the calling thread; `user_read` asks that read() of the counter works in
// user space.
int open_counter(const Event& event, bool user_read, ThreadClock& clock);
int open_lock_page(ThreadClock& clock);
void close(ThreadClock& clock);
std::uint64_t read_counter(ThreadClock& clock) noexcept; // by read(); 0 bytes: last value again
bool read_user(ThreadClock& clock,
               std::uint64_t& value) noexcept; // seqlock; false: not readable in user space now
std::uint32_t lock_of(const volatile PerfPage* page) noexcept;
std::string explain(int error, std::string_view event);
} // namespace perf

// Hot: twice per step boundary. No lock, no allocation; a system call only for the clocks that need
// the kernel.
TP_HOT Reading read_clock(ThreadClock& clock) noexcept {
  switch (clock_config.kind) {
  case ClockKind::TscRseq: {
    const std::uint64_t now = read_time();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const bool on_cpu = *const_cast<volatile std::uint64_t*>(clock.rseq_slot) == clock.rseq_marker;
    if (!on_cpu || now - clock.last_time > clock_config.reanchor_ticks) [[unlikely]]
      return read_anchored(clock);
    clock.last_time = now;
    return {now - clock.offset, now};
  }
  case ClockKind::Virtual:
    return {clock.virtual_work, read_time()};
  case ClockKind::TscPerfPage: {
    const std::uint64_t now = read_time();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (perf::lock_of(clock.page) != clock.page_lock ||
        now - clock.last_time > clock_config.reanchor_ticks) [[unlikely]]
      return read_anchored(clock);
    clock.last_time = now;
    return {now - clock.offset, now};
  }
  case ClockKind::PerfUser:
    return read_perf_user(clock);
  default:
    return read_by_kernel(clock);
  }
}

} // namespace tp::rt
