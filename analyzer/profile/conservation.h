// SPDX-License-Identifier: Apache-2.0
// CONSERVATION: sums that must agree between the program and the profile. They are checked in every
// run and shown.
#pragma once

#include "model/profile.h"
#include "profile/measured.h"
#include "profile/site_rows.h"

#include <vector>

namespace tp::analysis {

// The share of the process's CPU time that is in steps; warns if much is missing.
struct CheckedAttribution {
  Attribution attribution;
  std::vector<Warning> warnings;
};
CheckedAttribution check_attribution(const Measured& measured);

// P x elapsed = steps + overhead + idle + absent; warns if it does not hold.
struct CheckedBalance {
  TimeBalance balance;
  std::vector<Warning> warnings;
};
CheckedBalance check_balance(const Measured& measured);

// Compares the sums over all rows with T1 and Tinf.
std::vector<Warning> check_sums(const Measured& measured, const SiteRows& sites);

} // namespace tp::analysis
