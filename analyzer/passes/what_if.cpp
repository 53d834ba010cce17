// SPDX-License-Identifier: Apache-2.0
// Which scenarios are evaluated, and what a step adds to each.
#include "passes/what_if.h"

#include "base/wide.h"

#include <algorithm>
#include <numeric>

namespace tp::analysis {

void add_code(StepSet& set, const SampleWeights& weights, std::span<const CodeId> code) {
  for (std::size_t begin = 0, end = 0; begin < code.size(); begin = end) {
    const StepClassId of = weights.codes()[code[begin]].of;
    std::uint64_t periods = 0;
    for (; end < code.size() && weights.codes()[code[end]].of == of; ++end)
      periods += weights.codes()[code[end]].periods;
    if (std::ranges::find(set.classes, of) != set.classes.end())
      continue;
    set.rests.push_back({of, static_cast<std::uint32_t>(periods * 65536 / weights.periods_of(of))});
    if (weights.weight_of(of))
      set.code.insert(set.code.end(), code.begin() + static_cast<std::ptrdiff_t>(begin),
                      code.begin() + static_cast<std::ptrdiff_t>(end));
  }
}

void WhatIfPlan::add(StepSet set, const std::vector<std::uint64_t>& factors) {
  for (const std::uint64_t factor : factors)
    scenarios.push_back({factor, static_cast<std::uint32_t>(sets.size()), {}});
  sets.push_back(std::move(set));
}

WhatIfPlan WhatIfPlan::part(std::size_t begin, std::size_t end) const {
  WhatIfPlan part;
  std::uint32_t last = 0; // of the sets that were copied; scenarios of a set are adjacent
  for (std::size_t i = begin; i < end; ++i) {
    if (part.sets.empty() || scenarios[i].set != last)
      part.sets.push_back(sets[scenarios[i].set]);
    last = scenarios[i].set;
    part.scenarios.push_back(scenarios[i]);
    part.scenarios.back().set = static_cast<std::uint32_t>(part.sets.size() - 1);
  }
  return part;
}

WhatIfPlan plan_what_if(const IdVector<RegionId, std::uint8_t>& chosen,
                        const std::vector<std::uint64_t>& factors) {
  WhatIfPlan plan;
  StepSet all;
  for (const RegionId region : ids_below(chosen.end_id()))
    if (chosen[region])
      all.regions.push_back(region);
  if (all.regions.empty())
    return plan;
  plan.add(all, factors);
  for (const RegionId region : all.regions)
    plan.add({.regions = {region}}, factors);
  return plan;
}

ScenarioLengths::ScenarioLengths(const WhatIfPlan& plan, std::size_t regions)
    : slot_of_(plan.scenarios.size()), parts_(plan.sets.size()), has_region_(plan.sets.size()),
      in_code_(plan.sets.size()), covered_(plan.sets.size()), inside_(plan.sets.size()) {
  std::vector<std::uint32_t> order(plan.scenarios.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return plan.scenarios[a].factor < plan.scenarios[b].factor;
  });
  for (std::size_t slot = 0; slot < order.size(); ++slot) {
    const Scenario& scenario = plan.scenarios[order[slot]];
    slot_of_[order[slot]] = slot;
    if (groups_.empty() || groups_.back().factor != scenario.factor)
      groups_.push_back({scenario.factor, slot, slot});
    ++groups_.back().end;
    factors_.push_back(scenario.factor);
    parts_[scenario.set].push_back({slot, scenario.factor - 1});
    if (scenario.removed_wait)
      waits_.emplace_back(slot, *scenario.removed_wait);
  }
  for (std::uint32_t set = 0; set < plan.sets.size(); ++set) {
    for (const StepClassId of : plan.sets[set].classes)
      of_class_.grown_to(of).push_back(set);
    for (const CodeId code : plan.sets[set].code)
      of_code_.grown_to(code).push_back(set);
    for (const CodeShare& rest : plan.sets[set].rests)
      of_rest_.grown_to(rest.of).emplace_back(set, rest.share);
    if (plan.sets[set].regions.empty())
      continue;
    region_sets_.push_back(set);
    has_region_[set].resize(regions);
    for (const RegionId region : plan.sets[set].regions)
      has_region_[set][region] = 1;
  }
}

void ScenarioLengths::shorten(std::uint64_t* lengths, std::uint32_t set, std::uint64_t work) {
  inside_[set] += work;
  for (const Part& part : parts_[set])
    lengths[part.slot] -= part.excess * work;
}

void ScenarioLengths::shorten_code(std::uint64_t* lengths, StepClassId of, const Step& step,
                                   std::span<const CodeWork> code) {
  std::uint64_t rest = step.work;
  for (const CodeWork& part : code) {
    rest -= part.work;
    if (of_code_.contains(part.code))
      for (const std::uint32_t set : of_code_[part.code]) {
        shorten(lengths, set, part.work);
        in_code_[set] += part.work;
      }
  }
  if (of_rest_.contains(of))
    for (const auto& [set, share] : of_rest_[of]) {
      const auto work = static_cast<std::uint64_t>(Wide{rest} * share >> 16);
      shorten(lengths, set, work);
      in_code_[set] += work;
    }
}

void ScenarioLengths::extend(std::uint64_t* lengths, StepClassId of, const Step& step,
                             std::span<const CodeWork> code) {
  constexpr std::size_t kWorthALoop = 8; // slots of a group
  if (groups_.size() * kWorthALoop > factors_.size())
    for (std::size_t slot = 0; slot < factors_.size(); ++slot)
      lengths[slot] += factors_[slot] * step.work;
  else
    for (const Group& group : groups_) {
      const std::uint64_t added = group.factor * step.work;
      for (std::size_t slot = group.begin; slot < group.end; ++slot)
        lengths[slot] += added;
    }
  if (!step.regions.empty())
    for (const std::uint32_t set : region_sets_)
      in_code_[set] = 0;
  if (!code.empty() || of_rest_.contains(of))
    shorten_code(lengths, of, step, code);
  const bool in_classes = of_class_.contains(of) && !of_class_[of].empty();
  if (in_classes)
    for (const std::uint32_t set : of_class_[of])
      shorten(lengths, set, step.work);
  if (step.regions.empty())
    return;
  if (in_classes)
    for (const std::uint32_t set : of_class_[of])
      covered_[set] = 1;
  for (const std::uint32_t set : region_sets_) {
    if (covered_[set])
      continue;
    std::uint64_t inside = 0;
    for (const RegionWork& part : step.regions)
      if (has_region_[set][part.region])
        inside += part.work;
    if (inside > in_code_[set])
      shorten(lengths, set, inside - in_code_[set]);
  }
  if (in_classes)
    for (const std::uint32_t set : of_class_[of])
      covered_[set] = 0;
}

void ScenarioLengths::undo_wait(std::uint64_t* lengths, const std::uint64_t* before,
                                const std::uint64_t* again, Row wait) const {
  for (const auto& [slot, removed] : waits_)
    if (removed == wait)
      lengths[slot] = before[slot];
    else if (again)
      lengths[slot] = std::max(lengths[slot], again[slot]);
}

} // namespace tp::analysis
