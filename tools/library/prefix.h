// Where Taskpath is installed: computed from the place of the running tool, so that a prefix may be
// moved.
#ifndef TP_LAUNCHER_PREFIX_H
#define TP_LAUNCHER_PREFIX_H

#include <string>

namespace tp::launcher {

struct Prefix {
  std::string directory;

  std::string library_directory() const { return directory + "/lib"; }
  std::string library() const { return directory + "/lib/libtbb.so.12"; }
  std::string tool(const std::string& name) const { return directory + "/bin/" + name; }
};

// The parent of the directory of this executable.
Prefix own_prefix();

// How the user can type another tool of ours: its bare name if this one was found by PATH, else
// beside this one.
std::string sibling_command(const char* argv0, const std::string& name);

} // namespace tp::launcher

#endif
