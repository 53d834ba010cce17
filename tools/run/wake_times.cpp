// SPDX-License-Identifier: Apache-2.0
// Two threads and a futex. Who wakes the other one spins meanwhile, as the thread that has released a lock
// goes on: so each has a CPU of its own. They are kept on two CPUs: on a busy machine, the kernel would wake the
// one in the place of the other.
#include "run/wake_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <ctime>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace tp::tool {
namespace {

constexpr std::uint32_t kRounds = 31;
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

struct Shared {
  std::atomic<std::uint32_t> sleeps{0}, word{0}, awake{0}; // numbers of rounds
  std::atomic<std::uint64_t> awake_at{0};
};

void sleep_in_rounds(Shared& shared) {
  for (std::uint32_t last = 0, round = 0; round != kStop; last = round) {
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

std::uint64_t median(std::array<std::uint64_t, kRounds>& values, std::uint32_t count) {
  std::nth_element(values.begin(), values.begin() + count / 2, values.begin() + count);
  return values[count / 2];
}

} // namespace

std::string WakeTimes::variable() const {
  return fmt::format("{}-{}", latency_ns, call_ns);
}

std::optional<WakeTimes> measure_wake_times() {
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
      sleep_in_rounds(shared);
    });
  } catch (const std::system_error&) {
    return std::nullopt;
  }
  stay_on(here);
  const std::uint64_t end = now_ns() + kLongestNs;
  std::array<std::uint64_t, kRounds> latencies{}, calls{};
  std::uint32_t count = 0;
  for (std::uint32_t round = 1; round <= kRounds && now_ns() < end; ++round) {
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
    latencies[count] = shared.awake_at - begin;
    calls[count++] = called - begin;
  }
  shared.word = kStop;
  futex(shared.word, FUTEX_WAKE_PRIVATE, 1);
  sleeper.join();
  sched_setaffinity(0, sizeof cpus, &cpus);
  if (count < kLeastRounds)
    return std::nullopt;
  return WakeTimes{median(latencies, count), median(calls, count)};
}

} // namespace tp::tool
