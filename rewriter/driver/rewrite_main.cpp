// SPDX-License-Identifier: Apache-2.0
// tp-rewrite: tags the spawn sites of oneTBB programs in their source text. It parses the command
// line, runs Clang on each file, merges what several translation units know about one header, and
// writes the new texts. It changes sources only with --in-place, and writes nothing unless every
// file could be parsed.
#include "common/exit_status.h"
#include "common/failure.h"
#include "common/files.h"
#include "common/message.h"
#include "driver/reply.h"
#include "options/command_line.h"
#include "text/compiler_options.h"
#include "text/installation.h"
#include "text/output.h"
#include "text/prefix_map.h"
#include "text/project.h"
#include "text/spawn_site_rewriter.h"
#include "text/written_copies.h"
#include "clang/parse.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sys/resource.h>
#include <unistd.h>

namespace tp::rewrite {
namespace {

namespace fs = std::filesystem;
using tool::Failure;

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> flags;
  std::vector<std::string> wrappers;
  std::string build_dir, out_dir, emit;
  bool in_place = false, diff = false, list_sites = false;
};

// Clang 19 does not terminate on some broken OpenMP directives, which the user's compiler has to
// report, so tp-c++ must get a reply. No unit seen so far took a tenth of this.
constexpr rlim_t kMostCpuSeconds = 120;

rlim_t cpu_seconds_spent() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<rlim_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
}

// The message for that case, prepared in advance.
std::string out_of_time;
int out_of_time_to = STDERR_FILENO;

extern "C" void give_up(int) {
  [[maybe_unused]] const auto written =
      write(out_of_time_to, out_of_time.data(), out_of_time.size());
  _exit(tool::kUnusable);
}

// For one source; each call restarts the limit.
void limit_cpu_time(const Options& options, const std::string& source) {
  rlimit limit{};
  if (getrlimit(RLIMIT_CPU, &limit) != 0)
    return;
  static const rlim_t allowed = limit.rlim_cur; // RLIM_INFINITY is the largest
  const rlim_t spent = cpu_seconds_spent();
  limit.rlim_cur = std::min(allowed, spent + kMostCpuSeconds);
  const std::string reason =
      "cannot be parsed within " + std::to_string(limit.rlim_cur - spent) + " s of CPU time";
  if (options.emit.empty()) {
    out_of_time = tool::plain_error(source + ": " + reason, "");
  } else {
    out_of_time = to_json({Reply::Result::Failed, source, reason});
    out_of_time_to = STDOUT_FILENO;
  }
  setrlimit(RLIMIT_CPU, &limit);
  std::signal(SIGXCPU, give_up);
}

using Files = std::map<std::string, SourceFile>; // by canonical path

// Merges a header of several units: the union of the sites that they contain, the first wording of
// each.
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

std::string list_of_sites(const Files& files) {
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
  std::string text;
  for (const auto& row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i)
      text += row[i] + std::string(width[i] + 2 - row[i].size(), ' ');
    text += row.back() + '\n';
  }
  return text;
}

// Changes the files themselves; false if there was nothing to change.
bool write_in_place(const Files& files) {
  bool any = false;
  for (const auto& [path, file] : files) {
    const std::string text = rewritten(file, "");
    if (text == file.text)
      continue;
    tool::write_file(path, text);
    tool::note("wrote " + path);
    any = true;
  }
  return any;
}

// Writes copies of all files, also of those without sites; false if there are none.
bool write_copies(const std::string& directory, const Files& files) {
  const std::string here = canonical(".");
  WrittenCopies copies(directory);
  std::map<std::string, std::string> texts; // by path below the folder
  for (const auto& [path, file] : files) {
    const std::string base = is_below(path, here) ? here : project_root(path);
    texts[relative_to(path, base)] = rewritten(file, file.name);
  }
  for (const auto& [path, text] : texts)
    copies.require_replaceable(path);
  for (const auto& [path, text] : texts) {
    copies.add(path, text);
    const std::string target = (fs::path(directory) / path).string();
    tool::write_file(target, text);
    tool::note("wrote " + target);
  }
  copies.write();
  return !texts.empty();
}

// For tp-c++: tags the main file; all other calls get a note.
Reply emit_one(const Options& options, const Files& files) {
  const auto main_file = files.find(canonical(options.files.front()));
  if (main_file == files.end())
    return {Reply::Result::NothingToTag, "", ""};
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
    return {Reply::Result::NothingToTag, "", ""};
  tool::write_file(options.emit, text);
  return {Reply::Result::Tagged, "", ""};
}

void put_out(const Options& options, const Files& files) {
  std::string answer;
  if (options.list_sites)
    answer = list_of_sites(files);
  if (options.diff)
    for (const auto& [path, file] : files)
      answer +=
          unified_diff(relative_to(path, canonical(".")), file.text, rewritten(file, file.name));
  const bool writes = options.in_place || !options.out_dir.empty();
  if (!options.diff && !options.list_sites && !writes)
    for (const std::string& name : options.files)
      answer += rewritten(files.at(canonical(name)), name);
  tool::write_answer(answer);
  if (!writes)
    tool::next("tp-rewrite --in-place " + tool::shell_quoted(options.files));
  else if (options.in_place ? write_in_place(files) : write_copies(options.out_dir, files))
    tool::next("g++ -O2 -g $(tp-config --cflags) ... $(tp-config --libs)");
  else
    tool::note("nothing to tag");
}

