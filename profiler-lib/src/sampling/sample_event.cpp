// SPDX-License-Identifier: Apache-2.0
// See sample_event.h. What perf_event_open(2) does not say clearly: an event that is inherited cannot
// have a ring per thread; where the ring would exceed the limit of locked memory, mmap fails with EPERM;
// with exclude_kernel, an interrupt that hits the kernel gives no sample; without it, which takes a privilege, the registers and
// the stack are those of the program all the same.
#include "sampling/sample_event.h"

#include "base/descriptor_room.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tp::rt {
namespace {

// Of each of the first threads: at 1000 per second some 60 samples with 4 KiB of stack, of which half are as many as come
// between two looks.
constexpr std::size_t kSamplesInRing = 48;
constexpr std::size_t kManyThreadsBytes = std::size_t{16} << 10;
constexpr std::size_t kLeastSamplesInRing = 3, kLeastSamplesInLargeRing = 6;
constexpr std::uint32_t kLeastStackBytes = 512;
constexpr std::uint64_t kKernelBegin = std::uint64_t{1} << 63;
constexpr unsigned kMostChain = 127; // addresses

// The kernel's numbers of the registers, in the order of DWARF's.
#if defined(__x86_64__)
constexpr unsigned kRegisters[] = {0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8};
constexpr unsigned kStackPointer = 7, kInstruction = 8;
constexpr std::uint64_t kRegisterMask = 0xff01ff;
constexpr trace::SampleMachine kMachine = trace::SampleMachine::X86_64;
#elif defined(__aarch64__)
constexpr unsigned kRegisters[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                   11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                   22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
constexpr unsigned kStackPointer = 31, kInstruction = 32;
constexpr std::uint64_t kRegisterMask = 0x1ffffffff;
constexpr trace::SampleMachine kMachine = trace::SampleMachine::Aarch64;
#else
constexpr unsigned kRegisters[] = {0};
constexpr unsigned kStackPointer = 0, kInstruction = 0;
constexpr std::uint64_t kRegisterMask = 0;
constexpr trace::SampleMachine kMachine = trace::SampleMachine::Other;
#endif
constexpr std::uint64_t kInstructionMask = kRegisterMask & std::uint64_t{1} << kInstruction;
constexpr std::size_t kRegisterCount = sizeof kRegisters / sizeof *kRegisters;

// Where the stack of the initial thread begins; 0: not known.
constinit std::uintptr_t initial_stack_end = 0;

std::size_t page_size() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

bool copies_stack(const SamplingPlan& plan) {
  return plan.call_graph == trace::CallGraph::Dwarf && kMachine != trace::SampleMachine::Other;
}

int map_ring(SampleRing& ring, std::size_t most) {
  int error = 0;
  for (std::size_t bytes = most; bytes >= page_size(); bytes /= 2) {
    void* const memory =
        mmap(nullptr, page_size() + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, 0);
    if (memory != MAP_FAILED) {
      ring.page = memory;
      ring.ring_bytes = bytes;
      return 0;
    }
    error = errno;
    if (error != EPERM && error != ENOMEM)
      break;
  }
  return error == EPERM ? ENOMEM : error; // EPERM: the limit of locked memory
}

int open_event(perf_event_attr& attributes, SampleRing& ring, std::size_t ring_bytes) {
  attributes.size = sizeof attributes;
  const DescriptorRoom room;
  const int fd =
      static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (fd < 0)
    return errno;
  ring.fd = room.moved(fd);
  const int error = map_ring(ring, ring_bytes);
  if (error != 0)
    close_sample_ring(ring);
  return error;
}

// The period is not a round number: programs do what they do at regular times every so many milliseconds.
std::uint64_t period_of(std::uint32_t rate) {
  const std::uint64_t period = 1'000'000'000 / std::max(rate, 1u);
  return period + period / 73;
}

// Reads the ring, which wraps around.
class RingReader {
public:
  RingReader(const std::byte* data, std::size_t bytes, std::uint64_t at)
      : data_(data), mask_(bytes - 1), at_(at) {}
  void copy(void* to, std::size_t bytes) {
    const std::size_t begin = at_ & mask_;
    const std::size_t first = std::min(bytes, mask_ + 1 - begin);
    std::memcpy(to, data_ + begin, first);
    std::memcpy(static_cast<std::byte*>(to) + first, data_, bytes - first);
    at_ += bytes;
  }
  std::uint64_t word() {
    std::uint64_t value;
    copy(&value, sizeof value);
    return value;
  }
  void go_to(std::uint64_t at) { at_ = at; }
  // Words do not wrap around.
  std::uint64_t word_at(std::uint64_t at) const {
    std::uint64_t value;
    std::memcpy(&value, data_ + (at & mask_), sizeof value);
    return value;
  }
  std::uint64_t at() const { return at_; }

private:
  const std::byte* data_;
  std::size_t mask_;
  std::uint64_t at_;
};

// The copy of a stack that is still in the ring.
struct StackInRing {
  std::uint64_t at = 0;                 // in the ring
  std::uint64_t address = 0, words = 0; // the innermost
};

// The words that differ from those that are at the same addresses in `before`, after a bit for each word. Returns the bytes,
// which are at most those of the stack and of `words` / 64 + 2 words.
std::size_t write_difference(const RingReader& reader, const StackInRing& stack,
                             const StackInRing& before, std::byte* out) {
  const std::size_t masks = (stack.words + 63) / 64;
  std::memcpy(out, &stack.words, sizeof stack.words);
  std::byte* const bits = out + sizeof stack.words;
  std::byte* to = bits + masks * sizeof(std::uint64_t);
  std::uint64_t mask = 0;
  for (std::uint64_t i = 0; i < stack.words; ++i) {
    const std::uint64_t word = reader.word_at(stack.at + i * sizeof word);
    const std::uint64_t address = stack.address + i * sizeof word;
    const std::uint64_t other = (address - before.address) / sizeof word;
    if (address < before.address || other >= before.words ||
        reader.word_at(before.at + other * sizeof word) != word) {
      mask |= std::uint64_t{1} << i % 64;
      std::memcpy(to, &word, sizeof word);
      to += sizeof word;
    }
    if (i % 64 == 63 || i + 1 == stack.words) {
      std::memcpy(bits + i / 64 * sizeof mask, &mask, sizeof mask);
      mask = 0;
    }
  }
  return static_cast<std::size_t>(to - out);
}

// A PERF_RECORD_SAMPLE, whose head has been read, as a record of ours. Returns its bytes. `before`: the stack of the sample
// before, or none; becomes that of this one. `in_kernel`: the thread was there.
std::size_t convert_sample(const SamplingPlan& plan, RingReader& reader, std::uint32_t stream,
                           std::uint32_t os_thread, bool in_kernel, std::byte* out,
                           StackInRing& before, std::uint16_t periods) {
  const StackInRing kept = before;
  trace::SampleStack sample{};
  sample.head.kind = static_cast<std::uint16_t>(trace::SampleRecordKind::Sample);
  sample.stream = stream;
  sample.os_thread = os_thread;
  sample.instruction = reader.word();
  reader.word(); // process, thread
  sample.raw_ns = reader.word();
  std::size_t bytes = sizeof sample;
  if (plan.call_graph == trace::CallGraph::FramePointers) {
    const std::uint64_t count = reader.word();
    sample.head.flags = trace::kSampleHasChain;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t address = reader.word();
      // Others say what the following ones are.
      if (address < static_cast<std::uint64_t>(PERF_CONTEXT_MAX) &&
          bytes < sizeof sample + kMostChain * sizeof address) {
        if (in_kernel && bytes == sizeof sample)
          sample.instruction = address;
        std::memcpy(out + bytes, &address, sizeof address);
        bytes += sizeof address;
      }
    }
  } else if (copies_stack(plan)) {
    std::uint64_t registers[64] = {};
    if (reader.word() != 0) { // else the thread was not in user code
      for (std::uint64_t mask = kRegisterMask; mask != 0; mask &= mask - 1)
        registers[__builtin_ctzll(mask)] = reader.word();
      sample.head.flags = trace::kSampleHasStack;
      if (in_kernel)
        sample.instruction = registers[kInstruction];
      for (const unsigned number : kRegisters) {
        std::memcpy(out + bytes, &registers[number], sizeof registers[number]);
        bytes += sizeof registers[number];
      }
    }
    const std::uint64_t size = std::min<std::uint64_t>(reader.word(), plan.stack_bytes);
    if (size > 0) {
      StackInRing stack{reader.at(), registers[kStackPointer], 0};
      reader.go_to(stack.at + size);
      stack.words =
          useful_stack_bytes(stack.address, std::min(reader.word(), size)) / sizeof(std::uint64_t);
      if (sample.head.flags == trace::kSampleHasStack && stack.words > 0) {
        if (before.words > 0 && (stack.address - before.address) % sizeof(std::uint64_t) == 0) {
          sample.head.flags |= trace::kSampleSharesStack;
          bytes += write_difference(reader, stack, before, out + bytes);
        } else {
          reader.go_to(stack.at);
          reader.copy(out + bytes, stack.words * sizeof(std::uint64_t));
          bytes += stack.words * sizeof(std::uint64_t);
        }
        before = stack;
      }
    }
  }
  if (plan.call_graph == trace::CallGraph::None && in_kernel && kInstructionMask != 0 &&
      reader.word() != 0)
    sample.instruction = reader.word();
  if (in_kernel && sample.instruction >= kKernelBegin) {
    before = kept;
    return 0; // the thread has left the program
  }
  sample.head.bytes = static_cast<std::uint32_t>(bytes);
  set_periods(sample.head, periods);
  std::memcpy(out, &sample, sizeof sample);
  return bytes;
}

} // namespace

