// SPDX-License-Identifier: Apache-2.0
// A thread's clock: opening, closing, and the readings that are not inline; the clocks of machines
// without a usable PMU: on-CPU TSC by rseq marker or perf page, CLOCK_THREAD_CPUTIME_ID
// (work_clock.h explains them). Cold, except for the readings that need the kernel anyway.
#include "clock/work_clock.h"

#include "base/descriptor_room.h"
#include "base/no_cancel.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

// glibc 2.35 and later registers rseq for every thread and exports its offset. Weak, so that with
// an older glibc only this clock is missing.
extern "C" {
[[gnu::weak]] extern const std::ptrdiff_t __rseq_offset;
[[gnu::weak]] extern const unsigned int __rseq_size;
}

// The dummy critical section: its abort address must follow the signature that glibc registered.
// The code is never reached, since no instruction pointer is ever inside [start, start + length).
#if defined(__x86_64__)
asm(R"(.pushsection .text
  .byte 0x0f, 0xb9, 0x3d
  .long 0x53053053
  .globl tp_rseq_abort
  .hidden tp_rseq_abort
tp_rseq_abort:
  ud2
  .skip 30, 0xcc
  .globl tp_rseq_section
  .hidden tp_rseq_section
tp_rseq_section:
  ud2
  .popsection)");
#elif defined(__aarch64__)
asm(R"(.pushsection .text
  .balign 4
  .inst 0xd428bc00
  .globl tp_rseq_abort
  .hidden tp_rseq_abort
tp_rseq_abort:
  brk #1
  .skip 32
  .globl tp_rseq_section
  .hidden tp_rseq_section
tp_rseq_section:
  brk #1
  .popsection)");
#endif