std::vector<ParseRequest> requests_of(const Options& options) {
  std::vector<ParseRequest> requests;
  for (const std::string& file : options.files) {
    if (std::error_code ignored; !fs::is_regular_file(file, ignored))
      throw Failure(file, "no such source file", "tp-rewrite --help");
    std::vector<ParseRequest> more = requests_for(file, options.build_dir);
    if (more.empty())
      throw Failure(options.build_dir + "/compile_commands.json",
                    (fs::exists(options.build_dir + "/compile_commands.json")
                         ? "no compile command for " + file
                         : std::string("no such file")),
                    "cmake -B " + tool::shell_quoted(options.build_dir) +
                        " -DCMAKE_EXPORT_COMPILE_COMMANDS=ON");
    for (ParseRequest& request : more) {
      if (request.compiler.empty())
        request.compiler = real_compiler();
      request.flags.insert(request.flags.end(), options.flags.begin(), options.flags.end());
      request.wrappers = options.wrappers;
      requests.push_back(std::move(request));
    }
  }
  requests.back().is_last = true; // there is one: a file is required
  return requests;
}

// All files of all requests. Shows the errors of all, except to tp-c++, which gets the first.
Files parse_all(const Options& options) {
  Files files;
  bool all_parsed = true;
  for (const ParseRequest& request : requests_of(options)) {
    tool::detail("parsing " + request.file);
    limit_cpu_time(options, request.file);
    ParseResult result = parse(request);
    if (!result.ok && !options.emit.empty())
      throw Failure(request.file, "cannot be parsed" +
                                      (result.errors.empty() ? "" : ": " + result.errors.front()));
    if (!result.ok) {
      all_parsed = false;
      tool::error(request.file + ": cannot be parsed:");
      for (const std::string& error : result.errors)
        tool::continued(error);
    }
    if (!options.emit.empty() && !result.hidden_header.empty())
      throw Failure(request.file, "a copy of it elsewhere would include another file than " +
                                      result.hidden_header);
    merge(files, std::move(result.files));
  }
  if (!all_parsed) {
    tool::hint("pass the compiler flags of the program: tp-rewrite ... -- -I... -std=..., or "
               "tp-rewrite -p BUILD_DIR ... (nothing was written)");
    std::exit(tool::kUnusable);
  }
  return files;
}

Reply reply_to(const Options& options) {
  try {
    return emit_one(options, parse_all(options));
  } catch (const Failure& failure) {
    return {Reply::Result::Failed, failure.object(), failure.reason()};
  }
}

void check(const tool::CommandLine& line, Options& options) {
  if (options.files.empty())
    throw Failure("", "no source file given");
  const std::pair<const char*, bool> outputs[] = {{"--out", !options.out_dir.empty()},
                                                  {"--in-place", options.in_place},
                                                  {"--diff", options.diff}};
  std::string first;
  for (const auto& [name, given] : outputs) {
    if (given && !first.empty())
      throw Failure(name, "cannot be used with " + first);
    if (given)
      first = name;
  }
  if (const char* wrappers = std::getenv("TP_WRAPPERS"); wrappers && !line.given("--wrapper"))
    options.wrappers = {wrappers};
  std::vector<std::string> names;
  for (const std::string& list : options.wrappers)
    for (const std::string& name : tool::split(list, ','))
      if (!name.empty())
        names.push_back(name);
  options.wrappers = names;
}

// False: help or the version was shown.
bool parse_options(std::vector<std::string> own, Options& options) {
  if (const auto dashes = std::ranges::find(own, "--"); dashes != own.end()) {
    options.flags.assign(dashes + 1, own.end());
    options.flags = expand_response_files(options.flags);
    own.erase(dashes, own.end());
  }
  tool::CommandLine line("tp-rewrite",
                         "Tag the spawn sites of oneTBB programs in their source text.",
                         "[OPTIONS] FILE... [-- COMPILER_FLAG...]");
  line.positionals(options.files, 1'000'000);
  line.group("Input");
  line.value("-p", options.build_dir, "BUILD_DIR", "Directory with compile_commands.json");
  line.list("--wrapper", options.wrappers, "NS::FUNCTION",
            "Treat calls of this function as spawn sites too (default: $TP_WRAPPERS)");
  line.group("Output");
  line.value("-o,--out", options.out_dir, "DIR", "Write tagged copies, of headers too, below DIR");
  line.flag("--in-place", options.in_place, "Change the source files themselves");
  line.flag("--diff", options.diff, "Show what would change");
  line.flag("--list-sites", options.list_sites, "List the spawn sites and how each is named");
  line.hidden("--emit", options.emit); // for tp-c++: see reply.h
  line.footer("Without --out, --in-place, --diff and --list-sites the tagged text goes to\n"
              "stdout. COMPILER_FLAG: what the program is compiled with, such as -I... or\n"
              "-std=...");
  return line.parse(own, [&] { check(line, options); });
}

int run(int argc, char** argv) {
  Options options;
  if (!parse_options({argv + 1, argv + argc}, options))
    return tool::kOk;
  if (options.emit.empty()) {
    put_out(options, parse_all(options));
    return tool::kOk;
  }
  const Reply reply = reply_to(options);
  tool::write_answer(to_json(reply));
  return reply.result == Reply::Result::Failed ? tool::kUnusable : tool::kOk;
}

} // namespace
} // namespace tp::rewrite

int main(int argc, char** argv) {
  return tp::tool::run_tool("tp-rewrite", tp::tool::kUnusable,
                            [&] { return tp::rewrite::run(argc, argv); });
}
