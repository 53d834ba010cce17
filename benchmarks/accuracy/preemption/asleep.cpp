// SPDX-License-Identifier: Apache-2.0
// Is time in which a step has no CPU classified right: asleep, or waiting for a CPU? Runs steps that
// compute, sleep, or do both on threads that are preempted, and prints what the work clock says:
//   preempted_asleep SECONDS THREADS
// A step that sleeps does so by the clock (nanosleep, poll, a timer's descriptor, a semaphore), for a time
// that it asks for: that is what it sleeps, and what it lost beyond that it waited for a CPU.
// Output: a line for each kind of step: how many, time lost, of it asleep in truth and by the clock; and
// the share of all lost time that is classified right.
#include "clock/work_clock.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <poll.h>
#include <random>
#include <semaphore.h>
#include <sys/timerfd.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tp::rt;
using std::chrono::steady_clock;

namespace {

constexpr std::array kKinds = {"compute", "nanosleep", "poll", "timer", "semaphore", "both"};
enum Kind : unsigned { kCompute, kNanosleep, kPoll, kTimer, kSemaphore, kBoth, kKindCount };

struct Sum {
  double steps = 0, lost_ms = 0, asleep_ms = 0, measured_ms = 0, right_ms = 0;
  void add(const Sum& other) {
    steps += other.steps;
    lost_ms += other.lost_ms;
    asleep_ms += other.asleep_ms;
    measured_ms += other.measured_ms;
    right_ms += other.right_ms;
  }
};
using Sums = std::array<Sum, kKindCount>;

void spin(unsigned rounds) {
  for (unsigned i = 0; i < rounds; ++i)
    asm volatile("");
}

void sleep_ms(Kind kind, long ms) {
  const timespec time{0, ms * 1'000'000};
  if (kind == kPoll) {
    poll(nullptr, 0, static_cast<int>(ms));
  } else if (kind == kTimer) {
    const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    const itimerspec once{{}, time};
    std::uint64_t count = 0;
    if (timerfd_settime(timer, 0, &once, nullptr) != 0 || read(timer, &count, sizeof count) < 0)
      std::abort();
    close(timer);
  } else if (kind == kSemaphore) {
    sem_t never;
    sem_init(&never, 0, 0);
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += time.tv_nsec;
    until.tv_sec += until.tv_nsec / 1'000'000'000;
    until.tv_nsec %= 1'000'000'000;
    sem_timedwait(&never, &until);
  } else {
    nanosleep(&time, nullptr);
  }
}

Sums run_steps(steady_clock::time_point until, unsigned number) {
  Sums sums;
  ThreadClock clock;
  open_clock(clock);
  std::mt19937 random(number);
  const double ticks_per_ms = clock_config.ticks_per_ns * 1e6;
  while (steady_clock::now() < until) {
    const auto kind = static_cast<Kind>(random() % kKindCount);
    const long ms = kind == kCompute ? 0 : 1 + static_cast<long>(random() % 20);
    const unsigned rounds =
        kind == kCompute || kind == kBoth ? 200'000 + random() % 20'000'000 : 1000;
    const Reading opened = read_clock(clock);
    clock.asleep = 0;
    spin(rounds);
    if (ms > 0)
      sleep_ms(kind, ms);
    spin(1000);
    const Reading closed = read_clock(clock);
    const double lost =
        static_cast<double>(elapsed_since(closed.work - opened.work, closed.time - opened.time)) /
        ticks_per_ms;
    const double measured = std::min(static_cast<double>(clock.asleep) / ticks_per_ms, lost);
    const double truth = std::min(static_cast<double>(ms), lost);
    sums[kind].add({1, lost, truth, measured,
                    std::min(measured, truth) + std::min(lost - measured, lost - truth)});
  }
  close_clock(clock);
  return sums;
}

} // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: preempted_asleep SECONDS THREADS\n");
    return 2;
  }
  const TimePair start = read_time_pair();
  choose_counting_clock("auto");
  choose_other_clock("auto", start);
  if (!clock_config.same_as_time) {
    std::fprintf(stderr, "%s: a clock that does not see sleep\n", clock_config.name);
    return 1;
  }
  const auto until = steady_clock::now() + std::chrono::seconds(std::atoi(arguments[1]));
  std::vector<Sums> sums(static_cast<std::size_t>(std::atoi(arguments[2])));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < sums.size(); ++i)
    threads.emplace_back([&, i] { sums[i] = run_steps(until, static_cast<unsigned>(i)); });
  for (std::thread& thread : threads)
    thread.join();
  std::printf("%-12s %7s %10s %10s %10s %8s\n", "step", "count", "lost ms", "asleep", "measured",
              "right");
  Sum all;
  const auto print = [](const char* name, const Sum& sum) {
    std::printf("%-12s %7.0f %10.0f %10.0f %10.0f %7.2f%%\n", name, sum.steps, sum.lost_ms,
                sum.asleep_ms, sum.measured_ms,
                sum.lost_ms > 0 ? 100 * sum.right_ms / sum.lost_ms : 100.0);
  };
  for (unsigned kind = 0; kind < kKindCount; ++kind) {
    Sum of_kind;
    for (const Sums& each : sums)
      of_kind.add(each[kind]);
    print(kKinds[kind], of_kind);
    all.add(of_kind);
  }
  print("all", all);
  return 0;
}
