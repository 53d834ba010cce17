// SPDX-License-Identifier: Apache-2.0
// WHICH calls are spawn sites. A call is one if its callee is declared in oneTBB's namespaces
// tbb::detail::d<N> under a name of the table. In templates the callee is often not chosen yet;
// then every candidate must be such a function, and the name must be one that argument-dependent
// lookup cannot extend. In doubt the call keeps the header's default argument, which names the same
// place, so a missing tag does not produce a wrong result.
#include "clang/spawn_site_matchers.h"

#include "text/constructs.h"

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>

namespace tp::rewrite {
namespace {

constexpr char kStockHeaders[] = "the oneTBB headers in use are not Taskpath's";

const Construct* construct_of(const clang::FunctionDecl* function) {
  if (!function || !function->getIdentifier() || !in_onetbb(function->getDeclContext()))
    return nullptr;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  for (const Construct& row : kConstructs) {
    if (function->getName() != row.function || !method != !row.class_name)
      continue;
    if (!method || method->getParent()->getName() == row.class_name)
      return &row;
  }
  return nullptr;
}

bool is_site(clang::QualType type) {
  const auto* record = type.isNull() ? nullptr : type.getNonReferenceType()->getAsCXXRecordDecl();
  if (!record || !record->getIdentifier() || record->getName() != "site")
    return false;
  const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(record->getDeclContext());
  return space && space->getName() == "tp" && space->getParent()->isTranslationUnit();
}

// Which site parameter a declaration has. Stock headers have none, and a tag would break the
// program.
enum class SiteParameter { None, InAnArgument, Own };

bool is_located(clang::QualType type) {
  const auto* record = type.getNonReferenceType()->getAs<clang::TemplateSpecializationType>();
  const clang::TemplateDecl* name =
      record ? record->getTemplateName().getAsTemplateDecl() : nullptr;
  return name && name->getName() == "located";
}

SiteParameter site_parameter(const clang::FunctionDecl* function, const Construct& construct) {
  if (!construct.site_comes_first) {
    const unsigned count = function->getNumParams();
    if (count > 0 && is_site(function->getParamDecl(count - 1)->getType()))
      return SiteParameter::Own;
    return count > 0 && is_located(function->getParamDecl(0)->getType())
               ? SiteParameter::InAnArgument
               : SiteParameter::None;
  }
  for (const clang::NamedDecl* other :
       function->getDeclContext()->lookup(function->getDeclName())) {
    const clang::FunctionDecl* overload = as_function(other);
    if (overload && overload->getNumParams() > 0 && is_site(overload->getParamDecl(0)->getType()))
      return SiteParameter::Own;
  }
  return SiteParameter::None;
}

bool is_tagged(const clang::CallExpr& call, const Construct& construct) {
  if (construct.site_comes_first)
    return call.getNumArgs() > 0 && is_site(call.getArg(0)->getType());
  for (unsigned i = call.getNumArgs(); i > 0; --i)
    if (const clang::Expr* last = call.getArg(i - 1); !llvm::isa<clang::CXXDefaultArgExpr>(last))
      return is_site(last->getType());
  return false;
}

struct Callee {
  const Construct* construct = nullptr;
  const char* doubt = nullptr;
  SiteParameter site = SiteParameter::Own; // the least of the candidates'
  bool has_template_arguments = false;
  clang::SourceLocation name;
};

Callee resolved_callee(const clang::NamedDecl* decl, clang::SourceLocation name,
                       bool has_template_arguments) {
  Callee callee;
  const clang::FunctionDecl* function = as_function(decl);
  callee.construct = construct_of(function);
  if (callee.construct)
    callee.site = site_parameter(function, *callee.construct);
  callee.name = name;
  callee.has_template_arguments = has_template_arguments;
  return callee;
}

// TP_ADDRESS_OF (oneapi_hooks.h): such a template provides the address of a construct; it is never
// the callee of a call.
bool is_for_addresses(const clang::NamedDecl& candidate) {
  const auto* pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(candidate.getUnderlyingDecl());
  const clang::NamedDecl* first = pattern ? *pattern->getTemplateParameters()->begin() : nullptr;
  return first && first->isParameterPack() && first->getName() == "Explicit" &&
         pattern->getTemplatedDecl()->getReturnType()->isTemplateTypeParmType();
}

// The candidates of a call that is resolved only with the template arguments.
Callee candidate_callee(const clang::OverloadExpr& overloads) {
  Callee callee;
  callee.name = overloads.getNameLoc();
  callee.has_template_arguments = overloads.hasExplicitTemplateArgs();
  bool all_ours = true;
  for (const clang::NamedDecl* candidate : overloads.decls()) {
    if (is_for_addresses(*candidate))
      continue;
    const clang::FunctionDecl* function = as_function(candidate);
    const Construct* construct = construct_of(function);
    all_ours &= construct && (!callee.construct || callee.construct == construct);
    if (construct) {
      callee.construct = construct;
      callee.site = std::min(callee.site, site_parameter(function, *construct));
    }
  }
  if (!all_ours)
    callee.doubt = "in a template, with candidates that are not oneTBB's";
  else if (const auto* lookup = llvm::dyn_cast<clang::UnresolvedLookupExpr>(&overloads);
           lookup && lookup->requiresADL())
    callee.doubt = "unqualified name in a template";
  else if (const auto* member = llvm::dyn_cast<clang::UnresolvedMemberExpr>(&overloads);
           member && member->getBaseType()->isDependentType())
    callee.doubt = "member of a dependent type";
  return callee;
}

Callee callee_of(const clang::CallExpr& call) {
  const clang::Expr* expression = call.getCallee()->IgnoreParenImpCasts();
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(expression))
    return resolved_callee(name->getDecl(), name->getLocation(), name->hasExplicitTemplateArgs());
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(expression))
    return resolved_callee(member->getMemberDecl(), member->getMemberLoc(),
                           member->hasExplicitTemplateArgs());
  if (const auto* overloads = llvm::dyn_cast<clang::OverloadExpr>(expression))
    return candidate_callee(*overloads);
  return {};
}

} // namespace

