// Which scenarios are evaluated.
#include "passes/what_if.h"

namespace tp::analysis {

WhatIfPlan plan_what_if(std::uint32_t regions, const std::vector<std::uint8_t>& chosen,
                        const std::vector<std::uint64_t>& factors) {
  WhatIfPlan plan;
  const auto add_set = [&](std::vector<std::uint8_t> set) {
    for (const std::uint64_t factor : factors)
      plan.scenarios.push_back({factor, static_cast<std::uint32_t>(plan.sets.size())});
    plan.sets.push_back(std::move(set));
  };
  bool any = false;
  for (std::uint32_t region = 0; region < regions; ++region)
    any |= chosen[region] != 0;
  if (!any)
    return plan;
  add_set(chosen);
  for (std::uint32_t region = 0; region < regions; ++region) {
    if (!chosen[region])
      continue;
    std::vector<std::uint8_t> alone(regions);
    alone[region] = 1;
    add_set(std::move(alone));
  }
  return plan;
}

} // namespace tp::analysis
