// SPDX-License-Identifier: Apache-2.0
// Which grain sizes to try, and how to present the result of a reading with one of them.
#include "profile/grain_size.h"

#include "base/problem.h"
#include "model/speedup_bounds.h"
#include "profile/tasking_overhead.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tp::analysis {
namespace {

// Overhead should be a fiftieth of a loop; a twentieth is reported, if it is a hundredth of the program: a loop that only
// starts others loses a large part of little, and should not be made coarser for that.
constexpr std::uint64_t kFewPercent = 2, kManyPercent = 5, kPercentOfProgram = 1;
constexpr std::uint64_t kMostAdvice = 4;
// Parallelism with a margin on this machine's CPUs; more than that may be given up.
constexpr std::uint64_t kAmplePerCpu = 10;

struct Trial {
  const SiteRow* site;
  GrainChange change;
};

std::vector<WhatIfCandidate> results_of(const Measured& measured, const TraceReadings& readings,
                                        const ProfileOptions& options,
                                        const std::vector<Trial>& trials) {
  std::vector<GrainChange> changes;
  for (const Trial& trial : trials)
    changes.push_back(trial.change);
  const auto found = readings.try_grains(changes, measured.known_join_costs());
  std::vector<WhatIfCandidate> targets;
  for (std::size_t i = 0; i < found.size(); ++i) {
    WhatIfCandidate target{.kind = CandidateKind::Grain};
    target.grain = trials[i].change.grain;
    target.place = {trials[i].site->info.file, trials[i].site->info.line};
    target.name = fmt::format("grain size {} at {}", target.grain, trials[i].site->info.name);
    target.quoted = with_speedups(
        measured.work(), {1, {measured.work(), found[i].divisible_span}, {}}, options.procs);
    target.points.push_back(target.quoted);
    const LoopTotals& loop = found[i].loop;
    if (!trials[i].site->loops.is_flat)
      target.skipped_because = "its ranges have several dimensions, each with its own grain size";
    else if (loop.body_calls == 0)
      target.skipped_because = "no body call of a loop was recorded there";
    else
      target.loop = {trials[i].site->overhead.cost, loop.body_calls, loop.leaves,
                     trials[i].site->overhead.share, overhead_with(*trials[i].site, loop.leaves)};
    targets.push_back(std::move(target));
  }
  return targets;
}

bool exceeds_percent(const Ratio& share, std::uint64_t percent) {
  return Wide{share.numerator} * 100 > Wide{share.denominator} * percent;
}

// The smallest power of two at which overhead is at most kFewPercent of the loop.
std::uint64_t cheap_grain(const SiteRow& site) {
  const Wide per_call = Wide{site.overhead.cost} * (100 - kFewPercent) * site.loops.iterations;
  const Wide allowed = Wide{site.overhead.net_work} * kFewPercent * site.loops.body_calls;
  if (allowed == 0)
    return 0;
  const Wide grain = (per_call + allowed - 1) / allowed;
  return grain > (Wide{1} << 40)
             ? 0
             : std::bit_ceil(std::max<std::uint64_t>(static_cast<std::uint64_t>(grain), 1));
}

bool is_ample(const Ratio& parallelism, const RunInfo& run) {
  return parallelism.value() >= static_cast<double>(kAmplePerCpu) * run.cpus;
}

// Grain sizes to try, the best first if it leaves enough parallelism.
// `of_program`: what all sites take, in the unit of overheads.
std::vector<std::uint64_t> candidates(const SiteRow& site, const Ratio& limit, const RunInfo& run,
                                      std::uint64_t of_program) {
  const std::uint64_t cheap = cheap_grain(site);
  if (cheap == 0 || !site.loops.is_flat)
    return {};
  const std::uint64_t mean = site.loops.iterations / site.loops.body_calls;
  if (exceeds_percent(site.overhead.share, kManyPercent)) {
    if (!exceeds_percent({site.overhead.cost, of_program}, kPercentOfProgram))
      return {};
    std::vector<std::uint64_t> coarser;
    for (std::uint64_t grain = cheap; grain > mean + mean / 2 && coarser.size() < 3; grain /= 4)
      coarser.push_back(grain);
    return coarser;
  }
  if (cheap <= site.loops.largest_grain / 2 && !is_ample(limit, run))
    return {cheap};
  return {};
}

// A larger grain size is good if it removes half of the overhead and does not cost parallelism that
// is needed; a smaller one is good if it gains parallelism.
bool is_good(const WhatIfCandidate& target, const Measured& measured, std::uint64_t mean) {
  const double now = measured.divisible_parallelism().value();
  const double then = target.quoted.parallelism.value();
  if (target.grain > mean)
    return target.loop && target.loop->leaves <= target.loop->body_calls / 2 &&
           (then >= 0.9 * now || is_ample(target.quoted.parallelism, measured.run()));
  return then >= 1.1 * now;
}

} // namespace

std::vector<WhatIfCandidate> try_grains(const Measured& measured, const std::vector<SiteRow>& sites,
                                        const TraceReadings& readings,
                                        const ProfileOptions& options) {
  std::vector<Trial> trials;
  for (const auto& [place, grain] : options.grains) {
    const auto site =
        std::find_if(sites.begin() + 1, sites.end(), [&, &name = place](const SiteRow& each) {
          return each.info.name == name ||
                 fmt::format("{}:{}", each.info.file, each.info.line) == name;
        });
    if (site == sites.end())
      fail(Problem::NoSuchSite, {"--grain"}, "the FILE:LINE of a site of the profile", place,
           "tp-analyze --format csv lists the sites");
    trials.push_back({&*site, {site->row, grain}});
  }
  return results_of(measured, readings, options, trials);
}

std::vector<WhatIfCandidate> advise_grains(const Measured& measured,
                                           const std::vector<SiteRow>& sites, const Ratio& limit,
                                           const TraceReadings& readings,
                                           const ProfileOptions& options) {
  std::vector<const SiteRow*> loops;
  std::uint64_t of_program = 0;
  for (const SiteRow& site : sites) {
    of_program += site.overhead.net_work + site.overhead.cost;
    if (site.loops.body_calls > 0 && site.overhead.cost > 0)
      loops.push_back(&site);
  }
  std::stable_sort(loops.begin(), loops.end(), [](const SiteRow* a, const SiteRow* b) {
    return a->overhead.cost > b->overhead.cost;
  });
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < std::min<std::size_t>(loops.size(), kMostAdvice); ++i)
    for (const std::uint64_t grain : candidates(*loops[i], limit, measured.run(), of_program))
      trials.push_back({loops[i], {loops[i]->row, grain}});
  const auto results = results_of(measured, readings, options, trials);
  std::vector<WhatIfCandidate> advised;
  const SiteRow* last = nullptr;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const LoopCounts& counts = trials[i].site->loops;
    if (trials[i].site == last ||
        !is_good(results[i], measured, counts.iterations / counts.body_calls))
      continue;
    last = trials[i].site;
    advised.push_back(results[i]);
  }
  return advised;
}

} // namespace tp::analysis
