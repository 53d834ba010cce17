// SPDX-License-Identifier: Apache-2.0
// See prefix.h.
#include "common/prefix.h"

#include <filesystem>
#include <string_view>
#include <sys/auxv.h>
#include <system_error>

namespace tp::tool {

namespace fs = std::filesystem;

Prefix own_prefix() {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) // a sandbox without /proc: the name that execve received
    self = fs::canonical(reinterpret_cast<const char*>(getauxval(AT_EXECFN)), error);
  return {error ? std::string() : self.parent_path().parent_path().string()};
}

std::string sibling_command(const char* argv0, const std::string& name) {
  const std::string_view own = argv0 ? argv0 : "";
  const std::size_t slash = own.rfind('/');
  if (slash == std::string_view::npos)
    return name;
  return std::string(own.substr(0, slash + 1)) + name;
}

} // namespace tp::tool
