// tp-analyze: options, the profile, the reports. stdout carries the answer, stderr everything else.
#include "cli/analyze_options.h"
#include "cli/progress.h"
#include "cli/tool.h"
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
#include <fstream>
#include <iostream>
#include <sstream>

namespace tp::analysis {
namespace {
namespace fs = std::filesystem;

std::string in_directory(const std::string& directory, const std::string& name) {
  return directory.empty() ? name : (fs::path(directory) / name).string();
}

std::vector<std::string> write_files(const Options& options, const Profile& profile) {
  std::vector<std::string> written;
  const auto write = [&](const std::string& path, const std::string& text) {
    write_file(path, text);
    written.push_back(path);
  };
  write(options.profile_csv, write_profile_csv(profile));
  for (std::size_t i = 0; i < profile.what_if.size(); ++i) {
    const WhatIfCurve& curve = profile.what_if[i];
    if (i == 0) {
      write(in_directory(options.region_dir, "region_all.csv"), write_all_regions_csv(curve));
    } else {
      const RegionId region = curve.regions.front();
      write(in_directory(options.region_dir, fmt::format("region_{}.csv", index_of(region) + 1)),
            write_region_csv(profile.regions[region], curve));
    }
  }
  if (!options.json.empty() && options.json != "-")
    write(options.json, write_json(profile));
  for (const Export& each : options.exports)
    write(each.file, each.format->write(profile));
  return written;
}

std::string answer(const Options& options, const Profile& profile) {
  if (options.json == "-" || options.format == Format::Json)
    return write_json(profile);
  if (options.format == Format::Csv)
    return ::isatty(STDOUT_FILENO) ? printable_lines(write_profile_csv(profile))
                                   : write_profile_csv(profile);
  if (options.format == Format::Markdown)
    return write_markdown(profile, options.text);
  TextOptions text = options.text;
  text.verbose = options.verbose;
  return write_text(profile, text);
}

// The columns of the CSV are those of TaskProf: none is left for the mark.
std::string names_of_short_sites(const Profile& profile) {
  std::string text;
  for (const SiteRow& site : profile.sites)
    if (site.too_short)
      text += fmt::format("tp: {} {}\n", printable(site.info.name), kTooShort);
  return text;
}

int check_all(const Options& options, const Figures& figures) {
  int status = kOk;
  for (const Check& check : options.checks) {
    std::string actual;
    std::optional<bool> result;
    try {
      result = holds(check, figures, actual);
    } catch (const BadCheck& bad) {
      complain(fmt::format("--check {}: {}", clipped(check.text, kMaxWidth), bad.what()),
               "tp-analyze --format csv lists the sites");
      return kBad;
    }
    if (!result) {
      const Missing missing = why_missing(check.metric, figures);
      complain(fmt::format("--check: {}: expected a figure, got none: {}", check.text, missing.why),
               missing.hint);
      return kBad;
    }
    if (*result)
      continue;
    fmt::print(stderr, "tp: check failed: {}: {} is {}\n", check.text, check.metric.name, actual);
    status = kClaimFalse;
  }
  return status;
}

// What was shown, in one exit status.
int judge(const Options& options, const Profile& profile) {
  const ReadSummary& read = profile.read;
  if (read.lost && (options.strict || !options.checks.empty())) {
    complain(fmt::format("{}/{}", options.data, read.incomplete_reasons.front()), kLostHint);
    return kBad;
  }
  const auto warning = std::find_if(profile.warnings.begin(), profile.warnings.end(),
                                    [](const Warning& each) { return each.certain; });
  if (const bool any = warning != profile.warnings.end();
      options.strict && (any || !read.complete)) {
    complain(fmt::format("{}: --strict: expected {}", options.data,
                         read.complete
                             ? "no warning, got " + warning->text
                             : "complete data, got incomplete: " + read.incomplete_reasons.front()),
             "tp-analyze --json - " + options.data);
    return kBad;
  }
  if (!options.checks.empty() && !read.complete)
    fmt::print(stderr, "tp: --check of incomplete data: {} (--strict: an error)\n",
               read.incomplete_reasons.front());
  return check_all(options, figures_of(profile));
}

// No data, but a profile that was written before: show it.
bool show_old_profile(const Options& options) {
  std::error_code error;
  if (!options.csv_is_named || fs::exists(options.data, error) ||
      !fs::is_regular_file(options.profile_csv, error))
    return false;
  std::ifstream file(options.profile_csv, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  const std::string table = pretty_print_csv(text.str());
  if (table.empty())
    return false;
  write_answer(table);
  if (!options.quiet)
    fmt::print(
        stderr,
        "tp: {} is shown as it is: there is no data directory {}\nNext: tp-run ./your-program\n",
        options.profile_csv, options.data);
  return true;
}

struct Analyzed {
  Profile profile;
  std::vector<std::string> written; // files
  std::string answer;
};

// All that takes long: whoever waits at a terminal is told what is done.
Analyzed analyze(const Options& options, TraceSource& source) {
  ProfileOptions wanted = options.analysis;
  std::optional<Progress> progress;
  if (wants_progress(options.quiet)) {
    progress.emplace(STDERR_FILENO, options.progress_after);
    wanted.progress = &*progress;
    source.bytes_taken = &progress->bytes_taken();
  }
  Analyzed result{.profile = make_profile(source, wanted)};
  if (progress)
    progress->begin("writing");
  result.written = write_files(options, result.profile);
  result.answer = answer(options, result.profile);
  return result;
}

int run(const Options& options) {
  if (show_old_profile(options))
    return kOk;
  TraceSource source = open_directory(options.data);
  if (options.dump) {
    dump_trace(source, read_info(source), std::cout);
    if (!std::cout.flush())
      fail_answer();
    return kOk;
  }
  const auto [profile, written, text] = analyze(options, source);
  write_answer(text);
  if (options.warnings)
    fmt::print(stderr, "{}", write_warnings(profile));
  if (options.format == Format::Csv && !options.quiet)
    fmt::print(stderr, "{}", names_of_short_sites(profile));
  if (!options.quiet)
    for (const std::string& path : written)
      fmt::print(stderr, "tp: wrote {}\n", path);
  if (options.verbose)
    for (const Warning& warning : profile.warnings)
      fmt::print(stderr, "tp: warning: {}\n", printable(warning.text));
  if (options.verbose)
    fmt::print(stderr, "tp: {} records of {} streams, at most {} live tasks\n",
               profile.read.records, profile.read.streams, profile.read.most_live_frames);
  return judge(options, profile);
}

} // namespace
} // namespace tp::analysis

int main(int argc, char** argv) {
  using namespace tp::analysis;
  const Parsed parsed = parse_options(argc, argv);
  return parsed.options ? run_tool([&] { return run(*parsed.options); }) : parsed.status;
}
