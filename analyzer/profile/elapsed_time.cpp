// SPDX-License-Identifier: Apache-2.0
// Two readings: first when CPUs were idle, then the path.
#include "profile/elapsed_time.h"

#include "base/rounding.h"
#include "passes/idle_time.h"
#include "passes/run_path.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace tp::analysis {
namespace {

// The idle time in which steps ran, divided in the ratio of `shares`: whole ns that add up to it.
IdVector<StepClassId, std::uint64_t> divided(const IdVector<StepClassId, double>& shares,
                                             ElapsedTime& whole) {
  IdVector<StepClassId, std::uint64_t> result(shares.size());
  double all = 0;
  for (const double share : shares)
    all += share;
  whole.idle_beside_nothing_ns = std::min(whole.idle_beside_nothing_ns, whole.idle_ns);
  if (all <= 0) {
    whole.idle_beside_nothing_ns = whole.idle_ns;
    return result;
  }
  const std::uint64_t sum = whole.idle_ns - whole.idle_beside_nothing_ns;
  double so_far = 0;
  std::uint64_t given = 0;
  for (const StepClassId id : ids_below(shares.end_id())) {
    so_far += shares[id];
    const std::uint64_t until =
        std::min(sum, rounded(static_cast<double>(sum) * std::min(so_far / all, 1.0)));
    result[id] = until - given;
    given = until;
  }
  for (const StepClassId id : ids_below(shares.end_id()))
    if (given < sum && shares[id] > 0) { // what rounding has left, if any
      result[id] += sum - given;
      given = sum;
    }
  return result;
}

// For no longer can others have kept the program from running: the kernel counts their time by its tick.
std::uint64_t most_of_others(const std::optional<EndInfo>& end) {
  constexpr std::uint64_t kTicksNs = 20'000'000;
  return end && end->others_cpu_ns ? *end->others_cpu_ns + kTicksNs + end->cpu_ns / 20
                                   : std::numeric_limits<std::uint64_t>::max();
}

} // namespace

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
  if (ticks_per_work > 0) {
    const std::uint64_t lost = ns(idle.taken_by_others());
    result.whole.taken_by_others_ns = std::min(lost, most_of_others(measured.info.end));
    result.whole.queued_ns = lost - *result.whole.taken_by_others_ns;
  }
  result.idle_of_classes_ns = divided(path.idle_beside(), result.whole);
  IdVector<Row, std::uint64_t> idle_of_rows;
  for (const StepClassId id : ids_below(result.idle_of_classes_ns.end_id()))
    idle_of_rows.grown_to(path.classes()[id].row) += result.idle_of_classes_ns[id];
  const auto rows = path.rows();
  for (const SiteRow& site : sites) {
    result.of_sites.push_back(rows.contains(site.row) ? rows[site.row] : RunPathPart{});
    result.whole.path.add(result.of_sites.back());
    result.idle_beside_ns.push_back(idle_of_rows.contains(site.row) ? idle_of_rows[site.row] : 0);
  }
  if (pictures)
    *parts = path.in_order();
  return result;
}

} // namespace tp::analysis
