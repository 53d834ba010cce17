// SPDX-License-Identifier: Apache-2.0
// Checks the certain reasons first (settings, static linking) and the likely one last (oneTBB was
// linked but never called).
#include "run/diagnosis.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <regex>
#include <sstream>
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

// The first bytes of a file: enough for a line that names an interpreter, and for most scripts.
std::string beginning_of(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::string text(65536, '\0');
  const ssize_t size = file >= 0 ? read(file, text.data(), text.size()) : 0;
  if (file >= 0)
    close(file);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

bool is_script(const std::string& path) {
  return beginning_of(path).starts_with("#!");
}

// The file whose code the kernel starts: of a script, the interpreter that its first line names.
std::string binary_of(const std::string& program) {
  const std::string text = beginning_of(program);
  if (!text.starts_with("#!"))
    return program;
  const std::size_t begin = text.find_first_not_of(" \t", 2);
  const std::size_t end = text.find_first_of(" \t\n", begin);
  return begin == std::string::npos ? program : text.substr(begin, end - begin);
}

// musl, uClibc, Android's: by the dynamic linker, or else by the name of the C library.
bool has_other_c_library(const ElfFile& file) {
  const std::string linker = file.interpreter.substr(file.interpreter.rfind('/') + 1);
  for (const char* other : {"ld-musl-", "ld-uClibc", "ld64-uClibc", "linker64"})
    if (linker.starts_with(other))
      return true;
  return std::any_of(file.needed.begin(), file.needed.end(), [](const std::string& name) {
    return name == "libc.so" || name.starts_with("libc.musl-");
  });
}

// The first part of a shell's text that takes our library from the programs that follow. By lines:
// the depth of the search grows with the length of the text.
std::string clearing_part(const std::string& text) {
  constexpr std::size_t kLongestLine = 1000;
  static const std::regex clears(
      R"((^|[;&|({]|\b(exec|then|do|else|nohup|time)\s)\s*)"
      R"((unset\s[^;]*\b(LD_PRELOAD|LD_LIBRARY_PATH)\b|LD_PRELOAD=(?=[\s;'"]|$)|)"
      R"((\S*/)?env\s+([^;]*\s)?(-i|-|--ignore-environment|-u\s*LD_PRELOAD|--unset=LD_PRELOAD)(?=\s|$)))");
  std::istringstream lines(text);
  std::smatch match;
  for (std::string line; std::getline(lines, line);)
    if (line.size() <= kLongestLine && line.find_first_not_of(" \t") != line.find('#') &&
        std::regex_search(line, match, clears))
      return match.str(3);
  return {};
}

// The words after `env`, its options and its variables; `clears`: whether an option takes our
// library from the program.
std::vector<std::string> after_env(const std::vector<std::string>& command, std::string& clears) {
  std::size_t i = 1;
  for (; i < command.size(); ++i) {
    const std::string& word = command[i];
    const bool unsets = word == "-u" || word == "--unset";
    if (word == "-" || word == "-i" || word == "--ignore-environment" ||
        word.find("LD_PRELOAD") < word.find('=') ||
        (unsets && i + 1 < command.size() && command[i + 1] == "LD_PRELOAD"))
      clears = unsets ? word + " " + command[i + 1] : word;
    if (unsets)
      ++i;
    else if (!word.starts_with('-') && word.find('=') == std::string::npos)
      break;
  }
  return {command.begin() + static_cast<std::ptrdiff_t>(std::min(i, command.size())),
          command.end()};
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
    return {
        fmt::format("{} is linked with {}, but no oneTBB task was recorded", program, kLibrary),
        "if no message says why, it started none: run it with the input or option that makes it "
        "parallel",
        true};
  return {
      fmt::format("{} does not use {}, or did not need to load it, and is not linked with OpenMP",
                  program, kLibrary),
      relink + "; if it has threads of its own only, with -Wl,--no-as-needed as well"};
}

Diagnosis cleared(const std::string& by, const std::string& program) {
  return {
      fmt::format("'{}' cleared the environment, so {} did not load our {}", by, program, kLibrary),
      "put tp-run behind it: ... tp-run PROGRAM"};
}

} // namespace

Diagnosis why_not_recorded(const std::vector<std::string>& command, const Prefix& prefix) {
  if (is_set("TP_DISABLE"))
    return {"TP_DISABLE is set", "unset TP_DISABLE"};
  if (access(prefix.library().c_str(), R_OK) != 0)
    return {fmt::format("{} is missing", prefix.library()), "install Taskpath again"};
  const std::string found = find_program(command.front());
  const std::string program = found.empty() ? command.front() : found;
  const std::string name = program.substr(program.rfind('/') + 1);
  if (name == "env") {
    std::string clears;
    const auto rest = after_env(command, clears);
    if (!clears.empty() && !rest.empty())
      return cleared(fmt::format("env {}", clears), rest.front());
    if (!rest.empty())
      return why_not_recorded(rest, prefix);
  }
  const bool script = is_script(program);
  std::string text = script ? beginning_of(program) : std::string();
  if (name == "sh" || name == "bash" || name == "dash" || name == "ksh" || name == "zsh")
    for (std::size_t i = 1; i < command.size(); ++i)
      text += "\n" + (i == 1 ? beginning_of(command[i]) : std::string()) + "\n" + command[i];
  if (const std::string part = clearing_part(text); !part.empty())
    return cleared(part, "what follows it in " + (script ? program : "the script"));
  if (script)
    return {fmt::format("{} is a script, and no program that it started used {}, or OpenMP that it "
                        "is linked with",
                        program, kLibrary),
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

Loading loading_into(const std::string& program) {
  const auto file = program.empty() ? std::nullopt : read_elf(binary_of(program), false);
  if (!file)
    return Loading::First;
  if (has_other_c_library(*file))
    return Loading::Impossible;
  for (const std::string& name : file->needed)
    if (name.starts_with("libasan.so"))
      return Loading::BySearchPath;
  return Loading::First;
}

Diagnosis why_impossible(const std::string& program) {
  const std::string binary = binary_of(program);
  const auto file = read_elf(binary, false);
  return {fmt::format("{} uses another C library than our {} does: its dynamic linker is {}",
                      binary, kLibrary, file ? file->interpreter : "unknown"),
          "build it for the GNU C library"};
}

} // namespace tp::tool
