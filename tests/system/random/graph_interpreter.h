// SPDX-License-Identifier: Apache-2.0
// Flow graphs on oneTBB.
#pragma once

#include "program.h"

#include <functional>

namespace random_program {

// Makes the graph of the statement, puts its messages and waits for it. `run` runs a block as part
// of the calling task. Returns whether each node has seen each message once.
bool run_graph(const Statement& graph, const std::function<void(const Block&)>& run);

} // namespace random_program
