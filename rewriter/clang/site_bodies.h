// SPDX-License-Identifier: Apache-2.0
// Decides which function bodies to parse: those in the user's files whose text may contain a spawn
// site. After the headers, bodies account for most of the cost of a parse, and few have a site.
#pragma once

#include "clang/own_files.h"

#include <clang/AST/Decl.h>
#include <clang/Lex/PPCallbacks.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringSet.h>

#include <string>
#include <vector>

namespace tp::rewrite {

// A listener of the preprocessor, which owns it, from the beginning of the unit.
class SiteBodies : public clang::PPCallbacks {
public:
  // `wrappers`: qualified names of functions whose calls are sites.
  SiteBodies(clang::Preprocessor& preprocessor, OwnFiles& own,
             const std::vector<std::string>& wrappers);

  // Whether a function whose body is about to be parsed may have a site. In doubt: true.
  bool may_have_site(const clang::Decl& function);

  void FileChanged(clang::SourceLocation place, FileChangeReason reason,
                   clang::SrcMgr::CharacteristicKind, clang::FileID) override;
  void MacroDefined(const clang::Token& name, const clang::MacroDirective* directive) override;

private:
  bool is_word(const clang::IdentifierInfo* name) const;
  void add_word(const clang::IdentifierInfo* macro);

  clang::Preprocessor& preprocessor_;
  OwnFiles& own_;
  llvm::StringSet<> words_; // a site's text has one of them
  // Macros, by the words that their replacement mentions, which may become words to search for
  // later.
  llvm::DenseMap<const clang::IdentifierInfo*, llvm::SmallVector<const clang::IdentifierInfo*, 2>>
      mentioned_in_;
  bool everywhere_ = false; // a site's name need not be in the body
};

} // namespace tp::rewrite
