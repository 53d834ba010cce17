// SPDX-License-Identifier: Apache-2.0
// A candidate is all code of one name (code_names.h), or all tasks of a site. Its shape follows from
// what its site is, how many of its tasks the critical path goes through, and for loops from what
// a smaller grain size would do.
//
// How much a remedy saves on P CPUs is the difference of two simulations of this run. In the second
// one the code takes a P-th of its time, as if it were divided among the CPUs, and the rest of its
// work fits in where CPUs were idle: so the remedy saves no more than that. For tiny tasks it is
// their overhead that becomes less; for an imbalance the time is at least that of the loop with the
// grain size 1. Without a simulation the times are Brent's bounds: T1/P + Tinf (1 - 1/P) now, and
// max(T1/P, Tinf) then.
#include "profile/findings.h"

#include "model/speedup_bounds.h"
#include "profile/code_names.h"
#include "profile/prediction.h"
#include "profile/tasking_overhead.h"
#include "sites/constructs.h"

#include <algorithm>
#include <map>

namespace tp::analysis {
namespace {

// Code with less of the critical path is left out.
constexpr std::uint64_t kLeastCriticalPercent = 5;
constexpr std::size_t kMost = 5; // each takes a reading and a simulation
// Tasks are tiny if overhead is this share of them, and matters to the program.
constexpr std::uint64_t kTinyPercent = 20, kLeastOverheadPercent = 5;
// Code is off its CPU if it is so for this share of its time, and that is a share of all threads'
// time.
constexpr std::uint64_t kOffCpuPercent = 50, kLeastOffCpuPercent = 10;
// At most so many tasks are few.
constexpr std::uint64_t kFewTasks = 4;

bool is_at_least(Wide part, std::uint64_t percent, Wide whole) {
  return part * 100 >= whole * percent;
}

// All steps with one name.
struct Code {
  Finding finding;
  StepSet steps;
  std::uint64_t length = 0; // ticks
  bool is_body = false;
};

class Finder {
public:
  Finder(const Measured& measured, const std::vector<SiteRow>& sites,
         const std::vector<WhatIfCandidate>& advised_grains, const Prediction& prediction,
         bool may_read, const TraceReadings& readings, const ProfileOptions& options)
      : measured_(measured), sites_(sites), advised_grains_(advised_grains),
        prediction_(prediction), may_read_(may_read), readings_(readings),
        procs_(std::ranges::max(options.procs)) {
    const auto run = std::ranges::find(prediction.runs, procs_, &PredictedRun::procs);
    // Without a simulation: what greedy schedules need at most.
    time_ = run != prediction.runs.end()
                ? run->time
                : measured.work() / procs_ + measured.span() - measured.span() / procs_;
  }
  std::vector<Finding> find();

private:
  std::vector<Code> codes_by_name() const;
  Shape shape_of(const Code& code) const;
  void add_savings(std::vector<Code>& codes) const;
  void try_smaller_grains(std::vector<Code>& codes) const;
  void add_tiny_tasks(std::vector<Finding>& findings) const;
  void add_off_cpu(std::vector<Finding>& findings, const std::vector<Code>& codes) const;
  const SiteRow& site_of(Row row) const { return *std::ranges::find(sites_, row, &SiteRow::row); }
  bool is_simulated() const {
    return std::ranges::find(prediction_.runs, procs_, &PredictedRun::procs) !=
           prediction_.runs.end();
  }
  std::uint64_t least_time(std::uint64_t span) const {
    return std::max(measured_.work() / procs_, span);
  }

