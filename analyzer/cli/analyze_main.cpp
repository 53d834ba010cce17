// SPDX-License-Identifier: Apache-2.0
// tp-analyze: options, the profile, the reports. stdout receives the answer, stderr everything
// else.
#include "cli/analyze_options.h"
#include "cli/annotate.h"
#include "cli/recordings_list.h"
#include "cli/source_excerpts.h"
#include "cli/tool.h"
#include "common/exit_status.h"
#include "common/failure.h"
#include "common/files.h"
#include "common/message.h"
#include "model/run_info.h"
#include "profile/make_profile.h"
#include "report/lines.h"
#include "report/numbers.h"
#include "report/writers.h"
#include "trace/metadata_reader.h"
#include "trace/trace_dump.h"
#include "trace/trace_source.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

namespace tp::analysis {
namespace {
namespace fs = std::filesystem;
using tool::Failure;

std::string in_directory(const std::string& directory, const std::string& name) {
  return directory.empty() ? name : (fs::path(directory) / name).string();
}

const tool::OutputKind kProfileCsv{"a profile in CSV", is_profile_csv};
const tool::OutputKind kProfileJson{"a profile in JSON", is_profile_json};

tool::OutputKind kind_of(const ExportFormat& format) {
  return {fmt::format("an export in the format {}", format.name), format.is_own};
}

bool writes_json_file(const Options& options) {
  return !options.json.empty() && options.json != "-";
}

// Before the analysis, which may take long. The files of the regions are not known yet.
void require_replaceable_files(const Options& options) {
  tool::require_replaceable(options.profile_csv, kProfileCsv);
  if (writes_json_file(options))
    tool::require_replaceable(options.json, kProfileJson);
  for (const Export& each : options.exports)
    tool::require_replaceable(each.file, kind_of(*each.format));
}

std::string json_of(const Options& options, const Profile& profile) {
  return options.timeline ? write_json(profile, {.timeline = true,
                                                 .source = source_excerpts(profile, options.data)})
                          : write_json(profile);
}

std::vector<std::string> write_files(const Options& options, const Profile& profile) {
  std::vector<tool::Output> outputs{{options.profile_csv, kProfileCsv, write_profile_csv(profile)}};
  for (std::size_t i = 0; i < profile.what_if.size(); ++i) {
    const WhatIfCurve& curve = profile.what_if[i];
    if (i == 0) {
      outputs.push_back({in_directory(options.region_dir, "region_all.csv"),
                         {"a table of all regions", is_all_regions_csv},
                         write_all_regions_csv(curve)});
    } else {
      const RegionId region = curve.regions.front();
      outputs.push_back(
          {in_directory(options.region_dir, fmt::format("region_{}.csv", index_of(region) + 1)),
           {"a table of a region", is_region_csv},
           write_region_csv(profile.regions[region], curve)});
    }
  }
  if (options.functions)
    outputs.push_back({in_directory(options.region_dir, "functions.csv"),
                       {"a table of functions", is_functions_csv},
                       write_functions_csv(profile)});
  if (options.locks)
    outputs.push_back({in_directory(options.region_dir, "locks.csv"),
                       {"a table of locks", is_locks_csv},
                       write_locks_csv(profile)});
  if (writes_json_file(options))
    outputs.push_back({options.json, kProfileJson, json_of(options, profile)});
  for (const Export& each : options.exports)
    outputs.push_back(
        {each.file, kind_of(*each.format),
         each.format->write_with_source
             ? each.format->write_with_source(profile, source_excerpts(profile, options.data))
             : each.format->write(profile)});
  tool::write_outputs(outputs);
  std::vector<std::string> written;
  for (const tool::Output& output : outputs)
    written.push_back(output.path);
  return written;
}

std::string answer(const Options& options, const Profile& profile) {
  if (options.json == "-" || options.format == Format::Json)
    return json_of(options, profile);
  if (options.format == Format::Csv)
    return ::isatty(STDOUT_FILENO) ? printable_lines(write_profile_csv(profile))
                                   : write_profile_csv(profile);
  if (options.format == Format::Markdown)
    return write_markdown(profile, options.text);
  if (!options.annotate.empty())
    return annotated_source(profile, options.annotate);
  TextOptions text = options.text;
  text.verbose = options.style.is_verbose();
  if (!options.functions && !options.locks)
    return write_text(profile, text);
  return (options.functions ? write_functions_text(profile, text) : std::string()) +
         (options.locks ? write_locks_text(profile, text) : std::string());
}

// The CSV has the columns of TaskProf; none of them holds this mark.
void note_short_sites(const Profile& profile) {
  for (const SiteRow& site : profile.sites)
    if (site.too_short)
      tool::note(fmt::format("{} {}", printable(site.info.name), kTooShort));
}

// What a check of a predicted time, or of what locks leave, relies on: that all locks were seen.
void note_unseen_locks(const Options& options, const Profile& profile) {
  const auto relies = [](const Check& check) {
    return check.metric.name == "time" || check.metric.name == "speedup" ||
           check.metric.name == "parallelism_with_locks";
  };
  const auto check = std::ranges::find_if(options.checks, relies);
  if (check == options.checks.end())
    return;
  for (const Warning& warning : profile.warnings)
    if (warning.name == "locks_not_observed" || warning.name == "c_locks_not_observed" ||
        warning.name == "header_locks_not_observed" || warning.name == "waits_in_loops" ||
        warning.name == "failed_tries" || warning.name == "semaphores")
      tool::finding(
          fmt::format("--check {}: {}", clipped(check->text, kMaxWidth), printable(warning.text)));
}

int check_all(const Options& options, const Figures& figures) {
  int status = tool::kOk;
  for (const Check& check : options.checks) {
    std::string actual;
    std::optional<bool> result;
    try {
      result = holds(check, figures, actual);
    } catch (const BadCheck& bad) {
      throw Failure("--check " + clipped(check.text, kMaxWidth), bad.what(),
                    "tp-analyze --format csv lists the sites");
    }
    if (!result) {
      const Missing missing = why_missing(check.metric, figures);
      throw Failure("--check " + clipped(check.text, kMaxWidth),
                    "the profile has no such figure: " + missing.why, missing.hint);
    }
    if (*result)
      continue;
    tool::finding(fmt::format("check failed: {}: {} is {}", check.text, check.metric.name, actual));
    status = tool::kGateFailed;
  }
  return status;
}

// The exit status for a profile that has been shown.
int judge(const Options& options, const Profile& profile) {
  const ReadSummary& read = profile.read;
  if (read.lost && (options.strict || !options.checks.empty()))
    throw Failure(options.data + "/" + read.incomplete_reasons.front(), "", kLostHint);
  const std::string details = "tp-analyze --json - " + tool::shell_quoted(options.data);
  if (options.strict && !read.complete)
    throw Failure(options.data, "the data is incomplete: " + read.incomplete_reasons.front(),
                  details);
  const auto warning = std::find_if(profile.warnings.begin(), profile.warnings.end(),
                                    [](const Warning& each) { return each.certain; });
  if (options.strict && warning != profile.warnings.end())
    throw Failure(options.data, "--strict refuses warnings: " + printable(warning->text), details);
  if (!options.checks.empty() && !read.complete)
    tool::finding("--check of incomplete data: " + read.incomplete_reasons.front() +
                  " (--strict makes this an error)");
  note_unseen_locks(options, profile);
  return check_all(options, figures_of(profile));
}

// Without a data directory, shows an existing profile of ours.
bool show_old_profile(const Options& options) {
  std::error_code error;
  if (!options.csv_is_named || fs::exists(options.data, error) ||
      !fs::is_regular_file(options.profile_csv, error))
    return false;
  const std::string table = pretty_print_csv(tool::read_file(options.profile_csv).value_or(""));
  if (table.empty())
    return false;
  tool::write_answer(table);
  tool::note(fmt::format("{} not found; showing the existing profile {}", options.data,
                         options.profile_csv));
  tool::next("tp-run ./your-program");
  return true;
}

struct Analyzed {
  Profile profile;
  std::vector<std::string> written; // files
  std::optional<tool::Failure> not_written;
  std::string answer;
};

// All long computations, with a progress line on terminals.
Analyzed analyze(const Options& options, TraceSource& source) {
  ProfileOptions wanted = options.analysis;
  std::optional<ProgressLine> progress;
  if (tool::wants_progress(options.style.is_quiet())) {
    progress.emplace(STDERR_FILENO, options.progress_after);
    wanted.progress = &*progress;
    source.bytes_taken = &progress->bytes_taken();
  }
  Analyzed result{.profile = make_profile(source, wanted)};
  if ((options.functions || !options.annotate.empty()) && !result.profile.functions)
    throw Failure(options.functions ? "--functions" : "--annotate",
                  "the recording has no samples: " + result.profile.no_samples.reason,
                  result.profile.no_samples.command);
  if (progress)
    progress->begin("writing");
  result.answer = answer(options, result.profile);
  try {
    result.written = write_files(options, result.profile);
  } catch (const Failure& failure) {
    result.not_written = failure; // the answer needs no file
  }
  return result;
}

void dump(TraceSource& source) {
  dump_trace(source, read_info(source), std::cout);
  tool::check_answer(static_cast<bool>(std::cout.flush()));
}

int list(const std::string& directory) {
  const std::string rows = list_recordings(directory);
  tool::write_answer(rows);
  tool::next("tp-analyze " + tool::shell_quoted(directory));
  return tool::kOk;
}

int run(const Options& options) {
  if (!options.list.empty())
    return list(options.list);
  if (show_old_profile(options))
    return tool::kOk;
  TraceSource source = open_directory(options.data);
  if (options.dump) {
    dump(source);
    return tool::kOk;
  }
  require_replaceable_files(options);
  const auto [profile, written, not_written, text] = analyze(options, source);
  tool::write_answer(text);
  if (not_written)
    throw tool::Failure(not_written->object(), not_written->reason(),
                        not_written->hint() + " (-o DIR)");
  if (options.warnings)
    fmt::print(stderr, "{}", write_warnings(profile));
  if (options.format == Format::Csv)
    note_short_sites(profile);
  for (const std::string& path : written)
    tool::note("wrote " + path);
  if (options.style.is_verbose())
    for (const Warning& warning : profile.warnings)
      tool::warning(printable(warning.text));
  tool::detail(fmt::format("{} records of {} streams, at most {} live tasks", profile.read.records,
                           profile.read.streams, profile.read.most_live_frames));
  return judge(options, profile);
}

} // namespace
} // namespace tp::analysis

int main(int argc, char** argv) {
  using namespace tp::analysis;
  return run_on_traces("tp-analyze", [&] {
    const auto options = parse_options({argv + 1, argv + argc});
    return options ? run(*options) : tp::tool::kOk;
  });
}
