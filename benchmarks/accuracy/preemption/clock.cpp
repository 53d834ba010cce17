// SPDX-License-Identifier: Apache-2.0
// Runs steps of 0.1 ms on threads that are preempted, and prints what the work clock measures:
//   preempted_clock EVENT SECONDS THREADS MODE      MODE: busy, sleepers, migration or stopped
//   preempted_clock burn THREADS                    keeps the machine busy until it is killed
// Output: sum of steps / CPU time of the threads, in percent, by the work clock and by the raw time
// stamp counter.
#include "clock/work_clock.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tp::rt;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

struct Sum {
  double clock_ns = 0;
  double raw_ns = 0;
  double cpu_ns = 0;
};

void spin() {
  for (int i = 0; i < 400'000; ++i)
    asm volatile("");
}

void run_on(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set))
      cpus.push_back(cpu);
  return cpus;
}

// Measures steps as the builder does: with two readings, and with work limited to elapsed time.
Sum work(steady_clock::time_point until, const std::string& mode, unsigned number) {
  Sum sum;
  ThreadClock clock;
  open_clock(clock);
  const std::vector<int> cpus = allowed_cpus();
  const bool sleeps = mode == "sleepers" && number % 2 == 1;
  const std::uint64_t start = read_posix(CLOCK_THREAD_CPUTIME_ID);
  for (unsigned step = 0; steady_clock::now() < until; ++step) {
    const Reading opened = read_clock(clock);
    spin();
    const Reading closed = read_clock(clock);
    const std::uint64_t raw = closed.time - opened.time;
    const std::uint64_t counted = closed.work - opened.work;
    sum.raw_ns += static_cast<double>(raw) / clock_config.ticks_per_ns;
    sum.clock_ns += clock_config.same_as_time
                        ? static_cast<double>(std::min(counted, raw)) / clock_config.ticks_per_ns
                        : static_cast<double>(counted);
    if (sleeps && step % 20 == 0)
      std::this_thread::sleep_for(1ms);
    if (mode == "migration" && step % 50 == 0)
      run_on(cpus[(number + step / 50) % cpus.size()]);
  }
  sum.cpu_ns = static_cast<double>(read_posix(CLOCK_THREAD_CPUTIME_ID) - start);
  close_clock(clock);
  return sum;
}

int measure(const char* event, double seconds, unsigned count, const std::string& mode) {
  const TimePair start = read_time_pair();
  choose_counting_clock(event);
  choose_other_clock(event, start);
  if (clock_config.unit_hz == 0) {
    std::fprintf(stderr, "%s: not a unit of time\n", event);
    return 1;
  }
  const auto until =
      steady_clock::now() + std::chrono::milliseconds(static_cast<int>(seconds * 1e3));
  std::vector<Sum> sums(count);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i)
    threads.emplace_back([&, i] { sums[i] = work(until, mode, i); });
  Sum all;
  for (unsigned i = 0; i < count; ++i) {
    threads[i].join();
    all.clock_ns += sums[i].clock_ns;
    all.raw_ns += sums[i].raw_ns;
    all.cpu_ns += sums[i].cpu_ns;
  }
  std::printf("%-14s %-10s %7u %9.2f %13.2f %13.1f\n", clock_config.name, mode.c_str(), count,
              all.cpu_ns / 1e9, 100 * all.clock_ns / all.cpu_ns, 100 * all.raw_ns / all.cpu_ns);
  return 0;
}

// Stops the measuring process for 20 ms in every 100 ms.
int measure_stopped(const char* event, double seconds, unsigned count) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const int status = measure(event, seconds, count, "stopped");
    std::fflush(stdout);
    _exit(status);
  }
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    std::this_thread::sleep_for(80ms);
    kill(child, SIGSTOP);
    std::this_thread::sleep_for(20ms);
    kill(child, SIGCONT);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int burn(int count) {
  for (int i = 1; i < count; ++i)
    std::thread([] {
      for (;;)
        spin();
    }).detach();
  for (;;)
    spin();
}

} // namespace

int main(int count, char** arguments) {
  if (count == 3 && std::strcmp(arguments[1], "burn") == 0)
    return burn(std::atoi(arguments[2]));
  if (count != 5) {
    std::fprintf(stderr, "usage: preempted_clock EVENT SECONDS THREADS MODE | burn THREADS\n");
    return 2;
  }
  const double seconds = std::atof(arguments[2]);
  const auto threads = static_cast<unsigned>(std::atoi(arguments[3]));
  const std::string mode = arguments[4];
  return mode == "stopped" ? measure_stopped(arguments[1], seconds, threads)
                           : measure(arguments[1], seconds, threads, mode);
}
