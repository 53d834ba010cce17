// SPDX-License-Identifier: Apache-2.0
// The page. Names and other texts of the profiled program are data: in HTML they are escaped, and in
// JSON every '<' is, so that no text can end its element. Of the program's machine and user, the
// page contains no host name and no directories.
#ifdef TP_PAGE

#include "export/export.h"
#include "export/page.h"
#include "page/page.h"
#include "report/phrases.h"
#include "report/writers.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <vector>

namespace tp::analysis {
namespace {

using Json = nlohmann::ordered_json;

// What a browser shows at once. The rest of the sites is in the other outputs.
constexpr std::size_t kMostSites = 400, kMostTargets = 60;

// ---- Escaping ----

std::string html(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    case '\'':
      escaped += "&#39;";
      break;
    default:
      escaped += c;
    }
  }
  return escaped;
}

// JSON for a script element: neither "</script" nor "<!--" can occur in it, nor a line end of
// Unicode.
std::string script_json(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string escaped;
  escaped.reserve(text.size() + text.size() / 64);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') {
      escaped += "\\u003c";
    } else if (text.compare(i, 2, "\xe2\x80") == 0 && i + 2 < text.size() &&
               (text[i + 2] == '\xa8' || text[i + 2] == '\xa9')) {
      escaped += text[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      escaped += text[i];
    }
  }
  return escaped;
}

// ---- Reading fields that may be absent ----

const Json& at(const Json& json, std::string_view key) {
  static const Json kNothing;
  if (!json.is_object())
    return kNothing;
  const auto field = json.find(key);
  return field == json.end() ? kNothing : *field;
}
const Json& elements(const Json& json) {
  static const Json kNone = Json::array();
  return json.is_array() ? json : kNone;
}
std::string text_of(const Json& json) {
  return json.is_string() ? json.get<std::string>() : std::string();
}
double number_of(const Json& json) {
  return json.is_number() ? json.get<double>() : 0;
}

// A profile may come from a file by others: functions that follow its structure are recursive.
Json parsed(const std::string& text) {
  constexpr int kDeepest = 64;
  return Json::parse(text, [](int depth, Json::parse_event_t, const Json&) {
    if (depth > kDeepest)
      throw std::runtime_error("it is nested too deeply");
    return true;
  });
}

// ---- Paths ----

bool is_absolute(const std::string& path) {
  return path.starts_with('/');
}

void widen(std::optional<std::string>& common, const std::string& file) {
  if (!is_absolute(file) || file.starts_with("/usr/"))
    return;
  const std::string folder = file.substr(0, file.rfind('/') + 1);
  if (!common) {
    common = folder;
    return;
  }
  std::size_t same = 0;
  while (same < folder.size() && same < common->size() && folder[same] == (*common)[same])
    ++same;
  common->resize(common->rfind('/', same == 0 ? 0 : same - 1) + 1);
}

// The directory that all source files of the program are in, with its '/'.
std::string common_directory(const Json& profile) {
  std::optional<std::string> common;
  for (const char* rows : {"sites", "regions", "findings"})
    for (const Json& row : elements(at(profile, rows)))
      widen(common, text_of(at(row, "file")));
  for (const Json& source : elements(at(profile, "source")))
    widen(common, text_of(at(source, "name")));
  return common && common->size() > 1 ? *common : std::string();
}

void remove_all(Json& json, const std::string& prefix) {
  if (json.is_string()) {
    auto& text = json.get_ref<std::string&>();
    for (std::size_t i = text.find(prefix); i != std::string::npos; i = text.find(prefix, i))
      text.erase(i, prefix.size());
  } else if (json.is_structured()) {
    for (Json& each : json)
      remove_all(each, prefix);
  }
}

