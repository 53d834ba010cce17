// SPDX-License-Identifier: Apache-2.0
// From totals by row to rows in the order in which they are shown.
#include "profile/site_rows.h"

#include "base/wide.h"

#include <algorithm>
#include <tuple>

namespace tp::analysis {
namespace {

// Whether reading the clock accounts for more than a tenth of this work.
bool is_too_short(std::uint64_t steps, std::uint64_t work, const RunInfo& run) {
  return Wide{steps} * run.step_cost * 10 > Wide{work};
}

SiteRow row_of(const Measured& measured, Row row, const SiteOverhead& overhead) {
  const RowTotals& totals = measured.fold.rows[row];
  const SiteMeasures& all = totals.on_work;
  SiteRow site{.info = measured.table.rows[row],
               .row = row,
               .work = all.top_call_site.work,
               .span = all.top_call_site.span,
               .longest_chain =
                   totals.longest_chain.value_or(std::min(all.top_call_site.work, measured.span())),
               .chain_is_exact = totals.longest_chain || all.top_call_site.count == 0,
               .exclusive_work = all.local.work,
               .critical_work = totals.on_span.local.span,
               .overhead_ticks = totals.overhead,
               .invocations = all.local.count,
               .outermost = all.top_call_site.count,
               .steps = totals.steps,
               .asleep = totals.asleep,
               .latency = totals.latency,
               .slept_in = totals.slept_in,
               .on_work = all,
               .on_span = totals.on_span,
               .overhead = overhead,
               .loops = totals.loops,
               .extra = totals.extra,
               .too_short = is_too_short(totals.steps, all.local.work, measured.run())};
  site.extra.resize(measured.run().extra_events.size());
  return site;
}

// The one invocation of main is the whole program.
void make_main(SiteRow& site, const Measured& measured) {
  site.work = measured.work();
  site.span = site.longest_chain = measured.span();
  site.chain_is_exact = true;
  const InvocationSums whole{1, measured.work(), measured.span()};
  site.on_work.top_call_site = site.on_work.top_caller = whole;
  site.on_span.top_call_site = site.on_span.top_caller = whole;
  site.on_work.local.count = site.on_span.local.count = 1;
  site.on_span.local.work = site.on_work.local.work;
  site.too_short |= is_too_short(measured.read.steps, site.work, measured.run());
}

} // namespace

SiteRows site_rows(const Measured& measured, const IdVector<Row, SiteOverhead>& overheads) {
  SiteRows result;
  const SiteTable& table = measured.table;
  for (const Row row : ids_below(table.rows.end_id())) {
    const bool is_spare = row == table.maps.unknown_row || table.maps.is_of_library(row) ||
                          table.maps.is_place_of_filter(row);
    if (is_spare && measured.fold.rows[row].on_work.local.count == 0)
      continue;
    SiteRow site = row_of(measured, row, overheads[row]);
    if (row == kMainRow)
      make_main(site, measured);
    result.exclusive_sum += site.exclusive_work;
    result.critical_sum += site.critical_work;
    result.rows.push_back(std::move(site));
  }
  std::stable_sort(result.rows.begin() + 1, result.rows.end(),
                   [](const SiteRow& a, const SiteRow& b) {
                     return std::tie(b.critical_work, a.info.file, a.info.line) <
                            std::tie(a.critical_work, b.info.file, b.info.line);
                   });
  return result;
}

} // namespace tp::analysis
