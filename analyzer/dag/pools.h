// SPDX-License-Identifier: Apache-2.0
// POOLS: which limits of concurrency (model/concurrency.h) the steps are under, from the records
// InArena, Enqueued and AllowedThreads. An arena begins where its record is; what is allowed holds for
// the whole process, from a time on. Used by DagReader.
#pragma once

#include "base/id_table.h"
#include "model/concurrency.h"

#include "tp/trace/trace_format.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tp::analysis {

class Pools {
public:
  // Index of the payload's arena. `entrant`: serial number of the frame that entered it; 0: none did.
  std::uint32_t enter(const trace::InArenaPayload& payload, std::uint64_t entrant);
  void enqueued(std::uint32_t arena);
  // Index of the number of threads. In the order of reading, which need not be that of time.
  std::uint32_t allow(const trace::AllowedThreadsPayload& payload);
  // What was allowed then; an index.
  std::uint32_t allowed_at(std::uint64_t time) const {
    if (changes_.empty()) [[likely]]
      return 0;
    return allowed_then(time);
  }
  PoolId pool_of(std::uint32_t arena, std::uint32_t allowed) {
    if (arena == 0 && allowed == 0) [[likely]]
      return kNoPool;
    return find_pool(arena, allowed);
  }
  // `externals`: external threads that ran tasks.
  ConcurrencyLimits limits(std::uint64_t externals) const;

private:
  std::uint32_t allowed_then(std::uint64_t time) const;
  PoolId find_pool(std::uint32_t arena, std::uint32_t allowed);

  ConcurrencyLimits found_;
  std::map<std::uint32_t, std::uint32_t> arena_of_id_;
  std::map<std::uint32_t, bool> early_enqueued_; // of arenas that no record has described yet
  std::map<std::pair<std::uint32_t, std::uint32_t>, PoolId> pool_of_;
  std::map<std::uint64_t, std::uint32_t> changes_;   // what is allowed, by time; indices
  std::vector<std::vector<std::uint64_t>> entrants_; // by arena: serial numbers
};

} // namespace tp::analysis