std::string last_component(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// ---- The data of the page: the profile without what the page does not show ----

void limit(Json& parent, const char* key, std::size_t most, Json& left_out) {
  if (!parent.is_object() || !parent.contains(key) || !parent[key].is_array())
    return;
  Json& array = parent[key];
  if (array.size() <= most)
    return;
  left_out[key] = array.size() - most;
  array.erase(array.begin() + static_cast<std::ptrdiff_t>(most), array.end());
}

void drop_speedups(Json& targets) {
  if (!targets.is_array())
    return;
  for (Json& target : targets)
    if (target.contains("points"))
      for (Json& point : target["points"])
        point.erase("speedups");
}

Json data_of(Json profile, bool with_source) {
  if (profile.contains("run")) {
    Json& run = profile["run"];
    run.erase("host");
    run.erase("pid");
    run["program"] = last_component(text_of(at(run, "program")));
    for (Json& argument : run["arguments"])
      if (is_absolute(text_of(argument)))
        argument = last_component(text_of(argument));
  }
  if (!with_source)
    profile.erase("source");
  Json left_out = Json::object();
  limit(profile, "sites", kMostSites, left_out);
  for (Json& site : profile["sites"])
    for (const char* key : {"on_work", "on_span", "site_ids"})
      site.erase(key);
  if (profile.contains("what_if")) {
    Json& what_if = profile["what_if"];
    limit(what_if, "explored", kMostTargets, left_out);
    for (const char* key : {"curves", "explored", "grains", "advised_grains"})
      if (what_if.contains(key))
        drop_speedups(what_if[key]);
  }
  if (const std::string folder = common_directory(profile); !folder.empty())
    remove_all(profile, folder);
  profile["page"] = {{"left_out", left_out}, {"source_wanted", with_source}};
  return profile;
}

// ---- The summary ----

std::string digits3(double value) {
  if (value >= 999.5) {
    std::string whole = fmt::format("{:.0f}", value);
    for (std::size_t i = whole.size(); i > 3; i -= 3)
      whole.insert(i - 3, ",");
    return whole;
  }
  return value >= 99.95   ? fmt::format("{:.0f}", value)
         : value >= 9.995 ? fmt::format("{:.1f}", value)
                          : fmt::format("{:.2f}", value);
}

std::string time_text(double ns) {
  static constexpr const char* kUnits[] = {"ns", "µs", "ms", "s"};
  std::size_t unit = 0;
  for (; unit + 1 < std::size(kUnits) && ns >= 999.5; ++unit)
    ns /= 1000;
  return unit == 0 ? fmt::format("{:.0f} ns", ns) : digits3(ns) + " " + kUnits[unit];
}

struct Units {
  double ns_per_unit = 0; // of work; 0: not a time
  std::string unit;
  std::string of(double work) const {
    return ns_per_unit > 0 ? time_text(work * ns_per_unit) : digits3(work) + " " + unit;
  }
};

Units units_of(const Json& profile) {
  const Json& clock = at(profile, "clock");
  const double hz = number_of(at(clock, "hz")), time_hz = number_of(at(clock, "time_hz"));
  // Work and time of one clock have the rate that was measured.
  const double stated = number_of(at(clock, "time_hz_stated"));
  const double used = hz > 0 && hz == stated && time_hz > 0 ? time_hz : hz;
  return {used > 0 ? 1e9 / used : 0, text_of(at(profile, "unit"))};
}

const Json* run_on(const Json& profile, double procs) {
  for (const char* runs : {"runs", "scaling"})
    for (const Json& run : elements(at(at(profile, "prediction"), runs)))
      if (number_of(at(run, "procs")) == procs)
        return &run;
  return nullptr;
}

double elapsed_ns(const Json& profile) {
  const double hz = number_of(at(at(profile, "clock"), "time_hz"));
  return hz > 0 ? number_of(at(at(profile, "trace"), "elapsed_ticks")) * 1e9 / hz : 0;
}

std::string clipped_name(std::string name, std::size_t most) {
  if (name.size() <= most)
    return name;
  name.resize(most);
  while (!name.empty() && (static_cast<unsigned char>(name.back()) & 0xc0) == 0x80)
    name.pop_back(); // not within a character
  if (!name.empty() && static_cast<unsigned char>(name.back()) >= 0xc0)
    name.pop_back();
  return name + "…";
}

// Profiles of other versions of /1 have no verdict.
std::string headline(const Json& profile) {
  const std::string given = text_of(at(at(profile, "verdict"), "headline"));
  return given.empty() ? "Parallelism is " + digits3(number_of(at(profile, "parallelism"))) + "."
                       : given;
}

// What limits the program, and what to do about it, as the terminal says it: the second is empty if
// the first is part of it.
std::pair<std::string, std::string> sentences(const Json& profile) {
  const Json& verdict = at(profile, "verdict");
  const std::string advice = text_of(at(profile, "advice"));
  const std::string detail =
      at(verdict, "is_repeated_by_advice") == true ? std::string() : text_of(at(verdict, "detail"));
  return detail.empty() ? std::pair{advice, std::string()} : std::pair{detail, advice};
}

// A sentence in HTML; the place of the verdict in it is a link to the source.
std::string lead_html(const Json& profile, const std::string& sentence) {
  const Json& verdict = at(profile, "verdict");
  std::string text = html(clipped_name(sentence, 600));
  const Json& place = at(verdict, "place");
  const std::string line =
      html(fmt::format("{}:{}", text_of(at(place, "file")), number_of(at(place, "line"))));
  const std::size_t found = place.is_object() ? text.find(line) : std::string::npos;
  if (found == std::string::npos)
    return text;
  return text.substr(0, found) + "<a href=\"#source\">" + line + "</a>" +
         text.substr(found + line.size());
}

// More parallelism would gain nothing on any number of CPUs that the page shows.
bool is_ample(const Json& profile) {
  return number_of(at(at(profile, "verdict"), "worth_procs")) >= 128;
}

void add_card(std::string& text, const std::string& label, const std::string& value,
              const std::string& note, const char* kind) {
  text += fmt::format(
      "<div class=\"number {}\"><dt>{}</dt><dd><strong>{}</strong><span>{}</span></dd></div>\n",
      kind, html(label), html(value), html(note));
}

// The change that gains most at a factor of 8: a marked region, else code.
struct BestFix {
  std::string name;
  double parallelism = 0;
};

BestFix best_fix(const Json& profile) {
  const Json& what_if = at(profile, "what_if");
  BestFix region, code;
  for (const Json& change : elements(at(what_if, "changes"))) {
    const std::string kind = text_of(at(change, "kind"));
    const bool is_region = kind == "region";
    if (!is_region && kind != "stretch" && kind != "site")
      continue;
    const Json& all = elements(at(what_if, is_region ? "curves" : "explored"));
    const double index = number_of(at(change, "index"));
    if (!(index >= 0 && index < static_cast<double>(all.size())))
      continue;
    BestFix& best = is_region ? region : code;
    for (const Json& point : elements(at(all[static_cast<std::size_t>(index)], "points")))
      if (number_of(at(point, "factor")) == 8 &&
          number_of(at(point, "parallelism")) > best.parallelism)
        best = {text_of(at(change, "name")), number_of(at(point, "parallelism"))};
  }
  return region.name.empty() ? code : region;
}

// A long name without the place in parentheses at its end.
std::string without_place(const std::string& name) {
  const std::size_t place = name.rfind(" (");
  return name.size() > 50 && place != std::string::npos && name.ends_with(')')
             ? name.substr(0, place)
             : name;
}

// The parallelism that tasks and locks leave, but not a lock that was several on other schedules.
double limit_with_locks(const Json& profile) {
  double least = number_of(at(profile, "parallelism"));
  for (const Json& lock : elements(at(profile, "locks"))) {
    const double speedup = number_of(at(lock, "speedup")); // if it is slept in its sections
    const double leaves = speedup > 0 ? speedup : number_of(at(lock, "parallelism"));
    if (leaves > 0 && at(lock, "bound_kind") != "if_same_lock")
      least = std::min(least, leaves);
  }
  return least;
}

// An arena or global_control limits the program more than its critical path does.
bool are_threads_limited(const Json& profile) {
  for (const Json& limit : elements(at(profile, "limits")))
    if (at(limit, "binds") == true && at(limit, "like_machine") != true)
      return true;
  return false;
}

std::string numbers_html(const Json& profile, const Units& units) {
  std::string text = "<dl class=\"numbers\">\n";
  const double parallelism = number_of(at(profile, "parallelism"));
  const double finer = number_of(at(profile, "divisible_parallelism_at_least"));
  const double finest = number_of(at(profile, "divisible_parallelism"));
  const bool differs = at(profile, "divisible_is_known") == true && finest > parallelism * 1.05;
  const std::string with_finer = at(profile, "divisible_is_measured") == true
                                     ? digits3(finest)
                                     : digits3(finer) + " to " + digits3(finest);
  const double span = number_of(at(profile, "span"));
  const double with_sleep = number_of(at(profile, "span_with_latency")); // 0: not known
  const double limit = number_of(at(at(profile, "verdict"), "limit"));
  // What changes are compared with has the locks.
  const double now = limit_with_locks(profile);
  // As the headline: the bounds of the tasks' own locks hold besides the limit that is proven.
  const bool by_lock = now < parallelism;
  // Neither finer loops nor faster code raise the limit that an arena or global_control sets.
  const bool by_threads = are_threads_limited(profile);
  const double today = by_lock && limit > 0 ? std::min(now, limit)
                       : limit > 0          ? limit
                                            : parallelism;
  const bool sleeps = with_sleep > span && (with_sleep - span) * 20 >= with_sleep;
  // With more threads there may be other tasks.
  const Json& unknown = at(profile, "divisible_not_known_because");
  const bool split_alike = !by_lock && unknown.is_string() && unknown != "schedule";
  add_card(text, split_alike ? "Limit, loops split as in this run" : "Limit on any number of CPUs",
           digits3(today) + "×",
           sleeps       ? "sleep is " + units.of(with_sleep - span) + " of " + units.of(with_sleep)
           : by_lock    ? digits3(parallelism) + "× without its locks"
           : by_threads ? digits3(parallelism) + "× without its limits of threads"
           : differs
               ? with_finer + "× with finer loops"
               : "work " + units.of(number_of(at(profile, "work"))) + ", path " + units.of(span),
           "limit");
  const double cpus = number_of(at(at(profile, "run"), "cpus"));
  const double procs = run_on(profile, 8) ? 8 : 4 * cpus;
  const Json* const one = run_on(profile, 1);
  if (const Json* run = run_on(profile, procs))
    add_card(text, fmt::format("Predicted on {} CPUs", procs),
             digits3(number_of(at(*run, "speedup"))) + "×",
             fmt::format("{} instead of {}", units.of(number_of(at(*run, "time"))),
                         units.of(number_of(one ? at(*one, "time") : at(profile, "work")))),
             "predicted");
  const double elapsed = elapsed_ns(profile);
  double measured = number_of(at(at(profile, "measured"), "speedup"));
  if (measured == 0 && elapsed > 0 && units.ns_per_unit > 0)
    measured = number_of(at(profile, "work")) * units.ns_per_unit / elapsed;
  // More than its CPUs: much of the work was done before the first record, which begins the time.
  if (measured > 0 && measured <= cpus) {
    const Json* possible = run_on(profile, cpus);
    add_card(text, fmt::format("This run, on {} CPU{}", cpus, cpus == 1 ? "" : "s"),
             digits3(measured) + "×",
             possible ? digits3(number_of(at(*possible, "speedup"))) + "× was predicted"
                      : time_text(elapsed),
             possible && measured < 0.8 * number_of(at(*possible, "speedup")) ? "measured low"
                                                                              : "measured");
  }
  // With the limits of arenas, too; older profiles do not say it.
  const double with_limits = number_of(at(at(profile, "what_if"), "parallelism_now"));
  const double before = with_limits > 0 ? with_limits : today;
  const bool optimizes = at(at(profile, "what_if"), "mode") == "optimize";
  if (const BestFix best = best_fix(profile); !sleeps && !(by_threads && with_limits == 0) &&
                                              !is_ample(profile) &&
                                              best.parallelism > before * 1.05)
    add_card(
        text,
        "If " + clipped_name(without_place(best.name), 80) + " were " + improved_by(8, optimizes),
        digits3(best.parallelism) + "×",
        digits3(best.parallelism / std::max(before, 1e-9)) + " times the limit of today", "gain");
  return text + "</dl>\n";
}

// With a capital and a full stop.
std::string sentence_of(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text.ends_with('.') ? text : text + ".";
}

// As ElapsedTime::is_queued_rather(), as far as it is a cause of what the run took longer.
bool is_queued_rather(const Json& run_check) {
  for (const Json& cause : elements(at(run_check, "causes")))
    if (at(cause, "cause") == "queued")
      return number_of(at(cause, "ns")) > number_of(at(run_check, "without_cpu_ns"));
  return false;
}

std::string banners_html(const Json& profile) {
  std::string text;
  const auto banner = [&](const std::string& title, const std::string& what) {
    text += fmt::format("<p class=\"banner\" role=\"note\"><strong>{}</strong> {}</p>\n",
                        html(title), html(what));
  };
  if (at(profile, "complete") == false) {
    const Json& reasons = elements(at(profile, "incomplete_reasons"));
    banner("The recording is incomplete.",
           reasons.empty() ? "Figures are about what was recorded."
                           : sentence_of(clipped_name(text_of(reasons[0]), 300)));
  }
  const Json& balance = at(profile, "time_balance");
  const double all = number_of(at(balance, "threads")) * number_of(at(balance, "elapsed_ticks"));
  // Sleep is in the unit of work: ticks, where time without a CPU is known.
  const double off_cpu = number_of(at(balance, "of_them_descheduled_ticks"));
  const double asleep = std::min(off_cpu, number_of(at(at(profile, "trace"), "asleep")));
  const double in_locks = number_of(at(balance, "of_them_lock_waits_ticks"));
  const double wanted = number_of(at(balance, "steps_ticks")) - asleep - in_locks;
  const bool is_crowded =
      number_of(at(balance, "threads")) > number_of(at(at(profile, "run"), "cpus"));
  const bool is_queued = !is_crowded && is_queued_rather(at(profile, "run_check"));
  if (const double lost = off_cpu - asleep - in_locks; all > 0 && lost > wanted / 20)
    banner(
        is_crowded
            ? "Threads had to wait for CPUs: there were more of them, or other programs had some."
        : is_queued ? "Threads had to wait for CPUs that no other program had."
                    : "The machine was shared.",
        fmt::format("For {:.0f} % of the time in which tasks had a CPU or "
                    "wanted one, they had none. {}{}.",
                    100 * lost / wanted,
                    is_queued
                        ? "Work and critical path are not affected, and no prediction contains "
                          "such waits"
                        : "This run took too long; work, critical path and predictions are "
                          "not affected",
                    !is_queued && number_of(at(at(profile, "prediction"), "simulated_locks")) > 0
                        ? ", but for how long it takes to hand over a lock"
                        : ""));
  for (const Json& warning : elements(at(profile, "warnings")))
    if (text_of(at(warning, "name")) == "asleep")
      banner("Code slept.", text_of(at(warning, "text")) + ".");
  if (!elements(at(profile, "sites")).empty() && at(profile["sites"][0], "too_short") == true)
    banner("The clock is too coarse for these tasks.",
           "Reading it takes more than a tenth of the measured work: treat work and parallelism as "
           "estimates.");
  return text;
}

std::string summary_html(const Json& profile) {
  const Units units = units_of(profile);
  const Json& run = at(profile, "run");
  const double tasks = number_of(at(at(profile, "trace"), "tasks_spawned"));
  std::string facts =
      fmt::format("{} task{}, {} CPU{}", digits3(tasks), tasks == 1 ? "" : "s",
                  number_of(at(run, "cpus")), number_of(at(run, "cpus")) == 1 ? "" : "s");
  if (tasks < 1000)
    facts = fmt::format("{:.0f} task{}, {} CPU{}", tasks, tasks == 1 ? "" : "s",
                        number_of(at(run, "cpus")), number_of(at(run, "cpus")) == 1 ? "" : "s");
  // Work counts from the start of the process, the ticks of a recording from its first record.
  const double stated = number_of(at(at(profile, "measured"), "time_ns"));
  if (const double elapsed = stated > 0 ? stated : elapsed_ns(profile); elapsed > 0)
    facts += ", " + time_text(elapsed);
  const auto [lead, advice] = sentences(profile);
  return fmt::format("<section class=\"summary\" aria-labelledby=\"headline\">\n"
                     "<p class=\"facts\"><code>{}</code> {}</p>\n<h1 id=\"headline\">{}</h1>\n"
                     "<p class=\"lead\" id=\"lead\">{}</p>\n",
                     html(clipped_name(text_of(at(run, "program")), 80)), html(facts),
                     html(headline(profile)), lead_html(profile, lead)) +
         (advice.empty() ? std::string()
                         : "<p class=\"lead advice\">" + lead_html(profile, advice) + "</p>\n") +
         numbers_html(profile, units) + banners_html(profile) + "</section>\n";
}

std::string title(const Json& profile) {
  return html(clipped_name(text_of(at(at(profile, "run"), "program")), 60)) + " | Taskpath";
}

// Fills the places <!--tp:NAME--> of the page, from the first to the last.
std::string filled(std::string_view page,
                   const std::vector<std::pair<std::string, std::string>>& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    const std::string place = "<!--tp:" + name + "-->";
    const std::size_t begin = page.find(place);
    text += page.substr(0, begin);
    text += value;
    page.remove_prefix(begin + place.size());
  }
  return text += page;
}

} // namespace

