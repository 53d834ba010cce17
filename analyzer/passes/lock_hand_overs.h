// SPDX-License-Identifier: Apache-2.0
// HOW LOCKS WERE HANDED OVER in this run: how long it took from a release, or from the call that woke a
// thread, until one that had waited had the lock; and how long the calls that woke one took. What the
// machine needs for that differs by a factor of two from one second to the next, so it is taken from the
// run itself (profile/simulated_locks.h).
#pragma once

#include "base/ids.h"
#include "dag/dag_visitor.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tp::analysis {

class LockHandOvers {
public:
  static constexpr std::size_t kMostOfObject = 1024; // evenly spread over the run
  static constexpr std::size_t kMostObjects =
      4096;                                 // that are kept apart; all are in those of a kind
  static constexpr std::size_t kKinds = 32; // trace::LockKind; higher ones count as Unknown

  struct Times { // ticks
    std::vector<LockHandedOver> waits;
    std::vector<std::uint64_t> calls; // that woke a thread
    std::uint64_t seen_waits = 0, seen_calls = 0;
  };
  struct Results {
    IdVector<LockObjectId, Times> objects;
    std::array<Times, kKinds> kinds;
    const Times* of(LockObjectId id) const { return objects.contains(id) ? &objects[id] : nullptr; }
  };

  void object(LockObjectId id, const LockObjectInfo& info);
  void step(const Step& step);
  Results results() { return std::move(results_); }

private:
  Results results_;
  IdVector<LockObjectId, std::uint8_t> kind_of_;
};

} // namespace tp::analysis
