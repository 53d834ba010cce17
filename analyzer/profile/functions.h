// SPDX-License-Identifier: Apache-2.0
// FUNCTIONS: from samples that are filed under steps to the functions and lines that work and critical
// path are made of, and what it would gain if they were faster.
#pragma once

#include "model/functions.h"
#include "model/profile.h"
#include "profile/measured.h"
#include "profile/profile_options.h"
#include "profile/trace_readings.h"

#include <span>

namespace tp::analysis {

struct FoundFunctions {
  SampledFunctions functions;
  std::vector<StepSet> code;                // of each of functions.functions, with what it calls
  std::vector<std::vector<CodeId>> stacks;  // likewise: where samples met it, ascending
  IdVector<FunctionId, std::uint32_t> rows; // index into functions.functions
};

// `readings` know the samples and their weights. Reads the trace again.
FoundFunctions sampled_functions(const Measured& measured, const SampleFile& file,
                                 const SampledCode& code, const SampleWeights& weights,
                                 const TraceReadings& readings, const ProfileOptions& options);

// The function that at least four fifths of the samples of these classes are in, with what it calls: of several
// the one that is in little else. If there is none, two or three with a tenth each at least, of which none was met
// in another: the largest first. Not lambdas, whose names say no more than their sites'. Empty: there are none, or
// too few samples say so.
std::vector<const FunctionRow*> main_functions(const FoundFunctions& found,
                                               const SampleWeights& weights,
                                               std::span<const StepClassId> classes);

// Divides the own steps of each context among the stacks that its samples hit.
void divide_contexts(const FoundFunctions& found, const SampledCode& code,
                     const IdVector<StepClassId, ClassSamples>& of_contexts,
                     std::vector<ContextRow>& contexts);

} // namespace tp::analysis
