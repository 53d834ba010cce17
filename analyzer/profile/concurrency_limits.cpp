// SPDX-License-Identifier: Apache-2.0
// See concurrency_limits.h.
#include "profile/concurrency_limits.h"

#include "profile/code_names.h"
#include "profile/trace_readings.h"

#include <algorithm>
#include <functional>

namespace tp::analysis {

namespace {

// Adds up the pools of each limit of one kind; `of_pool` gives a pool's limit.
template <typename Limit, typename OfPool>
void add_limits(std::vector<ConcurrencyLimit>& rows, const Measured& measured,
                const std::vector<Limit>& limits, bool is_arena, const OfPool& of_pool) {
  for (std::uint32_t i = 1; i < limits.size(); ++i) {
    const Limit& limit = limits[i];
    ConcurrencyLimit row{.is_arena = is_arena,
                         .index = i,
                         .width = limit.width(),
                         .like_machine = limit.like_machine};
    if constexpr (requires { limit.slots; }) {
      row.asked = limit.asked;
      row.reserved = limit.reserved;
      row.slots = limit.slots;
    } else {
      row.asked = limit.threads;
    }
    IdVector<Row, std::uint64_t> work_of_rows(measured.table.rows.size());
    for (const PoolId pool : ids_below(measured.fold.pools.end_id())) {
      if (of_pool(measured.read.concurrency.pools[index_of(pool)]) != i)
        continue;
      const DagFold::Results::PoolTotals& totals = measured.fold.pools[pool];
      row.work += totals.work;
      row.latency += totals.latency;
      for (const Row each : ids_below(totals.work_of_rows.end_id()))
        work_of_rows.grown_to(each) += totals.work_of_rows[each];
    }
    for (const Row each : ids_below(work_of_rows.end_id()))
      if (work_of_rows[each] > row.work_of_row) {
        row.row = each;
        row.work_of_row = work_of_rows[each];
      }
    const SiteInfo& site = measured.table.rows[row.row];
    row.name = site.name;
    row.is_of_openmp = is_arena && row.reserved == 0 && is_of_openmp(site);
    if (row.row != kMainRow)
      row.place = {site.file, site.line};
    if (row.work + row.latency > 0)
      rows.push_back(std::move(row));
  }
}

void sort_limits(std::vector<ConcurrencyLimit>& limits) {
  std::ranges::stable_sort(limits, std::ranges::greater(), &ConcurrencyLimit::least_time);
  std::ranges::stable_partition(limits, std::logical_not(), &ConcurrencyLimit::like_machine);
}

} // namespace

std::vector<ConcurrencyLimit> concurrency_limits(const Measured& measured) {
  const ConcurrencyLimits& found = measured.read.concurrency;
  std::vector<ConcurrencyLimit> rows;
  add_limits(rows, measured, found.arenas, true,
             [](const ConcurrencyLimits::Pool& pool) { return pool.arena; });
  add_limits(rows, measured, found.allowed, false,
             [](const ConcurrencyLimits::Pool& pool) { return pool.allowed; });
  sort_limits(rows);
  return rows;
}

LimitsOfPools limits_with_ends(const std::vector<ConcurrencyLimit>& limits,
                               const ConcurrencyLimits& concurrency) {
  LimitsOfPools with_ends;
  for (std::uint32_t i = 0; i < limits.size(); ++i) {
    if (!limits[i].has_ends)
      continue;
    with_ends.count = i + 1;
    for (std::uint32_t pool = 0; pool < concurrency.pools.size(); ++pool) {
      const ConcurrencyLimits::Pool& of = concurrency.pools[pool];
      if ((limits[i].is_arena ? of.arena : of.allowed) == limits[i].index)
        with_ends.of.grown_to(PoolId{pool}).push_back(i);
    }
  }
  return with_ends;
}

void add_ends_of_limits(Measured& measured, const TraceReadings& readings) {
  constexpr std::size_t kMost = 8;
  std::size_t count = 0;
  for (ConcurrencyLimit& limit : measured.limits) {
    // With its ends it needs no more than this and the critical path.
    limit.has_ends = !limit.like_machine && count < kMost &&
                     Wide{limit.time_under()} * 100 >= measured.fold.span_with_latency;
    count += limit.has_ends;
  }
  if (count == 0)
    return;
  LockLaw law({.limits = limits_with_ends(measured.limits, measured.read.concurrency)});
  readings.read(law);
  const LockLaw::Results found = law.results();
  for (ConcurrencyLimit& limit : measured.limits)
    limit.has_ends &= found.ends_known;
  for (std::size_t i = 0; i < found.limit_ends.size(); ++i) {
    measured.limits[i].ends = found.limit_ends[i][LockLaw::kWork];
    measured.limits[i].ends_with_latency = found.limit_ends[i][LockLaw::kWithLatency];
  }
  sort_limits(measured.limits);
}

const ConcurrencyLimit* longest_limit(const std::vector<ConcurrencyLimit>& limits) {
  return limits.empty() || limits.front().like_machine ? nullptr : &limits.front();
}

std::uint64_t least_time_under_limits(const Measured& measured, std::uint64_t procs,
                                      const ConcurrencyLimit* without) {
  std::uint64_t least = 0;
  for (const ConcurrencyLimit& limit : measured.limits)
    if (!limit.like_machine && limit.width < procs &&
        !(without && without->is_arena == limit.is_arena && without->index == limit.index))
      least = std::max(least, limit.time_under());
  return least;
}

std::uint64_t least_time_of_limits(const Measured& measured, std::uint64_t procs) {
  std::uint64_t least = 0;
  for (const ConcurrencyLimit& limit : measured.limits)
    if (!limit.like_machine && limit.width < procs)
      least = std::max(least, limit.least_time());
  return least;
}

void widen_limits(std::vector<ConcurrencyLimit>& limits, const Measured& measured,
                  std::uint64_t greatest_lock, const std::vector<std::uint64_t>& factors) {
  for (ConcurrencyLimit& limit : limits) {
    const std::uint64_t others =
        std::max({measured.span(), greatest_lock, least_time_of_limits(limits, &limit)});
    if (limit.like_machine || limit.least_time_of_work() <= others)
      continue;
    for (const std::uint64_t factor : factors)
      if (measured.work() <= ~std::uint64_t{0} / factor)
        limit.wider.push_back(
            {factor,
             {measured.work() * factor,
              std::max(others * factor, limit.ends.length() * factor + limit.time_of(limit.work))},
             {}});
  }
}

DagLimits limits_of_simulation(const Measured& measured, std::uint64_t procs,
                               const ConcurrencyLimit* without) {
  std::vector<std::uint64_t> weight(measured.fold.pools.size());
  for (const PoolId pool : ids_below(measured.fold.pools.end_id()))
    weight[index_of(pool)] = measured.fold.pools[pool].work;
  return dag_limits(measured.read.concurrency, procs, weight, without ? without->index : 0,
                    !without || without->is_arena);
}

} // namespace tp::analysis