const clang::FunctionDecl* as_function(const clang::NamedDecl* decl) {
  decl = decl ? decl->getUnderlyingDecl() : nullptr;
  if (const auto* pattern = llvm::dyn_cast_or_null<clang::FunctionTemplateDecl>(decl))
    return pattern->getTemplatedDecl();
  return llvm::dyn_cast_or_null<clang::FunctionDecl>(decl);
}

bool in_onetbb(const clang::DeclContext* context) {
  while (context && !context->isNamespace())
    context = context->getParent();
  const auto* version = llvm::dyn_cast_or_null<clang::NamespaceDecl>(context);
  const auto* detail =
      version ? llvm::dyn_cast<clang::NamespaceDecl>(version->getParent()) : nullptr;
  const auto* tbb = detail ? llvm::dyn_cast<clang::NamespaceDecl>(detail->getParent()) : nullptr;
  if (!tbb || !tbb->getParent()->isTranslationUnit())
    return false;
  const llvm::StringRef name = version->getName();
  return tbb->getName() == "tbb" && detail->getName() == "detail" && name.size() == 2 &&
         name[0] == 'd' && llvm::isDigit(name[1]);
}

std::string node_class(clang::QualType type) {
  if (type.isNull())
    return "";
  const clang::NamedDecl* named = type->getAsCXXRecordDecl();
  if (!named)
    if (const auto* special = type->getAs<clang::TemplateSpecializationType>())
      named = special->getTemplateName().getAsTemplateDecl();
  if (!named || !named->getIdentifier() || !in_onetbb(named->getDeclContext()))
    return "";
  const bool is_node = std::ranges::find(kNodes, named->getName()) != std::end(kNodes);
  return is_node ? named->getName().str() : "";
}

Match match_construction(const clang::CXXConstructExpr& construction) {
  Match match;
  const clang::CXXConstructorDecl& constructor = *construction.getConstructor();
  if (constructor.getNumParams() < 2) // a copy has no other place
    return match;
  match.construct = node_class(construction.getType());
  match.name = construction.getLocation();
  match.reason = "the construction of a node";
  const unsigned last = construction.getNumArgs() - 1;
  if (!is_site(constructor.getParamDecl(last)->getType())) {
    match.handling = Handling::NoParameter;
    match.reason = kStockHeaders;
  } else if (!llvm::isa<clang::CXXDefaultArgExpr>(construction.getArg(last))) {
    match.handling = Handling::AlreadyTagged;
  }
  return match;
}

Match match_variable(const clang::VarDecl& variable) {
  Match match;
  if (!variable.getType()->isDependentType() || !variable.getInit())
    return match;
  match.construct = node_class(variable.getType());
  match.name = variable.getLocation();
  match.reason = "the construction of a node";
  return match;
}

Match match_call(const clang::CallExpr& call) {
  const Callee callee = callee_of(call);
  Match match;
  match.name = callee.name;
  if (!callee.construct)
    return match;
  match.construct = callee.construct->name;
  match.placement = callee.construct->site_comes_first ? Placement::First : Placement::Last;
  if (is_tagged(call, *callee.construct)) {
    match.handling = Handling::AlreadyTagged;
  } else if (callee.site == SiteParameter::None) {
    match.handling = Handling::NoParameter;
    match.reason = kStockHeaders;
  } else if (callee.doubt) {
    match.reason = callee.doubt;
  } else if (callee.site == SiteParameter::InAnArgument) {
    match.reason = "takes any number of arguments";
  } else if (callee.construct->site_comes_first && callee.has_template_arguments) {
    match.reason = "explicit template arguments";
  } else {
    match.handling = Handling::Tag;
  }
  return match;
}

} // namespace tp::rewrite
