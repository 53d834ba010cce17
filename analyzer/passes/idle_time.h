// IDLE TIME: when at least one cpu had nothing to run. The streams are swept side by side by the times of their steps,
// apart from everything that the records mean, with the memory of one step per stream.
#pragma once

#include "model/step_times.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

class IdleTime {
public:
  // `workers`: so many steps can run at a time. Times in ticks.
  IdleTime(const std::vector<NextStep>& streams, std::uint64_t workers, std::uint64_t first_time,
           std::uint64_t last_time);

  // Ticks between two times in which fewer steps ran than there were workers. Kept per slot, a 2^20th of the run:
  // within one of them what is between is taken to be spread evenly.
  std::uint64_t between(std::uint64_t from, std::uint64_t to) const;

private:
  void add(std::uint64_t from, std::uint64_t to);
  std::uint64_t until(std::uint64_t time) const;

  const std::uint64_t first_, last_, width_; // ticks
  std::vector<std::uint64_t> idle_;          // before each slot; while they are added: in it
};

} // namespace tp::analysis
