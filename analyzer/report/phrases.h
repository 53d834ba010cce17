// SPDX-License-Identifier: Apache-2.0
// Phrases that several reports share.
#pragma once

#include "model/concurrency_limit.h"
#include "model/functions.h"
#include "model/read_summary.h"
#include "model/site.h"
#include "model/sleep.h"
#include "model/what_if.h"

#include <string>
#include <vector>

namespace tp::analysis {

// "NAME" (file:line), or only the place.
std::string region_name(const RegionInfo& region);

// The point that sentences quote: that of the largest factor up to 8, or else the first; null if
// there is none.
const WhatIfPoint* headline_point(const std::vector<WhatIfPoint>& points);

// "a.cpp:3"; empty: not known.
std::string function_place(const FunctionRow& row);
// "function f (a.cpp:3)"
std::string function_phrase(const FunctionRow& row);

// "a.cpp:12 runs in an arena of 1 thread, with at most 2 at a time"
std::string limit_in_words(const ConcurrencyLimit& limit);

// "the arena of a.cpp:12"; of OpenMP: "the parallel regions of a.cpp:12".
std::string arena_in_words(const ConcurrencyLimit& limit);

// "1 thread", "4 threads", "2 to 4 threads"
std::string threads_phrase(const ThreadRange& threads);

// "reading files (2.1 s), until child processes had ended (0.5 s)": what at least a tenth of `all` was slept
// in, longest first, without the times if it is one thing; empty if that is less than nine tenths together.
std::string sleep_in_words(const SleepTimes& times, std::uint64_t all, double hz);

// "one part of the code", "3 parts of the code"; "one change", "3 changes".
std::string parts_text(std::size_t count);
std::string changes_text(std::size_t count);
// What a what-if does to code, after "is" or "were": "divided among 8 CPUs"; in mode optimize "8 times faster".
std::string improved_by(std::uint64_t factor, bool optimizes);
// "dividing one part of the code among 8 CPUs", "speeding up 3 parts of the code 8x"
std::string faster_code(const TargetSearch& search, const std::string& parts);
// The same of all steps. In a search with locks or limits in its answer, these and parts of the code are changes.
std::string what_is_changed(const TargetSearch& search);
// What the search for a target has found, as a clause.
std::string search_heading(const TargetSearch& search);
// One of its steps: "split the spin_mutex q (q.cpp:17) into 8".
std::string step_in_words(const TargetSearch& search, const TargetSearch::Step& step);

} // namespace tp::analysis
