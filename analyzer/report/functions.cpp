// SPDX-License-Identifier: Apache-2.0
// Functions and lines, by samples: a table for terminals, and functions.csv.
#include "base/wide.h"
#include "common/files.h"
#include "report/lines.h"
#include "report/numbers.h"
#include "report/phrases.h"
#include "report/writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace tp::analysis {
namespace {

constexpr std::size_t kFunctionWidth = 45; // of a function and its place
constexpr std::string_view kFunctionsHeader =
    "Rank,Function,Source file,Line number,Work,Work low,Work high,Critical work,Critical work low,"
    "Critical work high,Percent critical work,Self work,Self critical work,Samples,Self samples";

// Half of the interval's width in points of percent: "±2"; in ASCII "+-2".
std::string error_of(const SampledWork& work, std::uint64_t whole, bool unicode) {
  if (whole == 0)
    return "";
  const std::uint64_t half = std::max(work.high - work.work, work.work - work.low);
  return (unicode ? "±" : "+-") + short_percent(half, whole);
}

std::string place_of(const std::string& file, std::uint32_t line) {
  return file.empty() ? "" : line == 0 ? file : fmt::format("{}:{}", file, line);
}

// What is around a function says less than its own name.
std::string cut(const std::string& name, std::size_t width) {
  std::string_view rest = name;
  while (rest.size() > width) {
    const std::size_t scope = rest.find_first_of(":<( ");
    if (scope == rest.npos || !rest.substr(scope).starts_with("::"))
      break;
    rest.remove_prefix(scope + 2);
  }
  return end_of(std::string(rest), width);
}

// With the class, if it is a member; outer namespaces say least.
std::string name_of(const FunctionRow& row) {
  const std::string name = printable(row.short_name);
  std::size_t from = 0, last = 0;
  int depth = 0;
  for (std::size_t i = 0; i + 1 < name.size(); ++i) {
    depth += name[i] == '<' || name[i] == '(' ? 1 : name[i] == '>' || name[i] == ')' ? -1 : 0;
    if (depth == 0 && name[i] == ' ')
      break; // "lambda at ...", "task at ...", "operator new"
    if (depth == 0 && name.compare(i, 2, "::") == 0) {
      from = last;
      last = ++i + 1;
    }
  }
  return cut(name.substr(from), kMaxNameWidth);
}

std::string without_folder(const std::string& file) {
  return file.substr(file.find_last_of('/') + 1);
}

// "name (file:line)"; a long name is cut at its beginning.
std::string name_and_place(const FunctionRow& row, std::size_t width) {
  if (row.file.empty() || row.is_lambda())
    return end_of(printable(row.short_name), width);
  const std::string place = end_of(printable(function_place(row)), width / 2);
  const std::size_t room = width - std::min(width - 10, place.size() + 3);
  return fmt::format("{} ({})", cut(printable(row.short_name), room), place);
}

// Its rank among those that are listed.
template <typename Row>
std::size_t rank_among(const std::vector<const Row*>& before, const Row& row) {
  return 1 + static_cast<std::size_t>(std::ranges::count_if(before, [&](const Row* each) {
           return certainly_exceeds(each->critical_work, row.critical_work);
         }));
}

std::string gain(const FunctionRow& row) {
  const WhatIfPoint* const point = headline_point(row.points);
  return point ? three_digits(point->parallelism) : "";
}

// All rows have the same factors.
std::uint64_t factor_of_gains(const SampledFunctions& functions) {
  for (const FunctionRow& row : functions.functions)
    if (const WhatIfPoint* const point = headline_point(row.points))
      return point->factor;
  return 0;
}

// What to know before reading the table.
void add_notes(Lines& lines, const Profile& profile, const SampledFunctions& functions) {
  const std::string rate =
      functions.measured_rate > 0
          ? fmt::format(", {:.0f} per second of CPU time", functions.measured_rate)
          : "";
  lines.add_text(
      fmt::format("{} samples in steps ({}{}); {}{} between steps, inside {} or the profiler",
                  functions.filed, functions.method, rate,
                  functions.in_waits > 0
                      ? fmt::format("{} while threads waited; ", functions.in_waits)
                      : "",
                  functions.outside, models_of(profile)),
      0);
  if (functions.not_sampled_critical_work > 0)
    lines.add_text(fmt::format("not sampled: {} % of the critical path",
                               short_percent(functions.not_sampled_critical_work, profile.span)),
                   0);
  if (functions.lost > 0)
    lines.add_text(fmt::format("! {} samples were lost", functions.lost), 2);
  if (functions.sparse_ns > functions.cpu_ns / 50)
    lines.add_text(
        fmt::format("fewer samples in {} % of the CPU time, in which threads gave their CPU away "
                    "often: each "
                    "counts for more time (tp-run --sample 1000: all times alike, and slower)",
                    percent(std::min(functions.sparse_ns, functions.cpu_ns), functions.cpu_ns)),
        2);
  if (functions.unsampled_threads > 0)
    lines.add_text(
        fmt::format("! {} threads were not sampled{}{}", functions.unsampled_threads,
                    functions.reason.empty() ? "" : ": " + printable(functions.reason),
                    functions.command.empty() ? "" : ": " + printable(functions.command)),
        2);
  if (functions.cut * 20 > functions.filed)
    lines.add_text(fmt::format("! {} % of the stacks are not known to the beginning of the task: "
                               "tp-run --call-graph dwarf,16384",
                               percent(functions.cut, functions.filed)),
                   2);
  if (!functions.reason.empty() && functions.unsampled_threads == 0)
    lines.add_text(
        fmt::format("! {}{}{}",
                    functions.method == "timer" ? "sampled by timers, since "
                                                : "not sampled to the end: ",
                    printable(functions.reason),
                    functions.command.empty() ? "" : ": " + printable(functions.command)),
        2);
  if (functions.lacks_kernel_time())
    lines.add_text(
        fmt::format(
            "! {} % of the CPU time is in the kernel, where no sample is taken: of functions that "
            "make system calls or touch new memory, the shares are too small (as root: sysctl "
            "kernel.perf_event_paranoid=1)",
            percent(std::min(functions.system_ns, functions.cpu_ns), functions.cpu_ns)),
        2);
  if (!functions.damage.empty())
    lines.add_text("! the file of samples was not read to its end: " + functions.damage, 2);
}

} // namespace

