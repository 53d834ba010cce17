// SPDX-License-Identifier: Apache-2.0
// See openmp.h.
#include "run/openmp.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <strings.h>
#include <unistd.h>
#include <vector>

#include <fmt/core.h>

#include "run/elf_file.h"

namespace tp::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInstall = "apt install libomp5-19, or TP_LIBOMP=/path/of/libomp.so.5";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}
bool is_libgomp(
    std::string_view name) { // also libgomp-a34b3233.so.1.0.0, as Python packages have it
  return name.starts_with("libgomp.so") || name.starts_with("libgomp-");
}
bool is_libomp(std::string_view name) {
  return name.starts_with("libomp.so") || name.starts_with("libomp-") ||
         name.starts_with("libomp5.so") || name.starts_with("libiomp5.so");
}
bool is_function_of_openmp(std::string_view name) {
  return name.starts_with("GOMP_") || name.starts_with("omp_") || name.starts_with("GOACC_") ||
         name.starts_with("acc_");
}

// libomp has this function since LLVM 16; chunks of loops are reported since LLVM 15.
bool reports_chunks(const std::string& libomp) {
  return defines_symbol(libomp, "__kmpc_omp_taskwait_deps_51");
}

// The files that need libgomp: what libomp lacks of it; empty: nothing.
std::string missing_in(const std::string& libomp, const std::vector<std::string>& files) {
  const auto there = read_dynamic_symbols(libomp, is_function_of_openmp);
  if (!there)
    return "a file that can be read";
  for (const std::string& file : files) {
    const auto symbols = read_dynamic_symbols(file, is_function_of_openmp);
    if (!symbols)
      continue;
    for (const std::string& name : symbols->undefined)
      if (!there->defined.contains(name))
        return fmt::format("{}, which {} calls", name, file);
    for (const auto& [library, version] : symbols->needed_versions)
      if (is_libgomp(library) && !there->versions.contains(version))
        return fmt::format("version {} of libgomp's functions, which {} needs", version, file);
  }
  return {};
}

// A tool among what is preloaded by path, other than ours; empty: there is none.
std::string preloaded_tool(const std::string& preloaded, const std::string& ours) {
  for (std::size_t begin = 0; begin < preloaded.size();) {
    const std::size_t end = std::min(preloaded.find_first_of(" :", begin), preloaded.size());
    const std::string path = preloaded.substr(begin, end - begin);
    begin = end + 1;
    if (path.find('/') == path.npos || name_of(path) == name_of(ours) || is_libomp(name_of(path)) ||
        is_libgomp(name_of(path)))
      continue;
    if (const auto file = read_elf(path, false); file && file->is_openmp_tool)
      return path;
  }
  return {};
}

// What the user has set so that a runtime does not load our tool.
std::optional<Diagnosis> setting_without_our_tool() {
  // With any other value libomp has no tool.
  if (const std::string tool = variable("OMP_TOOL");
      !tool.empty() && strcasecmp(tool.c_str(), "enabled") != 0)
    return Diagnosis{fmt::format("OMP_TOOL={} is set", tool), "unset OMP_TOOL"};
  if (const std::string others = variable("OMP_TOOL_LIBRARIES"); !others.empty())
    return Diagnosis{
        fmt::format("OMP_TOOL_LIBRARIES names another tool ({}), and a runtime has one", others),
        "unset OMP_TOOL_LIBRARIES"};
  return std::nullopt;
}

} // namespace

std::string find_libomp() {
  if (const char* const given = std::getenv("TP_LIBOMP"); given != nullptr && *given != '\0')
    return given;
  std::vector<std::pair<int, std::string>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/usr/lib", error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("llvm-"))
      found.emplace_back(std::atoi(name.c_str() + 5), entry.path().string() + "/lib/libomp.so.5");
  }
  std::ranges::sort(found, std::greater<>());
#if defined(__aarch64__)
  found.emplace_back(0, "/usr/lib/aarch64-linux-gnu/libomp.so.5");
#else
  found.emplace_back(0, "/usr/lib/x86_64-linux-gnu/libomp.so.5");
#endif
  found.emplace_back(0, "/usr/lib64/libomp.so");
  for (const auto& [version, path] : found)
    if (access(path.c_str(), R_OK) == 0 && reports_chunks(path))
      return path;
  return {};
}

