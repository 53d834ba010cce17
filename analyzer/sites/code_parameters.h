// SPDX-License-Identifier: Apache-2.0
// Does a function get code from its caller? Then it may be a wrapper, whose callers are what people
// know (callers.h). Used by site_resolver.
#pragma once

#include <elfutils/libdw.h>

#include <string_view>

namespace tp::analysis {

enum class CodeParameter {
  None,
  Object, // an object with virtual functions: `this`, or one that a parameter refers to
  Code,   // a function, a lambda, a function object
};

// By the debug information of a function or of an inlined call. An object that is called like a
// function counts as code unless it looks like a container with an index operator: its operator()
// returns something, and it has other member functions.
CodeParameter code_parameter(Dwarf_Die function);
// By the demangled name: lambdas, pointers to functions and std::function.
CodeParameter code_parameter(std::string_view demangled);

} // namespace tp::analysis
