// SPDX-License-Identifier: Apache-2.0
// Whether a source, or an own header that it includes, may contain a spawn site. This look at the
// text takes milliseconds and comes before a parse that takes a second. tp-c++ calls it once per
// source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tp::rewrite {

// Follows #include lines into files of the same project, on the search path that the compiler's
// `arguments` give. In doubt: true, but it misses names made by a macro (also in #include).
// `wrappers`: qualified names, separated by commas.
bool may_spawn(const std::string& source, const std::vector<std::string>& arguments,
               const std::string& wrappers);

// Whether the text contains `word`, not as part of a longer name and not in a comment line.
bool has_word(std::string_view text, std::string_view word);

} // namespace tp::rewrite