std::string write_functions_text(const Profile& profile, const TextOptions& options) {
  Lines lines(options.color);
  const SampledFunctions& functions = *profile.functions;
  const double hz = hz_of_work(profile);
  const auto amount = [&](std::uint64_t work) { return human(work, profile.run.work, hz); };
  add_notes(lines, profile, functions);
  lines.add("");
  const std::uint64_t factor = factor_of_gains(functions);
  const bool optimizes = profile.what_if_mode == "optimize";
  lines.add("{}", lines.bold(fmt::format("{:>4}  {:>8} {:>5}  {:>6}  {:>9}  {:<{}}  {:>12}", "rank",
                                         "critical", "", "self", "work", "function", kFunctionWidth,
                                         factor == 0 ? ""
                                         : optimizes ? fmt::format("{}x faster", factor)
                                                     : fmt::format("on {} CPUs", factor))));
  // What a library does is time of the functions that call it.
  const bool has_own = std::ranges::any_of(functions.functions, &FunctionRow::is_candidate);
  const auto is_shown = [&](const FunctionRow& row) {
    return options.verbose || !has_own || (row.is_candidate() && !row.passes_to);
  };
  const auto listed =
      static_cast<std::size_t>(std::ranges::count_if(functions.functions, is_shown));
  std::vector<const FunctionRow*> shown;
  for (const FunctionRow& row : functions.functions) {
    if (shown.size() >= std::max<std::size_t>(options.top, 1))
      break;
    if (!is_shown(row))
      continue;
    lines.add("{:>4}  {:>6} % {:>5}  {:>4} %  {:>9}  {:<{}}  {:>12}", rank_among(shown, row),
              short_percent(row.critical_work.work, profile.span),
              error_of(row.critical_work, profile.span, options.unicode),
              short_percent(row.self_critical_work.work, profile.span), amount(row.work.work),
              name_and_place(row, kFunctionWidth), kFunctionWidth, gain(row));
    shown.push_back(&row);
  }
  const std::size_t others = functions.functions.size() - listed;
  if (listed > shown.size())
    lines.add("      {} more with --top", listed - shown.size());
  if (others > 0)
    lines.add(
        "      {} more (what only calls one of these, main, oneTBB, libraries) with --verbose",
        others);
  lines.add("");
  lines.add("{}", lines.bold(fmt::format("{:>4}  {:>8} {:>5}  {:>6}  {:>9}  {}", "rank", "critical",
                                         "", "", "work", "line")));
  std::vector<const LineRow*> lines_shown;
  for (const LineRow& row : functions.lines) {
    if (lines_shown.size() >= std::max<std::size_t>(options.top, 1))
      break;
    lines.add("{:>4}  {:>6} % {:>5}  {:>6}  {:>9}  {}", rank_among(lines_shown, row),
              short_percent(row.critical_work.work, profile.span),
              error_of(row.critical_work, profile.span, options.unicode), "", amount(row.work.work),
              end_of(printable(place_of(without_folder(row.file), row.line)), 60));
    lines_shown.push_back(&row);
  }
  lines.add("");
  lines.add_text(
      std::string(
          "critical: share of the critical path, with what it calls, and the 95 % interval; self: "
          "without; of a line: with what libraries do for it; "
          "the order of functions of one rank is not certain") +
          (factor == 0 ? std::string()
                       : fmt::format("; {}: parallelism of the program, if the function were {}",
                                     optimizes ? fmt::format("{}x faster", factor)
                                               : fmt::format("on {} CPUs", factor),
                                     improved_by(factor, optimizes))),
      0);
  lines.add("next: tp-analyze --json - {}", printable(tool::shell_quoted(profile.data)));
  return lines.take();
}

