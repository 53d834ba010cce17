// SPDX-License-Identifier: Apache-2.0
// See sampler.h. Samples go through one buffer: blocks are built in it, and written to the file when
// there is much or some time has passed, so that little is lost if the process is killed.
#include "sampling/sampler.h"

#include "base/attributes.h"
#include "base/file_limit.h"
#include "base/messages.h"
#include "base/no_cancel.h"
#include "base/own_file.h"
#include "base/recording_state.h"
#include "clock/work_clock.h"
#include "output/trace_writer.h"
#include "sampling/random_periods.h"
#include "sampling/sample_timer.h"
#include "sites/elf_notes.h"
#include "tp/trace/trace_codec.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <link.h>
#include <linux/futex.h>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tp::rt {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kEarlyBytes = std::size_t{32} << 20; // memory is used as it is filled
constexpr std::size_t kWriteBytes = std::size_t{256} << 10;
constexpr std::uint64_t kWriteNs = 250'000'000;
constexpr std::uint64_t kNapNs = 32'000'000, kShortestNapNs = 2'000'000;
constexpr std::uint64_t kLongestInRingNs = 60'000'000;      // samples stay there if there are few
constexpr std::uint64_t kSamePeriodNs = 24'000'000;         // of CPU time: not changed before
constexpr std::size_t kStackBytes = std::size_t{512} << 10; // of the sampler's thread
constexpr int kPairAttempts = 20;

// Each time a thread gets or gives away its CPU, the kernel sets or clears the timer of its event. Where that would be
// the next interrupt of the CPU, the CPU's own timer is set for it, which takes a virtual machine ten microseconds; one that is
// further away than the kernel's next tick takes two. So a program whose threads switch often, per second of CPU
// time, is sampled less often, unless the rate was asked for. docs/measurements/overhead.md.
constexpr std::uint64_t kManySwitches = 3000, kFewSwitches = 1500;
constexpr std::uint64_t kSparsePeriodNs = 8'200'000;  // at most
constexpr std::uint64_t kSwitchWindowNs = 40'000'000; // CPU time

struct SampledThread {
  SampleRing ring;
  SampleTimer* timer = nullptr;
  std::uint32_t stream = 0, os_thread = 0;
  std::uint64_t time = 0; // as in SampleThread
  bool announced = false;
  std::uint64_t drained_at = 0;   // CLOCK_MONOTONIC
  std::uint64_t period_ns = 0;    // 0: the plan's
  std::uint64_t since_change = 0; // samples
  RandomPeriods periods;
  bool is_sparse = false; // its period is that of a program that switches often

  bool is_sampled() const { return ring.page != nullptr || timer != nullptr; }
};

struct ClockPair {
  std::uint64_t time, raw_ns;
};

// How often the threads of the process switch: when it was looked at last.
struct SwitchWatch {
  std::uint64_t cpu_ns = 0, switches = 0; // of the process so far; without the sampler's own
  bool is_often = false;
};

// What the thread that runs main() did before its first event: in memory until it has a stream.
struct EarlySamples {
  SampledThread thread;
  ClockPair pair{}; // when it began
  std::byte* buffer = nullptr;
  std::size_t filled = 0;
  std::uint64_t samples = 0, lost = 0;
  std::uint64_t period_ns = 0;
};

struct Sampler {
  std::mutex mutex;
  SamplingPlan plan;
  SampleSource source;
  bool source_chosen = false;
  std::uint64_t session = 0;
  std::string path;
  OwnFile file;
  bool has_file = false;
  std::vector<SampledThread> threads;
  EarlySamples early;
  SwitchWatch watch;
  std::byte* buffer = nullptr;
  std::size_t filled = 0; // bytes of finished blocks
  std::uint64_t written_at = 0;
  std::uint64_t modules = ~std::uint64_t{0}; // the state of the list of modules in the file
  pthread_t helper{};
  bool has_helper = false;
  std::uint32_t wake = 0; // a futex: 1: end
  std::uint64_t random = 0;
  std::uint64_t system_ns_before = 0,
                helper_system_ns = 0; // system time: before the first sample; of the helper
  bool entered_sandbox = false;       // a filter of system calls was there before
  SamplingTotals totals;
};

