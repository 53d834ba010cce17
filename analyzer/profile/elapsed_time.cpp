// SPDX-License-Identifier: Apache-2.0
// Two readings: first when CPUs were idle, then the path.
#include "profile/elapsed_time.h"

#include "base/rounding.h"
#include "passes/idle_time.h"
#include "passes/run_path.h"

#include <algorithm>

namespace tp::analysis {

ExplainedTime explain_elapsed(const Measured& measured, const std::vector<SiteRow>& sites,
                              std::uint64_t threads, const std::string& skipped_because,
                              const TraceReadings& readings, RunPictures* pictures,
                              std::vector<RunPath::Part>* parts) {
  ExplainedTime result;
  result.whole.skipped_because = skipped_because;
  if (!skipped_because.empty())
    return result;
  result.whole.workers = std::min<std::uint64_t>(measured.run().cpus, threads);
  const IdleTime idle = readings.idle_time(result.whole.workers, measured.read);
  const RunInfo& run = measured.run();
  const double ticks_per_work = run.same_as_time ? 1
                                : run.work.hz == 0
                                    ? 0
                                    : measured.read.time_hz / static_cast<double>(run.work.hz);
  RunPath path(idle, ticks_per_work, run.same_as_time && run.sleep_seen, pictures);
  readings.read(path);
  const double ns_per_tick = measured.read.time_hz > 0 ? 1e9 / measured.read.time_hz : 1;
  const auto ns = [&](double ticks) { return rounded(ticks * ns_per_tick); };
  result.whole.idle_ns = ns(idle.all());
  result.whole.idle_beside_nothing_ns = ns(idle.without_steps());
  if (ticks_per_work > 0)
    result.whole.taken_by_others_ns = ns(idle.taken_by_others());
  const auto rows = path.rows();
  for (const SiteRow& site : sites) {
    result.of_sites.push_back(rows.contains(site.row) ? rows[site.row] : RunPathPart{});
    result.whole.path.add(result.of_sites.back());
    const auto& shares = path.idle_beside();
    result.idle_beside_ns.push_back(shares.contains(site.row) ? ns(shares[site.row]) : 0);
  }
  if (pictures)
    *parts = path.in_order();
  return result;
}

} // namespace tp::analysis
