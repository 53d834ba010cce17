// SPDX-License-Identifier: Apache-2.0
// Reads figures from a Profile, and from its JSON.
#include "compare/figures.h"

#include "base/json_fields.h"
#include "base/problem.h"
#include "base/rounding.h"
#include "report/missing_openmp.h"
#include "report/numbers.h"

#include <fmt/format.h>

#include <algorithm>

#include <limits>
#include <string_view>

namespace tp::analysis {
namespace {

using ReadJson = JsonFields::Json;
constexpr const char* kHint = "tp-analyze --json FILE writes one";

bool is_of_unseen_order(std::string_view warning) {
  return warning == "unseen_order";
}

bool is_of_missing_openmp(std::string_view warning) {
  return warning == kOpenMpNotRecorded;
}

std::uint32_t line_of(const JsonFields& site) {
  const std::uint64_t line = site.number("line");
  if (line > std::numeric_limits<std::uint32_t>::max())
    site.wrong("line", "a number of a line", line);
  return static_cast<std::uint32_t>(line);
}

SiteFigures site_of_json(const JsonFields& json) {
  SiteFigures site;
  site.file = json.text("file");
  site.line = line_of(json);
  site.name = site.line == 0 ? site.file : fmt::format("{}:{}", site.file, site.line);
  if (json.has("name")) // profiles of version 0.1 have none
    site.name = json.text("name");
  if (site.name.empty())
    fail(Problem::BadField, json.file().place, fmt::format("a name in {}name", json.path()),
         "an empty one", kHint);
  site.functions = json.texts("functions");
  site.constructs = json.texts("constructs");
  if (json.has("wrapper") && !json.is_null("wrapper")) { // added within /1
    const JsonFields wrapper = json.object("wrapper");
    site.wrapper = {wrapper.text("file"), line_of(wrapper)};
  }
  if (json.has("filter")) { // added within /1, as are the pipelines
    site.filter = json.number32("filter");
    for (const ReadJson& each : json.array("pipelines")) {
      const JsonFields call{each, json.file(), "sites.pipelines."};
      PipelineCall pipeline{call.text("file"), line_of(call), call.text("function"), {}};
      if (!call.is_null("wrapper")) {
        const JsonFields wrapper = call.object("wrapper");
        pipeline.wrapper = {wrapper.text("file"), line_of(wrapper)};
      }
      site.pipelines.push_back(std::move(pipeline));
    }
  }
  site.work = json.number("work");
  site.span = json.number("span");
  // Added within /1. Profiles without it have the sum of spans instead.
  site.longest_chain = json.number(json.has("longest_chain") ? "longest_chain" : "span");
  site.exclusive_work = json.number("exclusive_work");
  site.critical_work = json.number("critical_work");
  site.tasks = json.number("invocations");
  if (json.has("tasking")) { // added within /1
    const JsonFields tasking = json.object("tasking");
    if (tasking.has("iterations") && !tasking.is_null("iterations"))
      site.iterations = tasking.number("iterations");
    if (tasking.has("modelled_cost"))
      site.overhead = tasking.number("modelled_cost");
  }
  site.too_short = json.has("too_short") && json.flag("too_short");
  return site;
}

// Where no time was predicted, as of a large recording.
void add_overhead_of_sites(Figures& figures) {
  if (figures.overhead.denominator > 0)
    return;
  std::uint64_t overhead = 0;
  for (const SiteFigures& site : figures.sites)
    overhead += site.overhead;
  figures.overhead = {overhead, figures.work + overhead};
}

// Profiles of version 0.1 may lack both whether it is known and why it is not.
Divisible divisible_of_json(const JsonFields& json) {
  if (!json.has("divisible_is_known") || json.flag("divisible_is_known"))
    return Divisible::Known;
  if (json.has("divisible_not_known_because")) {
    const std::string why = json.text("divisible_not_known_because");
    for (const Divisible each :
         {Divisible::OfThisSchedule, Divisible::HiddenLoops, Divisible::NotRecorded})
      if (why == kDivisibleNames[static_cast<std::size_t>(each)])
        return each;
  }
  return Divisible::NotRecompiled;
}

// Profiles of version 0.1 lack it; the span of the run is one.
std::uint64_t divisible_span_at_most(const JsonFields& json) {
  return json.has("divisible_span_at_most")
             ? json.number("divisible_span_at_most")
             : std::max(json.number("divisible_span"), json.number("span"));
}

ReadJson parse(const std::string& text, const std::string& file) {
  ReadJson json = ReadJson::parse(text, nullptr, false);
  if (json.is_discarded())
    fail(Problem::BadJson, {file}, "JSON", "something else", kHint);
  const auto schema = json.is_object() ? json.find("schema") : json.end();
  if (!json.is_object() || schema == json.end() || *schema != "taskpath.profile/1")
    fail(Problem::UnknownSchema, {file}, "taskpath.profile/1",
         json.is_object() && schema != json.end() && schema->is_string()
             ? schema->get<std::string>()
             : "none",
         kHint);
  return json;
}

} // namespace

Figures figures_of(const Profile& profile) {
  Figures figures{.unit = fmt::format("{} ({})", profile.run.work.unit, profile.run.work.name),
                  .complete = profile.read.complete,
                  .lost = profile.read.lost ? profile.read.incomplete_reasons.front() : "",
                  .work = profile.work,
                  .span = profile.span,
                  .divisible_span = profile.divisible_span,
                  .divisible_span_at_most = profile.divisible_span_at_most,
                  .burdened_span = profile.burdened_span_tbb,
                  .span_with_locks = profile.parallelism_with_locks().denominator,
                  .divisible = profile.divisible,
                  .span_is_exact =
                      std::ranges::none_of(profile.warnings, is_of_unseen_order, &Warning::name),
                  .openmp_is_missing =
                      std::ranges::any_of(profile.warnings, is_of_missing_openmp, &Warning::name),
                  .tasks = profile.read.begun,
                  .steps = profile.read.steps,
                  .predicted_work = profile.prediction.serial};
  if (profile.attribution.basis != AttributionBasis::None)
    figures.attributed = {profile.attribution.attributed, profile.attribution.total};
  const TimeBalance& balance = profile.balance;
  const std::uint64_t whole = balance.threads * balance.elapsed;
  figures.off_cpu = {balance.descheduled, whole};
  figures.lock_waits = {balance.lock_waits, whole};
  figures.idle = {balance.idle, whole};
  figures.wall_ns = run_ns(profile);
  const double time_hz = profile.read.time_hz;
  figures.elapsed_ns = to_ns(balance.elapsed, time_hz);
  figures.clock = profile.run.work;
  figures.hz = profile.run.same_as_time ? time_hz : static_cast<double>(profile.run.work.hz);
  figures.overhead = {profile.prediction.overhead,
                      profile.prediction.serial + profile.prediction.overhead};
  for (const PredictedRun& run : profile.prediction.runs)
    figures.predicted.push_back({run.procs, run.time});
  for (const SiteRow& row : profile.sites)
    figures.sites.push_back({.name = row.info.name,
                             .file = row.info.file,
                             .line = row.info.line,
                             .functions = row.info.functions,
                             .constructs = row.info.constructs,
                             .wrapper = row.info.wrapper,
                             .filter = row.info.filter,
                             .pipelines = row.info.pipelines,
                             .work = row.work,
                             .span = row.span,
                             .longest_chain = row.longest_chain,
                             .overhead = row.overhead.cost,
                             .exclusive_work = row.exclusive_work,
                             .critical_work = row.critical_work,
                             .tasks = row.invocations,
                             .iterations = row.loops.all_iterations().value_or(0),
                             .too_short = row.too_short});
  add_overhead_of_sites(figures);
  return figures;
}

Figures read_figures(const std::string& text, const std::string& file) {
  const JsonFile source{{file}, FieldErrors::PathAndType, kHint};
  const ReadJson json = parse(text, file);
  const JsonFields fields(json, source);
  const JsonFields clock = fields.object("clock"), trace = fields.object("trace");
  Figures figures{
      .unit = fmt::format("{} ({})", fields.text("unit"), clock.text("clock")),
      .complete = fields.flag("complete"),
      .lost = {},
      .work = fields.number("work"),
      .span = fields.number("span"),
      .divisible_span = fields.number("divisible_span"),
      .divisible_span_at_most = divisible_span_at_most(fields),
      .burdened_span = fields.object("scalability").object("burdened_tbb").number("span"),
      .span_with_locks =
          fields.number(fields.has("span_with_locks") ? "span_with_locks" : "span"), // added in /1
      .divisible = divisible_of_json(fields),
      .span_is_exact =
          std::ranges::none_of(fields.array_or_empty("warnings"), is_of_unseen_order,
                               [](const ReadJson& warning) { return warning.value("name", ""); }),
      .openmp_is_missing =
          std::ranges::any_of(fields.array_or_empty("warnings"), is_of_missing_openmp,
                              [](const ReadJson& warning) { return warning.value("name", ""); }),
      .tasks = trace.number("tasks_begun"),
      .steps = trace.number("steps")};
  if (fields.has("prediction")) {
    const JsonFields prediction = fields.object("prediction");
    figures.predicted_work = prediction.number("work");
    figures.overhead = {prediction.number("overhead"),
                        figures.predicted_work + prediction.number("overhead")};
    for (const ReadJson& run : prediction.array("runs")) {
      const JsonFields of_run{run, source, "prediction.runs."};
      figures.predicted.push_back({of_run.number("procs"), of_run.number("time")});
    }
  }
  if (fields.has("time_balance")) {
    const JsonFields balance = fields.object("time_balance");
    const std::uint64_t whole = balance.number("threads") * balance.number("elapsed_ticks");
    figures.off_cpu = {balance.number("of_them_descheduled_ticks"), whole};
    if (balance.has("of_them_lock_waits_ticks")) // added within /1
      figures.lock_waits = {balance.number("of_them_lock_waits_ticks"), whole};
    figures.idle = {balance.number("idle_ticks"), whole};
    const double time_hz = clock.decimal("time_hz", 0);
    figures.elapsed_ns = to_ns(balance.number("elapsed_ticks"), time_hz);
    figures.wall_ns = figures.elapsed_ns;
    const JsonFields run = fields.object("run");
    const bool is_whole = !fields.has("from") || fields.text("from") == "start"; // added within /1
    if (figures.wall_ns > 0 && is_whole && run.has("wall_ns"))
      figures.wall_ns = std::max(figures.wall_ns, run.number("wall_ns"));
    figures.clock = {clock.text("clock"), fields.text("unit"),
                     clock.has("hz") ? clock.number("hz") : 0};
    // Ticks are those of the clock of time.
    figures.hz = figures.clock.hz == 0           ? 0
                 : figures.clock.unit == "ticks" ? time_hz
                                                 : static_cast<double>(figures.clock.hz);
  }
  if (fields.has("records_lost") && fields.flag("records_lost")) {
    const auto reasons = fields.texts("incomplete_reasons");
    figures.lost = reasons.empty() ? "records are lost" : reasons.front();
  }
  if (const JsonFields attribution = fields.object("attribution"); attribution.has("total"))
    figures.attributed = {attribution.number("attributed"), attribution.number("total")};
  for (const ReadJson& site : fields.array("sites"))
    figures.sites.push_back(site_of_json({site, source, "sites."}));
  if (figures.sites.empty())
    fail(Problem::BadField, {file}, "main among the sites", "no site", kHint);
  add_overhead_of_sites(figures);
  return figures;
}

} // namespace tp::analysis