// Never destroyed: threads outlive the library's destructor.
Sampler& sampler() {
  static Sampler* const instance = new Sampler;
  return *instance;
}

ClockPair read_pair() {
  ClockPair best{};
  std::uint64_t narrowest = UINT64_MAX;
  for (int attempt = 0; attempt < kPairAttempts; ++attempt) {
    const std::uint64_t before = read_time();
    const std::uint64_t raw = read_posix(CLOCK_MONOTONIC_RAW);
    const std::uint64_t width = read_time() - before;
    if (width < narrowest) {
      narrowest = width;
      best = {before + width / 2, raw};
    }
  }
  return best;
}

std::uint64_t system_time_ns(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return static_cast<std::uint64_t>(usage.ru_stime.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(usage.ru_stime.tv_usec) * 1000;
}

std::uint64_t switches_of(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return static_cast<std::uint64_t>(usage.ru_nvcsw) + static_cast<std::uint64_t>(usage.ru_nivcsw);
}

// Called by the sampler's thread, each of whose naps is up to two switches of others.
void watch_switches(Sampler& s) {
  if (s.source.method != trace::SampleMethod::SoftwareClock || s.plan.is_asked_for)
    return;
  SwitchWatch& watch = s.watch;
  const std::uint64_t cpu_ns = read_posix(CLOCK_PROCESS_CPUTIME_ID);
  const std::uint64_t elapsed = cpu_ns - watch.cpu_ns;
  if (elapsed < kSwitchWindowNs)
    return;
  const std::uint64_t all = switches_of(RUSAGE_SELF), own = 3 * switches_of(RUSAGE_THREAD);
  const std::uint64_t switches = std::max(watch.switches, all - std::min(own, all));
  if (watch.is_often)
    s.totals.sparse_ns += elapsed;
  const std::uint64_t limit = watch.is_often ? kFewSwitches : kManySwitches;
  watch.is_often = (switches - watch.switches) * 1'000'000 / (elapsed / 1000) >= limit;
  watch.cpu_ns = cpu_ns;
  watch.switches = switches;
}

// Mean CPU time between two samples.
std::uint64_t period_now(const Sampler& s) {
  const std::uint64_t planned = sample_period(s.plan);
  // A multiple: how many periods each sample counts for is a whole number.
  return s.watch.is_often ? std::max<std::uint64_t>(kSparsePeriodNs / planned, 1) * planned
                          : planned;
}

// Whether the process filters its system calls.
bool is_filtered() {
  return prctl(PR_GET_SECCOMP) > 0;
}

// No more samples are written. Once.
void stop_with(Sampler& s, const std::string& reason) {
  s.totals.reason += (s.totals.reason.empty() ? "" : "; later: ") + reason;
  warn("TP_SAMPLE", "no more stacks are sampled: " + reason);
}

void stop_thread(SampledThread& thread) {
  close_sample_ring(thread.ring);
  end_sample_timer(std::exchange(thread.timer, nullptr));
}

void close_rings(Sampler& s) {
  for (SampledThread& thread : s.threads)
    stop_thread(thread);
  stop_thread(s.early.thread);
}

// The samples that have come since; at most `room` bytes.
RingContent take_samples(Sampler& s, SampledThread& thread, std::byte* out, std::size_t room,
                         bool may_share) {
  return thread.timer != nullptr
             ? drain_timer(*thread.timer, thread.stream, thread.os_thread, out, room)
             : drain_ring(s.plan, thread.ring, thread.stream, thread.os_thread, out, room,
                          may_share);
}

// Writes the finished blocks.
void flush(Sampler& s) {
  if (s.filled == 0)
    return;
  const std::size_t bytes = std::exchange(s.filled, 0);
  if (!s.has_file)
    return;
  s.written_at = read_posix(CLOCK_MONOTONIC);
  int error = 0;
  if (!take_from_size_limit(bytes)) {
    stop_with(s, "the size limit was reached (TP_MAX_SIZE)");
    error = EFBIG;
  } else {
    const int fd = s.file.open(O_WRONLY | O_APPEND);
    error = fd < 0 ? errno : 0;
    for (std::size_t done = 0; error == 0 && done < bytes;) {
      const ssize_t written = append_to(fd, s.buffer + done, bytes - done);
      if (written < 0 && errno != EINTR)
        error = errno;
      done += written > 0 ? static_cast<std::size_t>(written) : 0;
    }
    if (fd >= 0)
      ::close(fd);
    if (error != 0)
      stop_with(s, std::string("the file of samples cannot be written: ") + std::strerror(error));
  }
  if (error == 0)
    return;
  s.has_file = false;
  close_rings(s);
}

// A block that is being built after the finished ones.
class Block {
public:
  explicit Block(Sampler& s) : s_(&s) {
    // Modules of a program with thousands of them do not fit: those are named by their addresses.
    if (kBufferBytes - s.filled < kBufferBytes / 2)
      flush(s);
    begin_ = s.buffer + s.filled;
    at_ = begin_ + sizeof(trace::SampleBlockHeader);
  }
  std::byte* at() const { return at_; }
  std::size_t room() const { return static_cast<std::size_t>(s_->buffer + kBufferBytes - at_); }
  void advance(std::size_t bytes) { at_ += bytes; }
  bool is_empty() const { return at_ == begin_ + sizeof(trace::SampleBlockHeader); }
  template <typename Record>
  void append(const Record& record) {
    std::memcpy(at_, &record, sizeof record);
    at_ += sizeof record;
  }
  // With a pair that was read before, if it is given.
  void finish(const ClockPair* before = nullptr) {
    const ClockPair pair = before != nullptr ? *before : read_pair();
    trace::SampleBlockHeader header{};
    header.magic = trace::kSampleBlockMagic;
    header.bytes = static_cast<std::uint32_t>(at_ - begin_ - sizeof header);
    header.time = pair.time;
    header.raw_ns = pair.raw_ns;
    std::memcpy(begin_, &header, sizeof header);
    constexpr std::size_t kChecked = offsetof(trace::SampleBlockHeader, time);
    header.checksum =
        trace::checksum(begin_ + kChecked, static_cast<std::size_t>(at_ - begin_) - kChecked);
    std::memcpy(begin_, &header, sizeof header);
    s_->filled += static_cast<std::size_t>(at_ - begin_);
  }

private:
  Sampler* s_;
  std::byte* begin_;
  std::byte* at_;
};

std::string hexadecimal_build_id(const dl_phdr_info& module) {
  std::string id;
  visit_notes(module, [&id](const ElfNote& note) {
    if (note.type != NT_GNU_BUILD_ID || note.owner != "GNU")
      return false;
    for (const char c : note.content) {
      id += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
      id += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
    }
    return true;
  });
  return id;
}

int write_module(dl_phdr_info* info, std::size_t, void* data) {
  Block& block = *static_cast<Block*>(data);
  char executable[4096];
  std::string_view path = info->dlpi_name;
  if (path.empty()) {
    const ssize_t length = readlink("/proc/self/exe", executable, sizeof executable);
    path = {executable, length > 0 ? static_cast<std::size_t>(length) : 0};
  }
  trace::SampleModule module{};
  module.base = info->dlpi_addr;
  module.begin = UINT64_MAX;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0)
      continue;
    module.begin = std::min<std::uint64_t>(module.begin, info->dlpi_addr + segment.p_vaddr);
    module.end =
        std::max<std::uint64_t>(module.end, info->dlpi_addr + segment.p_vaddr + segment.p_memsz);
  }
  const std::string build_id = hexadecimal_build_id(*info);
  const std::size_t text = (path.size() + build_id.size() + 7) / 8 * 8;
  if (module.end == 0 || block.room() < sizeof module + text + 4096)
    return 0;
  module.head.kind = static_cast<std::uint16_t>(trace::SampleRecordKind::Module);
  module.head.bytes = static_cast<std::uint32_t>(sizeof module + text);
  module.path_bytes = static_cast<std::uint32_t>(path.size());
  module.build_id_bytes = static_cast<std::uint32_t>(build_id.size());
  block.append(module);
  std::memset(block.at(), 0, text);
  std::memcpy(block.at(), path.data(), path.size());
  std::memcpy(block.at() + path.size(), build_id.data(), build_id.size());
  block.advance(text);
  return 0;
}

