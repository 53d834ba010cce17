// SPDX-License-Identifier: Apache-2.0
// SITE NOTES: records of calls that tp-c++ does not change, mostly calls in headers. They are ELF
// notes (tp/site.h) in the modules of the process, found by the place that the compiler passes as
// the call's default argument. Called once per site, by the registry. Cold; takes the dynamic
// loader's lock.
#pragma once

#include "tp/site.h"

#include <string>

namespace tp::rt {

// Copies of the note's fields (tp_spawn_site).
struct NotedSite {
  std::string file;
  std::string function;
  std::string construct;
  unsigned line = 0;
  unsigned column = 0;
  unsigned end_line = 0;
};

// Sets `site` to the record of the innermost call around `place`. False: no loaded module has one.
bool find_noted_site(const tp_spawn_site& place, NotedSite& site);

} // namespace tp::rt
