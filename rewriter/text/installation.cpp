// SPDX-License-Identifier: Apache-2.0
// Where this Taskpath is installed. A prefix without our headers or library gives empty results:
// the tools then use the stock ones, without tags.
#include "text/installation.h"

#include "common/prefix.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <unistd.h>

namespace tp::rewrite {
namespace fs = std::filesystem;

std::string installation_prefix() {
  if (const char* prefix = std::getenv("TP_PREFIX"); prefix && *prefix)
    return prefix;
  return tool::own_prefix().directory;
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

std::vector<std::string> real_compiler() {
  const char* const named = std::getenv("TP_CXX");
  const std::string text = named && *named ? named : "c++";
  std::error_code error;
  if (text.find('/') != std::string::npos && fs::is_regular_file(text, error) &&
      access(text.c_str(), X_OK) == 0)
    return {text};
  std::istringstream list(text);
  std::vector<std::string> words;
  for (std::string word; list >> word;)
    words.push_back(word);
  return words;
}

} // namespace tp::rewrite
