// The constructs whose calls are spawn sites: a table, one row each. Read by the matcher, which
// looks at the syntax tree, and by tp-c++, which does not parse a file that mentions none of them.
#pragma once

namespace tp::rewrite {

struct Construct {
  const char* name;       // as users and records call it
  const char* class_name; // null: a free function
  const char* function;
  bool site_comes_first;      // variadic functions: a default argument cannot follow a pack
  const char* word = nullptr; // what a source with such a call mentions, if its name says little
};

// Functions of oneTBB whose patched header takes a tp::site. A row whose header does not (yet) is
// harmless: the matcher looks at the declaration.
inline constexpr Construct kConstructs[] = {
    // name                            class         function                        site first
    {"parallel_for", nullptr, "parallel_for", false},
    {"parallel_for_each", nullptr, "parallel_for_each", false},
    {"parallel_reduce", nullptr, "parallel_reduce", false},
    {"parallel_deterministic_reduce", nullptr, "parallel_deterministic_reduce", false},
    {"parallel_scan", nullptr, "parallel_scan", false},
    {"parallel_sort", nullptr, "parallel_sort", false},
    {"parallel_pipeline", nullptr, "parallel_pipeline", false},
    {"parallel_invoke", nullptr, "parallel_invoke", true},
    {"collaborative_call_once", nullptr, "collaborative_call_once", false},
    {"task_group::run", "task_group", "run", false},
    {"task_group::run_and_wait", "task_group", "run_and_wait", false},
    {"isolated_task_group::run", "isolated_task_group", "run", false},
    {"isolated_task_group::run_and_wait", "isolated_task_group", "run_and_wait", false},
    {"task_arena::enqueue", "task_arena", "enqueue", false},
    {"this_task_arena::enqueue", nullptr, "enqueue", false},
    {"feeder::add", "feeder", "add", false, "feeder"},
};

// Nodes of flow graphs that run a body: their tasks are named by the place of the construction.
inline constexpr const char* kNodes[] = {"continue_node", "function_node", "multifunction_node",
                                         "async_node", "input_node"};
// Functions of std and members of its containers that construct their first template argument.
inline constexpr const char* kMakers[] = {"make_unique", "make_shared"};
inline constexpr const char* kEmplacers[] = {"emplace_back", "emplace_front", "emplace"};

// Argument types that make a call of a function in std a spawn site, in std::execution.
inline constexpr const char* kParallelPolicies[] = {"parallel_policy",
                                                    "parallel_unsequenced_policy"};
// One of these words is in every source that has such a call.
inline constexpr const char* kPolicyWords[] = {"par", "par_unseq", "parallel_policy",
                                               "parallel_unsequenced_policy"};

} // namespace tp::rewrite
