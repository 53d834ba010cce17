// SPDX-License-Identifier: Apache-2.0
// See lock_hand_overs.h.
#include "passes/lock_hand_overs.h"

#include <bit>

namespace tp::analysis {
namespace {

// Keeps each n-th, where n is a power of 2: as many as fit.
template <typename Value>
void keep(std::vector<Value>& kept, std::uint64_t& seen, const Value& value) {
  const std::uint64_t every = std::bit_ceil(seen / LockHandOvers::kMostOfObject + std::uint64_t{1});
  if (seen++ % every != 0)
    return;
  if (kept.size() == LockHandOvers::kMostOfObject) {
    for (std::size_t i = 0; i < kept.size() / 2; ++i)
      kept[i] = kept[2 * i];
    kept.resize(kept.size() / 2);
  }
  kept.push_back(value);
}

} // namespace

void LockHandOvers::object(LockObjectId id, const LockObjectInfo& info) {
  kind_of_.grown_to(id) = info.kind < kKinds ? info.kind : 0;
}

void LockHandOvers::step(const Step& step) {
  const auto add = [&](LockObjectId id, auto&& function) {
    function(results_.kinds[kind_of_.contains(id) ? kind_of_[id] : 0]);
    if (index_of(id) < kMostObjects)
      function(results_.objects.grown_to(id));
  };
  for (const LockHandedOver& each : step.handed_over)
    add(each.object, [&](Times& times) { keep(times.waits, times.seen_waits, each); });
  for (const LockCall& each : step.lock_calls)
    if (each.wakes)
      add(each.object, [&](Times& times) { keep(times.calls, times.seen_calls, each.ticks); });
}

} // namespace tp::analysis
