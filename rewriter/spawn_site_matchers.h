// WHICH calls are spawn sites: a table, one row per construct, and the rule that decides whether one call in the
// syntax tree is such a call and may be tagged. To add a construct add a row to the table in the .cpp; its function
// must take a tp::site in the patched headers.
#pragma once

#include "found_site.h"

#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

namespace tp::rewrite {

struct Construct {
  const char* name;        // as users and records call it
  const char* class_name;  // null: a free function
  const char* function;
  bool site_comes_first;   // variadic functions: a default argument cannot follow a pack
};

struct Match {
  const Construct* construct = nullptr;  // null: not a spawn site
  Handling handling = Handling::LeftToHeader;
  const char* reason = "";
  clang::SourceLocation name;  // of the callee's name
};

// Decides by what the callee resolves to, never by spelling. Where it lies in the text is the finder's business.
Match match_call(const clang::CallExpr& call);

// Is this declaration context oneTBB's own code?
bool in_onetbb(const clang::DeclContext* context);

}  // namespace tp::rewrite
