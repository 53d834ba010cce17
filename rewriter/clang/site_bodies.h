// Which function bodies are worth parsing: those of the user's files in whose text a spawn site may
// stand. Bodies are most of what a parse costs after the headers, and few have a site.
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

// Listens to the preprocessor, which owns it, from the beginning of the unit on.
class SiteBodies : public clang::PPCallbacks {
public:
  // `wrappers`: qualified names of functions whose calls are sites.
  SiteBodies(clang::Preprocessor& preprocessor, OwnFiles& own,
             const std::vector<std::string>& wrappers);

  // Of a function whose body is about to be parsed. Says yes rather than no.
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
  // Macros by what their replacement mentions, which may become a word later.
  llvm::DenseMap<const clang::IdentifierInfo*, llvm::SmallVector<const clang::IdentifierInfo*, 2>>
      mentioned_in_;
  bool everywhere_ = false; // a site's name need not stand in the body
};

} // namespace tp::rewrite
