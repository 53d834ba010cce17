// SPDX-License-Identifier: Apache-2.0
// Two threads and a futex. Who wakes the other one spins meanwhile, as the thread that has released a lock
// goes on: so each has a CPU of its own. They are kept on two CPUs: on a busy machine, the kernel would wake the
// one in the place of the other.
#include "run/wake_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <semaphore>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tp::tool {
namespace {

constexpr std::uint32_t kRounds = 31, kRoundsOfEachKind = 19;
constexpr std::uint32_t kLeastRounds = 9;
constexpr std::uint32_t kStop = ~std::uint32_t{0};
// As long as a section that is worth waiting for: a CPU that has been idle for longer takes longer.
constexpr std::uint64_t kSleepNs = 50'000, kLongestNs = 20'000'000;

std::uint64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  static_assert(sizeof word == sizeof(std::uint32_t));
  syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

// Of the calling thread: an event as the runtime has one for each thread that is sampled, without the samples. Each switch
// to the thread and away from it sets a timer or a counter, which takes a virtual machine some microseconds. -1: none.
struct SamplingEvents {
  int full = -1, sparse = -1; // one of a program whose threads switch often
};

SamplingEvents sampling_events() {
  perf_event_attr event{};
  event.size = sizeof event;
  event.sample_type = PERF_SAMPLE_IP;
  event.disabled = event.exclude_kernel = event.exclude_hv = 1;
  event.type = PERF_TYPE_HARDWARE;
  event.config = PERF_COUNT_HW_CPU_CYCLES;
  event.freq = 1;
  event.sample_freq = 1000;
  const auto opened = [&] {
    return static_cast<int>(syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  };
  if (const int found = opened(); found >= 0)
    return {found, -1};
  event.type = PERF_TYPE_SOFTWARE;
  event.config = PERF_COUNT_SW_CPU_CLOCK;
  event.freq = 0;
  event.sample_period = 1'000'000;
  SamplingEvents events;
  events.full = opened();
  event.sample_period = 8'000'000;
  events.sparse = opened();
  return events;
}

enum class Kind : std::uint8_t { Plain, Sampled, Sparse };
constexpr std::uint32_t kKinds = 3;
Kind kind_of(std::uint32_t round) {
  return static_cast<Kind>(round % kKinds);
}

struct Shared {
  std::atomic<std::uint32_t> sleeps{0}, word{0}, awake{0}; // numbers of rounds
  std::atomic<std::uint64_t> awake_at{0};
  SamplingEvents events;
  std::binary_semaphore is_ready{0};
};

void set(int event, bool on) {
  if (event >= 0)
    ioctl(event, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void sleep_in_rounds(Shared& shared) {
  for (std::uint32_t last = 0, round = 0; round != kStop; last = round) {
    set(shared.events.full, kind_of(last + 1) == Kind::Sampled);
    set(shared.events.sparse, kind_of(last + 1) == Kind::Sparse);
    shared.sleeps = last + 1;
    while ((round = shared.word) == last)
      futex(shared.word, FUTEX_WAIT_PRIVATE, last);
    shared.awake_at = now_ns();
    shared.awake = round;
  }
}

void stay_on(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(cpu), &one);
  sched_setaffinity(0, sizeof one, &one); // of the calling thread
}

std::uint64_t median(std::vector<std::uint64_t>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

} // namespace

std::string WakeTimes::variable() const {
  return fmt::format("{}-{}-{}-{}", latency_ns, call_ns, sampled_ns, sparse_ns);
}

std::optional<WakeTimes> measure_wake_times(bool sampled) {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0 || CPU_COUNT(&cpus) < 2)
    return std::nullopt;
  const int here = sched_getcpu();
  if (here < 0)
    return std::nullopt;
  int other = 0;
  while (other == here || !CPU_ISSET(static_cast<std::size_t>(other), &cpus))
    ++other;
  Shared shared;
  std::thread sleeper;
  try {
    sleeper = std::thread([&] {
      stay_on(other);
      if (sampled)
        shared.events = sampling_events();
      shared.is_ready.release();
      sleep_in_rounds(shared);
      for (const int event : {shared.events.full, shared.events.sparse})
        if (event >= 0)
          close(event);
    });
  } catch (const std::system_error&) {
    return std::nullopt;
  }
  // The first event of a machine takes the kernel 10 ms.
  shared.is_ready.acquire();
  stay_on(here);
  const std::uint64_t end = now_ns() + kLongestNs;
  std::vector<std::uint64_t> latencies[kKinds], calls;
  const auto has_event = [&](Kind kind) {
    return (kind == Kind::Sampled ? shared.events.full : shared.events.sparse) >= 0;
  };
  for (std::uint32_t round = 1;
       round <= (sampled ? kKinds * kRoundsOfEachKind : kRounds) && now_ns() < end; ++round) {
    while (shared.sleeps < round && now_ns() < end)
      ;
    for (const std::uint64_t until = now_ns() + kSleepNs; now_ns() < until;)
      ;
    const std::uint64_t begin = now_ns();
    shared.word = round;
    futex(shared.word, FUTEX_WAKE_PRIVATE, 1);
    const std::uint64_t called = now_ns();
    while (shared.awake < round && now_ns() < end)
      ;
    if (shared.awake < round)
      break;
    const std::uint64_t latency = shared.awake_at - begin;
    const Kind kind = kind_of(round);
    latencies[kind != Kind::Plain && has_event(kind) ? static_cast<unsigned>(kind) : 0].push_back(
        latency);
    calls.push_back(called - begin);
  }
  shared.word = kStop;
  futex(shared.word, FUTEX_WAKE_PRIVATE, 1);
  sleeper.join();
  sched_setaffinity(0, sizeof cpus, &cpus);
  if (latencies[0].size() < kLeastRounds)
    return std::nullopt;
  WakeTimes times{median(latencies[0]), median(calls), 0, 0};
  const auto longer = [&](Kind kind) {
    std::vector<std::uint64_t>& of = latencies[static_cast<unsigned>(kind)];
    return of.size() < kLeastRounds ? 0 : std::max(median(of), times.latency_ns) - times.latency_ns;
  };
  times.sampled_ns = longer(Kind::Sampled);
  times.sparse_ns = std::min(longer(Kind::Sparse), times.sampled_ns);
  return times;
}

} // namespace tp::tool
