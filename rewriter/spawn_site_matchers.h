// WHICH calls are spawn sites: the rule that decides whether one call in the syntax tree is one,
// and may be tagged. The constructs themselves are the table in constructs.h.
#pragma once

#include "constructs.h"
#include "found_site.h"

#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

namespace tp::rewrite {

struct Match {
  const Construct* construct = nullptr; // null: not a spawn site
  Handling handling = Handling::LeftToHeader;
  const char* reason = "";
  clang::SourceLocation name; // of the callee's name
};

// Decides by what the callee resolves to, never by spelling. Where it lies in the text is the
// finder's business.
Match match_call(const clang::CallExpr& call);

// Is this declaration context oneTBB's own code?
bool in_onetbb(const clang::DeclContext* context);

} // namespace tp::rewrite
