// SPDX-License-Identifier: Apache-2.0
// tp-run: makes the dynamic linker load our libtbb, runs the program, checks that it recorded, and
// exits with the program's status. It is a separate process and never runs inside the profiled one.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>

#include "common/exit_status.h"
#include "common/failure.h"
#include "common/files.h"
#include "common/message.h"
#include "common/prefix.h"
#include "library/library_questions.h"
#include "run/child.h"
#include "run/data_directory.h"
#include "run/diagnosis.h"
#include "run/environment.h"
#include "run/options.h"
#include "run/pfm_events.h"

namespace tp::tool {
namespace {

std::int64_t unix_time_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

// Named events must be available; `auto` always is. Replaces names of libpfm4 by numbers.
void check_events(Options& options, const Prefix& prefix) {
  std::string as_given = "-e " + options.events;
  const char* const variable = std::getenv("TP_EVENT");
  if (options.events.empty() && variable != nullptr) {
    options.events = variable;
    as_given = "TP_EVENT=" + options.events;
  }
  if (options.events.empty() || options.events == "auto")
    return;
  NotMeasurable problem;
  if (resolve_events(options.events, problem.reason)) {
    const auto answer = why_not_measurable(options.events, prefix);
    if (!answer)
      return;
    problem = *answer;
  }
  throw Failure(as_given, "cannot be measured here: " + problem.reason,
                problem.command.empty()
                    ? "tp-doctor shows the events that can be measured; -e auto "
                      "chooses the best clock"
                    : problem.command);
}

std::string data_pattern(const Options& options) {
  const char* from_environment = std::getenv("TP_DATA");
  if (!options.data_pattern.empty())
    return absolute_pattern(options.data_pattern);
  return absolute_pattern(from_environment && *from_environment ? from_environment : "tp-data");
}

Failure not_started(const std::string& program, int reason) {
  const std::string file = find_program(program);
  if (reason == ENOENT && !file.empty() && access(file.c_str(), F_OK) == 0)
    return Failure(program, "cannot be executed: its interpreter was not found")
        .with_status(kNotExecutable);
  if (reason == ENOENT || reason == ENOTDIR)
    return Failure(program, "not found").with_status(kNotFound);
  return Failure(program, std::string("cannot be executed: ") + std::strerror(reason))
      .with_status(kNotExecutable);
}

// The main recording: that of the program itself, or else of the last process that it started.
const Recording& main_recording(const std::vector<Recording>& recordings, pid_t pid) {
  for (const Recording& recording : recordings)
    if (recording.pid == pid)
      return recording;
  return recordings.back();
}

void report_nothing_recorded(const std::string& program, const ChildResult& child,
                             const Prefix& prefix) {
  if (WIFSIGNALED(child.wait_status)) {
    warning(fmt::format("nothing was recorded before signal {} ended {}",
                        WTERMSIG(child.wait_status), program));
    return;
  }
  // A program that failed has printed its own reason, which comes first.
  if (child.exit_status() != 0)
    note(fmt::format("the program ended with status {}", child.exit_status()));
  const std::string file = find_program(program);
  const Diagnosis diagnosis = why_not_recorded(file.empty() ? program : file, prefix);
  warning("nothing was recorded: " + diagnosis.cause);
  if (!diagnosis.hint.empty())
    hint(diagnosis.hint);
}

// tp-analyze inherits the user's environment unchanged, because tp-run itself is not profiled.
int analyze(const Options& options, const Prefix& prefix, const Recording& recording) {
  std::vector<std::string> command{prefix.tool("tp-analyze")};
  if (options.style.is_quiet())
    command.emplace_back("--quiet");
  command.push_back(shortened(recording.directory));
  command.push_back(options.analyze_to);
  if (command[command.size() - 2].starts_with('-'))
    command[command.size() - 2].insert(0, "./");
  const ChildResult child = run_child(command, {});
  if (child.exec_errno != 0)
    throw Failure(command.front(), std::strerror(child.exec_errno));
  return child.exit_status();
}

int run(int argc, char** argv) {
  std::optional<Options> parsed = parse_options({argv + 1, argv + argc});
  if (!parsed)
    return kOk;
  Options& options = *parsed;
  const Prefix prefix = own_prefix();
  require_library(prefix);
  check_events(options, prefix);

  const std::string& program = options.command.front();
  const bool preload = !insists_on_first_library(find_program(program));
  const std::string pattern = data_pattern(options);
  const Variables variables = program_environment(options, prefix, pattern, preload);
  for (const auto& [name, value] : variables)
    detail(fmt::format("{}={}", name, value));

  const std::int64_t start = unix_time_ns();
  const ChildResult child = run_child(options.command, variables);
  if (child.pid < 0)
    throw Failure(program, std::string("cannot be started: ") + std::strerror(child.exec_errno));
  if (child.exec_errno != 0)
    throw not_started(program, child.exec_errno);

  const std::vector<Recording> recordings = recordings_since(pattern, start);
  if (recordings.empty()) {
    report_nothing_recorded(program, child, prefix);
    end_like(child);
  }
  const Recording& recording = main_recording(recordings, child.pid);
  if (recordings.size() > 1)
    for (const Recording& other : recordings)
      note(fmt::format("process {} recorded to {}", other.pid, shortened(other.directory)));
  if (!options.analyze_to.empty()) {
    int status = kOk;
    try {
      status = analyze(options, prefix, recording);
    } catch (const Failure& failure) {
      status = report(failure, kRunFailed);
    }
    if (child.wait_status != 0) // the status of the program comes first
      end_like(child);
    return status;
  }
  next(sibling_command(argv[0], "tp-analyze") + " " + shell_quoted(shortened(recording.directory)));
  end_like(child);
}

} // namespace
} // namespace tp::tool

int main(int argc, char** argv) {
  using namespace tp::tool;
  return run_tool("tp-run", kRunFailed, [&] { return run(argc, argv); });
}