trace::SampleMachine sample_machine() noexcept {
  return kMachine;
}

std::uint32_t sample_registers() noexcept {
  return kMachine == trace::SampleMachine::Other ? 0 : kRegisterCount;
}

std::uint64_t sample_period(const SamplingPlan& plan) noexcept {
  return period_of(plan.rate);
}

void find_initial_stack() noexcept {
  if (initial_stack_end != 0)
    return;
  // Of the dynamic loader.
  if (auto* const end = static_cast<void**>(dlsym(RTLD_DEFAULT, "__libc_stack_end")))
    initial_stack_end = reinterpret_cast<std::uintptr_t>(*end);
}

std::size_t useful_stack_bytes(std::uint64_t stack_pointer, std::size_t bytes) noexcept {
  const std::uintptr_t end = initial_stack_end;
  return stack_pointer < end ? std::min<std::size_t>(bytes, end - stack_pointer) : bytes;
}

std::size_t most_sample_bytes(std::uint32_t stack_bytes) noexcept {
  return sizeof(trace::SampleStack) + kRegisterCount * sizeof(std::uint64_t) +
         std::max<std::size_t>(stack_bytes + stack_bytes / 64, kMostChain * sizeof(std::uint64_t)) +
         64;
}

// Whether each of four threads per CPU can have a larger ring, and a thousand others small ones: the limit of the process
// counts on top of what perf events of all users may lock, 516 KiB per CPU. Root may lock anything.
static bool has_locked_memory(std::size_t processors) noexcept {
  constexpr std::size_t kThousand = std::size_t{8} << 20, kPerProcessor = std::size_t{256} << 10;
  rlimit limit{};
  return geteuid() == 0 || (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
                            limit.rlim_cur >= kThousand + kPerProcessor * processors);
}

