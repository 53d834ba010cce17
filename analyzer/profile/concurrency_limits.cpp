// SPDX-License-Identifier: Apache-2.0
// See concurrency_limits.h.
#include "profile/concurrency_limits.h"

#include "profile/code_names.h"

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

} // namespace

std::vector<ConcurrencyLimit> concurrency_limits(const Measured& measured) {
  const ConcurrencyLimits& found = measured.read.concurrency;
  std::vector<ConcurrencyLimit> rows;
  add_limits(rows, measured, found.arenas, true,
             [](const ConcurrencyLimits::Pool& pool) { return pool.arena; });
  add_limits(rows, measured, found.allowed, false,
             [](const ConcurrencyLimits::Pool& pool) { return pool.allowed; });
  std::ranges::stable_sort(rows, std::ranges::greater(), &ConcurrencyLimit::least_time);
  std::ranges::stable_partition(rows, std::logical_not(), &ConcurrencyLimit::like_machine);
  return rows;
}

const ConcurrencyLimit* longest_limit(const std::vector<ConcurrencyLimit>& limits) {
  return limits.empty() || limits.front().like_machine ? nullptr : &limits.front();
}

std::uint64_t least_time_of_limits(const Measured& measured, std::uint64_t procs,
                                   const ConcurrencyLimit* without) {
  std::uint64_t least = 0;
  for (const ConcurrencyLimit& limit : concurrency_limits(measured))
    if (!limit.like_machine && limit.width < procs &&
        !(without && without->is_arena == limit.is_arena && without->index == limit.index))
      least = std::max(least, limit.least_time());
  return least;
}

void widen_limits(std::vector<ConcurrencyLimit>& limits, const Measured& measured,
                  std::uint64_t greatest_lock, const std::vector<std::uint64_t>& factors) {
  for (ConcurrencyLimit& limit : limits) {
    const std::uint64_t others =
        std::max({measured.span(), greatest_lock, least_time_under_limits(limits, &limit)});
    if (limit.like_machine || limit.time_of(limit.work) <= others)
      continue;
    for (const std::uint64_t factor : factors)
      if (measured.work() <= ~std::uint64_t{0} / factor)
        limit.wider.push_back(
            {factor,
             {measured.work() * factor, std::max(others * factor, limit.time_of(limit.work))},
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
