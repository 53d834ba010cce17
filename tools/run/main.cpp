// SPDX-License-Identifier: Apache-2.0
// tp-run: makes the dynamic linker load our libtbb, runs the program, checks that it recorded, and
// exits with the program's status. It is a separate process and never runs inside the profiled one.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>
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
#include "run/loaded_library.h"
#include "run/openmp.h"
#include "run/options.h"
#include "run/pause.h"
#include "run/pfm_events.h"
#include "run/processes.h"
#include "run/wake_times.h"
#include "run/window.h"

namespace tp::tool {
namespace {

bool is_sampled(const Options& options) {
  const char* const set = std::getenv("TP_SAMPLE");
  return (options.sample.empty() && set != nullptr ? set : options.sample) != "off";
}

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

// The name of this run, which its recordings repeat. A tp-run that another one started belongs to
// that one.
RunName run_name() {
  const std::int64_t now = unix_time_ns();
  const char* const outer = std::getenv("TP_RUN");
  return {outer && *outer ? outer : fmt::format("{}-{}", getpid(), now), now};
}

// Before the program runs, perhaps for hours: can it be recorded there?
void require_writable(const std::string& pattern) {
  if (const std::string problem = why_not_writable(pattern); !problem.empty())
    throw Failure(shortened(common_directory(pattern)), "cannot record there: " + problem,
                  "tp-run -o DIR ..., with a directory that can be written");
}

void note_replaced(std::string_view replaced, std::string_view runtime, std::string_view where) {
  note(fmt::format("OpenMP: {} replaced by {}{}: the tasks are the program's, the schedule is "
                   "libomp's",
                   replaced, runtime, where));
}

void report_openmp(const OpenMpLoading& openmp) {
  if (openmp.problem) {
    warning("OpenMP is not recorded: " + openmp.problem->cause);
    hint(openmp.problem->hint);
  } else if (!openmp.replaced.empty()) {
    note_replaced(openmp.replaced + " is", openmp.runtime, "");
  }
  const char* const tasking = std::getenv("KMP_TASKING");
  if (!openmp.tool.empty() && tasking != nullptr && std::string_view(tasking) == "0") {
    warning("KMP_TASKING=0 is set: libomp runs each task where it is created, and that is what the "
            "recording shows: tasks without any parallelism");
    hint("unset KMP_TASKING");
  }
}

void report_itt(const Options& options, Loading loading, const Prefix& prefix) {
  const std::string collector = itt_collector();
  if (loading == Loading::First && options.locks != "off" && !collector.empty() &&
      collector != prefix.preload())
    note(
        "INTEL_LIBITTNOTIFY64 is set, to " + collector +
        ": locks that the program announces by __itt_sync_* are announced there, and not recorded");
}

// Of a program that tp-run starts.
OpenMpLoading openmp_loading_here(const std::string& program, const Prefix& prefix,
                                  Loading loading) {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  return openmp_loading(find_program(program), prefix, loading, preloaded ? preloaded : "");
}

bool uses_openmp(const std::string& program, const Prefix& prefix) {
  const OpenMpLoading openmp = openmp_loading_here(program, prefix, Loading::First);
  return !openmp.tool.empty() || openmp.problem;
}

void report_nothing_recorded(const std::string& program, const Options& options,
                             const std::string& pattern, const RunName& run,
                             const ChildResult& child, const Prefix& prefix,
                             const OpenMpLoading& openmp) {
  if (WIFSIGNALED(child.wait_status)) {
    warning(fmt::format("nothing was recorded before signal {} ended {}",
                        WTERMSIG(child.wait_status), program));
    return;
  }
  // A program that failed has printed its own reason, which comes first.
  if (child.exit_status() != 0)
    note(fmt::format("the program ended with status {}", child.exit_status()));
  if (const std::string problem = why_not_writable(pattern); !problem.empty()) {
    warning(
        fmt::format("nothing was recorded: {}: {}", shortened(common_directory(pattern)), problem));
    return;
  }
  if (openmp.problem) {
    warning("nothing was recorded: OpenMP is not, and no oneTBB task was started");
    return;
  }
  if (!openmp.tool.empty()) {
    warning(fmt::format("nothing was recorded: {} started no parallel region of OpenMP and no "
                        "oneTBB task",
                        program));
    hint("run it with the input or option that makes it parallel");
    return;
  }
  if (const std::size_t running = processes_started_with("TP_RUN=" + run.name).size();
      running > 0) {
    warning(
        fmt::format("nothing is recorded so far: {} has ended, and {} that it started still {}, "
                    "and may record",
                    program, running == 1 ? "a process" : fmt::format("{} processes", running),
                    running == 1 ? "runs" : "run"));
    hint("wait until it has ended, then: tp-analyze --list " +
         shell_quoted(shortened(common_directory(pattern))));
    return;
  }
  if (!options.openmp && uses_openmp(program, prefix)) {
    warning(fmt::format("nothing was recorded: {} started no oneTBB task, and OpenMP is not "
                        "recorded with --no-openmp",
                        program));
    hint("start it without --no-openmp: tp-run " + shell_quoted(program) + " ...");
    return;
  }
  const Diagnosis diagnosis = why_not_recorded(options.command, prefix);
  if (diagnosis.no_task && child.exit_status() != 0) {
    warning(fmt::format("nothing was recorded: {} ended before it started a oneTBB task", program));
    return;
  }
  warning("nothing was recorded: " + diagnosis.cause);
  if (!diagnosis.hint.empty())
    hint(diagnosis.hint);
}

// The program has loaded another libtbb.so.12, or ours without our settings.
void report_other_library(const OtherLibrary& other, bool nothing_recorded) {
  warning(fmt::format("{}{} used {}: {}", nothing_recorded ? "nothing was recorded: " : "",
                      other.program, other.library, other.reason));
  hint("start tp-run where the environment is complete: ... tp-run " + shell_quoted(other.program));
}

// Of programs that the program of the command has started: said once, not when each of them starts.
void report_openmp_of_started(const std::vector<Recording>& recordings) {
  const auto is_replaced = [](const Recording& each) { return !each.openmp_replaced.empty(); };
  const auto first = std::ranges::find_if(recordings, is_replaced);
  if (first == recordings.end())
    return;
  const auto more = std::ranges::count_if(recordings, is_replaced) - 1;
  note_replaced(first->openmp_replaced + " was", first->openmp_runtime,
                fmt::format(" in {}{}", first->program,
                            more > 0 ? fmt::format(" and {} more", more) : std::string()));
}

void list(const std::vector<Recording>& recordings, const std::string& analyzer,
          const std::string& pattern) {
  constexpr std::size_t kMostLines = 20;
  for (std::size_t i = 0; i < std::min(recordings.size(), kMostLines); ++i)
    note(fmt::format("{} (process {}) recorded to {}", recordings[i].program, recordings[i].pid,
                     shortened(recordings[i].directory)));
  if (recordings.size() > kMostLines)
    note(fmt::format("and {} more", recordings.size() - kMostLines));
  note(fmt::format("all: {} --list {}", analyzer,
                   shell_quoted(shortened(common_directory(pattern)))));
}

// Runs a tool that reads the recording; `last` comes after the data. It inherits the user's
// environment unchanged, because tp-run itself is not profiled.
int run_tool_on(const Recording& recording, std::vector<std::string> command,
                const Options& options, const std::string& last = "") {
  if (options.style.is_quiet())
    command.emplace_back("--quiet");
  const std::string directory = shortened(recording.directory);
  command.push_back(directory.starts_with('-') ? "./" + directory : directory);
  if (!last.empty())
    command.push_back(last);
  const ChildResult child = run_child(command, {});
  if (child.exec_errno != 0)
    throw Failure(command.front(), std::strerror(child.exec_errno));
  return child.exit_status();
}

// What --analyze and --report ask for, one after the other; the first failure counts.
int analyze(const Options& options, const Prefix& prefix, const Recording& recording) {
  int status = kOk;
  if (!options.analyze_to.empty())
    status = run_tool_on(recording, {prefix.tool("tp-analyze")}, options, options.analyze_to);
  if (!options.report_to.empty()) {
    const int of_report =
        run_tool_on(recording, {prefix.tool("tp-report"), "-o", options.report_to}, options);
    status = status != kOk ? status : of_report;
  }
  return status;
}

// What profiler-lib/start asks, in a process of the profiled program: tp-run --openmp-of PROGRAM LD_PRELOAD.
int answer_about_openmp(const std::string& program, const std::string& preload) {
  const Prefix prefix = own_prefix();
  const Loading loading = loading_into(program);
  if (loading != Loading::First)
    return kRunFailed;
  const OpenMpLoading openmp = openmp_loading(program, prefix, loading, preload);
  if (openmp.problem)
    report_openmp(openmp);
  for (const auto& [name, value] : openmp_environment(prefix, preload, openmp))
    if (value.find('\n') == std::string::npos)
      write_answer(fmt::format("{}={}\n", name, value));
  return kOk;
}

int run(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "--openmp-of") == 0)
    return answer_about_openmp(argv[2], argv[3]);
  std::optional<Options> parsed = parse_options({argv + 1, argv + argc});
  if (!parsed)
    return kOk;
  Options& options = *parsed;
  const Prefix prefix = own_prefix();
  if (options.pause != 0 || options.resume != 0)
    return pause_process(static_cast<pid_t>(std::max(options.pause, options.resume)),
                         options.pause != 0, prefix);
  require_library(prefix);
  // Before the program has run.
  if (!options.report_to.empty() && access(prefix.tool("tp-report").c_str(), X_OK) != 0)
    throw Failure("--report",
                  "there is no " + prefix.tool("tp-report") +
                      ": node and npm were missing when Taskpath was built",
                  "install node and npm, then configure and build Taskpath again");
  check_events(options, prefix);

