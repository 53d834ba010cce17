// tp-analyze: options, the profile, the reports. stdout carries the answer, stderr everything else.
#include "options.h"
#include "problem.h"
#include "profile.h"
#include "report/writers.h"
#include "run_info.h"
#include "trace_dump.h"
#include "trace_source.h"

#include <fmt/format.h>

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

namespace tp::analysis {
namespace {
namespace fs = std::filesystem;

constexpr int kOk = 0, kCheckFailed = 1, kBad = 2;

// A stream that shrinks while it is mapped: another program is writing this directory.
extern "C" void on_bus_error(int) {
  static constexpr char kText[] =
      "tp: error: a stream was cut off while it was read: expected nobody to write the "
      "data directory, got a shorter file\nhint: run tp-analyze again when the program has ended\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText, sizeof kText - 1);
  ::_exit(kBad);
}

void complain(const std::string& what, const std::string& hint) {
  fmt::print(stderr, "tp: error: {}\n", what);
  if (!hint.empty())
    fmt::print(stderr, "hint: {}\n", hint);
}

// Written beside its place and renamed: readers see the old file or the new one.
void write_file(const std::string& path, const std::string& text) {
  const std::string temporary = fmt::format("{}.tmp.{}", path, ::getpid());
  std::FILE* const file = std::fopen(temporary.c_str(), "we");
  if (!file)
    fail(Problem::Unreadable, {path}, "a place to write to", std::strerror(errno),
         "tp-analyze --out-dir DIR");
  bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  good &= std::fclose(file) == 0;
  if (!good || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    fail(Problem::Unreadable, {path}, "a place to write to", std::strerror(error),
         "tp-analyze --out-dir DIR");
  }
}

std::string in_directory(const std::string& directory, const std::string& name) {
  return directory.empty() ? name : (fs::path(directory) / name).string();
}

std::vector<std::string> write_files(const Options& options, const Profile& profile) {
  std::vector<std::string> written;
  const auto write = [&](const std::string& path, const std::string& text) {
    if (const fs::path parent = fs::path(path).parent_path(); !parent.empty()) {
      std::error_code error;
      fs::create_directories(parent, error);
    }
    write_file(path, text);
    written.push_back(path);
  };
  write(options.profile_csv, write_profile_csv(profile));
  for (std::size_t i = 0; i < profile.what_if.size(); ++i) {
    const WhatIfCurve& curve = profile.what_if[i];
    if (i == 0) {
      write(in_directory(options.region_dir, "region_all.csv"), write_all_regions_csv(curve));
    } else {
      const std::uint32_t region = curve.regions.front();
      write(in_directory(options.region_dir, fmt::format("region_{}.csv", region + 1)),
            write_region_csv(profile.regions[region], curve));
    }
  }
  if (!options.json.empty() && options.json != "-")
    write(options.json, write_json(profile));
  return written;
}

std::string answer(const Options& options, const Profile& profile) {
  if (options.json == "-" || options.format == Format::Json)
    return write_json(profile);
  if (options.format == Format::Csv)
    return write_profile_csv(profile);
  if (options.format == Format::Markdown)
    return write_markdown(profile, options.text);
  return write_text(profile, options.text);
}

int check_all(const Options& options, const Profile& profile) {
  int status = kOk;
  for (const Check& check : options.checks) {
    std::string actual;
    const auto result = holds(check, profile, actual);
    if (!result) {
      complain(
          fmt::format("--check: {}: expected a figure, got none: the totals of the run are missing",
                      check.text),
          "let the program end cleanly");
      return kBad;
    }
    if (*result)
      continue;
    fmt::print(stderr, "tp: check failed: {}: {} is {}\n", check.text, check.metric, actual);
    status = kCheckFailed;
  }
  return status;
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
  fmt::print("{}", table);
  if (!options.quiet)
    fmt::print(
        stderr,
        "tp: {} is shown as it is: there is no data directory {}\nNext: tp-run ./your-program\n",
        options.profile_csv, options.data);
  return true;
}

int run(const Options& options) {
  if (show_old_profile(options))
    return kOk;
  const TraceSource source = open_directory(options.data);
  if (options.dump) {
    dump_trace(source, read_info(source), std::cout);
    return std::cout.flush() ? kOk : kBad;
  }
  const Profile profile = make_profile(source, options.analysis);
  const auto written = write_files(options, profile);
  const std::string text = answer(options, profile);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    fail(Problem::Unreadable, {"standard output"}, "a place to write to", std::strerror(errno));
  if (!options.quiet)
    for (const std::string& path : written)
      fmt::print(stderr, "tp: wrote {}\n", path);
  if (options.verbose)
    fmt::print(stderr, "tp: {} records of {} streams, at most {} live tasks\n",
               profile.read.records, profile.read.streams, profile.read.most_live_frames);
  if (options.strict && (!profile.warnings.empty() || !profile.read.complete)) {
    complain(
        fmt::format("{}: --strict: expected no warning, got {}", options.data,
                    profile.warnings.empty() ? "incomplete data" : profile.warnings.front().text),
        "tp-analyze --json - " + options.data);
    return kBad;
  }
  return check_all(options, profile);
}

} // namespace
} // namespace tp::analysis

int main(int argc, char** argv) {
  using namespace tp::analysis;
  ::signal(SIGBUS, on_bus_error);
  const Parsed parsed = parse_options(argc, argv);
  if (!parsed.options)
    return parsed.status;
  try {
    return run(*parsed.options);
  } catch (const Error& error) {
    complain(error.what(), error.hint().empty() ? "tp-run PROGRAM records it again" : error.hint());
  } catch (const std::bad_alloc&) {
    complain(
        "the analysis: out of memory: expected enough for what is alive at one moment, got none",
        "");
  } catch (const std::exception& error) {
    complain(fmt::format("the analysis: expected no failure, got {}", error.what()), "");
  }
  return kBad;
}
