// SPDX-License-Identifier: Apache-2.0
// Two readings: first when CPUs were idle, then the path.
#include "profile/elapsed_time.h"

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
  RunPath path(idle, pictures);
  readings.read(path);
  const auto rows = path.rows();
  for (const SiteRow& site : sites) {
    result.of_sites.push_back(rows.contains(site.row) ? rows[site.row] : RunPathPart{});
    result.whole.path.add(result.of_sites.back());
  }
  if (pictures)
    *parts = path.in_order();
  return result;
}

} // namespace tp::analysis
