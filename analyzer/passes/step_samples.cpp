// SPDX-License-Identifier: Apache-2.0
// See step_samples.h.
#include "passes/step_samples.h"

#include "base/wide.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <utility>

namespace tp::analysis {
namespace {

// With a correlation below this the steps of a class do not differ.
constexpr double kLeastCorrelation = 0.001;
// Of two samples of one step, so many are necessary to say anything.
constexpr double kLeastPairs = 12;

// What two samples of one step have in common beyond two of different ones, from 0 to 1.
double correlation_of(const ClassSamples& of, const SampledCode& code) {
  std::map<std::uint32_t, double> paths;
  for (const StackCount& each : of.stacks)
    paths[code.stacks[each.stack].path] += static_cast<double>(each.count);
  const auto samples = static_cast<double>(of.samples);
  double equal = 0;
  for (const auto& [path, count] : paths)
    equal += count * (count - 1);
  const double others = samples * (samples - 1) - of.pairs;
  if (of.pairs < kLeastPairs || others < 1)
    return 0;
  const double inside = of.equal_pairs / of.pairs;
  const double between = std::clamp((equal - of.equal_pairs) / others, 0.0, 1.0);
  return between >= 1 ? 0 : std::clamp((inside - between) / (1 - between), 0.0, 1.0);
}

} // namespace

SampleWeights::SampleWeights(const IdVector<StepClassId, ClassSamples>& classes,
                             const SampledCode& code) {
  classes_.resize(classes.size());
  for (const StepClassId id : ids_below(classes.end_id())) {
    const ClassSamples& of = classes[id];
    Class& own = classes_[id];
    own.begin = codes_.end_id();
    own.samples = of.samples;
    own.periods = of.periods;
    if (of.period_squares > 0)
      own.equal_samples = static_cast<double>(of.periods) * static_cast<double>(of.periods) /
                          static_cast<double>(of.period_squares);
    for (const StackCount& each : of.stacks)
      codes_.push_back({id, each.stack, each.count, each.periods});
    own.end = codes_.end_id();
    if (const double correlation = correlation_of(of, code); correlation >= kLeastCorrelation) {
      own.differ = true;
      own.weight =
          static_cast<std::uint64_t>((1 - correlation) / correlation * double{kUnits} + 0.5);
    }
  }
}

CodeId SampleWeights::find(StepClassId of, StackId stack) const {
  const Class& own = classes_[of];
  const auto begin = codes_.begin() + index_of(own.begin), end = codes_.begin() + index_of(own.end);
  const auto found = std::lower_bound(
      begin, end, stack, [](const Code& each, StackId wanted) { return each.stack < wanted; });
  assert(found != end && found->stack == stack);
  return static_cast<CodeId>(found - codes_.begin());
}

StepSamples::StepSamples(const SampledCode& code, const SampleWeights* weights)
    : code_(code), weights_(weights), next_(code.of_stream.size()),
      prior_taken_(code.prior.size()) {
  if (weights)
    code_work_.resize(weights->codes().size());
}

std::span<const TimedStack> StepSamples::take(const Step& step) {
  if (step.stream >= next_.size())
    return {};
  // What a thread did before its first event is a step without a length.
  if (step.closed.kind == BoundaryKind::FirstUse && step.length == 0 &&
      step.opened.kind == BoundaryKind::Begin) {
    if (prior_taken_[step.stream])
      return {};
    prior_taken_[step.stream] = true;
    return code_.prior[step.stream];
  }
  const std::vector<TimedStack>& all = code_.of_stream[step.stream];
  std::size_t& next = next_[step.stream];
  while (next < all.size() && all[next].time < step.begin)
    ++next;
  const std::size_t begin = next;
  while (next < all.size() && all[next].time - step.begin < step.length)
    ++next;
  return {all.data() + begin, next - begin};
}

// Those of work: none of them was taken while the thread waited.
std::span<const TimedStack> StepSamples::of_work(std::span<const TimedStack> samples,
                                                 std::span<const TimeSpan> waited) {
  if (waited.empty() || samples.empty())
    return samples;
  of_work_.clear();
  for (const TimedStack& sample : samples) {
    while (!waited.empty() && waited.front().end <= sample.time)
      waited = waited.subspan(1);
    if (waited.empty() || sample.time < waited.front().begin)
      of_work_.push_back(sample);
  }
  in_waits_ += samples.size() - of_work_.size();
  return of_work_;
}

std::span<const CodeWork> StepSamples::file(StepClassId of, const Step& step) {
  std::span<const TimedStack> samples = take(step);
  parts_.clear();
  if (step.pause == PauseRole::LeftOut || step.is_left_out)
    return {};
  samples = of_work(samples, step.waited);
  if (samples.empty())
    return {};
  filed_ += samples.size();
  count_stacks(samples);
  if (weights_)
    divide(of, step, samples);
  else
    count(of, step.stream, samples);
  return parts_;
}

void StepSamples::count_stacks(std::span<const TimedStack> samples) {
  counts_.clear();
  for (const TimedStack& sample : samples)
    counts_.push_back({sample.stack, 1, sample.periods});
  std::ranges::sort(counts_, {}, &StackCount::stack);
  std::size_t kept = 0;
  for (const StackCount& each : counts_) {
    if (kept == 0 || counts_[kept - 1].stack != each.stack) {
      counts_[kept++] = each;
    } else {
      counts_[kept - 1].count += each.count;
      counts_[kept - 1].periods += each.periods;
    }
  }
  counts_.resize(kept);
}

// As many samples as share a period, or nearly: see profiler-lib/src/sampling.
constexpr std::uint32_t kSamplesPerPart = 16;

void StepSamples::compare(StepClassId of, const Parts& parts) {
  std::map<FunctionId, std::pair<std::uint32_t, std::uint32_t>> counts;
  for (const auto& [function, count] : parts.before.functions)
    counts[function].first = count;
  for (const auto& [function, count] : parts.now.functions)
    counts[function].second = count;
  constexpr double kEach = kSamplesPerPart, kBoth = 2 * kEach;
  for (const auto& [function, count] : counts) {
    const double share = (count.first + count.second) / kBoth;
    const double difference = (double{1} * count.first - double{1} * count.second) / kEach;
    Scatter& scatter = scatter_[{of, function}];
    scatter.found += difference * difference;
    scatter.expected += share * (1 - share) * (2 / kEach) * kBoth / (kBoth - 1);
    ++scatter.pairs;
  }
}

void StepSamples::add_to_part(StepClassId of, Parts& parts, const TimedStack& sample) {
  if (parts.now.samples == kSamplesPerPart) {
    if (parts.before.samples == kSamplesPerPart)
      compare(of, parts);
    parts.before = std::move(parts.now);
    parts.now = {};
  }
  ++parts.now.samples;
  const std::vector<FunctionId>& functions = code_.stacks[sample.stack].functions;
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (std::find(functions.begin(), functions.begin() + static_cast<std::ptrdiff_t>(i),
                  functions[i]) == functions.begin() + static_cast<std::ptrdiff_t>(i))
      ++parts.now.functions[functions[i]];
}

void StepSamples::finish() {
  for (auto& [key, scatter] : std::exchange(scatter_, {})) {
    scatter.function = key.second;
    classes_[key.first].scatter.push_back(scatter);
  }
}

void StepSamples::count(StepClassId of, std::uint32_t stream, std::span<const TimedStack> samples) {
  ClassSamples& own = classes_.grown_to(of);
  Parts& parts = run_[{of, stream}];
  for (const TimedStack& sample : samples)
    add_to_part(of, parts, sample);
  own.samples += samples.size();
  for (const TimedStack& sample : samples) {
    own.periods += sample.periods;
    own.period_squares += std::uint64_t{sample.periods} * sample.periods;
  }
  for (const StackCount& each : counts_) {
    const auto at = std::ranges::lower_bound(own.stacks, each.stack, {}, &StackCount::stack);
    if (at != own.stacks.end() && at->stack == each.stack) {
      at->count += each.count;
      at->periods += each.periods;
    } else {
      own.stacks.insert(at, each);
    }
  }
  const auto all = static_cast<double>(samples.size());
  if (samples.size() < 2)
    return;
  own.pairs += all * (all - 1);
  paths_.clear();
  for (const StackCount& each : counts_)
    paths_.insert(paths_.end(), each.count, code_.stacks[each.stack].path);
  std::ranges::sort(paths_);
  for (std::size_t begin = 0, end = 0; begin < paths_.size(); begin = end) {
    while (end < paths_.size() && paths_[end] == paths_[begin])
      ++end;
    const auto same = static_cast<double>(end - begin);
    own.equal_pairs += same * (same - 1);
  }
}

void StepSamples::divide(StepClassId of, const Step& step, std::span<const TimedStack> samples) {
  const std::optional<std::uint64_t> weight = weights_->weight_of(of);
  if (!weight || step.work == 0)
    return;
  Wide periods = 0;
  for (const StackCount& each : counts_)
    periods += each.periods;
  // In units of a period.
  const Wide whole = periods * SampleWeights::kUnits + *weight * periods / samples.size();
  for (const StackCount& each : counts_) {
    const auto work = static_cast<std::uint64_t>(Wide{step.work} *
                                                 (each.periods * SampleWeights::kUnits) / whole);
    if (work == 0)
      continue;
    const CodeId code = weights_->find(of, each.stack);
    parts_.push_back({code, work});
    code_work_[code] += work;
  }
}

} // namespace tp::analysis
