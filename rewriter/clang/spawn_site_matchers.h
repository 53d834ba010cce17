// SPDX-License-Identifier: Apache-2.0
// WHICH calls are spawn sites: decides whether a call in the syntax tree is a spawn site and may be
// tagged. The table in constructs.h contains the constructs.
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

// Matches a call of oneTBB by what the callee resolves to, never by spelling. The finder determines
// where the call is in the text.
Match match_call(const clang::CallExpr& call);

// Matches the construction of a node; it keeps the header's default argument, because policies and
// priorities come before that argument.
Match match_construction(const clang::CXXConstructExpr& construction);
// The same in a template, where the constructor is not chosen yet.
Match match_variable(const clang::VarDecl& variable);

// The name of the node class that `type` is; empty if it is not one.
std::string node_class(clang::QualType type);

// The function that a name refers to, also of a template; null if it is not a function.
const clang::FunctionDecl* as_function(const clang::NamedDecl* decl);

// Whether this declaration context belongs to oneTBB's own code.
bool in_onetbb(const clang::DeclContext* context);

} // namespace tp::rewrite
