// SPDX-License-Identifier: Apache-2.0
// Where this Taskpath is installed, and the real compiler, which tp-c++ replaces.
#pragma once

#include <string>
#include <vector>

namespace tp::rewrite {

// $TP_PREFIX, or the prefix of the running executable.
std::string installation_prefix();

// <prefix>/include if it contains our headers (tp/site.h) and is not a default system directory;
// otherwise empty.
std::string installed_include_dir();

// The directory with our libtbb.so.12 in the prefix; empty if there is none.
std::string installed_library_dir();

// The words of $TP_CXX, default c++: one word if that is the path of an executable file (which may
// contain blanks); otherwise it is split at blanks ("ccache g++").
std::vector<std::string> real_compiler();

} // namespace tp::rewrite
