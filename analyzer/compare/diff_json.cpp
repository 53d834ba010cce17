// SPDX-License-Identifier: Apache-2.0
// The JSON of tp-diff.
#include "compare/diff_writers.h"

#include <nlohmann/json.hpp>

namespace tp::analysis {
namespace {

using Json = nlohmann::ordered_json;

Json number(const std::optional<Measured>& measured) {
  if (!measured)
    return nullptr;
  if (!measured->percent && measured->value.denominator == 1)
    return measured->value.numerator;
  return static_cast<double>(measured->number());
}

// Changes of shares are in percentage points; infinite changes are null.
Json change_json(const Change& change) {
  Json json = {{"base", number(change.base)}, {"new", number(change.now)}};
  const auto amount = amount_of(change, true);
  const bool points = change.now && change.now->percent;
  json[points ? "change_points" : "change_percent"] =
      amount ? Json(static_cast<double>(*amount)) : Json(nullptr);
  return json;
}

Json site_json(const Comparison& comparison, const SitePair& pair) {
  static constexpr const char* kMatches[] = {"same_line", "moved", "added", "removed"};
  Json json = {{"file", pair.either().file},
               {"line", pair.either().line},
               {"functions", pair.either().functions},
               {"constructs", pair.either().constructs},
               {"match", kMatches[static_cast<std::size_t>(pair.match)]}};
  json["base_line"] = pair.base ? Json(pair.base->line) : Json(nullptr);
  json["too_short"] = pair.too_short();
  for (const char* const metric :
       {"critical", "share", "parallelism", "chain_parallelism", "longest_chain", "work", "span",
        "exclusive_work", "critical_work", "tasks"})
    json[metric] = change_json(site_change(comparison, pair, metric));
  return json;
}

Json unlike_json(const Comparison& comparison) {
  const SitePair* const pair = unlike_work(comparison);
  if (!pair)
    return nullptr;
  return {{"name", pair->now->name},          {"file", pair->now->file},
          {"line", pair->now->line},          {"base", pair->base->exclusive_work},
          {"new", pair->now->exclusive_work}, {"text", unlike_work_text(comparison)}};
}

} // namespace

bool is_diff_json(std::string_view text) {
  return text.starts_with("{\n \"schema\": \"taskpath.diff/");
}

std::string write_diff_json(const Comparison& comparison, const DiffText& options) {
  Json program = Json::object();
  for (const char* const metric :
       {"work", "span", "parallelism", "divisible_span", "divisible_parallelism",
        "burdened_parallelism", "tasks", "steps", "sites", "attributed", "overhead", "idle",
        "off_cpu", "lock_waits", "elapsed", "wall"})
    program[std::string_view(metric) == "elapsed" ? "elapsed_ns"
            : std::string_view(metric) == "wall"  ? "wall_ns"
                                                  : metric] =
        change_json({measure({"", metric}, *comparison.base, nullptr),
                     measure({"", metric}, *comparison.now, nullptr)});
  Json predicted = Json::array();
  for (const PredictedFigures& each : comparison.now->predicted) {
    Json row = {{"procs", each.procs}};
    for (const char* const metric : {"time", "speedup"})
      row[metric] = change_json({measure({"", metric, each.procs}, *comparison.base, nullptr),
                                 measure({"", metric, each.procs}, *comparison.now, nullptr)});
    predicted.push_back(row);
  }
  Json sites = Json::array();
  for (const SitePair& pair : comparison.sites)
    sites.push_back(site_json(comparison, pair));
  const Json json = {{"schema", "taskpath.diff/1"},
                     {"base",
                      {{"profile", options.base},
                       {"unit", comparison.base->unit},
                       {"complete", comparison.base->complete},
                       {"divisible_is_known", comparison.base->divisible == Divisible::Known}}},
                     {"new",
                      {{"profile", options.now},
                       {"unit", comparison.now->unit},
                       {"complete", comparison.now->complete},
                       {"divisible_is_known", comparison.now->divisible == Divisible::Known}}},
                     {"same_unit", comparison.same_unit},
                     {"program", program},
                     {"predicted", predicted},
                     {"sites", sites},
                     {"advice", diff_advice(comparison)},
                     {"unlike_work", unlike_json(comparison)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace tp::analysis
