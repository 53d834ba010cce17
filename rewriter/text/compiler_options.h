// What options on a g++ / clang++ command line mean: which take a value, which a parse by Clang
// needs. Shared by tp-c++ and tp-rewrite.
#pragma once

#include <string>
#include <vector>

namespace tp::rewrite {

// Does this option take the next argument as its value?
bool takes_next_argument(const std::string& option);

// Response files (@FILE) replaced by what they hold. One that cannot be read stays, as g++ does it.
std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments);

// The flags that change what Clang reads: include paths, macros, language, target. All others are
// dropped, so that an option only g++ knows does not stop the parse. Inputs are dropped too.
std::vector<std::string> flags_for_clang(const std::vector<std::string>& arguments);

// The subset that changes where the real compiler finds its headers and which language it speaks.
std::vector<std::string> flags_for_question(const std::vector<std::string>& arguments);

// True if `source` is named like a C++ source file.
bool is_cxx_source_name(const std::string& source);

} // namespace tp::rewrite
