// The constructs whose calls are spawn sites: a table, one row each. Read by the matcher, which
// looks at the syntax tree, and by tp-c++, which does not parse a file that mentions none of them.
#pragma once

namespace tp::rewrite {

struct Construct {
  const char* name;       // as users and records call it
  const char* class_name; // null: a free function
  const char* function;
  bool site_comes_first; // variadic functions: a default argument cannot follow a pack
};

// Only functions whose patched header takes a tp::site. For now these; parallel_for_each,
// parallel_scan, parallel_pipeline and the flow graph follow with their header patches.
inline constexpr Construct kConstructs[] = {
    // name                            class         function                        site first
    {"parallel_for", nullptr, "parallel_for", false},
    {"parallel_reduce", nullptr, "parallel_reduce", false},
    {"parallel_deterministic_reduce", nullptr, "parallel_deterministic_reduce", false},
    {"parallel_sort", nullptr, "parallel_sort", false},
    {"parallel_invoke", nullptr, "parallel_invoke", true},
    {"task_group::run", "task_group", "run", false},
    {"task_group::run_and_wait", "task_group", "run_and_wait", false},
};

} // namespace tp::rewrite