std::size_t sample_ring_bytes(const SamplingPlan& plan, std::size_t threads) noexcept {
  const auto processors = static_cast<std::size_t>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
  if (threads >= 8 * processors)
    return page_size();
  if (threads >= 4 * processors)
    return std::max(kManyThreadsBytes, page_size());
  if (threads >= processors)
    return std::max((has_locked_memory(processors) ? 8 : 4) * kManyThreadsBytes, page_size());
  const std::size_t samples = std::max<std::size_t>(kSamplesInRing * plan.rate / 1000, 8);
  return std::max(std::bit_ceil(samples * most_sample_bytes(plan.stack_bytes)), page_size());
}

static int open_ring(const SamplingPlan& plan, const SampleSource& source, std::size_t ring_bytes,
                     SampleRing& ring) {
  perf_event_attr attributes{};
  attributes.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  if (source.method == trace::SampleMethod::Cycles) {
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config = PERF_COUNT_HW_CPU_CYCLES;
    attributes.freq = 1;
    attributes.sample_freq = plan.rate - plan.rate / 73; // no round number either
    attributes.precise_ip = source.precise & 3u;
  } else {
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_CPU_CLOCK;
    attributes.sample_period = source.period_ns;
  }
  if (plan.call_graph == trace::CallGraph::FramePointers) {
    attributes.sample_type |= PERF_SAMPLE_CALLCHAIN;
    attributes.exclude_callchain_kernel = 1;
    attributes.sample_max_stack = kMostChain;
  } else if (copies_stack(plan)) {
    attributes.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attributes.sample_regs_user = kRegisterMask;
    attributes.sample_stack_user = plan.stack_bytes;
  }
  attributes.exclude_kernel = source.in_kernel ? 0 : 1;
  attributes.exclude_hv = 1;
  if (source.in_kernel && plan.call_graph == trace::CallGraph::None) {
    attributes.sample_type |= PERF_SAMPLE_REGS_USER;
    attributes.sample_regs_user = kInstructionMask;
  }
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC_RAW;
  ring.stack_bytes = plan.stack_bytes;
  return open_event(attributes, ring, ring_bytes);
}

