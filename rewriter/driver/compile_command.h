// SPDX-License-Identifier: Apache-2.0
// What one compiler command line asks for, as far as tp-c++ needs to know.
#pragma once

#include <string>
#include <vector>

namespace tp::rewrite {

struct Command {
  std::vector<std::string> arguments; // response files expanded, tp-c++'s own -q removed
  std::vector<size_t> sources;        // C++ sources among them
  bool compiles = false;              // some input is source text
  bool links = false;
  bool rewritable = false; // produces assembly, objects or programs from C++ sources
  bool quiet = false;
  bool writes_dependencies = false; // -MD, -MMD and the like
  std::string dependency_file;      // if named
  std::string output;               // -o
};

Command read_command(const std::vector<std::string>& arguments);

// Where the dependency file of `source` may be, most likely first.
std::vector<std::string> dependency_file_candidates(const Command& command,
                                                    const std::string& source);

// `path`, escaped as in dependency files.
std::string make_escaped(const std::string& path);

} // namespace tp::rewrite
