// SPDX-License-Identifier: Apache-2.0
// See pictures.h. Rows of the passes become sites of the profile; those with little work are summed.
#include "profile/pictures.h"

#include "base/rounding.h"
#include "passes/span_profile.h"

#include <algorithm>
#include <functional>

namespace tp::analysis {
namespace {

constexpr std::size_t kMostLayers = 15;
using Sums = std::vector<std::uint64_t>;

// By row: the index of its site in the profile.
IdVector<Row, std::uint32_t> indices(const std::vector<SiteRow>& sites) {
  IdVector<Row, std::uint32_t> result;
  for (std::size_t i = 0; i < sites.size(); ++i)
    result.grown_to(sites[i].row) = static_cast<std::uint32_t>(i);
  return result;
}

Layers layers_of(const IdVector<Row, IntervalSums>& running, std::uint64_t extent,
                 const std::vector<SiteRow>& sites, std::size_t buckets,
                 const std::function<Sums(Sums)>& scaled) {
  Layers layers{.extent = scaled({extent}).front()};
  for (std::size_t i = 0; i < sites.size(); ++i)
    layers.sites.push_back(static_cast<std::uint32_t>(i));
  std::ranges::stable_sort(layers.sites, std::ranges::greater(),
                           [&](std::uint32_t i) { return sites[i].exclusive_work; });
  layers.sites.resize(std::min(layers.sites.size(), kMostLayers));
  std::ranges::sort(layers.sites);
  const auto of_row = [&](Row row) {
    return scaled(running.contains(row) ? running[row].take() : Sums(buckets));
  };
  for (const std::uint32_t site : layers.sites)
    layers.running.push_back(of_row(sites[site].row));
  layers.other.assign(buckets, 0);
  for (std::uint32_t i = 0; i < sites.size(); ++i) {
    if (std::ranges::binary_search(layers.sites, i))
      continue;
    const std::vector<std::uint64_t> sums = of_row(sites[i].row);
    for (std::size_t bucket = 0; bucket < buckets; ++bucket)
      layers.other[bucket] += sums[bucket];
  }
  return layers;
}

} // namespace

std::vector<std::uint64_t> sums_in_ns(std::vector<std::uint64_t> ticks, double hz) {
  std::uint64_t sum = 0, given = 0;
  for (std::uint64_t& each : ticks) {
    sum += each;
    each = to_ns(sum, hz) - given;
    given += each;
  }
  return ticks;
}

Pictures draw_pictures(const Measured& measured, const std::vector<SiteRow>& sites,
                       const RunPictures* run, const std::vector<RunPath::Part>& path,
                       const TraceReadings& readings) {
  Pictures pictures;
  const auto index = indices(sites);
  const double hz = measured.hz_of_work();
  // Ten ns, or one unit.
  pictures.smallest_task =
      hz > 0 ? std::max<std::uint64_t>(1, static_cast<std::uint64_t>(hz / 1e8)) : 1;
  SpanProfile profile(measured.span(), pictures.smallest_task);
  readings.read(profile);
  pictures.span_profile = layers_of(profile.running(), measured.span(), sites,
                                    SpanProfile::kBuckets, [](Sums work) { return work; });
  for (const SpanProfile::Part& part : profile.critical_path())
    pictures.critical_path.push_back({part.from, part.to, index[part.row], 0});
  pictures.task_sizes.resize(sites.size());
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (!profile.sizes().contains(sites[i].row))
      continue;
    const TaskSizes& sizes = profile.sizes()[sites[i].row];
    std::size_t used = sizes.tasks.size();
    while (used > 0 && sizes.tasks[used - 1] == 0)
      --used;
    const auto end = static_cast<std::ptrdiff_t>(used);
    pictures.task_sizes[i] = {{sizes.tasks.begin(), sizes.tasks.begin() + end},
                              {sizes.work.begin(), sizes.work.begin() + end}};
  }
  if (!run)
    return pictures;
  const auto ns = [&](std::uint64_t ticks) { return to_ns(ticks, measured.read.time_hz); };
  const auto sums_of = [&](Sums ticks) {
    return sums_in_ns(std::move(ticks), measured.read.time_hz);
  };
  pictures.time_profile =
      layers_of(run->running, run->length, sites, RunPictures::kBuckets, sums_of);
  for (std::size_t kind = 0; kind < kEdgeKinds; ++kind)
    pictures.ready[kind] = sums_of(run->ready[kind].take());
  pictures.left_out = sums_of(run->left_out.take());
  pictures.no_cpu = sums_of(run->no_cpu.take());
  for (const RunPath::Part& part : path)
    pictures.run_path.push_back({ns(part.from), ns(part.to), index[part.row], part.kind});
  return pictures;
}

} // namespace tp::analysis
