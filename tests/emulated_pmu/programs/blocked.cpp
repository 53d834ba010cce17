// SPDX-License-Identifier: Apache-2.0
// Code that sleeps, by the virtual clock and by that of the machine; with taskpath-preload, as under
// tp-run.
//   blocked serial | tasks | thread | pipe
// Work is 5 units, or burn(5 * kUnit); sleep by the clock is 20 units, or 20 ms.
#include "known_work.h"

#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>

#include <cstdlib>
#include <ctime>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

constexpr unsigned long kUnit =
    500'000; // rounds: a millisecond, where an instruction takes a nanosecond
const bool by_the_clock = std::getenv("TP_EVENT") != std::string("virtual");

void work(unsigned long units) {
  tp::spend(units);
  if (by_the_clock)
    burn(units * kUnit);
}
void nap(long units) {
  tp::sleep(units);
  const timespec time{0, units * 1'000'000};
  if (by_the_clock)
    nanosleep(&time, nullptr);
}

// A child process writes after 20 ms; this one sleeps in read() until then.
void read_what_comes_later() {
  int ends[2];
  char byte = 0;
  if (pipe(ends) != 0)
    std::abort();
  if (fork() == 0) {
    usleep(20'000);
    _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
  }
  if (read(ends[0], &byte, 1) != 1 || wait(nullptr) < 0)
    std::abort();
}

template <typename Body>
void ten_tasks(Body body) {
  tbb::parallel_for(0, 10, [=](int) { body(); }, tbb::simple_partitioner());
}

} // namespace

int main(int, char** arguments) {
  const std::string name = arguments[1];
  work(5);
  if (name == "serial") {
    nap(20);
    ten_tasks([] { work(5); });
  } else if (name == "tasks") {
    ten_tasks([] {
      work(5);
      nap(20);
    });
  } else if (name == "thread") {
    std::thread([] {
      work(40);
      nap(20);
      ten_tasks([] { work(5); });
    }).join();
  } else if (name == "pipe") {
    ten_tasks([] {
      work(5);
      read_what_comes_later();
    });
  }
  work(5);
}