int open_sample_ring(const SamplingPlan& plan, const SampleSource& source, std::size_t ring_bytes,
                     SampleRing& ring) {
  const int error = open_ring(plan, source, ring_bytes, ring);
  const std::size_t least =
      ring.ring_bytes < kManyThreadsBytes
          ? kLeastSamplesInRing
          : std::max(kLeastSamplesInRing, kLeastSamplesInLargeRing * plan.rate / 1000);
  const std::size_t most = ring.ring_bytes / least;
  if (error != 0 || !copies_stack(plan) || most_sample_bytes(plan.stack_bytes) <= most)
    return error;
  SamplingPlan smaller = plan;
  while (smaller.stack_bytes > kLeastStackBytes && most_sample_bytes(smaller.stack_bytes) > most)
    smaller.stack_bytes -= 64;
  ring_bytes = ring.ring_bytes;
  close_sample_ring(ring);
  return open_ring(smaller, source, ring_bytes, ring);
}

int choose_sample_source(const SamplingPlan& plan, SampleSource& source, SampleRing& ring) {
  const std::size_t ring_bytes = sample_ring_bytes(plan, 0);
  int error = 0;
  for (const bool in_kernel : {true, false}) {
    for (const unsigned precise : {2u, 1u, 0u}) {
      source = {trace::SampleMethod::Cycles, precise, in_kernel, 0};
      if (open_sample_ring(plan, source, ring_bytes, ring) == 0)
        return 0;
    }
    source = {trace::SampleMethod::SoftwareClock, 0, in_kernel, period_of(plan.rate)};
    error = open_sample_ring(plan, source, ring_bytes, ring);
    if (error == 0)
      return 0;
  }
  return error;
}

