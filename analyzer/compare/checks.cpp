// SPDX-License-Identifier: Apache-2.0
// The grammar of checks, and the source of each figure.
#include "compare/checks.h"

#include "report/lines.h"
#include "report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <string_view>

namespace tp::analysis {
namespace {

struct ProgramMetric {
  const char* name;
  Measured (*of)(const Figures&);
  bool as_divisible = false;
  // The other end, of a figure that may be an interval.
  Measured (*other_end)(const Figures&) = nullptr;
};
constexpr ProgramMetric kProgramMetrics[] = {
    {"parallelism", [](const Figures& f) { return Measured{{f.work, f.span}}; }},
    {"divisible_parallelism", [](const Figures& f) { return Measured{{f.work, f.divisible_span}}; },
     true, [](const Figures& f) { return Measured{{f.work, f.divisible_span_at_most}}; }},
    {"divisible_parallelism_at_least",
     [](const Figures& f) { return Measured{{f.work, f.divisible_span_at_most}}; }, true},
    {"burdened_parallelism", [](const Figures& f) { return Measured{{f.work, f.burdened_span}}; }},
    {"parallelism_with_locks",
     [](const Figures& f) { return Measured{{f.work, f.span_with_locks}}; }},
    {"work", [](const Figures& f) { return Measured{{f.work, 1}}; }},
    {"span", [](const Figures& f) { return Measured{{f.span, 1}}; }},
    {"divisible_span", [](const Figures& f) { return Measured{{f.divisible_span, 1}}; }, true,
     [](const Figures& f) { return Measured{{f.divisible_span_at_most, 1}}; }},
    {"divisible_span_at_most",
     [](const Figures& f) { return Measured{{f.divisible_span_at_most, 1}}; }, true},
    {"tasks", [](const Figures& f) { return Measured{{f.tasks, 1}}; }},
    {"steps", [](const Figures& f) { return Measured{{f.steps, 1}}; }},
    {"sites", [](const Figures& f) { return Measured{{f.sites.size() - 1, 1}}; }},
    {"attributed", [](const Figures& f) { return Measured{f.attributed, true}; }},
    {"overhead", [](const Figures& f) { return Measured{f.overhead, true}; }},
    {"idle", [](const Figures& f) { return Measured{f.idle, true}; }},
    {"off_cpu", [](const Figures& f) { return Measured{f.off_cpu, true}; }},
    {"lock_waits", [](const Figures& f) { return Measured{f.lock_waits, true}; }},
    {"elapsed", [](const Figures& f) { return Measured{{f.elapsed_ns, 1}}; }}, // ns
    {"wall", [](const Figures& f) { return Measured{{f.wall_ns, 1}}; }},       // ns
};

// Of a prediction: time(P), speedup(P).
struct PredictedMetric {
  const char* name;
  Measured (*of)(const PredictedFigures&, const Figures&);
};
constexpr PredictedMetric kPredictedMetrics[] = {
    {"time", [](const PredictedFigures& p, const Figures&) { return Measured{{p.time, 1}}; }},
    {"speedup", [](const PredictedFigures& p,
                   const Figures& f) { return Measured{{f.predicted_work, p.time}}; }},
};

struct SiteMetric {
  const char* name;
  Measured (*of)(const SiteFigures&, const Figures&);
};
constexpr SiteMetric kSiteMetrics[] = {
    {"critical", [](const SiteFigures& s,
                    const Figures& f) { return Measured{{s.critical_work, f.span}, true}; }},
    {"share", [](const SiteFigures& s,
                 const Figures& f) { return Measured{{s.exclusive_work, f.work}, true}; }},
    {"parallelism",
     [](const SiteFigures& s, const Figures&) { return Measured{{s.work, s.span}}; }},
    {"chain_parallelism",
     [](const SiteFigures& s, const Figures&) { return Measured{{s.work, s.longest_chain}}; }},
    {"longest_chain",
     [](const SiteFigures& s, const Figures&) { return Measured{{s.longest_chain, 1}}; }},
    {"work", [](const SiteFigures& s, const Figures&) { return Measured{{s.work, 1}}; }},
    {"span", [](const SiteFigures& s, const Figures&) { return Measured{{s.span, 1}}; }},
    {"exclusive_work",
     [](const SiteFigures& s, const Figures&) { return Measured{{s.exclusive_work, 1}}; }},
    {"critical_work",
     [](const SiteFigures& s, const Figures&) { return Measured{{s.critical_work, 1}}; }},
    {"tasks", [](const SiteFigures& s, const Figures&) { return Measured{{s.tasks, 1}}; }},
};

template <typename Table>
auto* row_of(const Table& table, const std::string& name) {
  for (const auto& row : table)
    if (name == row.name)
      return &row;
  return static_cast<decltype(&table[0])>(nullptr);
}

template <typename Table>
std::string names_of(const Table& table) {
  std::string names;
  for (const auto& row : table)
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

bool is_percent(const Metric& metric) {
  if (metric.site.empty())
    return metric.name == "attributed" || metric.name == "overhead" || metric.name == "idle" ||
           metric.name == "off_cpu";
  return metric.name == "critical" || metric.name == "share";
}

// `tree.cpp:25` for `/src/tree.cpp:25`.
bool ends_path(const std::string& path, const std::string& end) {
  return path.size() > end.size() && path[path.size() - end.size() - 1] == '/' &&
         path.compare(path.size() - end.size(), end.size(), end) == 0;
}

std::string quoted(const std::string& text) {
  return "'" + clipped(text, kMaxWidth) + "'";
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || c == '_';
}

// Parses a check from left to right. It does not use std::regex, whose stack grows with the length
// of the text.
class Scanner {
public:
  explicit Scanner(std::string_view text) : rest_(text) {}
  bool at_end() const { return rest_.empty(); }
  std::string_view take_while(bool (*belongs)(char)) {
    return take(static_cast<std::size_t>(std::find_if_not(rest_.begin(), rest_.end(), belongs) -
                                         rest_.begin()));
  }
  void skip_space() {
    take_while([](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
  }
  // The first of `words` with which the rest begins; empty if there is none.
  std::string_view take_one_of(std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words)
      if (rest_.starts_with(word))
        return take(word.size());
    return {};
  }
  // `site(NAME).`, or nothing; a name may contain parentheses. False: it begins but does not end.
  bool take_site(std::string_view& name) {
    constexpr std::string_view kBegin = "site(", kEnd = ").";
    if (take_one_of({kBegin}).empty())
      return true;
    const std::size_t end = rest_.rfind(kEnd);
    if (end == std::string_view::npos || end == 0)
      return false;
    name = take(end);
    take(kEnd.size());
    return true;
  }
  // `(N)`, or nothing: 0. False: it begins but does not end, or N is not a number from 1 to a million.
  bool take_procs(std::uint64_t& procs) {
    if (take_one_of({"("}).empty())
      return true;
    const std::string_view digits = take_while(is_digit);
    procs = digits.size() > 6 ? 0 : std::strtoull(std::string(digits).c_str(), nullptr, 10);
    return procs > 0 && !take_one_of({")"}).empty();
  }
  // Digits, optionally followed by a point and digits.
  std::string_view take_number() {
    const std::string_view start = rest_;
    if (take_while(is_digit).empty())
      return {};
    if (rest_.size() > 1 && rest_[0] == '.' && is_digit(rest_[1])) {
      take(1);
      take_while(is_digit);
    }
    return start.substr(0, start.size() - rest_.size());
  }

private:
  std::string_view take(std::size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::string_view rest_;
};

} // namespace

long double Measured::number() const {
  if (percent)
    return value.denominator == 0 ? 0 : 100.0L * value.numerator / value.denominator;
  return value.denominator == 0 ? 1 : static_cast<long double>(value.numerator) / value.denominator;
}

std::string Measured::text() const {
  return percent ? percent2(value.numerator, value.denominator) + " %" : decimal2(value);
}

Check parse_check(const std::string& text, bool change) {
  Scanner scanner(text);
  std::string_view site, sign;
  scanner.skip_space();
  bool good = scanner.take_site(site);
  const std::string_view name = scanner.take_while(is_name_char);
  std::uint64_t procs = 0;
  good = scanner.take_procs(procs) && good;
  scanner.skip_space();
  const std::string_view comparison = scanner.take_one_of({">=", "<=", "==", ">", "<"});
  scanner.skip_space();
  if (change)
    sign = scanner.take_one_of({"-", "+"});
  const std::string_view number = scanner.take_number();
  scanner.skip_space();
  const bool percent = !scanner.take_one_of({"%"}).empty();
  scanner.skip_space();
  good = good && !name.empty() && !comparison.empty() && !number.empty() && scanner.at_end();
  if (!good)
    throw BadCheck("METRIC>=NUMBER or site(FILE:LINE).METRIC>=NUMBER (or <=, >, <, ==)",
                   quoted(text));
  Check check{text,
              {std::string(site), std::string(name), procs},
              std::string(comparison),
              std::strtold(std::string(number).c_str(), nullptr),
              percent};
  if (sign == "-")
    check.value = -check.value;
  const Metric& metric = check.metric;
  const bool is_predicted = metric.site.empty() && row_of(kPredictedMetrics, metric.name);
  if (is_predicted != (metric.procs > 0))
    throw BadCheck(is_predicted ? metric.name + "(P), for P CPUs" : metric.name + " without (P)",
                   quoted(text));
  if (metric.site.empty() && !is_predicted && !row_of(kProgramMetrics, metric.name))
    throw BadCheck(names_of(kProgramMetrics) + ", time(P), speedup(P), or site(FILE:LINE).METRIC",
                   quoted(metric.name));
  if (!metric.site.empty() && !row_of(kSiteMetrics, metric.name))
    throw BadCheck("one of " + names_of(kSiteMetrics) + " for a site", quoted(metric.name));
  if (check.percent && !change && !is_percent(metric))
    throw BadCheck("a number without % for " + metric.name, quoted(text));
  return check;
}

std::vector<std::uint64_t> procs_of(const std::vector<Check>& checks) {
  std::vector<std::uint64_t> procs;
  for (const Check& check : checks)
    if (check.metric.procs > 0)
      procs.push_back(check.metric.procs);
  return procs;
}

std::optional<Measured> measure(const Metric& metric, const Figures& figures,
                                const SiteFigures* site) {
  if (!metric.site.empty())
    return site ? std::optional(row_of(kSiteMetrics, metric.name)->of(*site, figures))
                : std::nullopt;
  if (metric.procs > 0) {
    for (const PredictedFigures& each : figures.predicted)
      if (each.procs == metric.procs)
        return row_of(kPredictedMetrics, metric.name)->of(each, figures);
    return {};
  }
  const ProgramMetric& row = *row_of(kProgramMetrics, metric.name);
  const Measured measured = row.of(figures);
  if (row.as_divisible && figures.divisible != Divisible::Known)
    return {};
  if ((measured.percent && measured.value.denominator == 0) ||
      ((metric.name == "elapsed" || metric.name == "wall") && measured.value.numerator == 0))
    return {};
  return measured;
}

namespace {

struct Interval {
  long double low, high;
};

// Counts of what was recorded, and parts of the time that passed: they say nothing about the rest.
bool is_of_what_ran(const Metric& metric) {
  constexpr std::string_view kNames[] = {"tasks",      "steps",   "sites",      "idle",
                                         "off_cpu",    "elapsed", "lock_waits", "wall",
                                         "attributed", "overhead"};
  return std::ranges::find(kNames, metric.name) != std::end(kNames);
}

// Between what the true value of a figure is. If not all order was seen, spans and what follows from
// them are known on one side only; which part of the critical path a site has is not known at all.
Interval interval_of(const Metric& metric, const Figures& figures, long double value) {
  Interval interval{value, value};
  if (const ProgramMetric* const row =
          metric.site.empty() && metric.procs == 0 ? row_of(kProgramMetrics, metric.name) : nullptr;
      row && row->other_end) {
    const long double other = row->other_end(figures).number();
    interval = {std::min(value, other), std::max(value, other)};
  }
  if (figures.openmp_is_missing && !is_of_what_ran(metric))
    return {0, std::numeric_limits<long double>::infinity()};
  if (figures.span_is_exact)
    return interval;
  const bool is_critical = metric.name.starts_with("critical");
  const bool is_upper = metric.name.find("parallelism") != std::string::npos ||
                        metric.name == "speedup" || is_critical;
  const bool is_lower =
      metric.name.find("span") != std::string::npos || metric.name == "time" || is_critical;
  if (is_upper)
    interval.low = 0;
  if (is_lower)
    interval.high = std::numeric_limits<long double>::infinity();
  return interval;
}

} // namespace

Missing why_missing(const Metric& metric, const Figures& figures) {
  if (figures.openmp_is_missing && !is_of_what_ran(metric))
    return {"not known, since OpenMP ran and was not recorded",
            "tp-run without --no-openmp, and the program linked with -fopenmp -Wl,--no-as-needed"};
  if (const Interval around_one = interval_of(metric, figures, 1);
      !figures.span_is_exact && around_one.low < around_one.high)
    return {
        "known on one side only, since the order inside reductions, scans, flow graphs or calls of "
        "collaborative_call_once was not seen",
        "CXX=tp-c++, or build against the headers of tp-config --cflags"};
  if (metric.procs > 0)
    return {figures.predicted.empty() ? "nothing was predicted"
                                      : "no prediction for " + human_cpus(metric.procs),
            fmt::format("tp-analyze --procs {} --simulate always", metric.procs)};
  if (metric.name == "overhead")
    return {"nothing was predicted", "tp-analyze --simulate always"};
  if (const ProgramMetric* const row =
          metric.site.empty() ? row_of(kProgramMetrics, metric.name) : nullptr;
      row && row->other_end && figures.divisible == Divisible::Known)
    return {fmt::format("{} or {}, depending on whether the iterations of loops cost the same",
                        row->of(figures).text(), row->other_end(figures).text()),
            "tp-run --divide measures it; of OpenMP's loops, schedule(dynamic, 1) or grainsize(1) "
            "on two threads or more"};
  if (metric.site.empty() && row_of(kProgramMetrics, metric.name)->as_divisible)
    return {fmt::format("unknown for loops split to their grain size ({})",
                        reason_of(figures.divisible)),
            figures.divisible == Divisible::NotRecompiled
                ? "CXX=tp-c++, or build against the headers of tp-config --cflags"
            : figures.divisible == Divisible::HiddenLoops
                ? "schedule(dynamic), or clang++ -fopenmp; or check parallelism, which is that of "
                  "this run"
                : "check parallelism, which is that of this run"};
  return {"the totals of the run are missing", "let the program end cleanly"};
}

const SiteFigures* find_site(const Figures& figures, const std::string& name) {
  const SiteFigures* found = nullptr; // by the end of its place
  const SiteFigures* exactly = nullptr;
  const auto take = [](const SiteFigures*& taken, const SiteFigures& site) {
    if (taken)
      throw BadCheck("one site", fmt::format("{} and {}", taken->name, site.name));
    taken = &site;
  };
  for (const SiteFigures& site : figures.sites)
    if (site.name == name)
      return &site;
  for (const SiteFigures& site : figures.sites) {
    const std::string place =
        site.line == 0 ? site.file : fmt::format("{}:{}", site.file, site.line);
    if (place == name) // several, if one line calls several wrappers
      take(exactly, site);
  }
  if (exactly)
    return exactly;
  for (const SiteFigures& site : figures.sites)
    if (ends_path(fmt::format("{}:{}", site.file, site.line), name))
      take(found, site);
  return found;
}

bool compare(long double left, const std::string& comparison, long double right) {
  if (comparison == ">=")
    return left >= right;
  if (comparison == "<=")
    return left <= right;
  if (comparison == ">")
    return left > right;
  if (comparison == "<")
    return left < right;
  return left == right;
}

std::optional<bool> holds(const Check& check, const Figures& figures, std::string& actual) {
  const SiteFigures* site = nullptr;
  if (!check.metric.site.empty()) {
    site = find_site(figures, check.metric.site);
    if (!site)
      throw BadCheck("the FILE:LINE of a site of the profile", quoted(check.metric.site));
  }
  const auto measured = measure(check.metric, figures, site);
  if (!measured)
    return {};
  actual = measured->text();
  // A figure that is not known exactly fulfills a check only if both of its ends do.
  const auto [low, high] = interval_of(check.metric, figures, measured->number());
  if (low < high && check.comparison == "==")
    return check.value < low || check.value > high ? std::optional(false) : std::nullopt;
  const bool holds = compare(low, check.comparison, check.value);
  return holds == compare(high, check.comparison, check.value) ? std::optional(holds)
                                                               : std::nullopt;
}

} // namespace tp::analysis