// Of the JSON of tp-analyze --timeline.
std::vector<TimelineSlice> slices_of(const Json& timeline) {
  std::vector<TimelineSlice> slices;
  for (const Json& thread : elements(at(timeline, "threads")))
    for (const Json& slice : elements(at(thread, "slices"))) {
      const auto values = slice.get<std::vector<std::uint64_t>>();
      if (values.size() < 6)
        throw std::runtime_error("a slice of the timeline is too short");
      slices.push_back({at(thread, "stream").get<std::uint32_t>(),
                        static_cast<std::uint32_t>(values[2]), values[0], values[1], values[3],
                        values[4], values[5]});
    }
  return slices;
}

std::string write_page(const PageInput& input) {
  Json profile = parsed(input.profile);
  if (const auto slices = slices_of(at(profile, "timeline")); !slices.empty())
    profile["timeline"] = Json::parse(page_timeline(slices));
  if (!input.timeline.empty() && !profile.contains("timeline"))
    profile["timeline"] = Json::parse(input.timeline);
  if (!input.source.empty() && !profile.contains("source"))
    profile["source"] = Json::parse(input.source);
  profile = data_of(std::move(profile), input.with_source);
  const Json base = input.base.empty() ? Json() : data_of(parsed(input.base), false);
  return filled(page::text(), {{"title", title(profile)},
                               {"summary", summary_html(profile)},
                               {"data", script_json(profile)},
                               {"base", script_json(base)}});
}

std::string write_html(const Profile& profile) {
  return write_html_with_source(profile, "");
}

std::string write_html_with_source(const Profile& profile, const std::string& source) {
  return write_page({.profile = write_json(profile),
                     .timeline = profile.timeline.empty() ? "" : page_timeline(profile.timeline),
                     .source = source});
}

bool is_html(std::string_view text) {
  return text.starts_with("<!DOCTYPE html>") &&
         text.substr(0, 2000).find("<meta name=\"generator\" content=\"tp-report\">") !=
             std::string_view::npos;
}

} // namespace tp::analysis

#endif
