// SPDX-License-Identifier: Apache-2.0
// See functions.h. Per class of steps the work that its samples decide step by step, and the rest, which
// is divided like all samples of the class, add up to its work exactly. Intervals: profile/sampled_share.h. A class
// whose steps differ is decided by the samples of the steps in question.
#include "profile/functions.h"

#include "base/wide.h"
#include "model/speedup_bounds.h"
#include "profile/sampled_share.h"
#include "profile/waiting_loops.h"
#include "sites/cxx_names.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace tp::analysis {
namespace {

// What-ifs are asked for so many at most, those with most critical work.
constexpr std::size_t kMostFunctionWhatIfs = 40, kMostLineWhatIfs = 20;

// Of a function, a function's own code, or a line.
struct Item {
  std::uint64_t samples = 0;
  WorkEstimate work, critical;
  std::vector<CodeId> code; // ascending

  std::uint64_t periods(const SampleWeights& weights) const {
    return std::accumulate(
        code.begin(), code.end(), std::uint64_t{0},
        [&](std::uint64_t sum, CodeId id) { return sum + weights.codes()[id].periods; });
  }
  StepSet set(const SampleWeights& weights) const {
    StepSet set;
    add_code(set, weights, code);
    return set;
  }
};

// Of one class.
struct Share {
  std::uint64_t samples = 0, work = 0, critical = 0;
  std::uint64_t cut_work = 0, cut_critical = 0;
  std::vector<CodeId> code;
};

class Collector {
public:
  Collector(const Measured& measured, const SampledCode& code, const SampleWeights& weights,
            const DagFold::Results& divided, bool has_random_periods)
      : measured_(measured), code_(code), weights_(weights), divided_(divided),
        has_random_periods_(has_random_periods) {}

  void run() {
    const auto classes = ids_below(measured_.fold.classes.end_id());
    for (const StepClassId of : classes) {
      if (weights_.samples_of(of) == 0)
        continue;
      const DagFold::StepTotals& totals = measured_.fold.class_totals[of];
      const Deciding deciding = deciding_samples(of, totals);
      all_work_.add(totals.work, deciding.work);
      if (totals.critical_work > 0)
        all_critical_work_.add(totals.critical_work, deciding.critical_work);
    }
    all_work_.finish();
    all_critical_work_.finish();
    for (const StepClassId of : classes)
      add_class(of);
  }

  std::map<FunctionId, Item> functions, selves;
  std::map<std::pair<std::string, std::uint32_t>, Item> lines;
  std::map<std::pair<std::string, std::uint32_t>, FunctionId> function_of_line;
  std::map<std::optional<LineId>, Item> waiting; // by loop; empty: of all
  std::uint64_t not_sampled_work = 0, not_sampled_critical_work = 0;
  std::uint64_t cut = 0; // samples
  std::uint64_t cut_work = 0, cut_critical_work = 0;

