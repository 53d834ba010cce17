// SPDX-License-Identifier: Apache-2.0
// The mappings of a process show its control page, wherever its data directory is, and under the
// name that it has now.
#include "run/pause.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <vector>

#include <fmt/core.h>

#include "common/exit_status.h"
#include "common/failure.h"
#include "common/files.h"
#include "common/message.h"
#include "run/control.h"
#include "run/processes.h"

namespace tp::tool {
namespace {

namespace fs = std::filesystem;

enum class State { Records, Ended, NotStarted, NotRecorded };

struct Found {
  State state = State::NotRecorded;
  std::optional<Control> control;
  std::string problem; // why the file of the page cannot be used; empty: it can
};

// Throws Failure if the mappings cannot be read.
Found find_control(pid_t pid, const Prefix& prefix) {
  const std::string process = fmt::format("/proc/{}", pid);
  const auto maps = read_file(process + "/maps");
  if (!maps)
    throw Failure(fmt::format("process {}", pid),
                  errno == EACCES || errno == EPERM
                      ? "it belongs to another user, or has rights that you do not have"
                      : std::strerror(errno),
                  "run tp-run as its user, or as root");
  Found found;
  std::istringstream lines(*maps);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t slash = line.find('/');
    if (slash == std::string::npos)
      continue;
    std::string path = line.substr(slash);
    constexpr std::string_view kDeleted = " (deleted)";
    const bool deleted = path.ends_with(kDeleted);
    if (deleted)
      path.resize(path.size() - kDeleted.size());
    std::error_code error;
    if (found.state == State::NotRecorded && path.find("libtbb.so.12") != path.npos &&
        fs::equivalent(path, prefix.library(), error))
      found.state = State::NotStarted;
    if (!path.ends_with(std::string("/") + kControlFile))
      continue;
    if (deleted) {
      found.state = State::Ended;
      continue;
    }
    // As the process sees it: it may be in a container.
    auto control = Control::open(fmt::format("{}/root{}", process, path));
    if (!control && errno != EINVAL)
      control = Control::open(path);
    if (!control) {
      if (errno != EINVAL) {
        found.state = State::Records;
        found.problem = path + ": " + std::strerror(errno);
      }
      continue;
    }
    found.state = control->is_recording() ? State::Records : State::Ended;
    found.control.emplace(std::move(*control));
    if (found.state == State::Records)
      return found;
  }
  return found;
}

void apply(pid_t pid, bool pause, const Control& control) {
  const bool changed = control.set_paused(pause, pid);
  std::error_code error;
  const std::string program =
      fs::read_symlink(fmt::format("/proc/{}/exe", pid), error).filename().string();
  const ControlPage& page = control.page();
  const std::uint64_t now = monotonic_ns();
  const std::uint64_t recorded =
      page.recorded_ns + (page.in_window() ? now - std::min(now, page.last.begin_ns) : 0);
  note(fmt::format("{} (process {}) {} {}; so far {} of {} are recorded", program, pid,
                   changed ? "is" : "was already", pause ? "paused" : "recording",
                   duration_text(recorded), duration_text(now - std::min(now, page.start_ns))));
}

} // namespace

int pause_process(pid_t pid, bool pause, const Prefix& prefix) {
  const std::string object = fmt::format("process {}", pid);
  if (kill(pid, 0) != 0 && errno == ESRCH)
    throw Failure(object, "there is no such process", "pgrep -a PROGRAM shows process ids");
  Found own = find_control(pid, prefix);
  if (!own.problem.empty())
    throw Failure(object, "its recording cannot be changed: " + own.problem,
                  "run tp-run as its user, or as root");
  if (own.state == State::Records) {
    apply(pid, pause, *own.control);
    return kOk;
  }
  bool any = false, not_started = own.state == State::NotStarted;
  bool ended = own.state == State::Ended;
  for (const pid_t descendant : descendants_of(pid)) {
    try {
      const Found found = find_control(descendant, prefix);
      not_started |= found.state == State::NotStarted;
      ended |= found.state == State::Ended;
      if (found.state == State::Records && found.control) {
        apply(descendant, pause, *found.control);
        any = true;
      }
    } catch (const Failure&) {
      continue; // it has just ended, or is not ours
    }
  }
  if (any)
    return kOk;
  if (ended)
    throw Failure(object, "its recording has ended, or its data directory was removed",
                  "tp-run records a new run");
  if (not_started)
    throw Failure(object,
                  "it records nothing yet: expected a process that has started a oneTBB task",
                  "tp-run --paused PROGRAM, or --delay SECONDS, begins without recording");
  throw Failure(object,
                "it is not recorded: expected a process, or its parent, that tp-run started or "
                "that runs with Taskpath's libtbb",
                "tp-run PROGRAM");
}

} // namespace tp::tool
