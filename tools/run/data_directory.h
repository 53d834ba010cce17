// The data directory as tp-run sees it: the pattern handed to the program, and what was recorded
// under it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tp::tool {

// One process that recorded: the content of its run.json.
struct Recording {
  std::string directory;
  std::int64_t pid = 0;
  std::int64_t start_time_unix_ns = 0;
};

// The pattern of -o or TP_DATA (default tp-data) made absolute, since the program may change its
// directory.
std::string absolute_pattern(std::string pattern);

// Recordings under the pattern that began at or after `since_unix_ns`, oldest first. The program's
// children record too, each in a directory of its own: those are found as well.
std::vector<Recording> recordings_since(const std::string& pattern, std::int64_t since_unix_ns);

// A path as one would type it here: relative if it lies below the current directory.
std::string shortened(const std::string& path);

} // namespace tp::tool
