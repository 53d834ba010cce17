// SPDX-License-Identifier: Apache-2.0
// IDLE TIME: when at least one CPU had nothing to run, and why. All streams are swept together by the
// times of their steps, without the meaning of the records, with the memory of one step per stream.
// A thread that sleeps in a step has no CPU: a step counts for the share of its time in which it was
// on a CPU, as if spread evenly; so do the share in which it slept and the rest, in which it wanted a
// CPU and had none.
//
// While as many threads that can run tasks are inside steps as there are workers, a CPU is idle because
// of them: they are blocked (asleep), or others have their CPU. Else a thread had nothing to do.
#pragma once

#include "model/step_times.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

// Parts of the idle time between two times.
struct IdleParts {
  std::uint64_t all = 0;
  std::uint64_t blocked = 0;  // of it: threads slept inside of steps, and none was left
  std::uint64_t at_locks = 0; // of `blocked`: they waited for locks
  std::uint64_t taken = 0;    // of it: others had the CPUs of threads inside of steps
};

class IdleTime {
public:
  // `workers`: how many steps can run at a time. Times in ticks. `streams` are read to their ends.
  IdleTime(const std::vector<NextStep>& streams, std::uint64_t workers, std::uint64_t first_time,
           std::uint64_t last_time);

  // Ticks between two times in which fewer steps were on a CPU than there were workers. Kept per slot, a
  // 2^20th of the run: within a slot idle time is assumed to be spread evenly.
  std::uint64_t between(std::uint64_t from, std::uint64_t to) const;
  IdleParts parts_between(std::uint64_t from, std::uint64_t to) const;
  // The share of a step that runs between two times in the idle ticks of all CPUs: divided evenly among
  // the steps that run. Kept per slot, too.
  double share_of_idle(std::uint64_t from, std::uint64_t to) const;
  // In ticks, of all CPUs; those in which no step ran.
  double all() const { return all_; }
  double without_steps() const { return without_steps_; }
  // The elapsed ticks that the run would have been shorter by if each step that wanted a CPU had had one,
  // up to the number of workers: at each moment, the share of the steps' speed that others took. What
  // threads of the program take from each other is not part of it. An estimate: steps that nothing waits
  // for count like others.
  double taken_by_others() const { return taken_by_others_; }

private:
  // Sums over the steps that run, in 1024ths of a CPU.
  struct Running {
    std::uint64_t used = 0, asleep = 0, at_locks = 0, wanted = 0; // wanted: without a CPU
    std::uint64_t workers = 0; // steps of threads that can run tasks
  };
  struct Slot {
    std::uint64_t idle = 0, blocked = 0, at_locks = 0, taken = 0; // 1024ths of a tick
    double share = 0;                                             // ticks per running step
  };
  void advance(std::uint64_t from, std::uint64_t to, const Running& running, std::size_t steps);
  void add(std::uint64_t from, std::uint64_t to, const Slot& each_tick);
  std::uint64_t until(std::uint64_t time, std::uint64_t Slot::* part) const;
  double shares_until(std::uint64_t time) const;

  const std::uint64_t first_, last_, width_; // ticks
  const std::uint64_t workers_;
  std::vector<Slot> slots_; // before each slot; while they are being filled: in the slot
  double all_ = 0, without_steps_ = 0, taken_by_others_ = 0;
};

} // namespace tp::analysis
