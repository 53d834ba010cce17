// SPDX-License-Identifier: Apache-2.0
// Which calls may be wrapped. Only the callee moves into a generic lambda, so the arguments are
// evaluated at the call as before. Arguments that a forwarding reference cannot pass on prevent
// wrapping: a braced list, the name of an overload set, a bit-field, a literal null pointer.
#include "clang/wrapped_calls.h"

#include "text/constructs.h"

#include "tp/trace/library_code.h"

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>

#include <algorithm>

namespace tp::rewrite {
namespace {

// Whether `decl` is declared in a namespace of the standard library (of __pstl are libstdc++'s
// execution policies), or in a namespace within.
bool is_of_std(const clang::Decl& decl) {
  const clang::DeclContext* context = decl.getDeclContext();
  while (context->getParent() && !context->getParent()->isTranslationUnit())
    context = context->getParent();
  const auto* outermost = llvm::dyn_cast<clang::NamespaceDecl>(context);
  return outermost && trace::is_standard_namespace(outermost->getName());
}

bool is_parallel_policy(clang::QualType type) {
  const auto* record = type.isNull() ? nullptr : type.getNonReferenceType()->getAsCXXRecordDecl();
  return record && record->getIdentifier() && is_of_std(*record) &&
         std::ranges::find(kParallelPolicies, record->getName()) != std::end(kParallelPolicies);
}

bool is_one_of(const auto& names, const clang::FunctionDecl& function) {
  return function.getIdentifier() &&
         std::ranges::find(names, function.getName()) != std::end(names);
}

// The node class that make_unique<Node>(...) or nodes.emplace_back(...) constructs; empty: none.
std::string made_node(const clang::FunctionDecl& function) {
  const clang::TemplateArgumentList* arguments = nullptr;
  if (is_one_of(kMakers, function))
    arguments = function.getTemplateSpecializationArgs();
  else if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
           method && is_one_of(kEmplacers, function))
    if (const auto* container =
            llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(method->getParent()))
      arguments = &container->getTemplateArgs();
  if (!arguments || arguments->size() == 0 ||
      arguments->get(0).getKind() != clang::TemplateArgument::Type)
    return "";
  return node_class(arguments->get(0).getAsType());
}

// "std::sort" if this is a parallel algorithm, the wrapper's name if it is a wrapper, otherwise "".
std::string construct_of(const clang::CallExpr& call, const clang::FunctionDecl& function,
                         const std::vector<std::string>& wrappers) {
  if (function.getIdentifier() && is_of_std(function) && call.getNumArgs() > 0 &&
      is_parallel_policy(call.getArg(0)->getType()))
    return "std::" + function.getName().str();
  if (is_of_std(function))
    if (const std::string node = made_node(function); !node.empty())
      return node;
  if (wrappers.empty())
    return "";
  const std::string name = function.getQualifiedNameAsString();
  return std::ranges::find(wrappers, name) != wrappers.end() ? name : "";
}

const char* why_not_forwarded(const clang::Expr& written) {
  const clang::Expr* argument = written.IgnoreParenImpCasts();
  if (llvm::isa<clang::InitListExpr>(argument))
    return "a braced list as an argument";
  if (llvm::isa<clang::OverloadExpr>(argument))
    return "an overloaded name as an argument";
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(argument);
      name && llvm::isa<clang::FunctionDecl>(name->getDecl()) && name->hadMultipleCandidates())
    return "an overloaded name as an argument";
  if (argument->refersToBitField())
    return "a bit-field as an argument";
  if (llvm::isa<clang::IntegerLiteral, clang::GNUNullExpr>(argument) &&
      written.getType()->isAnyPointerType())
    return "a literal null pointer as an argument";
  return nullptr;
}

// Whether this is the call inside the lambda that tp-rewrite wrote.
bool is_wrapped(const clang::CallExpr& call) {
  if (call.getNumArgs() != 1)
    return false;
  const auto* pack = llvm::dyn_cast<clang::PackExpansionExpr>(call.getArg(0));
  const auto* cast = pack ? llvm::dyn_cast<clang::CXXStaticCastExpr>(pack->getPattern()) : nullptr;
  const auto* name =
      cast ? llvm::dyn_cast<clang::DeclRefExpr>(cast->getSubExprAsWritten()) : nullptr;
  return name && name->getNameInfo().getAsString() == "tp_a";
}

const char* why_not_wrapped(const clang::CallExpr& call, const clang::LangOptions& language) {
  if (!language.CPlusPlus14)
    return "C++11 has no generic lambdas";
  for (const clang::Expr* argument : call.arguments())
    if (!llvm::isa<clang::CXXDefaultArgExpr>(argument))
      if (const char* reason = why_not_forwarded(*argument))
        return reason;
  return nullptr;
}

} // namespace

Match match_wrapped_call(const clang::CallExpr& call, const clang::LangOptions& language,
                         const std::vector<std::string>& wrappers) {
  Match match;
  const clang::FunctionDecl* function = nullptr;
  const clang::Expr* callee = call.getCallee()->IgnoreParenImpCasts();
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(callee)) {
    function = as_function(name->getDecl());
    match.name = name->getLocation();
  } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(callee)) {
    function = as_function(member->getMemberDecl());
    match.name = member->getMemberLoc();
    match.placement = Placement::AroundMember;
    if (function && !is_one_of(kEmplacers, *function))
      return match;
  } else if (const auto* lookup = llvm::dyn_cast<clang::UnresolvedLookupExpr>(callee);
             lookup && !lookup->requiresADL() && lookup->decls_begin() != lookup->decls_end()) {
    function = as_function(*lookup->decls_begin()); // all candidates have one qualified name
    match.name = lookup->getNameLoc();
  }
  if (!function || llvm::isa<clang::CXXOperatorCallExpr>(call))
    return match;
  match.construct = construct_of(call, *function, wrappers);
  if (match.construct.empty())
    return match;
  if (match.placement != Placement::AroundMember)
    match.placement = Placement::Around;
  if (is_wrapped(call)) {
    match.handling = Handling::AlreadyTagged;
  } else if (const char* reason = why_not_wrapped(call, language)) {
    match.handling = Handling::NoParameter;
    match.reason = reason;
  } else {
    match.handling = Handling::Tag;
  }
  return match;
}

} // namespace tp::rewrite
