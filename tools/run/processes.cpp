// SPDX-License-Identifier: Apache-2.0
// See processes.h.
#include "run/processes.h"

#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>

#include "common/files.h"

namespace tp::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostProcesses = 1000;

void add_children(pid_t parent, std::vector<pid_t>& processes) {
  std::error_code error;
  for (fs::directory_iterator thread("/proc/" + std::to_string(parent) + "/task", error), end;
       !error && thread != end; thread.increment(error)) {
    std::istringstream numbers(read_file(thread->path().string() + "/children").value_or(""));
    for (pid_t number = 0; numbers >> number;)
      processes.push_back(number);
  }
}

} // namespace

std::vector<pid_t> descendants_of(pid_t root) {
  std::vector<pid_t> processes;
  add_children(root, processes);
  for (std::size_t i = 0; i < processes.size() && i < kMostProcesses; ++i)
    add_children(processes[i], processes);
  return processes;
}

std::vector<pid_t> processes_started_with(const std::string& variable) {
  const std::string wanted = '\0' + variable + '\0';
  std::vector<pid_t> found;
  std::error_code error;
  for (fs::directory_iterator process("/proc", error), end; !error && process != end;
       process.increment(error)) {
    const std::string name = process->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos)
      continue;
    const auto environment = read_file(process->path().string() + "/environ");
    if (environment && ('\0' + *environment).find(wanted) != std::string::npos)
      found.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return found;
}

} // namespace tp::tool
