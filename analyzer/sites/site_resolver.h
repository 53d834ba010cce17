// SPDX-License-Identifier: Apache-2.0
// Names for return addresses: the line of the user's source behind a spawn site without a tag.
// Called by site_table, once per address site, before the streams are read.
//
// A call into libtbb is inside several inlined oneTBB templates. The line that the user wrote is
// the first frame of the inline chain, from the innermost outwards, that is not library code
// (tp/trace/library_code.h; right for 11 of 12 calls at -O2).
#pragma once

#include "model/run_info.h"
#include "sites/module_files.h"

#include <memory>
#include <string>
#include <vector>

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

class SiteResolver {
public:
  SiteResolver(const std::vector<Module>& modules, const DebugFiles& where);
  ~SiteResolver();
  // Never fails: a module that is missing gives module+0xoffset.
  ResolvedSite resolve(const StaticSite& site);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// True for frames that the user did not write: library code, also by mangled names.
bool is_library_frame(const std::string& function, const std::string& file);

} // namespace tp::analysis