namespace tp::rt {

namespace {

// The kernel's struct rseq_cs (linux/rseq.h).
struct alignas(32) RseqSection {
  std::uint32_t version;
  std::uint32_t flags;
  std::uint64_t start_ip;
  std::uint64_t length;
  std::uint64_t abort_ip;
};

constexpr std::ptrdiff_t kRseqCsOffset = 8; // of rseq_cs in struct rseq
constexpr std::uint64_t kReanchorNs = 200'000;
constexpr std::uint64_t kLeastSleepNs = 50'000;

// Written before the first thread points to it, never changed afterwards: the kernel reads it at
// every preemption. The library is linked with -z nodelete, so the address stays valid.
RseqSection rseq_section;

std::uint64_t to_ticks(std::uint64_t ns) {
  return static_cast<std::uint64_t>(static_cast<double>(ns) * clock_config.ticks_per_ns);
}

bool arm_rseq(ThreadClock& clock) {
#if defined(__x86_64__) || defined(__aarch64__)
  if (&__rseq_offset == nullptr || &__rseq_size == nullptr || __rseq_size == 0)
    return false;
  auto* area = static_cast<char*>(__builtin_thread_pointer()) + __rseq_offset;
  clock.rseq_slot = reinterpret_cast<std::uint64_t*>(area + kRseqCsOffset);
  clock.proven = reinterpret_cast<std::uint64_t>(&rseq_section);
  return true;
#else
  (void)clock;
  return false;
#endif
}

void describe_section() {
#if defined(__x86_64__) || defined(__aarch64__)
  std::uint64_t abort_ip, start_ip;
#if defined(__x86_64__)
  asm("lea tp_rseq_abort(%%rip), %0" : "=r"(abort_ip));
  asm("lea tp_rseq_section(%%rip), %0" : "=r"(start_ip));
#else
  asm("adrp %0, tp_rseq_abort\n add %0, %0, :lo12:tp_rseq_abort" : "=r"(abort_ip));
  asm("adrp %0, tp_rseq_section\n add %0, %0, :lo12:tp_rseq_section" : "=r"(start_ip));
#endif
  rseq_section = {0, 0, start_ip, 1, abort_ip};
#endif
}

void use_tsc(ClockKind kind, const char* name) {
  clock_config.kind = kind;
  clock_config.name = name;
  clock_config.event = "on-CPU time stamp counter";
  clock_config.unit = "ticks";
  clock_config.unit_hz = static_cast<std::uint64_t>(clock_config.ticks_per_ns * 1e9 + 0.5);
  clock_config.kernel_included = true;
  clock_config.same_as_time = true;
  clock_config.reanchor_ticks = to_ticks(kReanchorNs);
  clock_config.least_sleep = to_ticks(kLeastSleepNs);
}

// CPU time and time at the same moment: the thread was proved not to be switched out between the
// two readings. Not proved: the last of several attempts.
struct OnCpuPair {
  std::uint64_t cpu_ns, now;
  bool proved;
};

OnCpuPair read_on_cpu(ClockKind kind, ThreadClock& clock) noexcept {
  OnCpuPair pair{};
  for (int attempt = 0; attempt < 8 && !pair.proved; ++attempt) {
    if (kind == ClockKind::TscRseq) {
      auto* slot = const_cast<volatile std::uint64_t*>(clock.rseq_slot);
      *slot = clock.proven;
      std::atomic_signal_fence(std::memory_order_seq_cst);
      pair.cpu_ns = read_posix(CLOCK_THREAD_CPUTIME_ID);
      pair.now = read_time();
      std::atomic_signal_fence(std::memory_order_seq_cst);
      pair.proved = *slot == clock.proven;
    } else {
      const std::uint64_t lock = perf::lock_of(clock.lock_page);
      std::atomic_signal_fence(std::memory_order_seq_cst);
      pair.cpu_ns = read_posix(CLOCK_THREAD_CPUTIME_ID);
      pair.now = read_time();
      std::atomic_signal_fence(std::memory_order_seq_cst);
      clock.proven = perf::lock_of(clock.lock_page);
      pair.proved = clock.proven == lock;
    }
  }
  return pair;
}

// Where every system call gives up the CPU, no anchor can be proved, and each reading would try
// again.
constexpr char kEachCallStops[] =
    "each system call gives up the CPU (a tracer, or a sandbox that works like one)";

// After an anchor: of what the thread lost, was it asleep, or did it have to wait for a CPU? The kernel
// counts the switches that the thread asked for (sched_yield is none of them).
void note_sleep(ThreadClock& clock, std::uint64_t lost) noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  if (lost >= clock_config.least_sleep && usage.ru_nvcsw != clock.voluntary_switches) {
    clock.reads_delay = true;
    const RunDelay delay = read_run_delay(clock.delay_file);
    clock.reads_delay = false;
    const std::uint64_t ready =
        delay.known && clock.delay.known
            ? elapsed_since(clock.preempted, to_ticks(elapsed_since(clock.delay.ns, delay.ns)))
            : 0;
    const std::uint64_t slept = elapsed_since(ready, lost);
    clock.asleep += slept;
    if (usage.ru_majflt != clock.major_faults)
      clock.known_sleep.add(trace::SleepKind::PageFault, slept);
    clock.delay = delay;
    clock.preempted = 0;
  } else {
    clock.preempted += lost;
  }
  clock.voluntary_switches = usage.ru_nvcsw;
  clock.major_faults = usage.ru_majflt;
}

// Computes the offset again from the thread's CPU time. Returns the ticks since the last reading in which
// the thread was not on a CPU.
std::uint64_t anchor(ThreadClock& clock) noexcept {
  auto [cpu_ns, now, proved] = read_on_cpu(clock_config.kind, clock);
  std::uint64_t work = to_ticks(cpu_ns), lost = 0;
  if (clock.last_time != 0) {
    // The reading before this one may have been ahead by the rounding error of to_ticks; the clock
    // must not run backwards. If the counter of this CPU is behind that of the last one, time
    // advances by as much as the work.
    const std::uint64_t handed_out = clock.last_time - clock.offset;
    work = std::max(work, handed_out);
    if (now < clock.last_time)
      now = clock.last_time + (work - handed_out);
    lost = elapsed_since(work - handed_out, now - clock.last_time);
  }
  clock.offset = now - work;
  clock.last_time = now;
  // Without a page of its own the thread takes a new anchor at every reading: its lock must never
  // match.
  clock.proven += clock_config.kind == ClockKind::TscPerfPage && !clock.has_lock_page;
  return lost;
}

// Opens the thread's events; for reading in user space if the process's clock does that and this
// thread can.
bool open_events(ThreadClock& clock) {
  const ClockConfig& config = clock_config;
  if (config.kind == ClockKind::PerfUser &&
      perf::open_groups(config.events, config.event_count, true, clock.groups, nullptr) == 0)
    return true;
  return perf::open_groups(config.events, config.event_count, false, clock.groups, nullptr) == 0;
}

// Stores one reading of the group as work and extra events. No count runs backwards, even if the
// program resets it.
void accept(ThreadClock& clock, const std::uint64_t* values) noexcept {
  const unsigned extra = clock_config.extra_count;
  const unsigned first_extra = clock_config.event_count - extra;
  if (first_extra > 0)
    clock.last_work = std::max(clock.last_work, values[0]);
  for (unsigned i = 0; i < extra; ++i)
    clock.extra[i] = std::max(clock.extra[i], values[first_extra + i]);
}

void read_events(ThreadClock& clock) noexcept {
  std::uint64_t values[kMaxEvents];
  if (perf::read_groups(clock.groups, values, nullptr)) {
    accept(clock, values);
  } else if (clock.groups.kinds > 0) [[unlikely]] {
    // The program closed the descriptors, or the counter was taken away.
    perf::close_groups(clock.groups);
    clock.lost_cpu_ns = read_posix(CLOCK_THREAD_CPUTIME_ID);
  }
}

} // namespace