int read_module_state(dl_phdr_info* info, std::size_t, void* data) {
  *static_cast<std::uint64_t*>(data) = info->dlpi_adds << 32 ^ info->dlpi_subs;
  return 1;
}

// What the program's compilers at run time say of their code, by the convention of perf. In parts, since lines
// may be many.
void write_map(Sampler& s) {
  constexpr std::size_t kPart = std::size_t{64} << 10;
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return;
  struct stat status;
  std::size_t left =
      ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid()
          ? trace::kMostMapBytes
          : 0;
  while (left > 0 && s.has_file) {
    Block block(s);
    trace::SampleRecord head{};
    std::byte* const text = block.at() + sizeof head;
    const ssize_t got = ::read(fd, text, std::min(kPart, left));
    if (got <= 0)
      break;
    const auto bytes = static_cast<std::size_t>(got), padded = (bytes + 7) / 8 * 8;
    std::memset(text + bytes, 0, padded - bytes);
    head.kind = static_cast<std::uint16_t>(trace::SampleRecordKind::Map);
    head.bytes = static_cast<std::uint32_t>(sizeof head + padded);
    block.append(head);
    block.advance(padded);
    block.finish();
    left -= bytes;
  }
  ::close(fd);
}

// All modules, if one was loaded or unloaded since.
void write_modules(Sampler& s, Block& block) {
  std::uint64_t state = 0;
  dl_iterate_phdr(read_module_state, &state);
  if (state == s.modules)
    return;
  s.modules = state;
  dl_iterate_phdr(write_module, &block);
}

