// The records of calls that tp-c++ leaves as they are, those in headers above all: notes in the
// modules of the process, found by the place that the compiler gives as the call's default argument.
// Called once per site, by site_registry. Cold; takes the loader's lock.
#pragma once

#include "tp/site.h"

#include <string>

namespace tp::rt {

struct NotedSite {
  std::string file;
  std::string function;
  std::string construct;
  unsigned line = 0;
  unsigned column = 0;
  unsigned end_line = 0;
};

// The record of the innermost call around `place`; false if no loaded module has one.
bool find_noted_site(const tp_spawn_site& place, NotedSite& site);

} // namespace tp::rt
