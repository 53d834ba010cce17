// SPDX-License-Identifier: Apache-2.0
// Calls that get a place although their functions do not have a site parameter: the callee is
// wrapped (tp/called_at.h). These are C++17's parallel algorithms, and wrappers that the user
// declares.
#pragma once

#include "clang/spawn_site_matchers.h"

#include <vector>

namespace tp::rewrite {

// `wrappers`: qualified names of functions, such as "ns::for_each_block".
Match match_wrapped_call(const clang::CallExpr& call, const clang::LangOptions& language,
                         const std::vector<std::string>& wrappers);

} // namespace tp::rewrite