  const Measured& measured_;
  const std::vector<SiteRow>& sites_;
  const std::vector<WhatIfCandidate>& advised_grains_;
  const Prediction& prediction_;
  const bool may_read_;
  const TraceReadings& readings_;
  const std::uint64_t procs_;
  std::uint64_t time_;
};

SourcePlace place_of(const SiteInfo& info) {
  return {info.file, info.line};
}

// Main has no place of its own: that of what comes before the code, else after it.
SourcePlace place_of(const StepClass& of, const SiteTable& table) {
  if (of.row != kMainRow)
    return place_of(table.rows[of.row]);
  return place_of(table.rows[names_row(of.opened) && of.opened.row != kMainRow ? of.opened.row
                                                                               : of.closed.row]);
}

std::vector<Code> Finder::codes_by_name() const {
  const DagFold::Results& fold = measured_.fold;
  std::map<std::pair<Row, std::string>, Code> by_name;
  for (const StepClassId id : ids_below(fold.classes.end_id())) {
    const StepClass& of = fold.classes[id];
    const DagFold::StepTotals& totals = fold.class_totals[id];
    if (totals.work == 0 && (totals.length == 0 || is_program_start(of)))
      continue; // the start may have been left out
    const std::string name = segment_name(of, measured_.table);
    Code& code = by_name[{of.row, name}];
    Finding& finding = code.finding;
    if (code.steps.classes.empty()) {
      finding.code = name;
      finding.row = of.row;
      finding.place = place_of(of, measured_.table);
    }
    if (is_program_start(of))
      finding.shape = Shape::SerialStart;
    code.is_body |= of.opened.kind == BoundaryKind::BodyBegin;
    code.steps.classes.push_back(id);
    code.length += totals.length;
    finding.work += totals.work;
    finding.critical_work += totals.critical_work;
  }
  std::vector<Code> codes;
  for (auto& [name, code] : by_name)
    codes.push_back(std::move(code));
  std::ranges::stable_sort(codes, std::ranges::greater(),
                           [](const Code& code) { return code.finding.critical_work; });
  return codes;
}

Shape Finder::shape_of(const Code& code) const {
  const Finding& finding = code.finding;
  if (finding.row == kMainRow)
    return finding.shape; // of its start or not
  // All of it is on the path, task after task.
  const bool serial =
      finding.critical_tasks > 1 && is_at_least(finding.critical_work, 90, finding.work);
  const SiteInfo& site = measured_.table.rows[finding.row];
  const std::string_view noun = noun_of(site);
  const bool is_serial_filter =
      site.filter != 0 &&
      std::ranges::find(site.filter_modes, "parallel") == site.filter_modes.end();
  if (serial && noun == kNode)
    return Shape::SerialNode;
  if (is_serial_filter || (serial && noun == kPipeline && site.filter == 0))
    return Shape::SerialFilter;
  if (serial || finding.critical_tasks > kFewTasks)
    return Shape::SerialTasks;
  return Shape::LongTask;
}

void Finder::add_savings(std::vector<Code>& codes) const {
  for (Code& code : codes) {
    Finding& finding = code.finding;
    finding.procs = procs_;
    finding.time = time_;
    // The critical path becomes no shorter than this; another may be longer.
    finding.least_time =
        is_simulated()
            ? predict_with({.divided = code.steps.classes, .factor = procs_}, measured_,
                           prediction_, procs_, readings_)
            : least_time(measured_.span() - finding.critical_work + finding.critical_work / procs_);
  }
  if (may_read_)
    try_smaller_grains(codes);
}

// If smaller body calls save at least half of what dividing the code among the CPUs does, they are
// the remedy.
void Finder::try_smaller_grains(std::vector<Code>& codes) const {
  std::vector<GrainChange> changes;
  std::vector<Code*> loops;
  for (Code& code : codes) {
    const LoopCounts& loop = site_of(code.finding.row).loops;
    if (!code.is_body || !loop.is_flat || loop.iterations <= loop.body_calls)
      continue;
    changes.push_back({code.finding.row, 1});
    loops.push_back(&code);
  }
  const auto found = readings_.try_grains(changes, measured_.known_join_costs());
  for (std::size_t i = 0; i < found.size(); ++i) {
    Finding& finding = loops[i]->finding;
    const std::uint64_t least = std::max(
        finding.least_time, least_time(std::min(found[i].divisible_span, measured_.span())));
    if (finding.time <= least || (finding.time - least) * 2 < finding.saves_at_most())
      continue;
    finding.shape = Shape::Imbalance;
    finding.least_time = least;
  }
}

// Sites whose tasks cost much compared to what they do. How large tasks can be made is known of
// loops with an advised grain size; of others ten times is asked about.
void Finder::add_tiny_tasks(std::vector<Finding>& findings) const {
  for (const SiteRow& site : sites_) {
    const SiteOverhead& overhead = site.overhead;
    if (site.row == kMainRow ||
        !is_at_least(overhead.share.numerator, kTinyPercent, overhead.share.denominator) ||
        !is_at_least(overhead.cost, kLeastOverheadPercent, measured_.work()))
      continue;
    Finding finding{.shape = Shape::TinyTasks,
                    .code = code_of_row(site.row, measured_.table),
                    .place = place_of(site.info),
                    .row = site.row,
                    .work = site.exclusive_work,
                    .critical_work = site.critical_work,
                    .tasks = site.invocations,
                    .procs = procs_,
                    .time = time_};
    const auto grain = std::ranges::find_if(advised_grains_, [&](const WhatIfCandidate& each) {
      return each.place.file == site.info.file && each.place.line == site.info.line;
    });
    Ratio left = {1, 10};
    if (grain != advised_grains_.end() && grain->loop) {
      const Ratio share = grain->loop->overhead; // of overhead and work
      const Wide cost = Wide{overhead.net_work} * share.numerator /
                        std::max<std::uint64_t>(share.denominator - share.numerator, 1);
      left = shortened_ratio(std::min<Wide>(cost, overhead.cost), overhead.cost);
    }
    finding.least_time = is_simulated()
                             ? predict_with({.less_overhead = site.row, .overhead_left = left},
                                            measured_, prediction_, procs_, readings_)
                             : least_time(measured_.span());
    findings.push_back(std::move(finding));
  }
}

// Only of clocks of time: the steps of others say nothing about it.
void Finder::add_off_cpu(std::vector<Finding>& findings, const std::vector<Code>& codes) const {
  if (!measured_.run().same_as_time)
    return;
  for (const Code& code : codes) {
    const std::uint64_t off = code.length - std::min(code.length, code.finding.work);
    if (!is_at_least(off, kOffCpuPercent, code.length) ||
        !is_at_least(off, kLeastOffCpuPercent, measured_.read.thread_time))
      continue;
    Finding finding = code.finding;
    finding.shape = Shape::OffCpu;
    finding.ticks = code.length;
    finding.off_cpu_ticks = off;
    findings.push_back(std::move(finding));
  }
}

std::vector<Finding> Finder::find() {
  std::vector<Code> codes = codes_by_name();
  for (Code& code : codes) {
    const RowTotals& row = measured_.fold.rows[code.finding.row];
    code.finding.tasks = row.on_work.local.count;
    code.finding.critical_tasks = row.on_span.local.count;
    if (code.is_body) {
      code.finding.body_calls = row.loops.body_calls;
      code.finding.iterations = row.loops.iterations;
    }
    if (code.finding.shape != Shape::SerialStart)
      code.finding.shape = shape_of(code);
  }
  std::vector<Finding> findings;
  add_off_cpu(findings, codes);
  std::erase_if(codes, [&](const Code& code) {
    return code.finding.critical_work == 0 ||
           !is_at_least(code.finding.critical_work, kLeastCriticalPercent, measured_.span());
  });
  codes.resize(std::min(codes.size(), kMost));
  if (!codes.empty())
    add_savings(codes);
  for (Code& code : codes)
    findings.push_back(std::move(code.finding));
  add_tiny_tasks(findings);
  std::ranges::stable_sort(findings, std::ranges::greater(), &Finding::saves_at_most);
  return findings;
}

} // namespace

std::vector<Finding> find_problems(const Measured& measured, const std::vector<SiteRow>& sites,
                                   const std::vector<WhatIfCandidate>& advised_grains,
                                   const Prediction& prediction, bool may_read,
                                   const TraceReadings& readings, const ProfileOptions& options) {
  if (measured.work() == 0)
    return {};
  return Finder(measured, sites, advised_grains, prediction, may_read, readings, options).find();
}

} // namespace tp::analysis
