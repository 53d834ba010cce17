// From a Profile, and from its JSON.
#include "compare/figures.h"

#include "base/problem.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace tp::analysis {
namespace {

using Json = nlohmann::json;
constexpr const char* kHint = "tp-analyze --json FILE writes one";

// Fields of an object, checked; `path` is where it stands, for messages.
class Fields {
public:
  Fields(const Json& json, const std::string& file, const std::string& path)
      : json_(json), file_(file), path_(path) {
    if (!json.is_object())
      wrong("an object", json);
  }
  std::uint64_t integer(const char* name) const {
    const Json& value = field(name);
    if (!value.is_number_unsigned())
      wrong(name, "an integer of at least 0", value);
    return value.get<std::uint64_t>();
  }
  std::uint32_t line() const {
    const std::uint64_t value = integer("line");
    if (value > std::numeric_limits<std::uint32_t>::max())
      wrong("line", "a number of a line", field("line"));
    return static_cast<std::uint32_t>(value);
  }
  std::string string(const char* name) const {
    const Json& value = field(name);
    if (!value.is_string())
      wrong(name, "a string", value);
    return value.get<std::string>();
  }
  bool boolean(const char* name) const {
    const Json& value = field(name);
    if (!value.is_boolean())
      wrong(name, "true or false", value);
    return value.get<bool>();
  }
  std::vector<std::string> strings(const char* name) const {
    std::vector<std::string> values;
    for (const Json& value : array(name)) {
      if (!value.is_string())
        wrong(name, "strings", value);
      values.push_back(value.get<std::string>());
    }
    return values;
  }
  const Json& array(const char* name) const {
    const Json& value = field(name);
    if (!value.is_array())
      wrong(name, "an array", value);
    return value;
  }
  Fields object(const char* name) const { return {field(name), file_, path_ + name + "."}; }
  bool has(const char* name) const { return json_.contains(name); }
  [[noreturn]] void fail_without_name() const {
    fail(Problem::BadField, {file_}, fmt::format("a name in {}name", path_), "an empty one", kHint);
  }

private:
  const Json& field(const char* name) const {
    const auto found = json_.find(name);
    if (found == json_.end())
      fail(Problem::BadField, {file_}, path_ + name, "none", kHint);
    return *found;
  }
  [[noreturn]] void wrong(const char* name, const std::string& expected, const Json& value) const {
    fail(Problem::BadField, {file_}, fmt::format("{} in {}{}", expected, path_, name),
         value.type_name(), kHint);
  }
  [[noreturn]] void wrong(const std::string& expected, const Json& value) const {
    wrong("", expected, value);
  }

  const Json& json_;
  const std::string& file_;
  const std::string path_;
};

SiteFigures site_of_json(const Fields& json) {
  SiteFigures site;
  site.file = json.string("file");
  site.line = json.line();
  site.name = site.line == 0 ? site.file : fmt::format("{}:{}", site.file, site.line);
  if (json.has("name")) // profiles of version 0.1 have none
    site.name = json.string("name");
  if (site.name.empty())
    json.fail_without_name();
  site.functions = json.strings("functions");
  site.constructs = json.strings("constructs");
  site.work = json.integer("work");
  site.span = json.integer("span");
  site.exclusive_work = json.integer("exclusive_work");
  site.critical_work = json.integer("critical_work");
  site.tasks = json.integer("invocations");
  site.too_short = json.has("too_short") && json.boolean("too_short");
  return site;
}

// Profiles of version 0.1 need not say whether it is known, nor why not.
Divisible divisible_of_json(const Fields& json) {
  if (!json.has("divisible_is_known") || json.boolean("divisible_is_known"))
    return Divisible::Known;
  return json.has("divisible_not_known_because") &&
                 json.string("divisible_not_known_because") ==
                     kDivisibleNames[static_cast<std::size_t>(Divisible::OfThisSchedule)]
             ? Divisible::OfThisSchedule
             : Divisible::NotRecompiled;
}

Json parse(const std::string& text, const std::string& file) {
  Json json = Json::parse(text, nullptr, false);
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
                  .burdened_span = profile.burdened_span_tbb,
                  .divisible = profile.divisible,
                  .tasks = profile.read.begun,
                  .steps = profile.read.steps,
                  .attributed = {},
                  .sites = {}};
  if (profile.attribution.basis != AttributionBasis::None)
    figures.attributed = {profile.attribution.attributed, profile.attribution.total};
  for (const SiteRow& row : profile.sites)
    figures.sites.push_back({.name = row.info.name,
                             .file = row.info.file,
                             .line = row.info.line,
                             .functions = row.info.functions,
                             .constructs = row.info.constructs,
                             .work = row.work,
                             .span = row.span,
                             .exclusive_work = row.exclusive_work,
                             .critical_work = row.critical_work,
                             .tasks = row.invocations,
                             .too_short = row.too_short});
  return figures;
}

Figures read_figures(const std::string& text, const std::string& file) {
  const Json json = parse(text, file);
  const Fields fields(json, file, "");
  const Fields clock = fields.object("clock"), trace = fields.object("trace");
  Figures figures{.unit = fmt::format("{} ({})", fields.string("unit"), clock.string("clock")),
                  .complete = fields.boolean("complete"),
                  .lost = {},
                  .work = fields.integer("work"),
                  .span = fields.integer("span"),
                  .divisible_span = fields.integer("divisible_span"),
                  .burdened_span =
                      fields.object("scalability").object("burdened_tbb").integer("span"),
                  .divisible = divisible_of_json(fields),
                  .tasks = trace.integer("tasks_begun"),
                  .steps = trace.integer("steps"),
                  .attributed = {},
                  .sites = {}};
  if (fields.has("records_lost") && fields.boolean("records_lost")) {
    const auto reasons = fields.strings("incomplete_reasons");
    figures.lost = reasons.empty() ? "records are lost" : reasons.front();
  }
  if (const Fields attribution = fields.object("attribution"); attribution.has("total"))
    figures.attributed = {attribution.integer("attributed"), attribution.integer("total")};
  for (const Json& site : fields.array("sites"))
    figures.sites.push_back(site_of_json({site, file, "sites."}));
  if (figures.sites.empty())
    fail(Problem::BadField, {file}, "main among the sites", "no site", kHint);
  return figures;
}

} // namespace tp::analysis
