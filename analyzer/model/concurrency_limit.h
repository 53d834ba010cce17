// SPDX-License-Identifier: Apache-2.0
// A limit of concurrency (concurrency.h) as reports show it.
#pragma once

#include "base/ids.h"
#include "base/wide.h"
#include "model/site.h"
#include "model/what_if.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace tp::analysis {

// The least longest path from the beginning of the program to some of its code, and that from there to the program's end.
struct PathEnds {
  std::uint64_t before = 0, after = 0;
  std::uint64_t length() const { return before + after; }
};

struct ConcurrencyLimit {
  bool is_arena = true;                  // else global_control
  bool is_of_openmp = false;             // an arena that is a parallel region's team
  std::uint32_t index = 0;               // into ConcurrencyLimits::arenas or ::allowed
  std::uint64_t asked = 0;               // number of threads that the program gave
  std::uint64_t reserved = 0, slots = 0; // of an arena
  std::uint64_t width = 1;               // the most that run under it at a time
  bool like_machine = false;             // as many as there were CPUs: limits nothing here
  std::uint64_t work = 0, latency = 0;   // under it
  // Of what runs under it, in work, and in work and latency. Of limits that hardly matter, and of graphs that are
  // too large to be kept, 0.
  PathEnds ends, ends_with_latency;
  bool has_ends = false;
  SourcePlace place;  // of the site with the most work under it; main: line 0
  Row row = kMainRow; // of that site
  std::string name;   // of that site, as tables show it
  std::uint64_t work_of_row = 0;
  // What runs under it takes no less, on any number of CPUs, as long as the width is the same.
  std::uint64_t time_under() const {
    return static_cast<std::uint64_t>((Wide{work} + latency + width - 1) / width);
  }
  // The program takes no less, likewise.
  std::uint64_t least_time() const { return ends_with_latency.length() + time_under(); }
  // The same as what-ifs count.
  std::uint64_t least_time_of_work() const { return ends.length() + time_of(work); }
  // As what-ifs count: without sleep, of so much work, and with at least so many threads.
  std::uint64_t time_of(Wide work_under_it, std::uint64_t threads = 1) const {
    const std::uint64_t most = threads > width ? threads : width;
    return static_cast<std::uint64_t>((work_under_it + most - 1) / most);
  }
  // With `factor` times as many threads, if that helps by itself.
  std::vector<WhatIfPoint> wider = {};
};

// The least time that limits leave, as what-ifs count; 0: none limits anything. `without`: one that is left out.
inline std::uint64_t least_time_of_limits(const std::vector<ConcurrencyLimit>& limits,
                                          const ConcurrencyLimit* without = nullptr) {
  std::uint64_t least = 0;
  for (const ConcurrencyLimit& limit : limits)
    if (!limit.like_machine && &limit != without)
      least = std::max(least, limit.least_time_of_work());
  return least;
}

// The same, whatever comes before and after what runs under them.
inline std::uint64_t least_time_under_limits(const std::vector<ConcurrencyLimit>& limits) {
  std::uint64_t least = 0;
  for (const ConcurrencyLimit& limit : limits)
    if (!limit.like_machine)
      least = std::max(least, limit.time_of(limit.work));
  return least;
}

} // namespace tp::analysis
