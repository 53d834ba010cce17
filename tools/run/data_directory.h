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
  std::string program;
  std::int64_t pid = 0;
  std::int64_t start_time_unix_ns = 0;
  std::string openmp_runtime,
      openmp_replaced = {}; // the latter: in whose place it was, if in another one's
};

// The pattern of -o or TP_DATA (default tp-data) made absolute, because the program may change its
// directory.
std::string absolute_pattern(std::string pattern);

// A run of tp-run, as TP_RUN and run.json name it.
struct RunName {
  std::string name;
  std::int64_t since_unix_ns = 0; // when it began
};

// Recordings of this run that match the pattern, oldest first. They include those of the program's
// child processes, each of which has a directory of its own. A recording whose run.json has no name
// (an older library, or a cleared environment) belongs to the run if it began during it.
std::vector<Recording> recordings_of(const std::string& pattern, const RunName& run);

// The name up to the first %: what all recordings of the pattern have in common. For a pattern
// without one, the directory itself.
std::string common_directory(const std::string& pattern);

// Why nothing can be recorded there, found by making a directory with a file and removing both;
// empty if it can. Makes the parents, as the runtime does.
std::string why_not_writable(const std::string& pattern);

// A path as a user would type it: relative if it lies below the current directory.
std::string shortened(const std::string& path);

} // namespace tp::tool
