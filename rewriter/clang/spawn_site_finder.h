// SPDX-License-Identifier: Apache-2.0
// WHERE the spawn sites are: walks the syntax tree of one translation unit. parse.cpp calls it once
// per unit.
#pragma once

#include "text/found_site.h"

#include <clang/AST/ASTContext.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tp::rewrite {

// Whether sites in this file are wanted: it is one of the user's own files, not a header of a
// library.
using FileFilter = std::function<bool(clang::FileID)>;

// The files with sites, by the name that the compiler uses. Files without sites are absent.
// `wrappers`: see wrapped_calls.h.
std::map<std::string, SourceFile> find_spawn_sites(clang::ASTContext& context,
                                                   const FileFilter& wanted,
                                                   const std::vector<std::string>& wrappers);

} // namespace tp::rewrite
