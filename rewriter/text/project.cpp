// SPDX-License-Identifier: Apache-2.0
// Which project a source file belongs to. Reads directory entries and CMake's cache; called once
// per file.
#include "text/project.h"

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string_view>
#include <system_error>

namespace tp::rewrite {
namespace fs = std::filesystem;
namespace {

bool has_any(const fs::path& directory, std::initializer_list<const char*> names) {
  std::error_code ignored;
  for (const char* name : names)
    if (fs::exists(directory / name, ignored))
      return true;
  return false;
}

bool has_build_file(const fs::path& directory) {
  const bool is_build_tree = has_any(directory, {"CMakeFiles"}); // its Makefile was generated
  return has_any(directory,
                 {"CMakeLists.txt", "meson.build", "configure.ac", "BUILD", "BUILD.bazel"}) ||
         (!is_build_tree && has_any(directory, {"Makefile"}));
}

// The most folders without a build file between one with and the next one above: src/module/tests.
constexpr int kMostBetween = 2;

// The topmost directory with a build file, starting from one that has one.
fs::path topmost(fs::path root) {
  int between = 0;
  for (fs::path above = root.parent_path(); between <= kMostBetween && above != above.parent_path();
       above = above.parent_path())
    if (has_build_file(above)) {
      root = above;
      between = 0;
    } else {
      ++between;
    }
  return root;
}

// The source directory of a CMake build tree if `directory` is its top; otherwise empty.
std::string cmake_home(const fs::path& directory) {
  static constexpr std::string_view kKey = "CMAKE_HOME_DIRECTORY:INTERNAL=";
  std::ifstream cache(directory / "CMakeCache.txt");
  for (std::string line; std::getline(cache, line);)
    if (line.starts_with(kKey))
      return line.substr(kKey.size());
  return "";
}

} // namespace

std::string canonical(const std::string& path) {
  std::error_code error;
  const fs::path result = fs::weakly_canonical(path, error);
  return error ? fs::absolute(path, error).string() : result.string();
}

std::string project_root(const std::string& file) {
  const fs::path own = fs::path(canonical(file)).parent_path();
  for (fs::path directory = own;; directory = directory.parent_path()) {
    if (has_any(directory, {".git", ".hg", ".svn"}))
      return directory.string();
    if (directory == directory.parent_path())
      break;
  }
  fs::path root = own;
  while (!has_build_file(root) && root != root.parent_path()) {
    if (const std::string home = cmake_home(root); !home.empty() && home != root)
      return project_root(home + "/CMakeLists.txt");
    root = root.parent_path();
  }
  return has_build_file(root) ? topmost(root).string() : own.string();
}

std::string without_detours(const std::string& spelled) {
  const fs::path path = fs::path(spelled).lexically_normal();
  if (spelled.find("..") == std::string::npos)
    return path.string();
  const std::string real = canonical(spelled); // a directory before ".." may be a link
  return path.is_absolute() ? real : relative_to(real, canonical("."));
}

bool is_below(const std::string& file, const std::string& root) {
  return root == "/" ||
         (file.starts_with(root) && file.size() > root.size() && file[root.size()] == '/');
}

std::string relative_to(const std::string& file, const std::string& root) {
  const std::string path = canonical(file);
  return is_below(path, root) ? path.substr(root == "/" ? 1 : root.size() + 1) : path;
}

} // namespace tp::rewrite
