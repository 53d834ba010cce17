// tp-rewrite: tags the spawn sites of oneTBB programs in their source text. Parses the command
// line, runs Clang on each file, merges what several translation units say about one header, and
// hands the new texts to output. Sources are touched with --in-place only, and nothing is written
// unless every file could be parsed.
#include "text/compiler_options.h"
#include "text/installation.h"
#include "text/output.h"
#include "text/prefix_map.h"
#include "text/project.h"
#include "text/spawn_site_rewriter.h"
#include "clang/parse.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sys/resource.h>
#include <unistd.h>

namespace tp::rewrite {
namespace {

namespace fs = std::filesystem;

constexpr int kOk = 0, kBadInput = 1, kBadUsage = 2;
constexpr int kNothingToTag = 3; // --emit only: tells tp-c++ to compile the original

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> flags;
  std::vector<std::string> wrappers;
  std::string build_dir, out_dir, emit, color = "auto";
  bool in_place = false, diff = false, list_sites = false, quiet = false, verbose = false;
};

// Clang 19 does not end on some broken OpenMP directives, which the user's compiler is to report: tp-c++ must get its
// answer. No unit that was seen took a tenth of this.
constexpr rlim_t kMostCpuSeconds = 120;

rlim_t cpu_seconds_spent() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<rlim_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
}

std::string out_of_time; // what is said then

extern "C" void give_up(int) {
  [[maybe_unused]] const auto written =
      write(STDERR_FILENO, out_of_time.data(), out_of_time.size());
  _exit(kBadInput);
}

// For one source; the next call begins anew.
void limit_cpu_time(const std::string& source) {
  rlimit limit{};
  if (getrlimit(RLIMIT_CPU, &limit) != 0)
    return;
  static const rlim_t allowed = limit.rlim_cur; // RLIM_INFINITY is the largest
  const rlim_t spent = cpu_seconds_spent();
  limit.rlim_cur = std::min(allowed, spent + kMostCpuSeconds);
  out_of_time = "tp: error: " + source + ": cannot parse: expected an end within " +
                std::to_string(limit.rlim_cur - spent) + " s of CPU time, got none\n";
  setrlimit(RLIMIT_CPU, &limit);
  std::signal(SIGXCPU, give_up);
}

using Files = std::map<std::string, SourceFile>; // by canonical path

bool use_color(const Options& options, int stream) {
  const char* term = std::getenv("TERM");
  const char* no_color = std::getenv("NO_COLOR");
  if (options.color != "auto")
    return options.color == "always";
  return isatty(stream) && !(no_color && *no_color) && term && std::string(term) != "dumb";
}

void report_error(const Options& options, const std::string& text, const std::string& hint = "") {
  const bool color = use_color(options, STDERR_FILENO);
  std::cerr << (color ? "\033[1mtp: \033[31merror:\033[0m " : "tp: error: ") << text << '\n';
  if (!hint.empty())
    std::cerr << "hint: " << hint << '\n';
}

void note(const Options& options, const std::string& text) {
  if (!options.quiet)
    std::cerr << "tp-rewrite: " << text << '\n';
}

std::string real_compiler() {
  const char* compiler = std::getenv("TP_CXX");
  return compiler && *compiler ? compiler : "c++";
}

// A header seen from several units: the union of the sites they see, the first wording of each.
void merge(Files& files, Files&& more) {
  for (auto& [path, file] : more) {
    const auto [position, is_new] = files.try_emplace(path, std::move(file));
    if (is_new)
      continue;
    std::vector<FoundSite>& sites = position->second.sites;
    for (FoundSite& site : file.sites)
      if (std::ranges::find(sites, site.insert_offset, &FoundSite::insert_offset) == sites.end())
        sites.push_back(std::move(site));
    std::ranges::sort(sites, {}, &FoundSite::insert_offset);
  }
}

RewriteOptions naming(const SourceFile& file, const std::string& line_name) {
  RewriteOptions options;
  options.line_name = line_name;
  options.stable_name = relative_to(file.path, project_root(file.path));
  return options;
}

std::string rewritten(const SourceFile& file, const std::string& line_name) {
  return rewrite(file, naming(file, line_name));
}

void list_sites(const Files& files) {
  std::vector<std::array<std::string, 4>> rows;
  for (const auto& [path, file] : files)
    for (const FoundSite& site : file.sites) {
      const std::string how = site.handling == Handling::Tag ? "explicit"
                              : site.handling == Handling::NoParameter
                                  ? std::string("not named: ") + site.reason
                              : site.handling == Handling::AlreadyTagged
                                  ? "explicit (in the source)"
                                  : std::string("left to header: ") + site.reason;
      rows.push_back(
          {site.presumed_file + ':' + std::to_string(site.line) + ':' + std::to_string(site.column),
           site.construct, site.function, how});
    }
  std::array<size_t, 4> width{};
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      width[i] = std::max(width[i], row[i].size());
  for (const auto& row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i)
      std::cout << row[i] << std::string(width[i] + 2 - row[i].size(), ' ');
    std::cout << row.back() << '\n';
  }
}

// Writes every text; returns false after reporting the first failure.
bool write_all(const Options& options, const Files& files) {
  const std::string here = canonical(".");
  size_t written = 0;
  for (const auto& [path, file] : files) {
    const std::string text = rewritten(file, options.in_place ? "" : file.name);
    if (options.in_place && text == file.text)
      continue;
    std::string target = path;
    if (!options.in_place) {
      const std::string base = is_below(path, here) ? here : project_root(path);
      target = options.out_dir + '/' + relative_to(path, base);
    }
    if (const std::string error = write_file(target, text); !error.empty()) {
      report_error(options, error);
      return false;
    }
    note(options, "wrote " + target);
    ++written;
  }
  note(options, written == 0 ? "nothing to tag" : "next: compile with $(tp-config --cflags)");
  return true;
}

