// SPDX-License-Identifier: Apache-2.0
// The headers and the language of the real compiler, so that Clang reads the same system headers in
// the same language. The compiler is asked once per set of flags.
#pragma once

#include <string>
#include <vector>

namespace tp::rewrite {

struct RealCompiler {
  bool answered = false;
  std::vector<std::string> include_dirs; // searched for <...>, in order, after the user's
  std::string cplusplus;                 // value of __cplusplus, such as "201703L"
};

// Runs `compiler FLAGS -E -v -dM` on an empty file. `compiler`: its words, such as "ccache", "g++".
RealCompiler ask_real_compiler(const std::vector<std::string>& compiler,
                               const std::vector<std::string>& flags);

// -std=... for a value of __cplusplus.
std::string standard_flag(const RealCompiler& compiler);

} // namespace tp::rewrite
