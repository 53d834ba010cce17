// SPDX-License-Identifier: Apache-2.0
// The data directory as tp-run sees it: the pattern for the program, and the recordings that match
// it.
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

// The pattern of -o or TP_DATA (default tp-data) made absolute, because the program may change its
// directory.
std::string absolute_pattern(std::string pattern);

// Recordings that match the pattern and began at or after `since_unix_ns`, oldest first. They
// include those of the program's child processes, each of which has a directory of its own.
std::vector<Recording> recordings_since(const std::string& pattern, std::int64_t since_unix_ns);

// A path as a user would type it: relative if it lies below the current directory.
std::string shortened(const std::string& path);

} // namespace tp::tool
