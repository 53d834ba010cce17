// SCHEDULE DEPENDENCE: which figures are those of this run's schedule only.
#pragma once

#include "model/profile.h"
#include "profile/measured.h"

#include <vector>

namespace tp::analysis {

// Whether the figures as divisible are known.
Divisible judge_divisible(const Measured& measured, const std::vector<SiteRow>& sites);

std::vector<Warning> schedule_warnings(const Measured& measured, const std::vector<SiteRow>& sites,
                                       Divisible divisible);

} // namespace tp::analysis
