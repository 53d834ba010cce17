// SPDX-License-Identifier: Apache-2.0
// Checks the certain reasons first (settings, static linking) and the likely one last (oneTBB was
// linked but never called).
#include "run/diagnosis.h"

#include <cstdlib>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <fmt/core.h>

#include "run/elf_file.h"
#include "run/environment.h"

namespace tp::tool {
namespace {

constexpr const char* kLibrary = "libtbb.so.12";
constexpr const char* kBeforeOneTbb = "libtbb.so.2";

bool is_script(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  char begin[2] = {};
  const bool filled = file >= 0 && read(file, begin, 2) == 2;
  if (file >= 0)
    close(file);
  return filled && begin[0] == '#' && begin[1] == '!';
}

bool gains_privileges(const std::string& path) {
  struct stat status{};
  if (geteuid() == 0 || stat(path.c_str(), &status) != 0)
    return false;
  const bool changes_user = (status.st_mode & S_ISUID) && status.st_uid != geteuid();
  const bool changes_group = (status.st_mode & S_ISGID) && status.st_gid != getegid();
  return changes_user || changes_group ||
         getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

// How the program and its libraries use TBB.
struct TbbUse {
  bool needs_ours = false;          // libtbb.so.12 is needed
  std::string other_library;        // a libtbb of another name is needed
  std::string own_copy;             // another file contains TBB's scheduler
  TbbCode own_code = TbbCode::None; // how that is known
};

bool is_tbb_library(std::string_view name) {
  return name.substr(name.rfind('/') + 1).starts_with("libtbb") && !name.starts_with("libtbbm") &&
         name.find("libtbbbind") == std::string_view::npos;
}

TbbUse tbb_use(const std::string& program, const ElfFile& program_file) {
  TbbUse use;
  std::vector<std::string> paths = libraries_of(program, program_file);
  paths.insert(paths.begin(), program);
  for (const std::string& path : paths) {
    const auto file = read_elf(path, true);
    if (!file)
      continue;
    if (file->tbb_code > use.own_code && !is_tbb_library(path)) {
      use.own_copy = path;
      use.own_code = file->tbb_code;
    }
    for (const std::string& name : file->needed) {
      if (name == kLibrary)
        use.needs_ours = true;
      else if (is_tbb_library(name))
        use.other_library = name;
    }
  }
  return use;
}

Diagnosis from_tbb_use(const TbbUse& use, const std::string& program) {
  const std::string relink = "link it with " + std::string(kLibrary) +
                             ": g++ ... $(tp-config --cflags --libs), or CXX=tp-c++";
  if (use.own_code == TbbCode::BySymbols)
    return {fmt::format("{} contains its own copy of TBB", use.own_copy), relink};
  if (use.own_code == TbbCode::ByClasses)
    return {fmt::format("{} seems to contain its own copy of TBB: it has the names of TBB's "
                        "classes, but no symbols that would show whether TBB is called",
                        use.own_copy),
            relink};
  if (!use.other_library.empty() && !use.needs_ours)
    return {fmt::format("{} uses {}, which is older than oneTBB: expected {}", program,
                        use.other_library, kLibrary),
            relink};
  if (use.needs_ours)
    return {fmt::format("{} is linked with {}, but started no oneTBB task", program, kLibrary),
            "run it with the input or option that makes it parallel"};
  return {fmt::format("{} does not use {}, or did not need to load it", program, kLibrary), relink};
}

} // namespace

Diagnosis why_not_recorded(const std::string& program, const Prefix& prefix) {
  if (is_set("TP_DISABLE"))
    return {"TP_DISABLE is set", "unset TP_DISABLE"};
  if (access(prefix.library().c_str(), R_OK) != 0)
    return {fmt::format("{} is missing", prefix.library()), "install Taskpath again"};
  if (is_script(program))
    return {
        fmt::format("{} is a script, and no program that it started used {}", program, kLibrary),
        "tp-run the program that the script starts"};
  const auto file = read_elf(program, false);
  if (!file)
    return {fmt::format("{} is not an executable file", program), ""};
  if (!file->same_machine)
    return {fmt::format("{} is not an executable for this architecture", program),
            "build it for the architecture of " + prefix.library()};
  if (file->interpreter.empty())
    return {fmt::format("{} is linked statically, so no library of it can be replaced", program),
            "link it dynamically, with libtbb.so.12"};
  if (gains_privileges(program))
    return {fmt::format("{} is set-user-id or has file capabilities: the dynamic linker ignores "
                        "LD_PRELOAD and LD_LIBRARY_PATH for it",
                        program),
            "profile a copy without these privileges: cp " + program + " . && tp-run ./..."};
  return from_tbb_use(tbb_use(program, *file), program);
}

std::string find_program(const std::string& command) {
  if (command.find('/') != std::string::npos)
    return command;
  const char* variable = std::getenv("PATH");
  std::string_view path = variable ? variable : "/bin:/usr/bin";
  while (true) {
    const std::size_t end = path.find(':');
    const std::string_view directory = path.substr(0, end);
    std::string file = std::string(directory.empty() ? "." : directory) + "/" + command;
    struct stat status{};
    if (access(file.c_str(), X_OK) == 0 && stat(file.c_str(), &status) == 0 &&
        S_ISREG(status.st_mode))
      return file;
    if (end == std::string_view::npos)
      return {};
    path.remove_prefix(end + 1);
  }
}

bool insists_on_first_library(const std::string& program) {
  const auto file = program.empty() ? std::nullopt : read_elf(program, false);
  if (!file)
    return false;
  for (const std::string& name : file->needed)
    if (name.starts_with("libasan.so"))
      return true;
  return false;
}

} // namespace tp::tool
