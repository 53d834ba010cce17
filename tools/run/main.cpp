// tp-run: puts our libtbb in front of any other, runs the program, makes sure that it really
// recorded, and ends as the program ended. It runs beside the profiled process, never inside.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>

#include "common/exit_status.h"
#include "common/message.h"
#include "library/library_questions.h"
#include "library/prefix.h"
#include "run/child.h"
#include "run/data_directory.h"
#include "run/diagnosis.h"
#include "run/environment.h"
#include "run/options.h"
#include "run/pfm_events.h"

namespace tp::launcher {
namespace {

std::int64_t unix_time_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

// Events that are named must work; `auto` always does. Names of libpfm4 become numbers.
bool events_can_be_opened(Options& options, const Prefix& prefix) {
  std::string as_given = "-e " + options.events;
  const char* const variable = std::getenv("TP_EVENT");
  if (options.events.empty() && variable != nullptr) {
    options.events = variable;
    as_given = "TP_EVENT=" + options.events;
  }
  if (options.events.empty() || options.events == "auto")
    return true;
  std::string problem;
  if (resolve_events(options.events, problem)) {
    const auto reason = why_not_measurable(options.events, prefix);
    if (!reason)
      return true;
    problem = *reason;
  }
  // What the library knows to mend it stands in further lines of its answer.
  error(fmt::format("{}: cannot be measured here: {}", as_given, problem));
  if (problem.find("hint:") == std::string::npos)
    hint("tp-doctor shows what can be measured here; -e auto takes the best clock there is");
  return false;
}

std::string data_pattern(const Options& options) {
  const char* from_environment = std::getenv("TP_DATA");
  if (!options.data_pattern.empty())
    return absolute_pattern(options.data_pattern);
  return absolute_pattern(from_environment && *from_environment ? from_environment : "tp-data");
}

int report_not_started(const std::string& program, int reason) {
  const std::string file = find_program(program);
  if (reason == ENOENT && !file.empty() && access(file.c_str(), F_OK) == 0) {
    error(fmt::format("{}: cannot be executed: its interpreter was not found", program));
    return kExitNotExecutable;
  }
  if (reason == ENOENT || reason == ENOTDIR) {
    error(fmt::format("{}: not found", program));
    return kExitNotFound;
  }
  error(fmt::format("{}: cannot be executed: {}", program, std::strerror(reason)));
  return kExitNotExecutable;
}

// The recording to look at: that of the program itself, else of the last process it started.
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
  // A program that failed at once has told its own reason; ours would only hide it.
  if (child.exit_status() != 0)
    note(fmt::format("the program ended with status {}", child.exit_status()));
  const std::string file = find_program(program);
  const Diagnosis diagnosis = why_not_recorded(file.empty() ? program : file, prefix);
  warning("nothing was recorded: " + diagnosis.cause);
  if (!diagnosis.hint.empty())
    hint(diagnosis.hint);
}

// Our own process is not profiled, so tp-analyze inherits the user's environment unchanged.
int analyze(const Options& options, const Prefix& prefix, const Recording& recording) {
  std::vector<std::string> command{prefix.tool("tp-analyze")};
  if (options.style.verbosity == Verbosity::Quiet)
    command.emplace_back("--quiet");
  command.push_back(shortened(recording.directory));
  command.push_back(options.analyze_to);
  if (command[command.size() - 2].starts_with('-'))
    command[command.size() - 2].insert(0, "./");
  const ChildResult child = run_child(command, {});
  if (child.exec_errno != 0) {
    error(fmt::format("{}: {}", command.front(), std::strerror(child.exec_errno)));
    return kExitOwnFailure;
  }
  return child.exit_status();
}

int run(int argc, char** argv) {
  ParsedOptions parsed = parse_options(argc, argv);
  if (!parsed.options)
    return parsed.exit_status;
  Options& options = *parsed.options;
  const Prefix prefix = own_prefix();
  if (access(prefix.library().c_str(), R_OK) != 0) {
    error(fmt::format("{}: {}", prefix.library(), std::strerror(errno)));
    hint("install Taskpath again: tp-run needs its own libtbb.so.12");
    return kExitOwnFailure;
  }
  if (!events_can_be_opened(options, prefix))
    return kExitOwnFailure;

  const std::string& program = options.command.front();
  const bool preload = !insists_on_first_library(find_program(program));
  const std::string pattern = data_pattern(options);
  const Variables variables = program_environment(options, prefix, pattern, preload);
  for (const auto& [name, value] : variables)
    detail(fmt::format("{}={}", name, value));

  const std::int64_t start = unix_time_ns();
  const ChildResult child = run_child(options.command, variables);
  if (child.pid < 0) {
    error(fmt::format("{}: cannot be started: {}", program, std::strerror(child.exec_errno)));
    return kExitOwnFailure;
  }
  if (child.exec_errno != 0)
    return report_not_started(program, child.exec_errno);

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
    const int status = analyze(options, prefix, recording);
    if (child.wait_status != 0)
      end_like(child);
    return status;
  }
  next(sibling_command(argv[0], "tp-analyze") + " " + shell_quoted(shortened(recording.directory)));
  end_like(child);
}

} // namespace
} // namespace tp::launcher

int main(int argc, char** argv) {
  try {
    return tp::launcher::run(argc, argv);
  } catch (const std::exception& problem) {
    tp::launcher::error(problem.what());
    return tp::launcher::kExitOwnFailure;
  }
}
