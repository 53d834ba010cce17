// BURDEN: what a migration costs, a task that another worker takes over (model/speedup_bounds.h). Given by the user,
// measured by the steals of this run, or assumed.
#pragma once

#include "model/prediction.h"
#include "model/profile.h"
#include "profile/measured.h"
#include "profile/profile_options.h"

#include <cstdint>
#include <optional>

namespace tp::analysis {

// As far as it is known before the trace is read; `work` is 0 where that takes the whole trace.
Burden burden_before_reading(const ProfileOptions& options, const RunInfo& run);

struct RefinedBurden {
  Burden burden;
  std::optional<Warning> warning;
};
// What only the trace tells: how long steals took, how much work is done in a nanosecond. `before`: burden_before_reading().
RefinedBurden refined_burden(const Burden& before, const Measured& measured,
                             const ProfileOptions& options);

// What a steal costs in a prediction: what the user says, what this run's steals show, or what is assumed.
Burden steal_burden(const Burden& burden, const Measured& measured);

// Time in the unit of work; where that is no time, by the run's work per nanosecond of its steps.
std::uint64_t work_of_ns(const Measured& measured, std::uint64_t ns);

} // namespace tp::analysis