// Periods change at random: a program that repeats itself is not always met at the same point. Of a thread that had all its
// samples since the last look there is no need to ask the kernel whether it runs, which interrupts it.
void change_period(Sampler& s, SampledThread& thread, std::uint64_t mean_ns, std::uint64_t samples,
                   std::uint64_t elapsed_ns) {
  if (thread.timer != nullptr)
    return;
  const std::uint64_t period = thread.period_ns > 0 ? thread.period_ns : mean_ns;
  thread.since_change += samples;
  // A thread that switches often hardly ever runs when it is looked at.
  const bool at_once = std::exchange(thread.is_sparse, s.watch.is_often) != s.watch.is_often;
  if (!at_once && thread.since_change * period < kSamePeriodNs)
    return;
  const bool has_run = elapsed_ns > 4 * period && (samples + 1) * period >= elapsed_ns;
  if (!at_once && !has_run && !runs_now(thread.ring))
    return;
  s.random ^= s.random << 13;
  s.random ^= s.random >> 7;
  s.random ^= s.random << 17;
  thread.period_ns = thread.periods.next(mean_ns, s.random);
  thread.since_change = 0;
  set_sample_period(s.source, thread.ring, thread.period_ns, mean_ns / sample_period(s.plan));
}

// Since the thread was drained before.
std::uint64_t begin_drain(SampledThread& thread) {
  const std::uint64_t now = read_posix(CLOCK_MONOTONIC);
  return now - std::exchange(thread.drained_at, now);
}

// Moves the samples of a thread to the block, which is replaced by another one if it is full.
void drain(Sampler& s, SampledThread& thread, Block& block) {
  const std::uint64_t elapsed_ns = begin_drain(thread);
  std::uint64_t samples = 0;
  for (bool more = true; more;) {
    if (block.room() < most_sample_bytes(s.plan.stack_bytes) + 4096) {
      block.finish();
      flush(s);
      block = Block(s);
    }
    if (!std::exchange(thread.announced, true)) {
      trace::SampleThread record{};
      record.head = {static_cast<std::uint16_t>(trace::SampleRecordKind::Thread), 0, sizeof record};
      record.stream = thread.stream;
      record.os_thread = thread.os_thread;
      record.time = thread.time;
      block.append(record);
    }
    const RingContent content =
        take_samples(s, thread, block.at(), block.room() - 4096, /*may_share=*/true);
    block.advance(content.bytes);
    if (content.lost > 0) {
      trace::SampleLoss record{};
      record.head = {static_cast<std::uint16_t>(trace::SampleRecordKind::Lost), 0, sizeof record};
      record.stream = thread.stream;
      record.os_thread = thread.os_thread;
      record.count = content.lost;
      block.append(record);
    }
    s.totals.samples += content.samples;
    s.totals.lost += content.lost;
    samples += content.samples;
    more = !content.is_empty;
  }
  if (samples > 0)
    change_period(s, thread, period_now(s), samples, elapsed_ns);
}

