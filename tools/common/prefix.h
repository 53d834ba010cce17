// Where Taskpath is installed: found from the file of the running tool, so that a prefix may be moved.
#pragma once

#include <string>

namespace tp::tool {

struct Prefix {
  std::string directory;

  std::string library_directory() const { return directory + "/lib"; }
  std::string library() const { return directory + "/lib/libtbb.so.12"; }
  std::string tool(const std::string& name) const { return directory + "/bin/" + name; }
};

// The parent of the directory of this executable.
Prefix own_prefix();

// How the user can type another tool of ours: its bare name if this one was found by PATH, else
// with the directory of this one.
std::string sibling_command(const char* argv0, const std::string& name);

} // namespace tp::tool
