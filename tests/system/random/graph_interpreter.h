// SPDX-License-Identifier: Apache-2.0
// Flow graphs on oneTBB.
#pragma once

#include "program.h"

#include "tp/site.h"

#include <functional>

namespace tp::random {

// Makes the graph of the statement, puts its messages and waits for it. `run` runs a block as part
// of the calling task. Returns whether each node has seen each message once.
bool run_graph(const Statement& graph, tp::site site, const std::function<void(const Block&)>& run);

} // namespace tp::random