// Half of the early samples are left out, and those that come later become half as many.
void thin_out(EarlySamples& early) {
  std::size_t kept = 0;
  std::uint64_t number = 0;
  for (std::size_t at = 0; at < early.filled;) {
    trace::SampleRecord head;
    std::memcpy(&head, early.buffer + at, sizeof head);
    if (number++ % 2 == 0) {
      const std::uint32_t bytes = head.bytes;
      set_periods(head, 2 * periods_of(head));
      std::memmove(early.buffer + kept, early.buffer + at, bytes);
      std::memcpy(early.buffer + kept, &head, sizeof head);
      kept += bytes;
    }
    at += head.bytes;
  }
  early.samples = (early.samples + 1) / 2;
  early.filled = kept;
  early.period_ns *= 2;
}

void drain_early(Sampler& s) {
  EarlySamples& early = s.early;
  if (!early.thread.is_sampled())
    return;
  const std::uint64_t elapsed_ns = begin_drain(early.thread);
  std::uint64_t samples = 0;
  for (bool more = true; more;) {
    if (kEarlyBytes - early.filled < most_sample_bytes(s.plan.stack_bytes) * 2)
      thin_out(early);
    // None refers to another one, which may be left out.
    const RingContent content =
        take_samples(s, early.thread, early.buffer + early.filled, kEarlyBytes - early.filled,
                     /*may_share=*/false);
    early.filled += content.bytes;
    early.samples += content.samples;
    early.lost += content.lost;
    samples += content.samples;
    more = !content.is_empty;
  }
  if (samples > 0)
    change_period(s, early.thread, early.period_ns, samples, elapsed_ns);
}

// Whether the samples of a thread should be moved now: there is room for three times as many as come until the next look.
bool is_due(const SampledThread& thread) {
  return thread.timer != nullptr || ring_content(thread.ring) >= thread.ring.ring_bytes / 4 ||
         read_posix(CLOCK_MONOTONIC) - thread.drained_at >= kLongestInRingNs;
}

void drain_all(Sampler& s, bool at_end = false) {
  drain_early(s);
  if (!s.has_file)
    return;
  Block block(s);
  write_modules(s, block);
  for (SampledThread& thread : s.threads)
    if (thread.is_sampled() && (at_end || is_due(thread)))
      drain(s, thread, block);
  if (!block.is_empty())
    block.finish();
  if (s.filled >= kWriteBytes || read_posix(CLOCK_MONOTONIC) - s.written_at >= kWriteNs)
    flush(s);
}

// Half of the smallest ring is full after this time, if its thread always runs.
std::uint64_t nap_ns(const Sampler& s) {
  std::uint64_t nap = kNapNs;
  const auto shorten = [&](const SampledThread& thread) {
    if (thread.ring.page != nullptr)
      nap = std::min<std::uint64_t>(nap, thread.ring.ring_bytes /
                                             most_sample_bytes(thread.ring.stack_bytes) *
                                             500'000'000 / s.plan.rate);
  };
  for (const SampledThread& thread : s.threads)
    shorten(thread);
  shorten(s.early.thread);
  return std::max(nap, kShortestNapNs);
}

// The sampler's thread. All signals are blocked in it.
void* run_helper(void*) {
  Sampler& s = sampler();
  for (;;) {
    std::uint64_t nap = 0;
    {
      const std::lock_guard lock(s.mutex);
      if (s.wake != 0)
        break;
      watch_switches(s);
      drain_all(s);
      s.helper_system_ns = system_time_ns(RUSAGE_THREAD);
      // Ended from outside of the process, never begun, or with a clock that has no samples.
      if (recording() == Recording::Off || (recording() != Recording::On && s.has_file) ||
          (!s.has_file && !s.early.thread.is_sampled())) {
        flush(s);
        close_rings(s);
        break;
      }
      nap = nap_ns(s);
    }
    const timespec timeout{0, static_cast<long>(nap)};
    syscall(SYS_futex, &s.wake, FUTEX_WAIT_PRIVATE, 0, &timeout, nullptr, 0);
  }
  return nullptr;
}

thread_local bool creating TP_TLS = false;

