// SPDX-License-Identifier: Apache-2.0
// A call contains the name of the callee, or the name of a macro that expands to it. So the text of
// a function is searched for the names of the constructs and of such macros, from the function's
// name to the end of its body, with Clang's lexer but without its preprocessor. Aliases and
// variables can name flow graph nodes and execution policies: if an own file mentions one, all
// bodies of the unit are parsed.
//
// In doubt the body is parsed: if a macro makes a name or an opening brace, if the body contains a
// conditional directive, or if a token is spliced.
#include "clang/site_bodies.h"

#include "text/constructs.h"
#include "text/spawn_scan.h"

#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroInfo.h>

#include <algorithm>

namespace tp::rewrite {
namespace {

// The change of bracket depth by a token.
int nesting(const clang::Token& token) {
  if (token.isOneOf(clang::tok::l_brace, clang::tok::l_paren, clang::tok::l_square))
    return 1;
  return token.isOneOf(clang::tok::r_brace, clang::tok::r_paren, clang::tok::r_square) ? -1 : 0;
}

// Whether the macro pastes names, or opens or closes brackets without closing or opening them.
bool hides_text(const clang::MacroInfo& macro) {
  int depth = 0;
  bool hides = false;
  for (const clang::Token& token : macro.tokens()) {
    depth += nesting(token);
    hides |= depth < 0 || token.is(clang::tok::hashhash);
  }
  return hides || depth != 0;
}

// Whether a function can continue after a closing brace and this token: "X() : a{1}, b{2} {", a
// function-try-block, a constraint.
bool goes_on(const clang::Token& next) {
  return next.isOneOf(clang::tok::comma, clang::tok::l_brace, clang::tok::colon, clang::tok::ampamp,
                      clang::tok::pipepipe, clang::tok::ellipsis, clang::tok::arrow,
                      clang::tok::greater) ||
         (next.is(clang::tok::raw_identifier) && next.getRawIdentifier() == "catch");
}

// Tracks the brackets in the text of a function.
class Extent {
public:
  bool ends_before(const clang::Token& next) const { return closed_ && !goes_on(next); }

  void add(const clang::Token& token) {
    depth_ += nesting(token);
    closed_ = depth_ == 0 && token.is(clang::tok::r_brace);
  }

private:
  int depth_ = 0;
  bool closed_ = false;
};

} // namespace

SiteBodies::SiteBodies(clang::Preprocessor& preprocessor, OwnFiles& own,
                       const std::vector<std::string>& wrappers)
    : preprocessor_(preprocessor), own_(own) {
  for (const Construct& construct : kConstructs)
    words_.insert(construct.function);
  for (const std::string& wrapper : wrappers)
    words_.insert(llvm::StringRef(wrapper).rsplit(':').second);
}

void SiteBodies::FileChanged(clang::SourceLocation place, FileChangeReason reason,
                             clang::SrcMgr::CharacteristicKind, clang::FileID) {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  const clang::FileID file = sources.getFileID(place);
  if (reason != EnterFile || everywhere_ || !own_.contains(file))
    return;
  const llvm::StringRef text = sources.getBufferData(file);
  const auto is_there = [&](const char* word) { return has_word(text, word); };
  everywhere_ =
      std::ranges::any_of(kNodes, is_there) || std::ranges::any_of(kPolicyWords, is_there);
}

void SiteBodies::MacroDefined(const clang::Token& name, const clang::MacroDirective* directive) {
  const clang::IdentifierInfo* const macro = name.getIdentifierInfo();
  bool is_site = hides_text(*directive->getMacroInfo());
  for (const clang::Token& token : directive->getMacroInfo()->tokens())
    if (const clang::IdentifierInfo* const mentioned = token.getIdentifierInfo()) {
      is_site |= is_word(mentioned);
      mentioned_in_[mentioned].push_back(macro);
    }
  if (is_site)
    add_word(macro);
}

bool SiteBodies::is_word(const clang::IdentifierInfo* name) const {
  return words_.contains(name->getName());
}

void SiteBodies::add_word(const clang::IdentifierInfo* macro) {
  if (!words_.insert(macro->getName()).second)
    return;
  if (const auto users = mentioned_in_.find(macro); users != mentioned_in_.end())
    for (const clang::IdentifierInfo* user : users->second)
      add_word(user);
}

bool SiteBodies::may_have_site(const clang::Decl& function) {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  const clang::SourceLocation begin = function.getLocation();
  if (everywhere_ || begin.isMacroID())
    return true;
  const auto [file, offset] = sources.getDecomposedLoc(begin);
  const llvm::StringRef text = sources.getBufferData(file);
  clang::Lexer lexer(begin, preprocessor_.getLangOpts(), text.begin(), text.begin() + offset,
                     text.end());
  Extent extent;
  clang::Token token;
  for (bool at_end = lexer.LexFromRawLexer(token); !extent.ends_before(token);
       at_end = lexer.LexFromRawLexer(token)) {
    const bool is_directive = token.is(clang::tok::hash) && token.isAtStartOfLine();
    if (at_end || is_directive || token.needsCleaning())
      return true;
    if (token.is(clang::tok::raw_identifier) && words_.contains(token.getRawIdentifier()))
      return true;
    extent.add(token);
  }
  return false;
}

} // namespace tp::rewrite