  SampledWork work_of(const Item& item, std::uint64_t cut_of_all = 0) const {
    return item.work.with_interval(measured_.work(), all_work_, cut_of_all);
  }
  SampledWork critical_work_of(const Item& item, std::uint64_t cut_of_all = 0) const {
    return item.critical.with_interval(measured_.span(), all_critical_work_, cut_of_all);
  }

private:
  void add_class(StepClassId of) {
    const DagFold::StepTotals& totals = measured_.fold.class_totals[of];
    const std::uint64_t periods = weights_.periods_of(of);
    if (periods == 0) {
      not_sampled_work += totals.work;
      not_sampled_critical_work += totals.critical_work;
      return;
    }
    const auto [begin, end] = weights_.codes_of(of);
    std::uint64_t rest = totals.work, critical_rest = totals.critical_work;
    for (CodeId id = begin; id != end; id = static_cast<CodeId>(index_of(id) + 1)) {
      rest -= code_work(id);
      critical_rest -= code_critical(id);
    }
    std::map<FunctionId, Share> of_functions, of_selves;
    std::map<std::pair<std::string, std::uint32_t>, Share> of_lines;
    std::map<std::optional<LineId>, Share> of_waiting;
    std::uint64_t before = 0;
    for (CodeId id = begin; id != end; id = static_cast<CodeId>(index_of(id) + 1)) {
      const SampleWeights::Code& each = weights_.codes()[id];
      const std::uint64_t after = before + each.periods;
      // Rounded so that all parts add up.
      const auto part = [&](std::uint64_t whole) {
        return static_cast<std::uint64_t>(Wide{whole} * after / periods -
                                          Wide{whole} * before / periods);
      };
      const std::uint64_t work = code_work(id) + part(rest);
      const std::uint64_t critical = code_critical(id) + part(critical_rest);
      before = after;
      const SampledStack& stack = code_.stacks[each.stack];
      if (stack.is_cut) {
        cut += each.samples;
        cut_work += work;
        cut_critical_work += critical;
      }
      const auto add = [&](Share& share) {
        share.samples += each.samples;
        share.work += work;
        share.critical += critical;
        share.cut_work += stack.is_cut ? work : 0;
        share.cut_critical += stack.is_cut ? critical : 0;
        share.code.push_back(id);
      };
      const std::set<FunctionId> once(stack.functions.begin(), stack.functions.end());
      for (const FunctionId function : once)
        add(of_functions[function]);
      add(of_selves[stack.functions.front()]);
      if (stack.waits_in) {
        add(of_waiting[stack.waits_in]);
        add(of_waiting[std::nullopt]);
      }
      const SampledLine& line = code_.lines[stack.line];
      if (line.line != 0 && !line.file.empty()) {
        add(of_lines[{line.file, line.line}]);
        function_of_line.try_emplace({line.file, line.line}, line.function);
      }
    }
    const Deciding deciding = deciding_samples(of, totals);
    const auto scatter = [&](FunctionId function) { return scatter_of(of, function); };
    add_shares(deciding, totals, of_functions, functions, scatter);
    add_shares(deciding, totals, of_selves, selves, scatter);
    add_shares(deciding, totals, of_lines, lines,
               [&](const auto& line) { return scatter(function_of_line.at(line)); });
    add_shares(deciding, totals, of_waiting, waiting, [&](const std::optional<LineId>& loop) {
      return loop ? scatter(code_.lines[*loop].function) : 1;
    });
  }

  // How many samples decide the shares of a class.
  struct Deciding {
    double work = 0, critical_work = 0;
  };
  Deciding deciding_samples(StepClassId of, const DagFold::StepTotals& totals) const {
    const double samples = weights_.equal_samples_of(of);
    const std::optional<std::uint64_t> weight = weights_.weight_of(of);
    if (!weight || totals.work == 0)
      return {samples, samples};
    const double own =
        samples * static_cast<double>(totals.critical_work) / static_cast<double>(totals.work);
    const double others = static_cast<double>(*weight) / double{SampleWeights::kUnits};
    return {samples, std::min(samples, own + others)};
  }

  // `scatter`: of a key.
  template <typename Key, typename OfKey>
  void add_shares(const Deciding& deciding, const DagFold::StepTotals& totals,
                  const std::map<Key, Share>& shares, std::map<Key, Item>& to,
                  const OfKey& scatter) {
    for (const auto& [key, share] : shares) {
      Item& item = to[key];
      item.samples += share.samples;
      const double more = scatter(key);
      item.work.add(share.work, totals.work, deciding.work, more, all_work_);
      item.critical.add(share.critical, totals.critical_work, deciding.critical_work, more,
                        all_critical_work_);
      item.work.cut += share.cut_work;
      item.critical.cut += share.cut_critical;
      item.code.insert(item.code.end(), share.code.begin(), share.code.end());
    }
  }

  // By how much the variance exceeds that of samples that do not depend on each other.
  double scatter_of(StepClassId of, FunctionId function) const {
    constexpr std::uint64_t kLeastPairs = 8;
    constexpr double kMost = 9;
    if (has_random_periods_ || !measured_.fold.samples.contains(of))
      return 1;
    const auto& all = measured_.fold.samples[of].scatter;
    const auto found = std::ranges::lower_bound(all, function, {}, &Scatter::function);
    if (found == all.end() || found->function != function || found->pairs < kLeastPairs ||
        found->expected <= 0)
      return 1;
    // By chance alone the ratio exceeds this in one case of six.
    const double by_chance = 1 + std::sqrt(2 / static_cast<double>(found->pairs));
    const double ratio = found->found / found->expected;
    return ratio < by_chance ? 1 : std::min(ratio, kMost);
  }

  std::uint64_t code_work(CodeId id) const {
    return divided_.code_work.contains(id) ? divided_.code_work[id] : 0;
  }
  std::uint64_t code_critical(CodeId id) const {
    return divided_.code_critical_work.contains(id) ? divided_.code_critical_work[id] : 0;
  }

