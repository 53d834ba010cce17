// Where this Taskpath is installed, and the real compiler, whose place tp-c++ takes.
#pragma once

#include <string>
#include <vector>

namespace tp::rewrite {

// $TP_PREFIX, else the prefix of the running executable.
std::string installation_prefix();

// <prefix>/include if our headers are there (tp/site.h) and it is not a default system directory;
// else empty.
std::string installed_include_dir();

// The directory with our libtbb.so.12 in the prefix; else empty.
std::string installed_library_dir();

// The words of $TP_CXX, default c++: one if that is the path of an executable file (which may contain
// blanks), else as many as blanks separate ("ccache g++").
std::vector<std::string> real_compiler();

} // namespace tp::rewrite
