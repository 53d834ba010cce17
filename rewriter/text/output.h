// SPDX-License-Identifier: Apache-2.0
// The changes of a rewrite as a diff.
#pragma once

#include <string>

namespace tp::rewrite {

// Unified diff with three lines of context; "" if the texts are equal. `after` must be `before`
// with text inserted.
std::string unified_diff(const std::string& name, const std::string& before,
                         const std::string& after);

} // namespace tp::rewrite
