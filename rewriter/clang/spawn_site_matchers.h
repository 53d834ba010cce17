// WHICH calls are spawn sites: the rule that decides whether one call in the syntax tree is one,
// and may be tagged. The constructs themselves are the table in constructs.h.
#pragma once

#include "text/found_site.h"

#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include <string>

namespace tp::rewrite {

struct Match {
  std::string construct; // empty: not a spawn site
  Handling handling = Handling::LeftToHeader;
  Placement placement = Placement::Last; // or First, or Around
  const char* reason = "";
  clang::SourceLocation name; // of the callee's name
};

// A call of oneTBB. Decides by what the callee resolves to, never by spelling. Where it lies in the
// text is the finder's business.
Match match_call(const clang::CallExpr& call);

// The construction of a node; it keeps the header's default argument, which policies and priorities
// stand before.
Match match_construction(const clang::CXXConstructExpr& construction);
// The same in a template, where nobody has chosen a constructor yet.
Match match_variable(const clang::VarDecl& variable);

// The name of the node class that this is; empty: none.
std::string node_class(clang::QualType type);

// The function behind a name, also of a template; null if it is none.
const clang::FunctionDecl* as_function(const clang::NamedDecl* decl);

// Is this declaration context oneTBB's own code?
bool in_onetbb(const clang::DeclContext* context);

} // namespace tp::rewrite
