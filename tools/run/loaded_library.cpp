// SPDX-License-Identifier: Apache-2.0
// Reads /proc/PID/maps and environ. A process that ends between two looks is not seen; one that may
// not be read (of another user) is skipped.
#include "run/loaded_library.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "common/files.h"
#include "run/processes.h"

namespace tp::tool {
namespace {

namespace fs = std::filesystem;

bool is_tbb(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("libtbb.so.12");
}

// Whether the environment has a variable whose value contains `text`.
bool has_variable(std::string_view environment, std::string_view name, std::string_view text) {
  while (!environment.empty()) {
    const std::string_view variable = environment.substr(0, environment.find('\0'));
    environment.remove_prefix(std::min(environment.size(), variable.size() + 1));
    if (variable.starts_with(name) && variable.substr(name.size()).starts_with('='))
      return variable.substr(name.size() + 1).find(text) != std::string_view::npos;
  }
  return false;
}

} // namespace

LoadedLibraryWatch::LoadedLibraryWatch(const Prefix& prefix, std::string run)
    : library_(prefix.library()), run_(std::move(run)) {}

void LoadedLibraryWatch::look(pid_t root) {
  if (found_)
    return;
  look_at(root);
  for (const pid_t process : descendants_of(root))
    if (!found_)
      look_at(process);
}

void LoadedLibraryWatch::look_at(pid_t pid) {
  const std::string process = "/proc/" + std::to_string(pid);
  // Before the maps, which may be of a later program, then.
  const std::string image = read_file(process + "/auxv").value_or("");
  if (const auto known = right_.find(pid);
      known != right_.end() && !image.empty() && known->second == image)
    return;
  std::istringstream maps(read_file(process + "/maps").value_or(""));
  std::string other;
  bool ours = false;
  for (std::string line; std::getline(maps, line);) {
    const std::size_t slash = line.find('/');
    if (slash == std::string::npos || !is_tbb(line) || line.substr(slash) == other)
      continue;
    std::error_code error;
    if (fs::equivalent(line.substr(slash), library_, error))
      ours = true;
    else
      other = line.substr(slash);
  }
  if (!ours && other.empty())
    return;
  const auto environment = read_file(process + "/environ");
  if (!environment)
    return;
  std::error_code error;
  const std::string program = fs::read_symlink(process + "/exe", error).string();
  // It has just ended, or become another program: what was read may be of two of them.
  if (error || read_file(process + "/auxv").value_or("") != image)
    return;
  const bool cleared = !has_variable(*environment, "TP_RUN", run_);
  if (ours && !cleared) {
    right_[pid] = image;
    return;
  }
  const char* const reason = cleared
                                 ? "the environment was cleared, as env -i does, on the way to it"
                             : has_variable(*environment, "LD_PRELOAD", "libtbb.so.12")
                                 ? "the dynamic linker did not load what LD_PRELOAD names"
                                 : "LD_PRELOAD was unset or replaced on the way to it";
  found_ = {program, ours ? library_ : other, reason};
}

} // namespace tp::tool
