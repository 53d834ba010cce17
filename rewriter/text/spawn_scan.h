// Could a source or an own header it includes hold a spawn site? A look at the text that takes
// milliseconds, before a parse that takes a second. Called by tp-c++, once per source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tp::rewrite {

// Follows #include lines into files of the same project, on the search path that `arguments` of the
// compiler give. Says yes rather than no, but names made by a macro (also in #include) are missed.
// `wrappers`: qualified names, separated by commas.
bool may_spawn(const std::string& source, const std::vector<std::string>& arguments,
               const std::string& wrappers);

// Does the text have this, not as a part of a longer name and not in a line of comment?
bool has_word(std::string_view text, std::string_view word);

} // namespace tp::rewrite
