// SPDX-License-Identifier: Apache-2.0
// The constructs whose calls are spawn sites: a table with one row per function. The matcher reads
// it to examine the syntax tree, and tp-c++ reads it to skip files that do not mention any
// construct. tests/unit/runtime/constructs_test.cpp compares it with the table of tp/hooks.h.
#pragma once

#include "tp/hooks.h"

namespace tp::rewrite {

struct Construct {
  const char* name;       // as users and records call it
  tp_construct construct; // UNKNOWN: of none that has contexts of its own
  const char* class_name; // null: a free function
  const char* function;
  bool site_comes_first;      // variadic functions: a default argument cannot follow a pack
  const char* word = nullptr; // what a source with such a call mentions, if its name says little
};

// Functions of oneTBB whose patched header has a tp::site parameter. A row without such a header is
// harmless: the matcher looks at the declaration.
inline constexpr Construct kConstructs[] = {
    // name, construct, class, function, site first
    {"parallel_for", TP_CONSTRUCT_PARALLEL_FOR, nullptr, "parallel_for", false},
    {"parallel_for_each", TP_CONSTRUCT_PARALLEL_FOR_EACH, nullptr, "parallel_for_each", false},
    {"parallel_reduce", TP_CONSTRUCT_PARALLEL_REDUCE, nullptr, "parallel_reduce", false},
    {"parallel_deterministic_reduce", TP_CONSTRUCT_PARALLEL_REDUCE, nullptr,
     "parallel_deterministic_reduce", false},
    {"parallel_scan", TP_CONSTRUCT_PARALLEL_SCAN, nullptr, "parallel_scan", false},
    {"parallel_sort", TP_CONSTRUCT_PARALLEL_SORT, nullptr, "parallel_sort", false},
    {"parallel_pipeline", TP_CONSTRUCT_PARALLEL_PIPELINE, nullptr, "parallel_pipeline", false},
    {"parallel_invoke", TP_CONSTRUCT_PARALLEL_INVOKE, nullptr, "parallel_invoke", true},
    {"collaborative_call_once", TP_CONSTRUCT_UNKNOWN, nullptr, "collaborative_call_once", false},
    {"task_group::run", TP_CONSTRUCT_TASK_GROUP, "task_group", "run", false},
    {"task_group::run_and_wait", TP_CONSTRUCT_TASK_GROUP, "task_group", "run_and_wait", false},
    {"isolated_task_group::run", TP_CONSTRUCT_TASK_GROUP, "isolated_task_group", "run", false},
    {"isolated_task_group::run_and_wait", TP_CONSTRUCT_TASK_GROUP, "isolated_task_group",
     "run_and_wait", false},
    {"task_arena::enqueue", TP_CONSTRUCT_DEFAULT, "task_arena", "enqueue", false},
    {"this_task_arena::enqueue", TP_CONSTRUCT_DEFAULT, nullptr, "enqueue", false},
    {"feeder::add", TP_CONSTRUCT_PARALLEL_FOR_EACH, "feeder", "add", false, "feeder"},
};

// Nodes of flow graphs that run a body: the place of the construction names their tasks.
inline constexpr const char* kNodes[] = {"continue_node", "function_node", "multifunction_node",
                                         "async_node", "input_node"};
// Functions of std and members of its containers that construct their first template argument.
inline constexpr const char* kMakers[] = {"make_unique", "make_shared"};
inline constexpr const char* kEmplacers[] = {"emplace_back", "emplace_front", "emplace"};

// Argument types from std::execution that make a call of a function in std a spawn site.
inline constexpr const char* kParallelPolicies[] = {"parallel_policy",
                                                    "parallel_unsequenced_policy"};
// Every source that has such a call contains one of these words.
inline constexpr const char* kPolicyWords[] = {"par", "par_unseq", "parallel_policy",
                                               "parallel_unsequenced_policy"};

} // namespace tp::rewrite
