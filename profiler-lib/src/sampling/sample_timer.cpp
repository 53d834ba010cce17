// SPDX-License-Identifier: Apache-2.0
// See sample_timer.h. The handler writes and the sampler's thread reads a ring of records of equal size.
#include "sampling/sample_timer.h"

#include "base/attributes.h"
#include "clock/work_clock.h"
#include "sampling/random_periods.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace tp::rt {

// In memory of its own; the records follow.
struct SampleTimer {
  timer_t id{};
  std::size_t bytes = 0;        // of the mapping
  std::size_t record_bytes = 0; // of one record
  std::size_t records = 0;
  std::uint64_t period_ns = 0;
  std::uint64_t random = 1;
  RandomPeriods periods;
  std::uint32_t stack_bytes = 0;
  bool has_registers = false;
  std::uintptr_t stack_begin = 0, stack_end = 0; // of the thread
  std::atomic<std::uint64_t> written{0}, taken{0}, lost{0};

  std::byte* record(std::uint64_t number) {
    return reinterpret_cast<std::byte*>(this + 1) + number % records * record_bytes;
  }
};

namespace {

// For the handler; the rest of a record are registers and stack.
struct TimerRecord {
  std::uint64_t time;
  std::uint64_t instruction;
  std::uint64_t used; // bytes of the stack
};

constexpr std::size_t kTimerBytes = std::size_t{128} << 10;

thread_local SampleTimer* this_timer TP_TLS = nullptr;
int sample_signal = 0;

// A new time for each sample.
void arm(SampleTimer& timer) noexcept {
  timer.random ^= timer.random << 13;
  timer.random ^= timer.random >> 7;
  timer.random ^= timer.random << 17;
  const std::uint64_t next = timer.periods.next(timer.period_ns, timer.random);
  itimerspec times{};
  times.it_value.tv_sec = static_cast<time_t>(next / 1'000'000'000);
  times.it_value.tv_nsec = static_cast<long>(next % 1'000'000'000);
  timer_settime(timer.id, 0, &times, nullptr);
}

#if defined(__x86_64__)
constexpr int kSavedOrder[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                               REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                               REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
constexpr std::size_t kSavedRegisters = sizeof kSavedOrder / sizeof *kSavedOrder;
void copy_registers(const ucontext_t& context, std::uint64_t* to) noexcept {
  for (std::size_t i = 0; i < kSavedRegisters; ++i)
    to[i] = static_cast<std::uint64_t>(context.uc_mcontext.gregs[kSavedOrder[i]]);
}
constexpr std::size_t kSavedStackPointer = 7, kSavedInstruction = 16;
#elif defined(__aarch64__)
constexpr std::size_t kSavedRegisters = 33, kSavedStackPointer = 31, kSavedInstruction = 32;
void copy_registers(const ucontext_t& context, std::uint64_t* to) noexcept {
  for (std::size_t i = 0; i < 31; ++i)
    to[i] = context.uc_mcontext.regs[i];
  to[kSavedStackPointer] = context.uc_mcontext.sp;
  to[kSavedInstruction] = context.uc_mcontext.pc;
}
#else
constexpr std::size_t kSavedRegisters = 1, kSavedStackPointer = 0, kSavedInstruction = 0;
void copy_registers(const ucontext_t&, std::uint64_t* to) noexcept {
  to[0] = 0;
}
#endif

// Not by memcpy, which sanitizers watch: it reads what lies between variables.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] void
copy_stack(std::byte* to, std::uintptr_t from, std::uint64_t bytes) noexcept {
  const auto* const words = reinterpret_cast<const volatile std::uint64_t*>(from);
  for (std::uint64_t i = 0; i < bytes / sizeof *words; ++i) {
    const std::uint64_t word = words[i];
    std::memcpy(to + i * sizeof word, &word, sizeof word);
  }
}

// Hot: at each sample, in the middle of whatever the program does.
void on_sample(int, siginfo_t*, void* context) noexcept {
  SampleTimer* const timer = this_timer;
  if (timer == nullptr)
    return;
  const int kept = errno;
  const std::uint64_t number = timer->written.load(std::memory_order_relaxed);
  if (number - timer->taken.load(std::memory_order_acquire) >= timer->records) {
    timer->lost.fetch_add(1, std::memory_order_relaxed);
  } else {
    std::byte* const at = timer->record(number);
    std::uint64_t registers[kSavedRegisters];
    copy_registers(*static_cast<const ucontext_t*>(context), registers);
    TimerRecord record{read_time(), registers[kSavedInstruction], 0};
    std::byte* rest = at + sizeof record;
    if (timer->has_registers) {
      std::memcpy(rest, registers, sizeof registers);
      rest += sizeof registers;
      // A stack of another kind (a coroutine's, an alternate one) has an end that is not known.
      const std::uintptr_t sp = registers[kSavedStackPointer];
      if (sp >= timer->stack_begin && sp < timer->stack_end) {
        record.used = useful_stack_bytes(
                          sp, std::min<std::uint64_t>(timer->stack_end - sp, timer->stack_bytes)) &
                      ~std::uint64_t{7};
        copy_stack(rest, sp, record.used);
      }
    }
    std::memcpy(at, &record, sizeof record);
    timer->written.store(number + 1, std::memory_order_release);
  }
  arm(*timer);
  errno = kept;
}

void find_stack(SampleTimer& timer) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return;
  void* begin = nullptr;
  std::size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &begin, &bytes) == 0) {
    timer.stack_begin = reinterpret_cast<std::uintptr_t>(begin);
    timer.stack_end = timer.stack_begin + bytes;
  }
  pthread_attr_destroy(&attributes);
}

} // namespace