void close_sample_ring(SampleRing& ring) noexcept {
  if (ring.fd >= 0)
    ::close(ring.fd);
  if (ring.page != nullptr)
    munmap(ring.page, page_size() + ring.ring_bytes);
  ring = SampleRing{};
}

void forget_sample_ring(SampleRing& ring) noexcept {
  ring.page = nullptr;
  close_sample_ring(ring);
}

// The kernel forgets what was left of the former period. Where the thread does not run now, it would start
// a whole one when it runs again: programs give their CPU away at certain points, after which no sample
// would come for a while.
bool runs_now(const SampleRing& ring) noexcept {
  std::uint64_t before = 0, after = 0;
  return ::read(ring.fd, &before, sizeof before) == sizeof before &&
         ::read(ring.fd, &after, sizeof after) == sizeof after && before != after;
}

void set_periods(trace::SampleRecord& head, std::uint64_t periods) noexcept {
  constexpr unsigned kLower = (1u << trace::kSamplePeriodsShift) - 1;
  const std::uint64_t fitting = std::min<std::uint64_t>(periods, trace::kMostSamplePeriods);
  head.flags = static_cast<std::uint16_t>(
      (head.flags & kLower) | (fitting > 1 ? fitting << trace::kSamplePeriodsShift : 0));
}

std::uint64_t periods_of(const trace::SampleRecord& head) noexcept {
  return std::max<std::uint64_t>(head.flags >> trace::kSamplePeriodsShift, 1);
}

void set_sample_period(const SampleSource& source, SampleRing& ring, std::uint64_t period_ns,
                       std::uint64_t periods) noexcept {
  ring.periods =
      static_cast<std::uint16_t>(std::min<std::uint64_t>(periods, trace::kMostSamplePeriods));
  // Of an event with a frequency the request sets that.
  std::uint64_t value = period_ns;
  if (source.method == trace::SampleMethod::Cycles)
    value = 1'000'000'000 / std::max<std::uint64_t>(value, 1);
  ioctl(ring.fd, PERF_EVENT_IOC_PERIOD, &value);
}

std::size_t ring_content(const SampleRing& ring) noexcept {
  const auto* const page = static_cast<const perf_event_mmap_page*>(ring.page);
  return page == nullptr
             ? 0
             : static_cast<std::size_t>(__atomic_load_n(&page->data_head, __ATOMIC_RELAXED) -
                                        page->data_tail);
}

RingContent drain_ring(const SamplingPlan& plan, const SampleRing& ring, std::uint32_t stream,
                       std::uint32_t os_thread, std::byte* out, std::size_t room,
                       bool may_share) noexcept {
  RingContent content;
  if (ring.page == nullptr)
    return content;
  auto* const page = static_cast<perf_event_mmap_page*>(ring.page);
  const std::uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
  std::uint64_t tail = page->data_tail;
  RingReader reader(static_cast<const std::byte*>(ring.page) + page_size(), ring.ring_bytes, tail);
  StackInRing before;
  while (tail < head) {
    if (room - content.bytes < most_sample_bytes(ring.stack_bytes)) {
      content.is_empty = false;
      break;
    }
    perf_event_header record;
    reader.copy(&record, sizeof record);
    if (record.size < sizeof record)
      break; // never happens
    if (record.type == PERF_RECORD_SAMPLE) {
      if (!may_share)
        before = StackInRing{};
      const bool in_kernel =
          (record.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
      const std::size_t bytes = convert_sample(plan, reader, stream, os_thread, in_kernel,
                                               out + content.bytes, before, ring.periods);
      content.bytes += bytes;
      content.samples += bytes > 0 ? 1 : 0;
    } else if (record.type == PERF_RECORD_LOST) {
      reader.word(); // the event
      content.lost += reader.word();
    }
    tail += record.size;
    reader.go_to(tail);
  }
  __atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
  return content;
}

} // namespace tp::rt
