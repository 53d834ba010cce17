// PREDICTION: elapsed time, speedup and efficiency on P workers, by simulation of the recorded DAG
// (passes/simulation.h) with the tasking overhead that this run shows. Called by profile.cpp.
//
// Measured: the work of each step; the time between two steps, per kind of boundary; how long steals
// took. Modelled: that recording takes a reading of the clock in each step and two between steps
// (taken off); that overhead is the same at any P, and work too: no caches, no memory bandwidth.
#pragma once

#include "profile/make_profile.h"
#include "profile/trace_readings.h"

namespace tp::analysis {

// What events and steals cost: profile.prediction.costs, .recording and .steal.
void add_costs(Profile& profile, const Analysis::Results& first);

// Why what takes a reading for the times of a run is not asked; empty: it is.
std::string reason_not_to_simulate(const Profile& profile, const ProfileOptions& options);

// After add_costs. Reads the trace once more and fills profile.prediction.
void predict(Profile& profile, const Readings& readings, const ProfileOptions& options);

} // namespace tp::analysis
