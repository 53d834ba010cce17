// SPDX-License-Identifier: Apache-2.0
// See source_files.h.
#include "base/source_files.h"

#include <system_error>
#include <vector>

namespace tp::analysis {
namespace fs = std::filesystem;

std::optional<fs::path> find_source(const std::string& name, const std::string& program,
                                    const std::string& recording) {
  std::vector<fs::path> candidates{name};
  if (!fs::path(name).is_absolute()) {
    candidates.push_back(fs::path(program).parent_path() / name);
    candidates.push_back(fs::absolute(recording).parent_path() / name);
  }
  std::error_code error;
  for (const fs::path& candidate : candidates)
    if (fs::is_regular_file(candidate, error))
      return candidate;
  return std::nullopt;
}

bool is_newer(const fs::path& file, const std::string& than) {
  std::error_code error;
  const auto changed = fs::last_write_time(file, error);
  if (error)
    return false;
  const auto written = fs::last_write_time(than, error);
  return !error && changed > written;
}

} // namespace tp::analysis
