// SPDX-License-Identifier: Apache-2.0
// A recorded DAG as it would be with other locks.
#pragma once

#include "model/lock.h"
#include "simulate/recorded_dag.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

// `chosen`: by lock of the DAG, those that change. Shorter: what a task does in their sections takes
// 1 / factor of the time. Split: each acquisition takes one of `factor` locks in place of it, at random
// (a fixed sequence). Sections that do not end in the chain of nodes in which they begin stay as they are,
// with the first of these locks.
Dag with_locks_changed(const Dag& dag, const std::vector<std::uint8_t>& chosen, LockChange change,
                       std::uint64_t factor);

} // namespace tp::analysis
