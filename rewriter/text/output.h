// Where a rewritten text goes: a file that is replaced in one step, a tree of files, or a diff.
#pragma once

#include <string>

namespace tp::rewrite {

// Writes to a temporary name beside `path` and renames. Missing directories are made. Returns an
// error text or "".
std::string write_file(const std::string& path, const std::string& text);

// Unified diff with three lines of context; "" if the texts are equal. `after` must be `before`
// with text inserted.
std::string unified_diff(const std::string& name, const std::string& before,
                         const std::string& after);

} // namespace tp::rewrite
