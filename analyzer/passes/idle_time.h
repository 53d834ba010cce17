// SPDX-License-Identifier: Apache-2.0
// IDLE TIME: when at least one CPU had nothing to run. All streams are swept together by the times
// of their steps, without the meaning of the records, with the memory of one step per stream.
// A thread that sleeps in a step has no CPU: a step counts for the share of its time in which it
// was on a CPU, as if spread evenly.
#pragma once

#include "model/step_times.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

class IdleTime {
public:
  // `workers`: how many steps can run at a time. Times in ticks. `streams` are read to their ends.
  IdleTime(const std::vector<NextStep>& streams, std::uint64_t workers, std::uint64_t first_time,
           std::uint64_t last_time);

  // Ticks between two times in which fewer steps were on a CPU than there were workers. Kept per slot, a
  // 2^20th of the run: within a slot idle time is assumed to be spread evenly.
  std::uint64_t between(std::uint64_t from, std::uint64_t to) const;

private:
  void add(std::uint64_t from, std::uint64_t to, std::uint64_t idle);
  std::uint64_t until(std::uint64_t time) const;

  const std::uint64_t first_, last_, width_; // ticks
  // In 1024ths of a tick: before each slot; while it is being filled: in the slot
  std::vector<std::uint64_t> idle_;
};

} // namespace tp::analysis