int choose_sample_signal() {
  if (sample_signal != 0)
    return 0;
  for (int number = SIGRTMAX - 1; number > SIGRTMIN; --number) {
    struct sigaction now{};
    if (sigaction(number, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0 ||
        now.sa_handler != SIG_DFL)
      continue;
    struct sigaction ours{};
    ours.sa_sigaction = on_sample;
    ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&ours.sa_mask);
    if (sigaction(number, &ours, nullptr) != 0)
      return errno;
    sample_signal = number;
    return 0;
  }
  return EBUSY;
}

std::uint32_t most_timer_samples() {
  timespec tick{};
  if (clock_getres(CLOCK_REALTIME_COARSE, &tick) != 0 || tick.tv_sec != 0 || tick.tv_nsec == 0)
    return 0;
  return static_cast<std::uint32_t>((1'000'000'000 + tick.tv_nsec / 2) / tick.tv_nsec);
}

SampleTimer* start_sample_timer(const SamplingPlan& plan, std::uint64_t period_ns) {
  void* const memory =
      mmap(nullptr, kTimerBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  auto* const timer = new (memory) SampleTimer;
  timer->bytes = kTimerBytes;
  timer->has_registers =
      plan.call_graph == trace::CallGraph::Dwarf && sample_machine() != trace::SampleMachine::Other;
  timer->stack_bytes = timer->has_registers ? plan.stack_bytes : 0;
  timer->record_bytes = sizeof(TimerRecord) + timer->stack_bytes +
                        (timer->has_registers ? kSavedRegisters * sizeof(std::uint64_t) : 0);
  timer->records = (kTimerBytes - sizeof(SampleTimer)) / timer->record_bytes;
  timer->period_ns = period_ns;
  timer->random = read_time() | 1;
  find_stack(*timer);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = sample_signal;
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  if (timer->records == 0 || timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer->id) != 0) {
    const int error = timer->records == 0 ? EINVAL : errno;
    munmap(memory, kTimerBytes);
    errno = error;
    return nullptr;
  }
  this_timer = timer;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  arm(*timer);
  return timer;
}

void end_sample_timer(SampleTimer* timer, bool in_child) noexcept {
  if (timer == nullptr)
    return;
  if (!in_child)
    timer_delete(timer->id);
  // Another thread may be in its handler: the memory stays then.
  if (this_timer != timer)
    return;
  this_timer = nullptr;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  munmap(static_cast<void*>(timer), timer->bytes);
}

RingContent drain_timer(SampleTimer& timer, std::uint32_t stream, std::uint32_t os_thread,
                        std::byte* out, std::size_t room) noexcept {
  RingContent content;
  const std::uint64_t written = timer.written.load(std::memory_order_acquire);
  std::uint64_t taken = timer.taken.load(std::memory_order_relaxed);
  for (; taken < written; ++taken) {
    if (room - content.bytes < most_sample_bytes(timer.stack_bytes)) {
      content.is_empty = false;
      break;
    }
    const std::byte* from = timer.record(taken);
    TimerRecord record;
    std::memcpy(&record, from, sizeof record);
    from += sizeof record;
    trace::SampleStack sample{};
    sample.head.kind = static_cast<std::uint16_t>(trace::SampleRecordKind::Sample);
    sample.head.flags = trace::kSampleTimeIsTicks;
    sample.stream = stream;
    sample.os_thread = os_thread;
    sample.raw_ns = record.time;
    sample.instruction = record.instruction;
    std::size_t more = 0;
    if (timer.has_registers) {
      sample.head.flags |= trace::kSampleHasStack;
      more = kSavedRegisters * sizeof(std::uint64_t) + record.used;
    }
    sample.head.bytes = static_cast<std::uint32_t>(sizeof sample + more);
    std::memcpy(out + content.bytes, &sample, sizeof sample);
    std::memcpy(out + content.bytes + sizeof sample, from, more);
    content.bytes += sizeof sample + more;
    ++content.samples;
  }
  timer.taken.store(taken, std::memory_order_release);
  content.lost = timer.lost.exchange(0, std::memory_order_relaxed);
  return content;
}

void ignore_sample_signal() noexcept {
  if (sample_signal == 0)
    return;
  struct sigaction none{};
  none.sa_handler = SIG_IGN;
  sigaction(sample_signal, &none, nullptr);
  sample_signal = 0;
}

} // namespace tp::rt
