// SPDX-License-Identifier: Apache-2.0
// A place in the program: of a spawn site, or of a call on its stack.
#pragma once

#include <cstdint>
#include <string>

namespace tp::analysis {

struct ResolvedSite {
  std::string file; // or `symbol+0xoffset`, `body@module+0xoffset`, `module+0xoffset`
  std::uint32_t line = 0;
  std::string function; // demangled; empty if unknown
  std::string found_by; // "debug_info", "symbol", "type" (of the task), "module"
  // Where no line is known: what the site is, so that different code is never taken for the same;
  // `file` is a text that may be that of several. Empty: file and line are all.
  std::string identity = {};
  // To display, where no line is known: what runs (a function or type), and its place in it or in
  // the module, for names that are not alone. Empty: `name`, and if that is empty, as `file`.
  std::string what = {};
  std::string place = {};
  std::string name = {};
  std::string in_module = {}; // `module+0xoffset`
  std::string directory = {}; // in which the code at `line` was compiled; empty: not known
  // Only a library's functions are on the stack of the task that spawned: an algorithm does so in
  // tasks of its own.
  bool of_library = false;
};

} // namespace tp::analysis
