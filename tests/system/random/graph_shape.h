// SPDX-License-Identifier: Apache-2.0
// The nodes of a random flow graph: what the messages pass, in which order.
#pragma once

#include "program.h"

#include <functional>
#include <vector>

namespace random_program {

using Pick = std::function<unsigned(unsigned below)>;

// Nodes in an order in which messages can pass them.
std::vector<GraphNode> message_graph(const Pick& pick, unsigned nodes, unsigned messages);
std::vector<GraphNode> continue_graph(const Pick& pick, unsigned nodes);

} // namespace random_program
