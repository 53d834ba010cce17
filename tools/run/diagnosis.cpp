// Goes through the reasons from the certain ones (settings, static linking) to the likely one
// (oneTBB was linked but never called). The libraries of the program are followed as the dynamic
// linker would.
#include "run/diagnosis.h"

#include <cstdlib>
#include <deque>
#include <fstream>
#include <set>
#include <string_view>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <fmt/core.h>

#include "run/elf_file.h"
#include "run/environment.h"

namespace tp::launcher {
namespace {

constexpr const char* kLibrary = "libtbb.so.12";
constexpr const char* kBeforeOneTbb = "libtbb.so.2";

bool is_script(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char begin[2] = {};
  return file.read(begin, 2) && begin[0] == '#' && begin[1] == '!';
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

// What the program and its libraries have to do with TBB.
struct TbbUse {
  bool needs_ours = false;          // someone needs libtbb.so.12
  std::string other_library;        // a libtbb of another name that someone needs
  std::string own_copy;             // a file with TBB's scheduler inside that is no libtbb
  TbbCode own_code = TbbCode::None; // how that is known
};

bool is_tbb_library(std::string_view name) {
  return name.substr(name.rfind('/') + 1).starts_with("libtbb") && !name.starts_with("libtbbm") &&
         name.find("libtbbbind") == std::string_view::npos;
}

TbbUse tbb_use(const std::string& program) {
  constexpr std::size_t kMostFiles = 500;
  TbbUse use;
  std::deque<std::string> to_read{program};
  std::set<std::string> seen{program};
  while (!to_read.empty() && seen.size() < kMostFiles) {
    const std::string path = to_read.front();
    to_read.pop_front();
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
      const std::string library = find_library(name, *file);
      if (!library.empty() && seen.insert(library).second)
        to_read.push_back(library);
    }
  }
  return use;
}

Diagnosis from_tbb_use(const TbbUse& use, const std::string& program) {
  const std::string relink = "link it with " + std::string(kLibrary) +
                             ": g++ ... $(tp-config --cflags --libs), or CXX=tp-c++";
  if (use.own_code == TbbCode::BySymbols)
    return {fmt::format("{} has its own copy of TBB inside", use.own_copy), relink};
  if (use.own_code == TbbCode::ByClasses)
    return {fmt::format("{} seems to have its own copy of TBB inside: names of its classes are "
                        "there, but no symbols, so that "
                        "what calls it cannot be known",
                        use.own_copy),
            relink};
  if (!use.other_library.empty() && !use.needs_ours)
    return {fmt::format("{} uses {}, which is TBB before oneTBB, expected {}", program,
                        use.other_library, kLibrary),
            relink};
  if (use.needs_ours)
    return {fmt::format("{} is linked with {} but started no task of oneTBB", program, kLibrary),
            "give it the input or option that makes it run in parallel"};
  return {fmt::format("{} does not use {} (or loads it only when needed, and did not)", program,
                      kLibrary),
          relink};
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
        "tp-run the program itself to learn more"};
  const auto file = read_elf(program, false);
  if (!file)
    return {fmt::format("{} is no program of this machine", program), ""};
  if (!file->same_machine)
    return {fmt::format("{} is built for another architecture than {}", program, prefix.library()),
            "build it for this machine"};
  if (!file->has_interpreter)
    return {fmt::format("{} is linked statically, so no library can be put in place of its own",
                        program),
            "link it dynamically, with libtbb.so.12"};
  if (gains_privileges(program))
    return {fmt::format("{} is set-user-id or has file capabilities: the dynamic linker ignores "
                        "LD_PRELOAD and LD_LIBRARY_PATH for it",
                        program),
            "profile a copy without these rights: cp " + program + " . && tp-run ./..."};
  return from_tbb_use(tbb_use(program), program);
}

std::string find_program(const std::string& command) {
  if (command.find('/') != std::string::npos)
    return command;
  const char* variable = std::getenv("PATH");
  std::string_view path = variable ? variable : "/bin:/usr/bin";
  while (true) {
    const std::size_t end = path.find(':');
    const std::string_view directory = path.substr(0, end);
    const std::string file = std::string(directory.empty() ? "." : directory) + "/" + command;
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

} // namespace tp::launcher
