// SPDX-License-Identifier: Apache-2.0
// Which project a source file belongs to: this determines which headers are the user's own, and
// gives files a name that is the same on every machine.
#pragma once

#include <string>

namespace tp::rewrite {

// Absolute path without symbolic links; `path` itself, made absolute, if it does not exist.
std::string canonical(const std::string& path);

// Root of the project around a file: the nearest directory with .git, .hg or .svn above it. For a
// file that CMake generated in a build tree (unity builds): the root of the tree's sources.
// Otherwise the highest of an unbroken chain of directories with a build file, beginning at the
// nearest one, or the file's own directory.
std::string project_root(const std::string& file);

// `file` relative to `root` if it lies below it; otherwise its own path.
std::string relative_to(const std::string& file, const std::string& root);

// The name of a file without "." and "dir/..". It is relative if `spelled` is and the file lies
// below the current directory, so all spellings of one header look the same.
std::string without_detours(const std::string& spelled);

bool is_below(const std::string& file, const std::string& root);

} // namespace tp::rewrite