  const Measured& measured_;
  const SampledCode& code_;
  const SampleWeights& weights_;
  const DagFold::Results& divided_;
  const bool has_random_periods_;
  AllClasses all_work_, all_critical_work_;
};

bool is_everywhere(const Item& item, const SampleWeights& weights, std::uint64_t all_work) {
  std::map<StepClassId, std::uint64_t> of_classes; // periods
  for (const CodeId id : item.code)
    of_classes[weights.codes()[id].of] += weights.codes()[id].periods;
  return Wide{item.work.work} * 10 >= Wide{all_work} * 9 &&
         std::ranges::none_of(of_classes, [&](const auto& of) {
           return Wide{of.second} * 10 >= Wide{item.periods(weights)} * 9;
         });
}

// See FunctionRow::passes_to. `functions` and `items` are in the order of rows.
class Passing {
public:
  Passing(const SampledCode& code, const SampleWeights& weights) : code_(code), weights_(weights) {}
  void add(FunctionId id, const Item& item) {
    ids_.push_back(id);
    items_.push_back(&item);
    periods_.push_back(item.periods(weights_));
  }
  std::optional<std::uint32_t> callee_of(std::uint32_t caller,
                                         const std::vector<FunctionRow>& rows) const {
    std::optional<std::uint32_t> innermost;
    for (std::uint32_t i = 0; i < ids_.size(); ++i)
      if (i != caller && rows[i].is_candidate() &&
          is_most_of(rows[i].critical_work.work, rows[caller].critical_work.work) &&
          passes(caller, i) && (!innermost || passes(*innermost, i)))
        innermost = i;
    return innermost;
  }

private:
  static bool is_most_of(std::uint64_t part, std::uint64_t whole) {
    return Wide{part} * 10 >= Wide{whole} * 9;
  }
  bool passes(std::uint32_t caller, std::uint32_t callee) const {
    if (!is_most_of(periods_[callee], periods_[caller]) ||
        !is_most_of(periods_[caller], periods_[callee]))
      return false;
    std::uint64_t inside = 0;
    const std::vector<CodeId>& others = items_[caller]->code;
    for (const CodeId id : items_[callee]->code) {
      if (!std::ranges::binary_search(others, id))
        continue;
      const SampleWeights::Code& each = weights_.codes()[id];
      const auto& calls = code_.stacks[each.stack].functions; // innermost first
      if (std::ranges::find(calls, ids_[callee]) < std::ranges::find(calls, ids_[caller]))
        inside += each.periods;
    }
    return is_most_of(inside, periods_[caller]) && is_most_of(inside, periods_[callee]);
  }

  const SampledCode& code_;
  const SampleWeights& weights_;
  std::vector<FunctionId> ids_;
  std::vector<const Item*> items_;
  std::vector<std::uint64_t> periods_; // of each
};

const char* kind_name(FunctionKind kind) {
  static constexpr const char* kNames[] = {"function", "stripped", "unknown", "onetbb", "profiler"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string short_name(const SampledFunction& function) {
  return function.kind == FunctionKind::Known && !FunctionRow::is_place(function.name)
             ? plain_name(function.name)
             : function.name;
}

// One more than the number of rows that certainly have more.
template <typename Row>
void set_ranks(std::vector<Row>& rows) {
  constexpr std::size_t kMostCompared = 1000;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t above = 0; above < std::min(i, kMostCompared); ++above)
      rows[i].rank += certainly_exceeds(rows[above].critical_work, rows[i].critical_work) ? 1 : 0;
}

// Three factors: the smallest, one near 8, the largest.
std::vector<std::uint64_t> few_of(std::vector<std::uint64_t> factors) {
  std::ranges::sort(factors);
  const auto above = std::ranges::upper_bound(factors, std::uint64_t{8});
  const std::set<std::uint64_t> few{factors.front(),
                                    above == factors.begin() ? factors.front() : *std::prev(above),
                                    factors.back()};
  return {few.begin(), few.end()};
}

// What-ifs of many items in as few readings as possible.
class WhatIfs {
public:
  explicit WhatIfs(std::vector<std::uint64_t> factors) : factors_(std::move(factors)) {}
  void ask(StepSet set, std::vector<WhatIfPoint>& answer) {
    plan_.add(std::move(set), factors_);
    answers_.push_back(&answer);
  }
  void evaluate(const Measured& measured, const TraceReadings& readings,
                const ProfileOptions& options) {
    if (answers_.empty())
      return;
    const auto lengths = readings.evaluate(plan_);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const Scenario& scenario = plan_.scenarios[i];
      answers_[scenario.set]->push_back(
          with_speedups(measured.work(), {scenario.factor, {lengths[i].work, lengths[i].span}, {}},
                        options.procs));
    }
  }

private:
  std::vector<std::uint64_t> factors_;
  WhatIfPlan plan_;
  std::vector<std::vector<WhatIfPoint>*> answers_;
};

SampledWaiting waiting_loops(const Collector& collector, const SampledCode& code,
                             const Measured& measured) {
  SampledWaiting result;
  for (const auto& [loop, item] : collector.waiting) {
    const SampledWork work = collector.work_of(item), critical = collector.critical_work_of(item);
    if (!loop) {
      result.work = work;
      result.critical_work = critical;
      continue;
    }
    const SampledLine& line = code.lines[*loop];
    result.rows.push_back({.function = short_name(code.functions[line.function]),
                           .file = line.file,
                           .line = line.line,
                           .samples = item.samples,
                           .work = work,
                           .critical_work = critical});
  }
  std::ranges::sort(result.rows, {}, [](const WaitingLoopRow& row) {
    return std::tuple(~row.work.work, row.file, row.line, row.function);
  });
  decide_if_it_matters(result, measured);
  return result;
}

} // namespace

