// SPDX-License-Identifier: Apache-2.0
// tp-report: the profile of tp-analyze as one HTML page. Only built where the page was bundled.
#include "cli/report_options.h"
#include "cli/source_excerpts.h"
#include "cli/tool.h"
#include "common/exit_status.h"
#include "common/failure.h"
#include "common/files.h"
#include "common/message.h"
#include "export/export.h"
#include "export/page.h"
#include "profile/make_profile.h"
#include "report/writers.h"
#include "trace/trace_source.h"

#include <spawn.h>
#include <unistd.h>

#include <filesystem>

namespace tp::analysis {
namespace {
namespace fs = std::filesystem;
using tool::Failure;

struct Input {
  std::string json, timeline, source;
};

// Of a data directory, or of a file with the JSON of one.
Input read_input(const std::string& path, const ReportOptions& options) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) {
    const auto text = tool::read_file(path);
    if (!text || !is_profile_json(*text))
      throw Failure(path, "neither a data directory nor a profile in JSON",
                    "tp-run -o DIR PROGRAM, or tp-analyze --json FILE");
    return {.json = *text};
  }
  TraceSource source = open_directory(path);
  ProfileOptions wanted = options.analysis;
  std::optional<ProgressLine> progress;
  if (tool::wants_progress(options.style.is_quiet())) {
    progress.emplace(STDERR_FILENO, tool::Progress::kAfter);
    wanted.progress = &*progress;
    source.bytes_taken = &progress->bytes_taken();
  }
  const Profile profile = make_profile(source, wanted);
  return {.json = write_json(profile),
          .timeline = profile.timeline.empty() ? "" : page_timeline(profile.timeline),
          .source = options.source ? source_excerpts(profile, path) : ""};
}

std::string page_of(const Input& profile, const std::string& base, const ReportOptions& options) {
  try {
    return write_page({.profile = profile.json,
                       .base = base,
                       .timeline = profile.timeline,
                       .source = profile.source,
                       .with_source = options.source});
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) { // only of files by others
    throw Failure(options.data + (base.empty() ? "" : ", " + options.base),
                  std::string("not a profile that tp-report can read: ") + error.what(),
                  "tp-analyze --json FILE DATA_DIR");
  }
}

void open_in_browser(const std::string& page) {
  std::string program = "xdg-open", file = page;
  char* const arguments[] = {program.data(), file.data(), nullptr};
  pid_t child = 0;
  if (::posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0)
    tool::note("xdg-open is not installed: open " + page + " in a browser");
}

int run(const ReportOptions& options) {
  const tool::OutputKind kind{"a page of tp-report", is_html};
  tool::require_replaceable(options.page, kind);
  const Input profile = read_input(options.data, options);
  const std::string base = options.base.empty() ? "" : read_input(options.base, options).json;
  tool::write_outputs({{options.page, kind, page_of(profile, base, options)}});
  tool::note("wrote " + options.page);
  if (options.open)
    open_in_browser(options.page);
  else
    tool::next("xdg-open " + tool::shell_quoted(options.page));
  return tool::kOk;
}

} // namespace
} // namespace tp::analysis

int main(int argc, char** argv) {
  using namespace tp::analysis;
  return run_on_traces("tp-report", [&] {
    const auto options = parse_report_options({argv + 1, argv + argc});
    return options ? run(*options) : tp::tool::kOk;
  });
}
