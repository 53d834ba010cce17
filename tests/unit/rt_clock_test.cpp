// The clocks under preemption: more busy threads than cores, and every tick of work counted once.
#include "../../profiler-lib/src/work_clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tp::rt;

namespace {

constexpr int kThreads = 8;
constexpr auto kBusy = std::chrono::milliseconds(400);

struct Sum {
  double steps_ns = 0;
  double cpu_ns = 0;
  bool backwards = false;
};

// Steps of some microseconds, as the builder takes them: each begins where the last one ended.
Sum keep_busy() {
  Sum sum;
  ThreadClock clock;
  if (!open_clock(clock))
    return sum;
  const auto until = std::chrono::steady_clock::now() + kBusy;
  Reading last = read_clock(clock);
  const std::uint64_t first = last.work;
  const std::uint64_t cpu = read_posix(CLOCK_THREAD_CPUTIME_ID);
  while (std::chrono::steady_clock::now() < until) {
    for (int i = 0; i < 2000; ++i)
      asm volatile("");
    const Reading now = read_clock(clock);
    sum.backwards |= now.work < last.work || now.time < last.time;
    last = now;
  }
  sum.cpu_ns = static_cast<double>(read_posix(CLOCK_THREAD_CPUTIME_ID) - cpu);
  sum.steps_ns = static_cast<double>(last.work - first);
  if (clock_config.same_as_time)
    sum.steps_ns /= clock_config.ticks_per_ns;
  close_clock(clock);
  return sum;
}

// 0, or which check failed; in a process of its own, since the clock is chosen once per process.
int check(const char* event) {
  choose_counting_clock(event);
  choose_other_clock(event, TimePair{read_time(), read_posix(CLOCK_MONOTONIC)});
  Sum sums[kThreads];
  std::vector<std::thread> threads;
  for (Sum& sum : sums)
    threads.emplace_back([&sum] { sum = keep_busy(); });
  for (std::thread& thread : threads)
    thread.join();
  double steps = 0, cpu = 0;
  for (const Sum& sum : sums) {
    if (sum.backwards)
      return 1;
    if (sum.cpu_ns == 0)
      return 2;
    steps += sum.steps_ns;
    cpu += sum.cpu_ns;
  }
  if (clock_config.unit_hz == 0)
    return 0; // instructions: not time
  const double error = std::fabs(steps / cpu - 1);
  if (error > 0.02)
    fprintf(stderr, "%s: %s: steps %.0f ns, CPU %.0f ns\n", event, clock_config.name, steps, cpu);
  return error <= 0.02 ? 0 : 3;
}

class Clocks : public testing::TestWithParam<const char*> {};

TEST_P(Clocks, CountWhatTheThreadRan) {
  const pid_t child = fork();
  if (child == 0)
    _exit(check(GetParam()));
  int status = -1;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0)
      << "1: backwards, 2: not opened, 3: sum of steps off by more than 2 %";
}
INSTANTIATE_TEST_SUITE_P(All, Clocks, testing::Values("tsc", "task-clock", "auto"));

TEST(Clock, UnknownEventsAreRefusedByName) {
  std::string message;
  EXPECT_FALSE(probe_events("bogus", message));
  EXPECT_NE(message.find("bogus"), std::string::npos);
  EXPECT_TRUE(probe_events("virtual", message));
  EXPECT_TRUE(probe_events("task-clock", message));
}

} // namespace
