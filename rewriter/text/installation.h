// Where this Taskpath is installed: found from the running executable, or $TP_PREFIX.
#pragma once

#include <string>

namespace tp::rewrite {

// Path of the running executable; empty if unknown.
std::string own_executable();

// $TP_PREFIX, else the directory above the one that holds the executable.
std::string installation_prefix();

// <prefix>/include if our headers are there (tp/site.h) and it is not a default system directory;
// else empty.
std::string installed_include_dir();

// The directory with our libtbb.so.12 in the prefix; else empty.
std::string installed_library_dir();

} // namespace tp::rewrite
