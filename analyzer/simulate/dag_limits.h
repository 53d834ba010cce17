// SPDX-License-Identifier: Apache-2.0
// LIMITS OF CONCURRENCY in a simulation: resources with a number of slots (arenas; the threads that
// are allowed), and who has how many of them.
#pragma once

#include "model/concurrency.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tp::analysis {

using DagPool = std::uint32_t; // 0: without limits

// What a simulation keeps to. By default: nothing.
struct DagLimits {
  std::vector<std::uint64_t> widths{0};                // by resource; [0]: no resource
  std::vector<std::array<std::uint32_t, 2>> pools{{}}; // the resources of each pool, or 0
  std::vector<DagPool> pool_of{0};                     // by PoolId; those beyond are pool 0
  bool any() const { return pools.size() > 1; }
};

// The limits of `limits` with a width below `procs`, except for those that ask for as many threads as
// the machine has CPUs. `without`: one that is left out, an index into its arenas or, if `of_arenas` is
// false, its numbers of allowed threads; 0: none. At most kMostDagPools pools: `weight` (by PoolId) says
// which matter most.
inline constexpr std::size_t kMostDagPools = 64;
DagLimits dag_limits(const ConcurrencyLimits& limits, std::uint64_t procs,
                     const std::vector<std::uint64_t>& weight, std::uint32_t without = 0,
                     bool of_arenas = true);

// The slots that are taken.
class DagSlots {
public:
  explicit DagSlots(const DagLimits& limits) : limits_(limits), used_(limits.widths.size()) {}
  const DagLimits& limits() const { return limits_; }
  // For one who has the slots of the pools in `held`.
  bool has_room(DagPool pool, const std::vector<DagPool>& held) const {
    for (const std::uint32_t each : limits_.pools[pool])
      if (each != 0 && used_[each] >= limits_.widths[each] && !holds(each, held))
        return false;
    return true;
  }
  // For one who has none.
  bool has_room(DagPool pool) const {
    for (const std::uint32_t each : limits_.pools[pool])
      if (each != 0 && used_[each] >= limits_.widths[each])
        return false;
    return true;
  }
  void take(DagPool pool) {
    for (const std::uint32_t each : limits_.pools[pool])
      ++used_[each];
  }
  void give(DagPool pool) {
    for (const std::uint32_t each : limits_.pools[pool])
      --used_[each];
  }
  // Adds the pool to `held`.
  void take(DagPool pool, std::vector<DagPool>& held) {
    for (const std::uint32_t each : limits_.pools[pool])
      used_[each] += !holds(each, held);
    held.push_back(pool);
  }
  // Removes the last pool of `held`. True: a slot is free again.
  bool give(std::vector<DagPool>& held) {
    const DagPool pool = held.back();
    held.pop_back();
    bool any = false;
    for (const std::uint32_t each : limits_.pools[pool])
      if (each != 0 && !holds(each, held)) {
        --used_[each];
        any = true;
      }
    return any;
  }

private:
  bool holds(std::uint32_t resource, const std::vector<DagPool>& held) const {
    for (const DagPool pool : held)
      for (const std::uint32_t each : limits_.pools[pool])
        if (each == resource)
          return true;
    return false;
  }
  const DagLimits& limits_;
  std::vector<std::uint64_t> used_; // [0] means nothing
};

} // namespace tp::analysis