  const std::string& program = options.command.front();
  const Loading loading = loading_into(find_program(program));
  const std::string pattern = data_pattern(options);
  const RunName name = run_name();
  require_writable(pattern);
  const OpenMpLoading openmp =
      options.openmp ? openmp_loading_here(program, prefix, loading) : OpenMpLoading{};
  report_openmp(openmp);
  report_itt(options, loading, prefix);
  Variables variables = program_environment(options, prefix, pattern, name.name, loading, openmp);
  RecordingWindow window(options.delay_ns, options.duration_ns, pattern, name);
  if (options.has_window())
    variables.emplace_back("TP_WINDOW", window.variable());
  if (options.locks != "off" && loading != Loading::Impossible)
    if (const auto wake = measure_wake_times(is_sampled(options)))
      variables.emplace_back("TP_WAKE", wake->variable());
  for (const auto& [name, value] : variables)
    detail(fmt::format("{}={}", name, value));

  if (loading == Loading::Impossible) {
    const Diagnosis diagnosis = why_impossible(find_program(program));
    warning("this run cannot be recorded: " + diagnosis.cause);
    hint(diagnosis.hint);
  }
  LoadedLibraryWatch watch(prefix, name.name);
  const ChildResult child = run_child(options.command, variables, [&](pid_t pid) {
    watch.look(pid);
    return window.look();
  });
  if (child.pid < 0)
    throw Failure(program, std::string("cannot be started: ") + std::strerror(child.exec_errno));
  if (child.exec_errno != 0)
    throw not_started(program, child.exec_errno);

  const std::vector<Recording> recordings = recordings_of(pattern, name);
  if (const auto& other = watch.found())
    report_other_library(*other, recordings.empty());
  if (options.has_window())
    window.report();
  if (recordings.empty()) {
    if (!watch.found() && window.has_ended())
      warning("nothing was recorded: no process used oneTBB before the time to record was over");
    else if (!watch.found() && loading != Loading::Impossible)
      report_nothing_recorded(program, options, pattern, name, child, prefix, openmp);
    end_like(child);
  }
  if (openmp.replaced.empty())
    report_openmp_of_started(recordings);
  const Recording& recording = main_recording(recordings, child.pid);
  if (recordings.size() > 1)
    list(recordings, sibling_command(argv[0], "tp-analyze"), pattern);
  if (!options.analyze_to.empty() || !options.report_to.empty()) {
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
