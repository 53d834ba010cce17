// SPDX-License-Identifier: Apache-2.0
// See pools.h. Arenas are few; a program that makes one for each request gets pool 0 for most of them.
#include "dag/pools.h"

#include <algorithm>
#include <iterator>

namespace tp::analysis {

namespace {
constexpr std::size_t kMostPools = 4096;
// More entrants make no difference to an arena with so many slots or fewer, and to others hardly any.
constexpr std::size_t kMostEntrants = 256;
} // namespace

std::uint32_t Pools::enter(const trace::InArenaPayload& payload, std::uint64_t entrant) {
  if (payload.arena == 0)
    return 0;
  const auto [place, is_new] = arena_of_id_.emplace(payload.arena, 0);
  if (is_new && found_.arenas.size() >= kMostPools) {
    found_.too_many = true;
  } else if (is_new) {
    place->second = static_cast<std::uint32_t>(found_.arenas.size());
    found_.arenas.push_back({.asked = payload.asked,
                             .reserved = payload.reserved,
                             .slots = payload.slots,
                             .like_machine = (payload.flags & trace::kArenaLikeMachine) != 0,
                             .enqueued = early_enqueued_.contains(payload.arena)});
    entrants_.resize(found_.arenas.size());
  }
  const std::uint32_t arena = place->second;
  if (arena == 0 || entrant == 0)
    return arena;
  std::vector<std::uint64_t>& known = entrants_[arena];
  ArenaLimit& limit = found_.arenas[arena];
  if (limit.entrants < limit.slots && std::ranges::find(known, entrant) == known.end()) {
    ++limit.entrants;
    if (known.size() < kMostEntrants)
      known.push_back(entrant);
  }
  return arena;
}

void Pools::enqueued(std::uint32_t arena) {
  if (const auto known = arena_of_id_.find(arena); known != arena_of_id_.end())
    found_.arenas[known->second].enqueued |= known->second != 0;
  else
    early_enqueued_[arena] = true;
}

std::uint32_t Pools::allow(const trace::AllowedThreadsPayload& payload) {
  const bool like_machine = (payload.flags & trace::kAllowedLikeMachine) != 0;
  std::uint32_t index = 0;
  if (!like_machine && payload.threads > 0) {
    const auto same = std::ranges::find(found_.allowed, payload.threads, &AllowedThreads::threads);
    index = static_cast<std::uint32_t>(same - found_.allowed.begin());
    if (same == found_.allowed.end())
      found_.allowed.push_back({.threads = payload.threads});
  }
  changes_[payload.time] = index;
  return index;
}

std::uint32_t Pools::allowed_then(std::uint64_t time) const {
  const auto later = changes_.upper_bound(time);
  return later == changes_.begin() ? 0 : std::prev(later)->second;
}

PoolId Pools::find_pool(std::uint32_t arena, std::uint32_t allowed) {
  const auto [place, is_new] = pool_of_.emplace(std::pair(arena, allowed), kNoPool);
  if (!is_new)
    return place->second;
  if (found_.pools.size() >= kMostPools) {
    found_.too_many = true;
    return kNoPool;
  }
  place->second = static_cast<PoolId>(found_.pools.size());
  found_.pools.push_back({arena, allowed});
  return place->second;
}

ConcurrencyLimits Pools::limits(std::uint64_t externals) const {
  ConcurrencyLimits limits = found_;
  for (AllowedThreads& each : limits.allowed)
    each.externals = externals;
  return limits;
}

} // namespace tp::analysis
