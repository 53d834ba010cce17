// Choosing and setting up the work clock, and the clocks of machines without a usable PMU: on-CPU
// TSC by rseq marker or perf page, CLOCK_THREAD_CPUTIME_ID, virtual. Cold, except for the readings
// that need the kernel anyway.
#include "settings.h"
#include "work_clock.h"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <unistd.h>

// glibc >= 2.35 registers rseq for every thread and tells where; weak, so that an older one only
// lacks this clock.
extern "C" {
[[gnu::weak]] extern const std::ptrdiff_t __rseq_offset;
[[gnu::weak]] extern const unsigned int __rseq_size;
}

// The dummy critical section: its abort address must follow the signature that glibc registered.
// The code is never reached, since no instruction pointer ever lies inside [start, start + length).
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

constinit ClockConfig clock_config;

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
constexpr std::uint64_t kCalibrationNs =
    2'000'000; // shortest interval that gives the tick rate to 0.01 %

// Written before the first thread arms it, never changed: the kernel reads it at every preemption.
// The library is linked with -z nodelete, so the address stays valid.
RseqSection rseq_section;

double measure_ticks_per_ns(TimePair start) {
  while (read_posix(CLOCK_MONOTONIC) - start.mono_ns < kCalibrationNs) {
  }
  const TimePair now = read_time_pair();
  return static_cast<double>(now.time - start.time) /
         static_cast<double>(now.mono_ns - start.mono_ns);
}

std::uint64_t to_ticks(std::uint64_t ns) {
  return static_cast<std::uint64_t>(static_cast<double>(ns) * clock_config.ticks_per_ns);
}