bool start_helper(Sampler& s) {
  s.wake = 0;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  pthread_attr_setstacksize(&attributes, kStackBytes);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  creating = true;
  s.has_helper = pthread_create(&s.helper, &attributes, run_helper, nullptr) == 0;
  creating = false;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (s.has_helper)
    pthread_setname_np(s.helper, "tp-sampler");
  return s.has_helper;
}

bool write_header(Sampler& s) {
  if (s.buffer == nullptr) {
    void* const memory =
        mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return false;
    s.buffer = static_cast<std::byte*>(memory);
  }
  s.has_file = s.file.create(s.path);
  if (!s.has_file)
    return false;
  trace::SamplesHeader header{};
  header.magic = trace::kSamplesMagic;
  header.version = trace::kSamplesVersion;
  header.header_bytes = sizeof header;
  header.session = s.session;
  header.method = static_cast<std::uint32_t>(s.source.method);
  header.call_graph = static_cast<std::uint32_t>(s.plan.call_graph);
  header.machine = static_cast<std::uint32_t>(sample_machine());
  header.registers = s.plan.call_graph == trace::CallGraph::Dwarf ? sample_registers() : 0;
  header.stack_bytes = s.plan.call_graph == trace::CallGraph::Dwarf ? s.plan.stack_bytes : 0;
  header.rate = s.plan.rate;
  header.period_ns = s.source.period_ns;
  header.precise = s.source.precise;
  std::byte bytes[sizeof header];
  std::memcpy(bytes, &header, sizeof header);
  header.check =
      static_cast<std::uint32_t>(trace::checksum(bytes, offsetof(trace::SamplesHeader, check)));
  std::memcpy(s.buffer, &header, sizeof header);
  s.filled = sizeof header;
  flush(s);
  return s.has_file;
}

struct Explanation {
  std::string reason, command;
};
Explanation explain(int error) {
  switch (error) {
  case EACCES:
  case EPERM:
    return {"perf_event_open is not permitted",
            "as root: sysctl kernel.perf_event_paranoid=2 (in a container: --cap-add PERFMON)"};
  case ENOMEM:
    return {"no locked memory left for the samples",
            "as root: sysctl kernel.perf_event_mlock_kb=4096, or: ulimit -l 8192"};
  case ENOSYS:
    return {"this kernel has no perf_event_open, or a sandbox hides it", ""};
  case EMFILE:
    return {"no file descriptors left", "ulimit -n 4096"};
  default:
    return {std::string("perf_event_open: ") + std::strerror(error), ""};
  }
}

std::string with_command(const SamplingTotals& totals) {
  return totals.reason + (totals.command.empty() ? "" : "; " + totals.command);
}

// The signal comes when the thread returns from the kernel.
SampleSource timer_source(const SamplingPlan& plan) {
  return {trace::SampleMethod::Timer, 0, /*in_kernel=*/true, sample_period(plan)};
}

// The source for all threads of the process, opened for the calling one. False: none works.
bool choose_source(Sampler& s, SampledThread& thread) {
  s.source_chosen = true;
  find_initial_stack();
  s.entered_sandbox = is_filtered();
  s.system_ns_before = system_time_ns(RUSAGE_SELF);
  s.helper_system_ns = 0;
  const int error = choose_sample_source(s.plan, s.source, thread.ring);
  if (error != 0) {
    const Explanation why = explain(error);
    s.totals.reason = why.reason;
    s.totals.command = why.command;
    s.source = timer_source(s.plan);
    s.totals.most = most_timer_samples();
    if (s.plan.may_use_timers && choose_sample_signal() == 0)
      thread.timer = start_sample_timer(s.plan, s.source.period_ns);
  }
  s.totals.source = s.source;
  return thread.is_sampled();
}

void say_how(const Sampler& s, bool works) {
  std::string text;
  if (!works)
    text = "no stacks are sampled: " + with_command(s.totals);
  else if (s.source.method == trace::SampleMethod::Timer)
    text = "stacks are sampled by timers and a signal" +
           (s.totals.most > 0 ? ", at most " + std::to_string(s.totals.most) + " per second"
                              : std::string()) +
           ": " + with_command(s.totals);
  if (text.empty())
    return;
  if (s.plan.is_asked_for)
    warn("TP_SAMPLE", text);
  else
    note(1, text);
}