namespace {

constexpr char kDelayFile[] = "/proc/thread-self/schedstat";

// "TIME ON A CPU, TIME WAITING FOR ONE, TIMES THAT IT RAN". Not known: this is something else.
RunDelay parse_delay(const char* text, ssize_t bytes) noexcept {
  const char* const end = text + std::max<ssize_t>(bytes, 0);
  RunDelay delay;
  std::uint64_t on_cpu = 0, times = 0;
  const char* at = text;
  for (std::uint64_t* const number : {&on_cpu, &delay.ns, &times}) {
    const auto [rest, error] = std::from_chars(at, end, *number);
    if (error != std::errc{} || rest == end || (*rest != ' ' && *rest != '\n'))
      return {};
    at = rest + 1;
  }
  delay.known = at == end;
  return delay;
}

// Only with a number that the program's descriptors do not have; else none is kept.
int open_delay_file() noexcept {
  const DescriptorRoom room;
  if (!room.is_apart())
    return -1;
  const int before = errno;
  int file = open(kDelayFile, O_RDONLY | O_CLOEXEC);
  if (file >= 0)
    file = room.moved(file);
  if (file >= 0 && !room.holds(file)) {
    close(file);
    file = -1;
  }
  errno = before;
  return file;
}

void close_delay_file(ThreadClock& clock) noexcept {
  // The program may have closed it, and may have a file of that number.
  char text[64];
  if (clock.delay_file >= 0 &&
      parse_delay(text, pread(clock.delay_file, text, sizeof text, 0)).known)
    close(clock.delay_file);
  clock.delay_file = -1;
}

RunDelay read_delay_file(const char* path) noexcept {
  const int opened = open(path, O_RDONLY | O_CLOEXEC);
  if (opened < 0)
    return {};
  char text[64];
  const RunDelay delay = parse_delay(text, read(opened, text, sizeof text));
  close(opened);
  return delay;
}

} // namespace

// Hooks call it in the middle of the program's code, so errno stays as it is.
RunDelay read_run_delay(int file) noexcept {
  const NoCancel no_cancel;
  const int before = errno;
  char text[64];
  RunDelay delay;
  if (file >= 0)
    delay = parse_delay(text, pread(file, text, sizeof text, 0));
  if (!delay.known)
    delay = read_delay_file(kDelayFile);
  errno = before;
  return delay;
}

