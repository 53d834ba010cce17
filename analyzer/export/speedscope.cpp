// SPDX-License-Identifier: Apache-2.0
// speedscope's file format: stacks with weights, as "sampled" profiles. A weight is the sum of a
// context; the order of the stacks is the order of the contexts, not an order in time.
#include "export/export.h"
#include "export/frames.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace tp::analysis {
namespace {

using Json = nlohmann::ordered_json;

Json frame_json(const Profile& profile, std::uint32_t site) {
  Json frame = {{"name", frame_name(profile, site)}};
  if (site == kNoSite || profile.sites[site].info.line == 0)
    return frame;
  frame["file"] = clean(profile.sites[site].info.file);
  frame["line"] = profile.sites[site].info.line;
  return frame;
}

Json profile_json(const Profile& profile, const std::string& name, const std::string& unit,
                  std::uint64_t ContextRow::* metric,
                  std::uint64_t ContextCode::* of_code = nullptr) {
  // Functions follow these. Frames are the sites in their order, followed by one for further contexts.
  const auto frame_of = [&](std::uint32_t context) {
    return std::min<std::size_t>(profile.contexts[context].site, profile.sites.size());
  };
  Json samples = Json::array(), weights = Json::array();
  std::uint64_t sum = 0;
  for (std::uint32_t id = 0; id < profile.contexts.size(); ++id) {
    std::uint64_t value = profile.contexts[id].*metric;
    if (value == 0)
      continue;
    sum += value;
    Json stack = Json::array();
    for (const std::uint32_t context : frames_of(profile, id))
      stack.push_back(frame_of(context));
    for (const ContextCode& code : profile.contexts[id].code) {
      if (of_code == nullptr || code.*of_code == 0)
        continue;
      Json calls = stack;
      for (const std::uint32_t function : code.functions)
        calls.push_back(profile.sites.size() + 1 + function);
      samples.push_back(std::move(calls));
      weights.push_back(code.*of_code);
      value -= code.*of_code;
    }
    if (value == 0)
      continue;
    samples.push_back(std::move(stack));
    weights.push_back(value);
  }
  return {{"type", "sampled"},
          {"name", name},
          {"unit", unit},
          {"startValue", 0},
          {"endValue", sum},
          {"samples", std::move(samples)},
          {"weights", std::move(weights)}};
}

} // namespace

bool is_speedscope(std::string_view text) {
  return text.starts_with('{') &&
         text.substr(0, 200).find("\"exporter\": \"taskpath\"") != text.npos;
}

std::string write_speedscope(const Profile& profile) {
  // The name contains units other than time, because speedscope does not know them.
  const std::string unit = unit_name(profile);
  const std::string known = unit == "nanoseconds" ? unit : "none";
  Json frames = Json::array();
  for (std::uint32_t site = 0; site < profile.sites.size(); ++site)
    frames.push_back(frame_json(profile, site));
  frames.push_back(frame_json(profile, kNoSite));
  if (profile.functions)
    for (std::uint32_t i = 0; i < profile.functions->functions.size(); ++i) {
      const FunctionRow& row = profile.functions->functions[i];
      frames.push_back({{"name", function_frame_name(profile, i)}});
      if (!row.file.empty() && row.line > 0) {
        frames.back()["file"] = clean(row.file);
        frames.back()["line"] = row.line;
      }
    }
  const Json json = {
      {"$schema", "https://www.speedscope.app/file-format-schema.json"},
      {"exporter", "taskpath"},
      {"name", clean(profile.run.program)},
      {"activeProfileIndex", 0},
      {"shared", {{"frames", frames}}},
      {"profiles",
       {profile_json(profile, "work in " + unit, known, &ContextRow::work, &ContextCode::work),
        profile_json(profile, "critical work in " + unit, known, &ContextRow::critical_work,
                     &ContextCode::critical_work),
        profile_json(profile, "tasks", "none", &ContextRow::tasks)}}};
  return json.dump(1) + '\n';
}

} // namespace tp::analysis
