// SPDX-License-Identifier: Apache-2.0
// BURDEN: what a migration costs, which is a task that another worker thread takes over
// (model/speedup_bounds.h). The user gives it, or the steals of this run measure it, or it is
// assumed.
#pragma once

#include "model/prediction.h"
#include "model/profile.h"
#include "profile/measured.h"
#include "profile/profile_options.h"

#include <cstdint>
#include <optional>

namespace tp::analysis {

// What is known before the trace is read; `work` is 0 if it depends on the whole trace.
Burden burden_before_reading(const ProfileOptions& options, const RunInfo& run);

struct RefinedBurden {
  Burden burden;
  std::optional<Warning> warning;
};
// Adds what only the trace contains: how long steals took, and how much work is done in a
// nanosecond. `before`: the result of burden_before_reading().
RefinedBurden refined_burden(const Burden& before, const Measured& measured,
                             const ProfileOptions& options);

// What a steal costs in a prediction: as the user says, as this run's steals show, or as assumed. As
// assumed also where steals took longer than that and the machine was shared.
Burden steal_burden(const Burden& burden, const Measured& measured);

// Converts nanoseconds to the unit of work. If that unit does not measure time, the run's work per
// nanosecond of its steps converts them.
std::uint64_t work_of_ns(const Measured& measured, std::uint64_t ns);

} // namespace tp::analysis
