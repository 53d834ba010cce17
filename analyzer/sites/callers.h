// SPDX-License-Identifier: Apache-2.0
// SITES BY CALLER: many programs call oneTBB through a function of their own, a wrapper. Then the
// place that people know is the call of the wrapper. Called by site_table, once for all sites.
//
// A function is a wrapper if
//   1. the user says so (--wrapper);
//   2. it is in a header below a system include folder, and not library code;
//   3. it gets code from its caller (code_parameters.h): a function, a lambda, a function object;
//   4. it gets an object with virtual functions, and is called at two places at least, or by another
//      wrapper;
//   5. at least kManyCallers functions call it.
// By 3 to 5 a function that calls itself is none: these calls are no other users of it. Code that a
// wrapper runs may call the wrapper. What a wrapper runs by task_arena::execute() or isolate() belongs
// to the wrapper.
#pragma once

#include "sites/code_parameters.h"
#include "sites/resolved_site.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tp::analysis {

inline constexpr std::size_t kManyCallers = 8;
// As the name of a wrapper: no function is one.
inline constexpr std::string_view kNoWrappers = "none";

// A call on a site's stack, in the user's code.
struct UserCall {
  ResolvedSite place;
  std::string function; // that it is in, without parameters; of a lambda the one around it
  CodeParameter code = CodeParameter::None;
  bool is_indirect = false; // functions that are not known are between it and the call before
  // oneTBB calls the function that it is in, by a call such as task_arena::execute() in the next one.
  bool is_called_back = false;
  std::uint32_t declared_at = 0; // the line of that function; 0: not known, or in a lambda
  // It is in the code of an OpenMP construct of that function, which the runtime calls.
  bool is_of_construct = false;
};

// Below a folder in which installed libraries have their headers.
bool is_in_system_folder(std::string_view file);

// Adds what called `calls`, innermost first. The code of an OpenMP construct is not a call of the function that contains
// it: they are one.
void add_callers(std::vector<UserCall>& calls, const std::vector<UserCall>& callers);

// For each site the number of calls that wrappers make: 0 if the site's own place counts, else the
// place of `calls[site][n]`. `calls`: per site, innermost first, the first one being in the
// function of the site's place. `wrappers`: names of functions, as `ns::function`, `function`, or
// `Class::function`.
std::vector<std::size_t> calls_by_wrappers(const std::vector<std::vector<UserCall>>& calls,
                                           const std::vector<std::string>& wrappers);
// Those of `wrappers` that no function on a stack has as its name.
std::vector<std::string> unknown_wrappers(const std::vector<std::vector<UserCall>>& calls,
                                          const std::vector<std::string>& wrappers);
} // namespace tp::analysis
