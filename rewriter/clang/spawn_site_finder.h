// WHERE the spawn sites are: walks the syntax tree of one translation unit. Called once per unit,
// by parse.cpp.
#pragma once

#include "text/found_site.h"

#include <clang/AST/ASTContext.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tp::rewrite {

// Says whether sites in this file are wanted at all (the user's own files, not headers of a
// library).
using FileFilter = std::function<bool(clang::FileID)>;

// The files with sites, by the name the compiler gives them. Files without any site are absent.
// `wrappers`: see wrapped_calls.h.
std::map<std::string, SourceFile> find_spawn_sites(clang::ASTContext& context,
                                                   const FileFilter& wanted,
                                                   const std::vector<std::string>& wrappers);

} // namespace tp::rewrite