std::string functions_line(const Profile& profile) {
  if (!profile.functions || profile.span == 0)
    return {};
  constexpr std::size_t kMost = 3;
  constexpr std::string_view kLabel = "Functions  ",
                             kOfWhat = " of the critical path (--functions)";
  std::string text;
  std::size_t count = 0;
  for (const FunctionRow& row : profile.functions->functions) {
    if (!row.is_candidate() || row.passes_to || Wide{row.critical_work.work} * 20 < profile.span)
      continue;
    // A function and the code that a compiler made of a construct in it have one name, as overloads have.
    const bool is_one_of_several =
        std::ranges::count(profile.functions->functions, name_of(row), name_of) > 1;
    const std::string place =
        is_one_of_several && row.line > 0
            ? fmt::format(" ({}:{})", row.file.substr(row.file.rfind('/') + 1), row.line)
            : std::string();
    const std::string more =
        fmt::format("{}{}{} {} %", count == 0 ? "" : ", ", name_of(row), printable(place),
                    percent(row.critical_work.work, profile.span));
    if (count > 0 && kLabel.size() + text.size() + more.size() + kOfWhat.size() > kMaxWidth)
      break; // one line
    text += more;
    if (++count == kMost)
      break;
  }
  return text.empty() ? text : text + std::string(kOfWhat);
}

std::string write_functions_csv(const Profile& profile) {
  std::string text{kFunctionsHeader};
  text += '\n';
  for (const FunctionRow& row : profile.functions->functions)
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", row.rank, quote_csv(row.name),
                    quote_csv(row.file), row.line, row.work.work, row.work.low, row.work.high,
                    row.critical_work.work, row.critical_work.low, row.critical_work.high,
                    percent2(row.critical_work.work, profile.span), row.self_work.work,
                    row.self_critical_work.work, row.samples, row.self_samples);
  return text;
}

bool is_functions_csv(std::string_view text) {
  return text.starts_with(kFunctionsHeader);
}

} // namespace tp::analysis