FoundFunctions sampled_functions(const Measured& measured, const SampleFile& file,
                                 const SampledCode& code, const SampleWeights& weights,
                                 const TraceReadings& readings, const ProfileOptions& options) {
  const DagFold::Results divided = readings.read({}, {.composition = true, .code = true}).fold;
  Collector collector(measured, code, weights, divided, file.method != "timer");
  collector.run();

  SampledFunctions result{.method = file.method,
                          .call_graph = file.call_graph,
                          .rate = file.rate,
                          .samples = file.samples.size(),
                          .filed = measured.fold.filed_samples,
                          .in_waits = measured.fold.samples_in_waits,
                          .outside = file.samples.size() - measured.fold.filed_samples -
                                     measured.fold.samples_in_waits,
                          .cut = collector.cut,
                          .lost = file.lost,
                          .damage = file.damage,
                          .reason = {},
                          .command = {},
                          .not_sampled_work = collector.not_sampled_work,
                          .not_sampled_critical_work = collector.not_sampled_critical_work};
  if (measured.info.end && measured.info.end->sampling) {
    result.reason = measured.info.end->sampling->reason;
    result.command = measured.info.end->sampling->command;
    result.system_ns = measured.info.end->sampling->system_ns;
    result.in_kernel = measured.info.end->sampling->in_kernel;
    result.sparse_ns = measured.info.end->sampling->sparse_ns;
    result.unsampled_threads = measured.info.end->sampling->unsampled_threads;
    result.cpu_ns = measured.info.end->cpu_ns;
  }
  const double hz = measured.run().same_as_time ? measured.read.time_hz
                                                : static_cast<double>(measured.run().work.hz);
  const std::uint64_t sampled_work = measured.work() - collector.not_sampled_work;
  if (hz > 0 && sampled_work > 0)
    result.measured_rate =
        static_cast<double>(result.filed) * hz / static_cast<double>(sampled_work);

  struct Found {
    FunctionRow row;
    std::pair<const Item*, const Item*> items;
    FunctionId id;
  };
  std::vector<Found> functions;
  const std::uint64_t work = measured.work(), span = measured.span();
  for (const auto& [id, item] : collector.functions) {
    const SampledFunction& function = code.functions[id];
    FunctionRow row{.name = function.name,
                    .short_name = short_name(function),
                    .file = function.file,
                    .line = function.line,
                    .module = function.module,
                    .of_library = function.of_library,
                    .kind = kind_name(function.kind),
                    .samples = item.samples,
                    .work = collector.work_of(item, collector.cut_work),
                    .critical_work = collector.critical_work_of(item, collector.cut_critical_work)};
    row.is_everywhere = is_everywhere(item, weights, work);
    const auto self = collector.selves.find(id);
    if (self != collector.selves.end()) {
      row.self_samples = self->second.samples;
      row.self_work = collector.work_of(self->second);
      row.self_critical_work = collector.critical_work_of(self->second);
    }
    functions.push_back(
        {std::move(row), {&item, self != collector.selves.end() ? &self->second : nullptr}, id});
  }
  const auto order = [](const auto& row) {
    return std::tuple(~row.critical_work.work, ~row.work.work, row.name);
  };
  std::ranges::sort(functions, {}, [&](const Found& each) {
    return std::tuple(order(each.row), ~each.row.self_critical_work.work, each.row.file,
                      each.row.line, each.row.module);
  });
  std::vector<std::pair<LineRow, const Item*>> lines;
  for (const auto& [place, item] : collector.lines)
    lines.emplace_back(
        LineRow{.file = place.first,
                .line = place.second,
                .function = code.functions[collector.function_of_line.at(place)].name,
                .samples = item.samples,
                .work = collector.work_of(item),
                .critical_work = collector.critical_work_of(item)},
        &item);
  std::ranges::sort(lines, {}, [&](const auto& each) {
    return std::tuple(~each.first.critical_work.work, ~each.first.work.work, each.first.file,
                      each.first.line);
  });

  WhatIfs what_ifs(few_of(options.factors));
  const auto matters = [&](std::uint64_t critical) {
    return options.explore != Ask::Never && critical > 0 &&
           critical >= span / (100 / kLeastExploredPercent);
  };
  for (std::size_t i = 0; i < std::min(functions.size(), kMostFunctionWhatIfs); ++i) {
    auto& [row, items, id] = functions[i];
    if (matters(row.critical_work.work))
      what_ifs.ask(items.first->set(weights), row.points);
    if (items.second && matters(row.self_critical_work.work))
      what_ifs.ask(items.second->set(weights), row.self_points);
  }
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLineWhatIfs); ++i)
    if (matters(lines[i].first.critical_work.work))
      what_ifs.ask(lines[i].second->set(weights), lines[i].first.points);
  what_ifs.evaluate(measured, readings, options);

  FoundFunctions found;
  for (Found& each : functions) {
    found.rows.grown_to(each.id) = static_cast<std::uint32_t>(result.functions.size());
    result.functions.push_back(std::move(each.row));
    found.code.push_back(each.items.first->set(weights));
    found.stacks.push_back(each.items.first->code);
  }
  for (auto& each : lines)
    result.lines.push_back(std::move(each.first));
  Passing passing(code, weights);
  for (std::size_t i = 0; i < std::min(functions.size(), kMostFunctionWhatIfs); ++i)
    passing.add(functions[i].id, *functions[i].items.first);
  for (std::uint32_t i = 0; i < std::min(functions.size(), kMostFunctionWhatIfs); ++i)
    result.functions[i].passes_to = passing.callee_of(i, result.functions);
  set_ranks(result.functions);
  set_ranks(result.lines);
  result.waiting = waiting_loops(collector, code, measured);
  found.functions = std::move(result);
  return found;
}

