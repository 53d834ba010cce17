// SPDX-License-Identifier: Apache-2.0
// Names for return addresses: the line of the user's source behind a spawn site without a tag.
// Called by site_table, once per address site, before the streams are read.
//
// A call into libtbb is inside several inlined oneTBB templates. The line that the user wrote is
// the first frame of the inline chain, from the innermost outwards, that is not library code
// (tp/trace/library_code.h; right for 11 of 12 calls at -O2).
#pragma once

#include "model/lock.h"
#include "model/run_info.h"
#include "sites/callers.h"
#include "sites/module_files.h"
#include "sites/resolved_site.h"

#include <memory>
#include <string>
#include <vector>

namespace tp::analysis {

class SiteResolver {
public:
  SiteResolver(const std::vector<Module>& modules, const DebugFiles& where);
  ~SiteResolver();
  // Never fails: a module that is missing gives module+0xoffset.
  ResolvedSite resolve(const StaticSite& site);
  // The name of the function that a thread of the site runs; empty: not known.
  std::string start_function(const StaticSite& site);
  // The name of the variable that contains an address of a module's data; empty: not known.
  std::string variable(const CodeAddress& address);
  // Of each, whether its debug information says that it is part of an element of an array of objects.
  std::vector<bool> are_in_arrays(const std::vector<CodeAddress>& addresses);
  // Of the modules given.
  UnseenLocks unseen_locks();
  // What acquires a lock at a place that has no call of the user's on its stack, by the names of functions.
  LibraryLock library_lock(const StaticSite& place);
  // Of a site that a compiler placed at a constructor: the line of the member that is constructed, in the same
  // file; 0: not known, or that is its line.
  std::uint32_t line_of_member(const StaticSite& site);
  // The calls of the user's code on the site's stack, innermost first; inlined ones as well.
  std::vector<UserCall> user_calls(const StaticSite& site);

private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// Whose lock a function of oneTBB's headers acquires, by the class that it is a member of; none for locks' own functions,
// and for all that is not oneTBB's.
LibraryLock lock_of_library(const std::string& function);

// True for frames that the user did not write: library code, also by mangled names.
bool is_library_frame(const std::string& function, const std::string& file);

} // namespace tp::analysis
