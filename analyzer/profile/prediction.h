// PREDICTION: elapsed time, speedup and efficiency on P workers, by simulation of the recorded DAG
// (passes/simulation.h) with the tasking overhead that this run shows.
//
// Measured: the work of each step; the time between two steps, per kind of boundary; how long steals
// took. Modelled: that recording takes a reading of the clock in each step and two between steps
// (taken off); that overhead is the same at any P, and work too: no caches, no memory bandwidth.
#pragma once

#include "model/prediction.h"
#include "profile/measured.h"
#include "profile/profile_options.h"
#include "profile/tasking_overhead.h"
#include "profile/trace_readings.h"

#include <string>

namespace tp::analysis {

// Why a question that takes a reading for the times of a run is not asked; empty: it is.
std::string reason_not_to_simulate(const Measured& measured, const ProfileOptions& options);

// Reads the trace once more, unless `skipped_because` says why not.
Prediction predict(const Measured& measured, const TaskingCosts& costs,
                   const std::string& skipped_because, const TraceReadings& readings,
                   const ProfileOptions& options);

} // namespace tp::analysis
