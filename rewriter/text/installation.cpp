// Where this Taskpath is installed. A prefix without our headers or library yields nothing: the
// tools then work with the stock ones, untagged.
#include "text/installation.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace tp::rewrite {
namespace fs = std::filesystem;

std::string own_executable() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).string();
}

std::string installation_prefix() {
  if (const char* prefix = std::getenv("TP_PREFIX"); prefix && *prefix)
    return prefix;
  return fs::path(own_executable()).parent_path().parent_path().string();
}

std::string installed_include_dir() {
  const std::string directory = installation_prefix() + "/include";
  std::error_code error;
  // -isystem /usr/include would break #include_next <stdlib.h>.
  const bool is_system = fs::equivalent(directory, "/usr/include", error);
  return !is_system && fs::exists(directory + "/tp/site.h", error) ? directory : "";
}

std::string installed_library_dir() {
  std::error_code error;
  const fs::path lib = fs::path(installation_prefix()) / "lib";
  if (fs::exists(lib / "libtbb.so.12", error))
    return lib.string();
  for (const auto& entry : fs::directory_iterator(lib, error)) // Debian: lib/<triplet>
    if (fs::exists(entry.path() / "libtbb.so.12", error))
      return entry.path().string();
  return "";
}

} // namespace tp::rewrite
