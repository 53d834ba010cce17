// SPDX-License-Identifier: Apache-2.0
// See dag_limits.h.
#include "simulate/dag_limits.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

namespace tp::analysis {

DagLimits dag_limits(const ConcurrencyLimits& limits, std::uint64_t procs,
                     const std::vector<std::uint64_t>& weight, std::uint32_t without,
                     bool of_arenas) {
  DagLimits result;
  const auto resources_of = [&](const auto& each, bool arenas) {
    std::vector<std::uint32_t> resources(each.size(), 0);
    for (std::uint32_t i = 1; i < each.size(); ++i) {
      if (each[i].like_machine || each[i].width() >= procs || (i == without && arenas == of_arenas))
        continue;
      resources[i] = static_cast<std::uint32_t>(result.widths.size());
      result.widths.push_back(each[i].width());
    }
    return resources;
  };
  const std::vector<std::uint32_t> arenas = resources_of(limits.arenas, true);
  const std::vector<std::uint32_t> allowed = resources_of(limits.allowed, false);
  std::vector<std::uint32_t> by_weight(limits.pools.size());
  std::iota(by_weight.begin(), by_weight.end(), 0u);
  std::ranges::stable_sort(by_weight, std::ranges::greater(), [&](std::uint32_t pool) {
    return pool < weight.size() ? weight[pool] : 0;
  });
  result.pool_of.resize(limits.pools.size());
  std::map<std::array<std::uint32_t, 2>, DagPool> known{{{0, 0}, 0}};
  for (const std::uint32_t pool : by_weight) {
    const std::array<std::uint32_t, 2> of = {arenas[limits.pools[pool].arena],
                                             allowed[limits.pools[pool].allowed]};
    const auto [place, is_new] = known.emplace(of, 0);
    if (is_new && result.pools.size() < kMostDagPools) {
      place->second = static_cast<DagPool>(result.pools.size());
      result.pools.push_back(of);
    }
    result.pool_of[pool] = place->second;
  }
  return result;
}

} // namespace tp::analysis