OpenMpRuntime openmp_runtime() {
  OpenMpRuntime answer;
  answer.path = find_libomp();
  constexpr std::string_view kFolder = "/llvm-";
  std::error_code error;
  const std::string target = fs::weakly_canonical(answer.path, error).string();
  if (const std::size_t at = target.find(kFolder); at != std::string::npos)
    answer.version = std::atoi(target.c_str() + at + kFolder.size());
  if (answer.path.empty())
    answer.reason = "no libomp of LLVM 16 or newer was found";
  else if (access(answer.path.c_str(), R_OK) != 0)
    answer.reason = answer.path + ": no such file";
  else if (!reports_chunks(answer.path))
    answer.reason = answer.path + ": expected libomp of LLVM 16 or newer, got another file";
  answer.reports_chunks = answer.reason.empty();
  if (!answer.reports_chunks) {
    answer.command = kInstall;
  } else if (const auto setting = setting_without_our_tool()) {
    answer.reason = setting->cause;
    answer.command = setting->hint;
  }
  return answer;
}

OpenMpLoading openmp_loading(const std::string& program, const Prefix& prefix, Loading loading,
                             const std::string& preloaded) {
  OpenMpLoading answer;
  const auto file = program.empty() ? std::nullopt : read_elf(program, false);
  if (!file || loading == Loading::Impossible)
    return answer;
  std::error_code error;
  answer.program = fs::canonical(program, error).string();
  std::vector<std::string> files = libraries_of(program, *file);
  files.insert(files.begin(), program);
  std::vector<std::string> of_libgomp;
  std::string libgomp, libomp, other_tool;
  for (const std::string& path : files) {
    const auto each = path == program ? file : read_elf(path, false);
    if (!each)
      continue;
    const std::string_view file_name = name_of(path);
    // libomp has a tool of its own, which finds the others.
    if (each->is_openmp_tool && !is_libomp(file_name) && !is_libgomp(file_name) &&
        other_tool.empty())
      other_tool = path;
    for (const std::string& name : each->needed)
      if (is_libgomp(name)) {
        of_libgomp.push_back(path);
        libgomp = name;
      } else if (is_libomp(name)) {
        libomp = name;
      }
  }
  if (libgomp.empty() && libomp.empty()) {
    if (contains_function(program, {"GOMP_parallel", "__kmpc_fork_call"}))
      answer.problem = {program + " contains an OpenMP runtime that was linked statically",
                        "link it with the shared libgomp or libomp"};
    return answer;
  }
  const auto cannot = [&](const std::string& cause, const std::string& hint) {
    answer.problem = {cause, hint};
    return answer;
  };
  if (access(prefix.openmp_tool().c_str(), R_OK) != 0)
    return cannot(prefix.openmp_tool() + " is missing", "install Taskpath again");
  if (const auto setting = setting_without_our_tool())
    return cannot(setting->cause, setting->hint);
  if (!other_tool.empty()) // which libomp finds before ours
    return cannot(
        fmt::format("{} is an OpenMP tool itself (ompt_start_tool), and a runtime has one",
                    other_tool),
        "build the program without it");
  if (const std::string tool = preloaded_tool(preloaded, prefix.openmp_tool()); !tool.empty())
    return cannot(fmt::format("{} in LD_PRELOAD is an OpenMP tool (ompt_start_tool), and a runtime "
                              "has one",
                              tool),
                  "take it out of LD_PRELOAD");
  const std::string given = variable("TP_LIBOMP");
  const auto loaded =
      std::ranges::find_if(files, [](const std::string& path) { return is_libomp(name_of(path)); });
  const bool is_wanted =
      loaded != files.end() && (given.empty() || fs::equivalent(given, *loaded, error));
  if (libgomp.empty() && is_wanted && reports_chunks(*loaded)) {
    answer.tool = prefix.openmp_tool();
    answer.used = *loaded;
    return answer;
  }
  const std::string runtime = find_libomp();
  const std::string used = !libgomp.empty() ? libgomp : libomp;
  if (runtime.empty())
    return cannot(
        fmt::format("{} uses {}, and no libomp of LLVM 16 or newer was found", program, used),
        kInstall);
  if (!reports_chunks(runtime))
    return cannot(fmt::format("{}: expected libomp of LLVM 16 or newer, got {}", runtime,
                              access(runtime.c_str(), R_OK) == 0 ? "another file" : "no file"),
                  kInstall);
  if (loading != Loading::First)
    return cannot(fmt::format("{} is built with AddressSanitizer, and uses {}", program, used),
                  "build it without -fsanitize=address");
  if (const std::string missing = missing_in(runtime, of_libgomp); !missing.empty())
    return cannot(fmt::format("{} lacks {}", runtime, missing),
                  "build the program with clang++ -fopenmp");
  answer.tool = prefix.openmp_tool();
  answer.runtime = answer.used = runtime;
  answer.replaced = used;
  return answer;
}

} // namespace tp::tool
