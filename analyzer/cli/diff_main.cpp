// tp-diff: two profiles in, what changed out. stdout carries the answer, stderr everything else.
#include "base/problem.h"
#include "cli/diff_options.h"
#include "cli/tool.h"
#include "compare/comparison.h"
#include "compare/diff_writers.h"
#include "profile/make_profile.h"
#include "report/lines.h"
#include "trace/trace_source.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace tp::analysis {
namespace {
namespace fs = std::filesystem;

Figures read_unmapped(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error))
    return figures_of(make_profile(open_directory(path), {.explore = Ask::Never}));
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file)
    fail(Problem::Unreadable, {path}, "a data directory, or a profile in JSON", "neither",
         "tp-run -o DIR PROGRAM, or tp-analyze --json FILE");
  return read_figures(text.str(), path);
}

Figures read_profile(const std::string& path, const PathMap& path_map) {
  Figures figures = read_unmapped(path);
  for (SiteFigures& site : figures.sites)
    site.file = map_path(site.file, path_map);
  return figures;
}

bool share_a_file(const Comparison& comparison) {
  for (const SitePair& pair : comparison.sites)
    if (pair.either().line > 0 && pair.base && pair.now)
      return true;
  return comparison.base->sites.size() < 2 || comparison.now->sites.size() < 2;
}

void say_matches(const Comparison& comparison) {
  for (const SitePair& pair : comparison.sites)
    if (pair.match != Match::SameLine)
      fmt::print(stderr, "tp: {}: {}\n", pair.either().name, match_text(pair));
}

std::string answer(const DiffOptions& options, const Comparison& comparison, const DiffText& text) {
  if (options.json == "-" || options.format == DiffFormat::Json)
    return write_diff_json(comparison, text);
  return options.format == DiffFormat::Markdown ? write_diff_markdown(comparison, text)
                                                : write_diff_text(comparison, text);
}

void say_missing(const Check& check, const Comparison& comparison, bool in_base) {
  const Missing missing = why_missing(check.metric, in_base ? *comparison.base : *comparison.now);
  complain(fmt::format("--fail-if {}: expected a figure in both profiles, got none in {}: {}",
                       check.text, in_base ? "BASE" : "NEW", missing.why),
           missing.hint);
}

// A claim about half the records would say nothing of the program.
bool can_be_judged(const Figures& figures, const std::string& name) {
  if (!figures.lost.empty()) {
    complain(fmt::format("{}: {}", name, figures.lost), kLostHint);
    return false;
  }
  if (!figures.complete)
    fmt::print(stderr, "tp: --fail-if of incomplete data: {}\n", name);
  return true;
}

int fail_if(const DiffOptions& options, const Comparison& comparison) {
  int status = kOk;
  if (!options.fail_if.empty() && !(can_be_judged(*comparison.base, options.base) &&
                                    can_be_judged(*comparison.now, options.now)))
    return kBad;
  for (const Check& check : options.fail_if) {
    try {
      const Change change = change_of(check.metric, comparison);
      const auto amount = amount_of(change, check.percent);
      if (!amount) {
        say_missing(check, comparison, !change.base);
        return kBad;
      }
      if (!compare(*amount, check.comparison, check.value))
        continue;
      fmt::print(stderr, "tp: --fail-if {}: {} went from {} to {} ({})\n", check.text,
                 check.metric.name, change.base->text(), change.now->text(), change_text(change));
      status = kClaimFalse;
    } catch (const BadCheck& bad) {
      complain(fmt::format("--fail-if {}: {}", clipped(check.text, kMaxWidth), bad.what()),
               "tp-diff --json - BASE NEW shows what there is");
      return kBad;
    }
  }
  return status;
}

int run(const DiffOptions& options) {
  const Figures base = read_profile(options.base, options.path_map);
  const Figures now = read_profile(options.now, options.maps_both ? options.path_map : PathMap{});
  const Comparison comparison = compare_profiles(base, now);
  const DiffText text{options.base, options.now, options.top, options.colour};
  if (!options.json.empty() && options.json != "-")
    write_file(options.json, write_diff_json(comparison, text));
  write_answer(answer(options, comparison, text));
  if (options.verbose)
    say_matches(comparison);
  if (!options.quiet && !share_a_file(comparison))
    fmt::print(stderr, "tp: no site is in both profiles: other source directories? --map-path\n");
  if (!options.quiet && !options.json.empty() && options.json != "-")
    fmt::print(stderr, "tp: wrote {}\n", options.json);
  return fail_if(options, comparison);
}

} // namespace
} // namespace tp::analysis

int main(int argc, char** argv) {
  using namespace tp::analysis;
  const ParsedDiff parsed = parse_diff_options(argc, argv);
  return parsed.options ? run_tool([&] { return run(*parsed.options); }) : parsed.status;
}