void drop_early(Sampler& s) {
  stop_thread(s.early.thread);
  if (s.early.buffer != nullptr)
    munmap(s.early.buffer, kEarlyBytes);
  s.early = EarlySamples{};
}

// Opens the source for the first thread, the file, and the sampler's thread. False: nothing is sampled.
bool start(Sampler& s, SampledThread& thread) {
  bool works = s.source_chosen ? s.early.thread.is_sampled() : choose_source(s, thread);
  const auto fail_with = [&](const std::string& reason) {
    s.totals.reason = reason;
    s.totals.command.clear();
    works = false;
  };
  if (works && !write_header(s))
    fail_with(std::string("the file of samples cannot be written: ") + std::strerror(errno));
  else if (works && !s.has_helper && !start_helper(s))
    fail_with("no thread could be created that collects the samples");
  s.totals.works = works;
  say_how(s, works);
  if (!works) {
    stop_thread(thread);
    drop_early(s);
  }
  return works;
}

// A program that has entered a sandbox since may be killed for a system call that it does not make itself.
bool open_for_thread(Sampler& s, SampledThread& thread) {
  const auto fail_with = [&](Explanation why) {
    if (s.totals.reason.empty()) {
      s.totals.reason = std::move(why.reason);
      s.totals.command = std::move(why.command);
    }
    return false;
  };
  if (!s.entered_sandbox && is_filtered())
    return fail_with({"the program has entered a sandbox", ""});
  if (s.source.method == trace::SampleMethod::Timer) {
    thread.timer = start_sample_timer(s.plan, s.source.period_ns);
    return thread.timer != nullptr;
  }
  const int error =
      open_sample_ring(s.plan, s.source, sample_ring_bytes(s.plan, s.threads.size()), thread.ring);
  return error == 0 || fail_with(explain(error));
}

// The thread that runs main() has a stream: what it did before goes to the file.
void write_early(Sampler& s, SampledThread& thread) {
  EarlySamples& early = s.early;
  drain_early(s);
  thread.ring = std::exchange(early.thread.ring, SampleRing{});
  thread.timer = std::exchange(early.thread.timer, nullptr);
  thread.since_change = UINT32_MAX; // the early one's period may be longer
  change_period(s, thread, period_now(s), 0, 0);
  Block first(s);
  first.finish(&early.pair);
  for (std::size_t at = 0; at < early.filled;) {
    Block block(s);
    write_modules(s, block);
    while (at < early.filled) {
      trace::SampleStack sample;
      std::memcpy(&sample, early.buffer + at, sizeof sample);
      const std::uint32_t bytes = sample.head.bytes;
      if (block.room() < bytes + 4096)
        break;
      sample.stream = thread.stream;
      std::memcpy(block.at(), early.buffer + at, bytes);
      std::memcpy(block.at(), &sample, sizeof sample);
      block.advance(bytes);
      at += bytes;
    }
    block.finish();
    flush(s);
  }
  s.totals.samples += early.samples;
  s.totals.lost += early.lost;
  drop_early(s);
}

} // namespace

