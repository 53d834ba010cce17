// SPDX-License-Identifier: Apache-2.0
// SCHEDULE DEPENDENCE: which figures hold only for the schedule of this run.
#pragma once

#include "model/profile.h"
#include "profile/measured.h"

#include <string>
#include <vector>

namespace tp::analysis {

// Whether the schedule-independent figures (Divisible) are known.
Divisible judge_divisible(const Measured& measured, const std::vector<SiteRow>& sites);

// The names of sites whose code has an order that was not seen, also of those that are too small for
// a warning.
std::vector<std::string> sites_of_unseen_order(const Measured& measured,
                                               const std::vector<SiteRow>& sites);

// Whether it is a region in which loops, of g++'s static ones, may be that nothing shows.
bool may_hide_loops(const Measured& measured, const SiteRow& site);

// The number of threads that the runtime divides the row's loops for: oneTBB for the slots of an arena, as many as there
// are CPUs if the program does not say how many; OpenMP for the teams of its regions.
ThreadRange divided_for(const Measured& measured, Row row);

// That of the loops of which it is not known how far they can be split.
ThreadRange threads_of_this_split(const Measured& measured, const std::vector<SiteRow>& sites,
                                  Divisible divisible);

std::vector<Warning> schedule_warnings(const Measured& measured, const std::vector<SiteRow>& sites,
                                       Divisible divisible);

} // namespace tp::analysis
