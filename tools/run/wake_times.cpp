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

constexpr std::uint32_t kRounds = 31, kRoundsOfEachKind = 21;
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
int sampling_event() {
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
    return found;
  event.type = PERF_TYPE_SOFTWARE;
  event.config = PERF_COUNT_SW_CPU_CLOCK;
  event.freq = 0;
  event.sample_period = 1'000'000;
  return opened();
}

bool is_sampled(std::uint32_t round) {
  return round % 2 == 0;
}

struct Shared {
  std::atomic<std::uint32_t> sleeps{0}, word{0}, awake{0}; // numbers of rounds
  std::atomic<std::uint64_t> awake_at{0};
  bool has_event = false;
  std::binary_semaphore is_ready{0};
};

void sleep_in_rounds(Shared& shared, int event) {
  for (std::uint32_t last = 0, round = 0; round != kStop; last = round) {
    if (event >= 0)
      ioctl(event, is_sampled(last + 1) ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
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
  return fmt::format("{}-{}-{}", latency_ns, call_ns, sampled_ns);
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
      const int event = sampled ? sampling_event() : -1;
      shared.has_event = event >= 0;
      shared.is_ready.release();
      sleep_in_rounds(shared, event);
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
  std::vector<std::uint64_t> latencies, calls, of_sampled;
  for (std::uint32_t round = 1;
       round <= (sampled ? 2 * kRoundsOfEachKind : kRounds) && now_ns() < end; ++round) {
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
    (is_sampled(round) && shared.has_event ? of_sampled : latencies).push_back(latency);
    calls.push_back(called - begin);
  }
  shared.word = kStop;
  futex(shared.word, FUTEX_WAKE_PRIVATE, 1);
  sleeper.join();
  sched_setaffinity(0, sizeof cpus, &cpus);
  if (latencies.size() < kLeastRounds)
    return std::nullopt;
  WakeTimes times{median(latencies), median(calls), 0};
  if (of_sampled.size() >= kLeastRounds)
    times.sampled_ns = std::max(median(of_sampled), times.latency_ns) - times.latency_ns;
  return times;
}

} // namespace tp::tool