void sample_before_recording(const SamplingPlan& plan, std::uint32_t os_thread) {
  Sampler& s = sampler();
  const std::lock_guard lock(s.mutex);
  s.plan = plan;
  EarlySamples& early = s.early;
  early.thread.os_thread = os_thread;
  early.pair = read_pair();
  s.random = early.pair.time | 1;
  void* const memory = mmap(nullptr, kEarlyBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return;
  early.buffer = static_cast<std::byte*>(memory);
  if (choose_source(s, early.thread) && start_helper(s)) {
    early.period_ns = sample_period(s.plan);
    return;
  }
  // The first event will say why.
  drop_early(s);
  s.source_chosen = false;
  s.totals = SamplingTotals{};
}

void begin_sampling(const SamplingPlan& plan, std::uint64_t session, const std::string& path) {
  Sampler& s = sampler();
  const std::lock_guard lock(s.mutex);
  s.plan = plan;
  s.session = session;
  s.path = path;
  s.random = session | 1;
  s.modules = ~std::uint64_t{0};
  if (plan.rate == 0)
    drop_early(s);
  if (!s.early.thread.is_sampled()) {
    s.source_chosen = false;
    s.totals = SamplingTotals{};
  }
  s.totals.asked = plan.rate > 0;
}

void sample_thread(std::uint32_t stream, std::uint32_t os_thread, std::uint64_t time) {
  Sampler& s = sampler();
  const std::lock_guard lock(s.mutex);
  if (s.plan.rate == 0)
    return;
  SampledThread thread;
  thread.stream = stream;
  thread.os_thread = os_thread;
  thread.time = time;
  const bool is_first = !s.totals.works && (!s.source_chosen || s.early.thread.is_sampled());
  if (is_first && !start(s, thread))
    return;
  if (!s.totals.works || !s.has_file)
    return;
  if (os_thread == s.early.thread.os_thread && s.early.thread.is_sampled()) {
    write_early(s, thread);
  } else if (!thread.is_sampled() && !open_for_thread(s, thread)) {
    ++s.totals.unsampled;
    return;
  }
  s.threads.push_back(thread);
}

void end_sampled_thread(std::uint32_t os_thread) {
  Sampler& s = sampler();
  const std::lock_guard lock(s.mutex);
  const auto found = std::ranges::find(s.threads, os_thread, &SampledThread::os_thread);
  if (found == s.threads.end())
    return;
  if (found->is_sampled() && s.has_file) {
    Block block(s);
    drain(s, *found, block);
    block.finish();
  }
  stop_thread(*found);
  s.threads.erase(found);
}

SamplingTotals end_sampling() {
  const NoCancel no_cancel;
  Sampler& s = sampler();
  const std::uint64_t own_cpu_ns = read_posix(CLOCK_THREAD_CPUTIME_ID);
  bool join = false;
  {
    const std::lock_guard lock(s.mutex);
    if (s.buffer != nullptr) {
      drain_all(s, /*at_end=*/true);
      if (s.has_file)
        write_map(s);
      flush(s);
    }
    if (s.totals.works) {
      const std::uint64_t since = s.system_ns_before + s.helper_system_ns;
      const std::uint64_t now = system_time_ns(RUSAGE_SELF);
      s.totals.system_ns = now - std::min(since, now);
    }
    close_rings(s);
    drop_early(s);
    s.threads.clear();
    s.plan.rate = 0;
    join = std::exchange(s.has_helper, false);
    // While it is sure to be alive, unless recording was ended from outside of the process.
    if (clockid_t clock; join && pthread_getcpuclockid(s.helper, &clock) == 0)
      s.totals.cpu_ns = read_posix(clock);
    __atomic_store_n(&s.wake, 1, __ATOMIC_RELEASE);
  }
  if (join) {
    syscall(SYS_futex, &s.wake, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
    pthread_join(s.helper, nullptr);
  }
  SamplingTotals totals = s.totals;
  if (totals.works)
    totals.cpu_ns += elapsed_since(own_cpu_ns, read_posix(CLOCK_THREAD_CPUTIME_ID));
  return totals;
}

bool creates_sampler() noexcept {
  return creating;
}

void lock_sampler() {
  sampler().mutex.lock();
}

void unlock_sampler() {
  sampler().mutex.unlock();
}

void forget_sampling() {
  Sampler& s = sampler();
  for (SampledThread& thread : s.threads) {
    forget_sample_ring(thread.ring);
    end_sample_timer(std::exchange(thread.timer, nullptr), /*in_child=*/true);
  }
  s.threads.clear();
  forget_sample_ring(s.early.thread.ring);
  end_sample_timer(std::exchange(s.early.thread.timer, nullptr), /*in_child=*/true);
  drop_early(s);
  s.source_chosen = false;
  s.plan.rate = 0;
  s.has_helper = false;
  s.has_file = false;
  s.filled = 0;
  s.file.forget();
  s.modules = ~std::uint64_t{0};
  s.watch = SwitchWatch{};
  s.totals = SamplingTotals{};
}

SamplingProbe probe_sampling(const SamplingPlan& plan) {
  SamplingProbe probe;
  SampleRing ring;
  const int error = choose_sample_source(plan, probe.source, ring);
  close_sample_ring(ring);
  probe.works = true;
  if (error == 0)
    return probe;
  const Explanation why = explain(error);
  probe.source = timer_source(plan);
  probe.most = most_timer_samples();
  probe.reason = why.reason;
  probe.command = why.command;
  return probe;
}

} // namespace tp::rt
