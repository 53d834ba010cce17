// SPDX-License-Identifier: Apache-2.0
// What options on a g++ / clang++ command line mean: which of them take a value, and which of them
// a parse by Clang needs. Shared by tp-c++ and tp-rewrite.
#pragma once

#include <string>
#include <vector>

namespace tp::rewrite {

// Whether this option takes the next argument as its value.
bool takes_next_argument(const std::string& option);

// Replaces response files (@FILE) by their content. One that cannot be read is kept, as g++ does.
std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments);

// The flags that change what Clang reads: include paths, macros, language, target. All others are
// dropped, so that an option only g++ knows does not stop the parse. Inputs are dropped too.
std::vector<std::string> flags_for_clang(const std::vector<std::string>& arguments);

// The subset that changes where the real compiler finds its headers and which language it uses.
std::vector<std::string> flags_for_question(const std::vector<std::string>& arguments);

// Whether `source` has the name of a C++ source file.
bool is_cxx_source_name(const std::string& source);

} // namespace tp::rewrite
