// SPDX-License-Identifier: Apache-2.0
// SCALABILITY BOUNDS after Cilkview (He, Leiserson, Leiserson, SPAA 2010): the speedup that T1,
// Tinf and the burdened span allow on P processors.
//
// The *burdened* span is the span of the DAG in which each edge along which a thread may have to
// take over work has a burden: the time that such a migration costs. The scheduler decides which
// edges those are (DagFold::add_burden):
//
//   Cilk    runs the child at once, so continuations migrate, and returns that find them gone
//   oneTBB  runs the continuation, so children migrate
//
// The burdened span gives an estimate of the speedup that work stealing reaches at least:
//
//   1 / (1/P + 1.7 (1 - 1/P) / BP), BP = T1 / burdened span
//
// 1.7 is Cilkview's empirical coefficient. No schedule exceeds min(P, T1/Tinf).
#pragma once

#include "base/wide.h"
#include "model/what_if.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

// Drops low bits of both sides until they fit.
Ratio shortened_ratio(Wide numerator, Wide denominator);

Ratio speedup_estimate(std::uint64_t work, std::uint64_t burdened_span, std::uint64_t procs);
Ratio speedup_limit(std::uint64_t work, std::uint64_t span, std::uint64_t procs);

// Speedup over the unchanged program (`work`) after work and span have become those of `changed`
// (both times the factor): greedy scheduling needs at least max(W/P, S) and at most W/P + S.
SpeedupRange predicted_speedup(std::uint64_t work, const WhatIfPoint& changed, std::uint64_t procs);
// `changed`, with its speedups for each number of processors.
WhatIfPoint with_speedups(std::uint64_t work, WhatIfPoint changed,
                          const std::vector<std::uint64_t>& procs);

} // namespace tp::analysis