// For tp-c++: the main file is tagged; all other calls get a note.
int emit_one(const Options& options, const Files& files) {
  const auto main_file = files.find(canonical(options.files.front()));
  if (main_file == files.end())
    return kNothingToTag;
  const SourceFile& source = main_file->second;
  RewriteOptions how = naming(source, options.files.front());
  const PrefixMap prefixes(options.flags);
  for (const auto& [path, file] : files)
    for (const FoundSite& site : file.sites)
      if (site.handling == Handling::LeftToHeader ||
          (site.handling == Handling::Tag && &file != &source))
        how.notes.push_back({site, prefixes.applied_to(site.presumed_file),
                             prefixes.applied_to(without_detours(site.presumed_file))});
  const std::string text = rewrite(source, how);
  if (text == source.text)
    return kNothingToTag;
  if (const std::string error = write_file(options.emit, text); !error.empty()) {
    report_error(options, error);
    return kBadInput;
  }
  return kOk;
}

int put_out(const Options& options, const Files& files) {
  if (options.list_sites)
    list_sites(files);
  if (options.in_place || !options.out_dir.empty())
    return write_all(options, files) ? kOk : kBadInput;
  if (options.diff)
    for (const auto& [path, file] : files)
      std::cout << unified_diff(relative_to(path, canonical(".")), file.text,
                                rewritten(file, file.name));
  if (!options.diff && !options.list_sites)
    for (const std::string& name : options.files)
      std::cout << rewritten(files.at(canonical(name)), name);
  std::cout.flush();
  return std::cout ? kOk : kBadInput;
}

int run(const Options& options) {
  std::vector<ParseRequest> requests;
  for (const std::string& file : options.files) {
    if (std::error_code ignored; !fs::is_regular_file(file, ignored)) {
      report_error(options, file + ": cannot read: expected a source file, got none");
      return kBadInput;
    }
    std::vector<ParseRequest> more;
    if (const std::string error = requests_for(file, options.build_dir, more); !error.empty()) {
      report_error(options, error,
                   "cmake -B " + options.build_dir + " -DCMAKE_EXPORT_COMPILE_COMMANDS=ON");
      return kBadInput;
    }
    for (ParseRequest& request : more) {
      if (request.compiler.empty())
        request.compiler = real_compiler();
      request.flags.insert(request.flags.end(), options.flags.begin(), options.flags.end());
      request.wrappers = options.wrappers;
      requests.push_back(std::move(request));
    }
  }
  requests.back().is_last = true; // there is one: FILE is required
  Files files;
  bool all_parsed = true;
  for (const ParseRequest& request : requests) {
    if (options.verbose)
      note(options, "parsing " + request.file);
    limit_cpu_time(request.file);
    ParseResult result = parse(request);
    if (!result.ok) {
      all_parsed = false;
      report_error(options, request.file + ": cannot parse: expected valid C++, got errors:");
      for (const std::string& error : result.errors)
        std::cerr << "  " << error << '\n';
    }
    if (!options.emit.empty() && !result.hidden_header.empty()) {
      report_error(options, request.file + ": its folder holds another file of the name of\n  " +
                                result.hidden_header + ", which a copy elsewhere would include");
      return kBadInput;
    }
    merge(files, std::move(result.files));
  }
  if (!all_parsed) {
    std::cerr << "hint: nothing was written; pass the program's compiler flags: tp-rewrite ... "
                 "-- -I... -std=..., or -p BUILD_DIR\n";
    return kBadInput;
  }
  return options.emit.empty() ? put_out(options, files) : emit_one(options, files);
}

} // namespace
} // namespace tp::rewrite

int main(int argc, char** argv) {
  using namespace tp::rewrite;
  Options options;
  std::vector<std::string> own(argv + 1, argv + argc);
  if (const auto dashes = std::ranges::find(own, "--"); dashes != own.end()) {
    options.flags.assign(dashes + 1, own.end());
    options.flags = expand_response_files(options.flags);
    own.erase(dashes, own.end());
  }
  CLI::App app(
      "Tags the spawn sites of oneTBB programs: each call gets a constant record of its place.\n"
      "Without --out, --in-place, --diff or --list-sites the new text goes to stdout.\n"
      "Flags for the compiler follow after --.",
      "tp-rewrite");
  app.add_option("FILE", options.files, "C++ sources")->required();
  app.add_option("-p", options.build_dir, "directory of compile_commands.json")
      ->type_name("BUILD_DIR");
  auto* out =
      app.add_option("--out", options.out_dir, "write rewritten copies, headers too, below DIR")
          ->type_name("DIR");
  auto* in_place = app.add_flag("--in-place", options.in_place, "change the sources themselves");
  auto* diff = app.add_flag("--diff", options.diff, "show what would change");
  out->excludes(in_place)->excludes(diff);
  in_place->excludes(diff);
  app.add_flag("--list-sites", options.list_sites, "list the spawn sites and how each is named");
  app.add_option("--wrapper", options.wrappers,
                 "calls of this function are spawn sites; repeatable")
      ->envname("TP_WRAPPERS")
      ->delimiter(',')
      ->type_name("NS::FUNCTION")
      ->allow_extra_args(false);
  app.add_option("--emit", options.emit)->group("");
  app.add_flag("-q,--quiet", options.quiet, "no notes");
  app.add_flag("-v,--verbose", options.verbose, "say what is being done");
  app.add_option("--color", options.color, "when to color messages")
      ->type_name("auto|always|never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.set_version_flag("-V,--version", "tp-rewrite " TP_VERSION);
  try {
    std::ranges::reverse(own);
    app.parse(own);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kOk : kBadUsage;
  }
  return run(options);
}
