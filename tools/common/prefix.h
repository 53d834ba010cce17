// SPDX-License-Identifier: Apache-2.0
// Where Taskpath is installed. It is derived from the path of the running tool, so a prefix is
// relocatable.
#pragma once

#include <string>

namespace tp::tool {

struct Prefix {
  std::string directory;

  std::string library_directory() const { return directory + "/lib"; }
  std::string library() const { return directory + "/lib/libtbb.so.12"; }
  // Sees threads of the program, in front of the C library.
  std::string preload() const { return directory + "/lib/libtaskpath-preload.so"; }
  // Has the OpenMP of programs recorded that the profiled one starts.
  std::string start() const { return directory + "/lib/libtaskpath-start.so"; }
  // Records OpenMP's constructs, loaded by libomp.
  std::string openmp_tool() const { return directory + "/lib/libtaskpath-ompt.so"; }
  std::string tool(const std::string& name) const { return directory + "/bin/" + name; }
};

// The parent of the directory of this executable.
Prefix own_prefix();

// How the user can call another of our tools: by its bare name if PATH found this one, otherwise
// with the directory of this one.
std::string sibling_command(const char* argv0, const std::string& name);

} // namespace tp::tool