RunDelay read_run_delay_of(std::uint64_t os_thread) noexcept {
  const NoCancel no_cancel;
  const int before = errno;
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%llu/schedstat",
                static_cast<unsigned long long>(os_thread));
  const RunDelay delay = read_delay_file(path);
  errno = before;
  return delay;
}

TimePair read_time_pair() noexcept {
  TimePair best{};
  std::uint64_t narrowest = UINT64_MAX;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const std::uint64_t before = read_time();
    const std::uint64_t mono_ns = read_posix(CLOCK_MONOTONIC);
    const std::uint64_t width = read_time() - before;
    if (width >= narrowest)
      continue;
    narrowest = width;
    best = {before + width / 2, mono_ns};
  }
  return best;
}

bool use_tsc_by_rseq(Problem& problem) {
  describe_section();
  ThreadClock clock;
  if (!arm_rseq(clock)) {
    const char* const tunables = std::getenv("GLIBC_TUNABLES");
    const bool is_off = tunables != nullptr && std::strstr(tunables, "pthread.rseq=0") != nullptr;
    problem = {is_off ? "rseq: switched off by GLIBC_TUNABLES"
                      : "rseq: not registered by the C library (glibc 2.35 and later do)",
               is_off ? "unset GLIBC_TUNABLES" : ""};
    return false;
  }
  auto* slot = const_cast<volatile std::uint64_t*>(clock.rseq_slot);
  if (*slot != 0) {
    problem = {"rseq: in use by another library", ""};
    return false;
  }
  // Does the kernel clear the marker when the thread leaves the CPU? On a slow machine a short
  // sleep may be over before it does.
  bool cleared = false;
  for (const long nap_ns : {50'000L, 1'000'000L, 20'000'000L}) {
    *slot = clock.proven;
    const timespec nap{0, nap_ns};
    nanosleep(&nap, nullptr);
    cleared = *slot == 0;
    if (cleared)
      break;
  }
  const bool can_anchor = read_on_cpu(ClockKind::TscRseq, clock).proved;
  *slot = 0;
  if (!cleared) {
    problem = {"rseq: the kernel leaves the marker alone across a context switch", ""};
    return false;
  }
  if (!can_anchor) {
    problem = {kEachCallStops, ""};
    return false;
  }
  use_tsc(ClockKind::TscRseq, "tsc-rseq");
  return true;
}

bool use_tsc_by_perf_page(Problem& problem) {
  const volatile PerfPage* page = nullptr;
  if (const int error = perf::open_lock_page(page); error != 0) {
    CountedEvent dummy;
    std::strcpy(dummy.name, "perf page");
    problem = perf::explain(error, dummy);
    return false;
  }
  ThreadClock clock;
  clock.lock_page = page;
  const bool can_anchor = read_on_cpu(ClockKind::TscPerfPage, clock).proved;
  perf::close_lock_page(page);
  if (!can_anchor) {
    problem = {kEachCallStops, ""};
    return false;
  }
  use_tsc(ClockKind::TscPerfPage, "tsc-perf-page");
  return true;
}

void use_thread_cpu_time() {
  clock_config.kind = ClockKind::ThreadCpu;
  clock_config.name = "thread-cpu";
  clock_config.event = "thread CPU time";
  clock_config.unit = "ns";
  clock_config.unit_hz = 1'000'000'000;
  clock_config.kernel_included = true;
  clock_config.same_as_time = false;
}

namespace {
const volatile std::uint64_t* proof_of(const ThreadClock& clock) noexcept {
  switch (clock_config.kind) {
  case ClockKind::TscRseq:
    return clock.rseq_slot;
  case ClockKind::TscPerfPage:
    return perf::address_of_lock(clock.lock_page);
  default:
    return nullptr;
  }
}
} // namespace

bool open_clock(ThreadClock& clock) {
  const std::uint64_t spent = clock.virtual_work;
  clock = ThreadClock{};
  clock.virtual_work = spent;
  clock.opened_cpu_ns = clock.lost_cpu_ns = read_posix(CLOCK_THREAD_CPUTIME_ID);
  bool complete = clock_config.event_count == 0 || open_events(clock);
  if (clock_config.kind == ClockKind::TscRseq) {
    arm_rseq(clock); // what worked for the process works for each thread
    anchor(clock);
    note_sleep(clock, 0);
    clock.delay_file = open_delay_file();
    clock.delay = read_run_delay(clock.delay_file);
  } else if (clock_config.kind == ClockKind::TscPerfPage) {
    clock.has_lock_page = perf::open_lock_page(clock.lock_page) == 0;
    if (!clock.has_lock_page)
      clock.lock_page = perf::placeholder_page();
    complete &= clock.has_lock_page;
    anchor(clock);
    note_sleep(clock, 0);
    clock.delay_file = open_delay_file();
    clock.delay = read_run_delay(clock.delay_file);
  }
  if (clock_config.extra_count == 0)
    clock.proof = proof_of(clock);
  return complete;
}

void close_clock(ThreadClock& clock) {
  clock.proof = nullptr;
  if (clock.rseq_slot != nullptr) {
    auto* slot = const_cast<volatile std::uint64_t*>(clock.rseq_slot);
    if (*slot == clock.proven)
      *slot = 0;
    clock.rseq_slot = nullptr;
  }
  if (clock.has_lock_page)
    perf::close_lock_page(clock.lock_page);
  clock.has_lock_page = false;
  close_delay_file(clock);
  perf::close_groups(clock.groups);
}

void forget_clock(ThreadClock& clock) {
  clock.proof = nullptr;
  for (EventGroup& group : clock.groups.of_kind)
    for (const volatile PerfPage*& page : group.pages)
      page = nullptr;
  close_delay_file(clock);
  perf::close_groups(clock.groups);
}

void SleepByKind::add(trace::SleepKind kind, std::uint64_t time) noexcept {
  if (total == 0)
    std::fill(std::begin(of), std::end(of), 0);
  total += time;
  of[static_cast<std::uint32_t>(kind)] += time;
}

Reading read_anchored(ThreadClock& clock) noexcept {
  const bool switched = was_off_cpu(clock);
  const std::uint64_t lost = anchor(clock);
  if (switched)
    note_sleep(clock, lost);
  return {clock.last_time - clock.offset, clock.last_time};
}

Reading read_by_kernel(ThreadClock& clock) noexcept {
  if (clock_config.counts_events())
    read_events(clock);
  const bool counted = clock_config.counts_events() && clock.groups.kinds > 0;
  if (!counted && clock_config.unit_hz != 0)
    clock.last_work = std::max(
        clock.last_work, elapsed_since(clock.opened_cpu_ns, read_posix(CLOCK_THREAD_CPUTIME_ID)));
  return {clock.last_work, advance_time(clock)};
}

Reading read_counted_in_user_space(ThreadClock& clock) noexcept {
  std::uint64_t values[kMaxEvents];
  if (!perf::read_groups_in_user_space(clock.groups, values)) [[unlikely]]
    return read_by_kernel(clock);
  accept(clock, values);
  return {clock.last_work, advance_time(clock)};
}

void read_extra_events(ThreadClock& clock) noexcept {
  if (!clock_config.counts_events())
    read_events(clock);
}

std::uint64_t not_counted_ns(const ThreadClock& clock, std::uint64_t cpu_ns) {
  const bool only_time = clock_config.unit_hz != 0 && clock_config.extra_count == 0;
  if (clock_config.event_count == 0 || only_time)
    return 0; // CPU time replaces what cannot be counted
  std::uint64_t values[kMaxEvents], not_counted;
  if (perf::read_groups(clock.groups, values, &not_counted))
    return not_counted;
  return elapsed_since(clock.lost_cpu_ns, cpu_ns);
}

std::uint64_t cpu_ns_to_work(std::uint64_t ns) {
  if (clock_config.same_as_time)
    return to_ticks(ns);
  return clock_config.unit_hz != 0 ? ns : 0; // ns then
}

} // namespace tp::rt
