// SPDX-License-Identifier: Apache-2.0
// MEMBERS THAT ARE INITIALIZED WHERE THEY ARE DECLARED: `function_node<int> n{graph, ...};` in a class. A
// compiler gives our headers the line of the constructor for all of them; debug information has more. Used by
// site_resolver.
#pragma once

#include "sites/debug_info.h"

#include <cstdint>
#include <string>

namespace tp::analysis {

// By a constructor's name, with or without parameters: "Tracker::Tracker()".
bool is_constructor(const std::string& function);

// Whether a name contains that of a lambda in the initializer of a member ("Tracker::track::{lambda(int)#1}") of
// the constructor's class.
bool has_lambda_of_member(const std::string& name, const std::string& constructor);

// Where the lambda is defined that a template got as an argument; line 0: it got none.
struct LambdaPlace {
  std::string file;
  std::uint32_t line = 0;
};
LambdaPlace lambda_given_to(Dwarf_Die function);

} // namespace tp::analysis
