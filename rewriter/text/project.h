// Which project a source file belongs to: decides what "the user's own header" is, and gives files
// a name that is the same on every machine.
#pragma once

#include <string>

namespace tp::rewrite {

// Absolute path without symbolic links; `path` itself, made absolute, if it does not exist.
std::string canonical(const std::string& path);

// Root of the project around a file: the nearest directory with .git, .hg or .svn above it; for a
// file that CMake made in a build tree (unity builds) that of the tree's sources; else
// the highest of an unbroken chain of directories with a build file, beginning at the nearest one,
// else the file's own directory.
std::string project_root(const std::string& file);

// `file` relative to `root`, if it lies below; else its own path.
std::string relative_to(const std::string& file, const std::string& root);

// The name of a file without "." and "dir/..": relative if `spelled` is and it lies below here, so
// that all spellings of one header are shown alike.
std::string without_detours(const std::string& spelled);

bool is_below(const std::string& file, const std::string& root);

} // namespace tp::rewrite