bool arm_rseq(ThreadClock& clock) {
#if defined(__x86_64__) || defined(__aarch64__)
  if (&__rseq_offset == nullptr || &__rseq_size == nullptr || __rseq_size == 0)
    return false;
  auto* area = static_cast<char*>(__builtin_thread_pointer()) + __rseq_offset;
  clock.rseq_slot = reinterpret_cast<std::uint64_t*>(area + kRseqCsOffset);
  clock.rseq_marker = reinterpret_cast<std::uint64_t>(&rseq_section);
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

// Does the kernel clear the marker when the thread leaves the CPU, and leave it alone otherwise?
bool rseq_works(std::string& reason) {
  ThreadClock clock;
  if (!arm_rseq(clock)) {
    reason = "rseq: not registered by the C library";
    return false;
  }
  auto* slot = const_cast<volatile std::uint64_t*>(clock.rseq_slot);
  if (*slot != 0) {
    reason = "rseq: in use by another library";
    return false;
  }
  *slot = clock.rseq_marker;
  const timespec nap{0, 50'000};
  nanosleep(&nap, nullptr);
  const bool cleared = *slot == 0;
  *slot = 0;
  if (!cleared)
    reason = "rseq: the kernel leaves the marker alone across a context switch";
  return cleared;
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
}

void use_thread_cpu() {
  clock_config.kind = ClockKind::ThreadCpu;
  clock_config.name = "thread-cpu";
  clock_config.event = "thread CPU time";
  clock_config.unit = "ns";
  clock_config.unit_hz = 1'000'000'000;
  clock_config.kernel_included = true;
  clock_config.same_as_time = false;
}

void add_reason(const std::string& text) {
  const std::size_t used = std::strlen(clock_config.reason);
  snprintf(clock_config.reason + used, sizeof clock_config.reason - used, "%s%s",
           used > 0 ? "; " : "", text.c_str());
}

bool try_hardware(std::string_view name) {
  perf::Event event{};
  if (!perf::find_event(name, event))
    return false;
  clock_config.perf_type = event.type;
  clock_config.perf_config = event.config;
  clock_config.event = clock_config.unit = name == "instructions" ? "instructions" : "cycles";
  clock_config.unit_hz = 0;
  clock_config.kernel_included = false;
  clock_config.same_as_time = false;
  ThreadClock clock;
  int error = perf::open_counter(event, true, clock);
  if (error == 0) {
    std::uint64_t value;
    const bool readable = perf::read_user(clock, value);
    perf::close(clock);
    if (readable) {
      clock_config.kind = ClockKind::PerfUser;
      clock_config.name = "perf-user";
      return true;
    }
  }
  error = perf::open_counter(event, false, clock);
  if (error == 0) {
    perf::close(clock);
    clock_config.kind = ClockKind::PerfRead;
    clock_config.name = "perf-read";
    return true;
  }
  add_reason(perf::explain(error, name));
  return false;
}

bool try_tsc() {
  std::string why;
  if (rseq_works(why)) {
    use_tsc(ClockKind::TscRseq, "tsc-rseq");
    return true;
  }
  add_reason(why);
  ThreadClock clock;
  if (const int error = perf::open_lock_page(clock); error != 0) {
    add_reason("perf page: " + std::string(std::strerror(error)));
    return false;
  }
  perf::close(clock);
  use_tsc(ClockKind::TscPerfPage, "tsc-perf-page");
  return true;
}

// Reads CPU time between two equal proofs that the thread was not switched meanwhile.
void anchor(ThreadClock& clock) noexcept {
  std::uint64_t cpu_ns = 0;
  std::uint64_t now = 0;
  for (int attempt = 0; attempt < 8; ++attempt) {
    if (clock_config.kind == ClockKind::TscRseq) {
      auto* slot = const_cast<volatile std::uint64_t*>(clock.rseq_slot);
      *slot = clock.rseq_marker;
      std::atomic_signal_fence(std::memory_order_seq_cst);
      cpu_ns = read_posix(CLOCK_THREAD_CPUTIME_ID);
      now = read_time();
      std::atomic_signal_fence(std::memory_order_seq_cst);
      if (*slot == clock.rseq_marker)
        break;
    } else {
      const std::uint32_t lock = perf::lock_of(clock.page);
      std::atomic_signal_fence(std::memory_order_seq_cst);
      cpu_ns = read_posix(CLOCK_THREAD_CPUTIME_ID);
      now = read_time();
      std::atomic_signal_fence(std::memory_order_seq_cst);
      clock.page_lock = perf::lock_of(clock.page);
      if (clock.page_lock == lock)
        break;
    }
  }
  std::uint64_t work = to_ticks(cpu_ns);
  // The reading before this one may have been ahead by the error of one conversion: never run
  // backwards.
  const std::uint64_t handed_out = clock.last_time - clock.offset;
  if (clock.last_time != 0 && work < handed_out)
    work = handed_out;
  clock.offset = now - work;
  clock.last_time = now;
}

} // namespace

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

bool choose_hardware_clock(std::string_view event) {
  clock_config = ClockConfig{};
  if (event == "virtual" || event == "task-clock" || event == "tsc")
    return false;
  const std::string_view wanted = event == "cycles" ? event : "instructions";
  return try_hardware(wanted);
}

void choose_other_clock(std::string_view event, TimePair start) {
  clock_config.ticks_per_ns = measure_ticks_per_ns(start);
  if (clock_config.kind == ClockKind::PerfUser || clock_config.kind == ClockKind::PerfRead)
    return;
  if (event == "virtual") {
    clock_config.kind = ClockKind::Virtual;
    clock_config.name = "virtual";
    clock_config.event = "tp_spend";
    clock_config.unit = "units";
    clock_config.unit_hz = 0;
    clock_config.kernel_included = false;
    return;
  }
  if (event == "task-clock")
    return use_thread_cpu();
  if (event != "auto" && event != "tsc")
    warn("TP_EVENT", "'" + std::string(event) +
                         "' cannot be counted, another clock is used: " + clock_config.reason);
  describe_section();
  if (!try_tsc())
    use_thread_cpu();
}

bool probe_event(std::string_view event, std::string& message) {
  if (event == "auto" || event == "virtual" || event == "task-clock")
    return true;
  if (event != "tsc" && event != "instructions" && event != "cycles") {
    message = "unknown event '" + std::string(event) +
              "': expected auto, instructions, cycles, tsc, task-clock or virtual";
    return false;
  }
  clock_config = ClockConfig{};
  describe_section();
  // Called in a process that profiles nothing (tp-run), so the process's clock may be tried out
  // here.
  const bool works = event == "tsc" ? try_tsc() : try_hardware(event);
  if (!works)
    message = clock_config.reason;
  return works;
}

bool open_clock(ThreadClock& clock) {
  const std::uint64_t spent = clock.virtual_work;
  clock = ThreadClock{};
  clock.virtual_work = spent;
  switch (clock_config.kind) {
  case ClockKind::TscRseq:
    if (!arm_rseq(clock))
      return false;
    anchor(clock);
    return true;
  case ClockKind::TscPerfPage:
    if (perf::open_lock_page(clock) != 0)
      return false;
    anchor(clock);
    return true;
  case ClockKind::PerfUser:
  case ClockKind::PerfRead:
    return perf::open_counter({clock_config.perf_type, clock_config.perf_config},
                              clock_config.kind == ClockKind::PerfUser, clock) == 0;
  default:
    return true;
  }
}

void close_clock(ThreadClock& clock) {
  if (clock.rseq_slot != nullptr) {
    auto* slot = const_cast<volatile std::uint64_t*>(clock.rseq_slot);
    if (*slot == clock.rseq_marker)
      *slot = 0;
    clock.rseq_slot = nullptr;
  }
  perf::close(clock);
}

Reading read_anchored(ThreadClock& clock) noexcept {
  anchor(clock);
  return {clock.last_time - clock.offset, clock.last_time};
}

Reading read_by_kernel(ThreadClock& clock) noexcept {
  const std::uint64_t work = clock_config.kind == ClockKind::PerfRead
                                 ? perf::read_counter(clock)
                                 : read_posix(CLOCK_THREAD_CPUTIME_ID);
  return {work, read_time()};
}

Reading read_perf_user(ThreadClock& clock) noexcept {
  std::uint64_t work;
  if (!perf::read_user(clock, work))
    work = perf::read_counter(clock);
  if (work < clock.last_work)
    work = clock.last_work;
  clock.last_work = work;
  return {work, read_time()};
}

std::uint64_t cpu_ns_to_work(std::uint64_t ns) {
  if (clock_config.same_as_time)
    return to_ticks(ns);
  return clock_config.kind == ClockKind::ThreadCpu ? ns : 0;
}

std::uint64_t work_since_creation() {
  return cpu_ns_to_work(read_posix(CLOCK_THREAD_CPUTIME_ID));
}

} // namespace tp::rt
