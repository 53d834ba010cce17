// SPDX-License-Identifier: Apache-2.0
// tp-diff: compares two profiles. stdout receives the answer, stderr everything else.
#include "cli/diff_options.h"
#include "cli/path_rules.h"
#include "cli/tool.h"
#include "common/exit_status.h"
#include "common/failure.h"
#include "common/files.h"
#include "common/message.h"
#include "compare/comparison.h"
#include "compare/diff_writers.h"
#include "profile/make_profile.h"
#include "report/lines.h"
#include "trace/trace_source.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>

namespace tp::analysis {
namespace {
namespace fs = std::filesystem;
using tool::Failure;

// Of recordings, times on these numbers of CPUs are predicted in addition to those of the machine
// they come from, so that recordings of different machines can be compared.
constexpr std::uint64_t kProcs[] = {8, 64};

Figures read_unmapped(const std::string& path, const DiffOptions& options) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    ProfileOptions wanted{.more_procs = procs_of(options.fail_if),
                          .explore = Ask::Never,
                          .debug_files = debug_files({})};
    wanted.more_procs.insert(wanted.more_procs.end(), std::begin(kProcs), std::end(kProcs));
    return figures_of(make_profile(open_directory(path), wanted));
  }
  const auto text = tool::read_file(path);
  if (!text)
    throw Failure(path, "no such data directory or JSON profile",
                  "tp-run -o DIR PROGRAM, or tp-analyze --json FILE");
  return read_figures(*text, path);
}

Figures read_profile(const std::string& path, const PathMap& path_map, const DiffOptions& options) {
  Figures figures = read_unmapped(path, options);
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

void detail_matches(const Comparison& comparison) {
  for (const SitePair& pair : comparison.sites)
    if (pair.match != Match::SameLine)
      tool::detail(pair.either().name + ": " + match_text(pair));
}

std::string answer(const DiffOptions& options, const Comparison& comparison, const DiffText& text) {
  if (options.json == "-" || options.format == DiffFormat::Json)
    return write_diff_json(comparison, text);
  return options.format == DiffFormat::Markdown ? write_diff_markdown(comparison, text)
                                                : write_diff_text(comparison, text);
}

Failure missing_figure(const Check& check, const Comparison& comparison, bool in_base) {
  const Missing missing = why_missing(check.metric, in_base ? *comparison.base : *comparison.now);
  return {"--fail-if " + clipped(check.text, kMaxWidth),
          std::string(in_base ? "BASE" : "NEW") + " has no such figure: " + missing.why,
          missing.hint};
}

// A claim about half of the records would say nothing about the program.
void check_completeness(const Figures& figures, const std::string& name) {
  if (!figures.lost.empty())
    throw Failure(name, figures.lost, kLostHint);
  if (!figures.complete)
    tool::finding("--fail-if of incomplete data: " + name);
}

int fail_if(const DiffOptions& options, const Comparison& comparison) {
  if (!options.fail_if.empty()) {
    check_completeness(*comparison.base, options.base);
    check_completeness(*comparison.now, options.now);
  }
  int status = tool::kOk;
  for (const Check& check : options.fail_if) {
    try {
      const Change change = change_of(check.metric, comparison);
      const auto amount = amount_of(change, check.percent);
      if (!amount)
        throw missing_figure(check, comparison, !change.base);
      if (!compare(*amount, check.comparison, check.value))
        continue;
      tool::finding(fmt::format("--fail-if {}: {} went from {} to {} ({})", check.text,
                                check.metric.name, change.base->text(), change.now->text(),
                                change_text(change)));
      status = tool::kGateFailed;
    } catch (const BadCheck& bad) {
      throw Failure("--fail-if " + clipped(check.text, kMaxWidth), bad.what(),
                    "tp-diff --json - BASE NEW shows the figures");
    }
  }
  return status;
}

int run(const DiffOptions& options) {
  const Figures base = read_profile(options.base, options.path_map, options);
  const Figures now =
      read_profile(options.now, options.maps_both ? options.path_map : PathMap{}, options);
  const Comparison comparison = compare_profiles(base, now);
  const DiffText text{options.base, options.now, options.top, options.color};
  const bool to_file = !options.json.empty() && options.json != "-";
  if (to_file)
    tool::write_outputs({{options.json,
                          {"a comparison in JSON", is_diff_json},
                          write_diff_json(comparison, text)}});
  tool::write_answer(answer(options, comparison, text));
  detail_matches(comparison);
  if (!share_a_file(comparison))
    tool::note("no site is in both profiles: are the source directories different? See --map-path");
  if (to_file)
    tool::note("wrote " + options.json);
  return fail_if(options, comparison);
}

} // namespace
} // namespace tp::analysis

int main(int argc, char** argv) {
  using namespace tp::analysis;
  return run_on_traces("tp-diff", [&] {
    const auto options = parse_diff_options({argv + 1, argv + argc});
    return options ? run(*options) : tp::tool::kOk;
  });
}
