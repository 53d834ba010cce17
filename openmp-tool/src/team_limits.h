// SPDX-License-Identifier: Apache-2.0
// TEAM LIMITS: regions for which the program asks for a number of threads, as limits of concurrency: the tasks inside
// run on so many threads at most, on any number of CPUs.
//
// Only of regions outside of all tasks and regions, which a thread runs one after the other, and of those with a
// num_threads clause inside of such a region: each of its threads runs one of them at a time. Of others it is not known
// how many can run at a time, each with a team of its own.
#pragma once

#include "tp/hooks.h"

#include <cstdint>

namespace tp::omp {

// By a num_threads clause: of the next region of the calling thread; 0: it has none.
void note_clause(std::uint32_t threads);
// The program is about to call omp_set_num_threads().
void note_set_threads();

// What limits the region that the calling thread is about to begin at that site, with so many threads `requested`; null:
// nothing. `may_be_limited`: it is inside of no other region; else `around` limits that. Never freed.
const tp_arena* limit_of_region(std::uint32_t site, std::uint32_t requested, bool may_be_limited,
                                const tp_arena* around);

// In what the calling thread executes from here on, as limit_of_region().
void enter_limit(const tp_arena* limit);
const tp_arena* entered_limit();

} // namespace tp::omp