namespace {

// Samples of some classes, by the functions that they met: the periods that they count for.
class SamplesOfClasses {
public:
  struct Counts {
    std::uint64_t inside = 0, all = 0; // of these classes, and of all
  };
  SamplesOfClasses(const FoundFunctions& found, const SampleWeights& weights,
                   std::span<const StepClassId> classes)
      : found_(found), weights_(weights), classes_(classes) {
    for (const StepClassId of : classes) {
      samples_ += weights.samples_of(of);
      all_ += weights.periods_of(of);
    }
  }
  std::uint64_t samples() const { return samples_; }
  std::uint64_t all() const { return all_; }
  // Of what names a part of the program: nothing else is counted.
  std::optional<Counts> of(std::size_t row) const {
    const FunctionRow& function = found_.functions.functions[row];
    if (!function.is_candidate() || function.is_lambda())
      return std::nullopt;
    Counts counts;
    for (const CodeId id : found_.stacks[row]) {
      counts.all += periods(id);
      counts.inside += is_inside(id) ? periods(id) : 0;
    }
    return counts;
  }
  // Where samples of these classes met it.
  std::vector<CodeId> stacks_of(std::size_t row) const {
    std::vector<CodeId> stacks;
    std::ranges::copy_if(found_.stacks[row], std::back_inserter(stacks),
                         [&](CodeId id) { return is_inside(id) && periods(id) > 0; });
    return stacks;
  }

private:
  std::uint64_t periods(CodeId id) const { return weights_.codes()[id].periods; }
  bool is_inside(CodeId id) const {
    return std::ranges::find(classes_, weights_.codes()[id].of) != classes_.end();
  }
  const FoundFunctions& found_;
  const SampleWeights& weights_;
  const std::span<const StepClassId> classes_;
  std::uint64_t samples_ = 0, all_ = 0;
};

const FunctionRow* one_main_function(const FoundFunctions& found, const SamplesOfClasses& samples) {
  const auto most = [&](std::size_t row) {
    const auto counts = samples.of(row);
    return counts && counts->inside * 5 >= samples.all() * 4 ? counts : std::nullopt;
  };
  const FunctionRow* best = nullptr;
  std::uint64_t best_inside = 0, best_total = 1;
  for (std::size_t i = 0; i < found.stacks.size(); ++i) {
    const auto counted = most(i);
    const FunctionRow& row = found.functions.functions[i];
    // The one that it calls is another row.
    if (!counted || (row.passes_to && most(*row.passes_to)))
      continue;
    const auto [inside, total] = *counted;
    const Wide here = Wide{inside} * best_total, there = Wide{best_inside} * total;
    if (!best || here > there || (here == there && inside > best_inside)) {
      best = &row;
      best_inside = inside;
      best_total = total;
    }
  }
  return best;
}

} // namespace

std::vector<const FunctionRow*> main_functions(const FoundFunctions& found,
                                               const SampleWeights& weights,
                                               std::span<const StepClassId> classes) {
  constexpr std::uint64_t kLeastSamples = 30;
  constexpr std::size_t kMost = 3;
  const SamplesOfClasses samples(found, weights, classes);
  if (samples.samples() < kLeastSamples)
    return {};
  if (const FunctionRow* const one = one_main_function(found, samples))
    return {one};
  std::vector<std::pair<std::uint64_t, std::size_t>> by_samples; // their periods, with rows
  for (std::size_t i = 0; i < found.stacks.size(); ++i)
    if (const auto counts = samples.of(i);
        counts && counts->inside * 10 >= samples.all() && !found.functions.functions[i].passes_to)
      by_samples.emplace_back(counts->inside, i);
  std::ranges::stable_sort(by_samples, std::ranges::greater(),
                           &std::pair<std::uint64_t, std::size_t>::first);
  std::vector<const FunctionRow*> chosen;
  std::vector<CodeId> covered; // ascending
  std::uint64_t sum = 0;
  for (const auto& [inside, row] : by_samples) {
    const std::vector<CodeId> stacks = samples.stacks_of(row);
    std::vector<CodeId> both;
    std::ranges::set_intersection(stacks, covered, std::back_inserter(both));
    if (!both.empty())
      continue;
    std::vector<CodeId> merged;
    std::ranges::merge(stacks, covered, std::back_inserter(merged));
    covered = std::move(merged);
    chosen.push_back(&found.functions.functions[row]);
    sum += inside;
    if (sum * 5 >= samples.all() * 4)
      return chosen;
    if (chosen.size() == kMost)
      break;
  }
  return {};
}

void divide_contexts(const FoundFunctions& found, const SampledCode& code,
                     const IdVector<StepClassId, ClassSamples>& of_contexts,
                     std::vector<ContextRow>& contexts) {
  for (std::uint32_t i = 0; i < contexts.size(); ++i) {
    ContextRow& context = contexts[i];
    if (!of_contexts.contains(static_cast<StepClassId>(i)))
      continue;
    const ClassSamples& samples = of_contexts[static_cast<StepClassId>(i)];
    std::map<std::uint32_t, std::pair<std::uint64_t, StackId>> paths;
    for (const StackCount& each : samples.stacks) {
      auto& [count, stack] = paths[code.stacks[each.stack].path];
      count += each.periods;
      stack = each.stack;
    }
    std::uint64_t before = 0;
    for (const auto& [path, counted] : paths) {
      const std::uint64_t after = before + counted.first;
      // Rounded so that all parts add up.
      const auto part = [&](std::uint64_t whole) {
        return static_cast<std::uint64_t>(Wide{whole} * after / samples.periods -
                                          Wide{whole} * before / samples.periods);
      };
      ContextCode each{{}, part(context.work), part(context.critical_work)};
      before = after;
      const auto& functions = code.stacks[counted.second].functions;
      for (auto function = functions.rbegin(); function != functions.rend(); ++function)
        if (found.rows.contains(*function))
          each.functions.push_back(found.rows[*function]);
      context.code.push_back(std::move(each));
    }
  }
}

} // namespace tp::analysis
