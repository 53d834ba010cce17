// SPDX-License-Identifier: Apache-2.0
// WHERE the spawn sites are. One walk over the declarations of the wanted files, which keeps track
// of the enclosing function.
//
// Implicit instantiations are not visited: their calls are in the template, which is visited.
// Operands that are never evaluated (decltype, sizeof, noexcept, typeid, requires, concepts) do not
// spawn tasks and are skipped entirely, so the text of a signature never changes. The location of a
// call is where its name and its closing parenthesis are spelled; if either comes from a macro,
// there is no text to insert into.
#include "clang/spawn_site_finder.h"

#include "text/spawn_site_rewriter.h"
#include "clang/spawn_site_matchers.h"
#include "clang/wrapped_calls.h"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <optional>
#include <set>

namespace tp::rewrite {
namespace {

using clang::SourceLocation;

class Finder : public clang::RecursiveASTVisitor<Finder> {
  using Base = clang::RecursiveASTVisitor<Finder>;

public:
  Finder(clang::ASTContext& context, const FileFilter& wanted,
         const std::vector<std::string>& wrappers)
      : context_(context), sources_(context.getSourceManager()), wanted_(wanted),
        wrappers_(wrappers) {}

  bool TraverseDecl(clang::Decl* decl) {
    const bool names_sites = decl && encloses_sites(*decl);
    const clang::NamedDecl* outer = enclosing_;
    if (names_sites)
      enclosing_ = llvm::cast<clang::NamedDecl>(decl);
    const bool go_on = Base::TraverseDecl(decl);
    enclosing_ = outer;
    return go_on;
  }

  // Never evaluated: no task is spawned in it.
  bool TraverseDecltypeTypeLoc(clang::DecltypeTypeLoc) { return true; }
  bool TraverseTypeOfExprTypeLoc(clang::TypeOfExprTypeLoc) { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr*) { return true; }
  bool TraverseCXXNoexceptExpr(clang::CXXNoexceptExpr*) { return true; }
  bool TraverseCXXTypeidExpr(clang::CXXTypeidExpr*) { return true; }
  bool TraverseRequiresExpr(clang::RequiresExpr*) { return true; }
  bool TraverseConceptDecl(clang::ConceptDecl*) { return true; }

  bool VisitCallExpr(clang::CallExpr* call) {
    Match match = match_call(*call);
    if (match.construct.empty())
      match = match_wrapped_call(*call, context_.getLangOpts(), wrappers_);
    if (FoundSite* const site = add(match, {call->getBeginLoc(), call->getEndLoc()}))
      place(*call, match, *site);
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* construction) {
    const SourceLocation end = construction->getParenOrBraceRange().getEnd();
    Match match = match_construction(*construction);
    // The header's default argument would name the constructor of the class instead.
    if (match.handling == Handling::LeftToHeader &&
        llvm::isa_and_nonnull<clang::FieldDecl>(enclosing_))
      match.handling = Handling::Tag;
    if (FoundSite* const site = add(
            match, {construction->getLocation(), end.isValid() ? end : construction->getEndLoc()}))
      place(*construction, match, *site);
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* variable) {
    add(match_variable(*variable), {variable->getLocation(), variable->getEndLoc()});
    return true;
  }

  std::map<std::string, SourceFile> take() {
    for (auto& [name, file] : files_)
      unite(file.sites);
    return std::move(files_);
  }

private:
  static bool encloses_sites(const clang::Decl& decl) {
    if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&decl))
      return !method->getParent()->isLambda();
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&decl))
      return variable->isFileVarDecl();
    return llvm::isa<clang::FunctionDecl, clang::FieldDecl>(decl);
  }

  // A header that is included twice contains each of its sites twice; the first wording is kept.
  // Several calls written by one use of a macro are one place.
  static void unite(std::vector<FoundSite>& sites) {
    std::ranges::stable_sort(sites, {}, &FoundSite::insert_offset);
    std::vector<FoundSite> united;
    for (FoundSite& site : sites)
      if (united.empty() || united.back().insert_offset != site.insert_offset)
        united.push_back(std::move(site));
      else if (united.back().construct.find(site.construct) == std::string::npos)
        united.back().construct += ", " + site.construct;
    sites = std::move(united);
  }

  // Null if the call is not a site of the wanted files, or is already recorded.
  FoundSite* add(const Match& match, clang::SourceRange whole) {
    if (match.construct.empty() || (enclosing_ && in_onetbb(enclosing_->getDeclContext())))
      return nullptr;
    const SourceLocation name = sources_.getExpansionLoc(match.name);
    const clang::FileID file = sources_.getFileID(name);
    if (name.isInvalid() || !wanted_(file) || !seen_.insert(match.name.getRawEncoding()).second)
      return nullptr;
    const clang::PresumedLoc place = sources_.getPresumedLoc(name);
    FoundSite site;
    site.file = sources_.getPresumedLoc(name, false).getFilename();
    site.presumed_file = place.getFilename();
    site.construct = match.construct;
    site.function = enclosing_ ? enclosing_->getQualifiedNameAsString() : "";
    site.line = place.getLine();
    site.column = place.getColumn();
    const clang::PresumedLoc begin =
        sources_.getPresumedLoc(sources_.getExpansionLoc(whole.getBegin()));
    const clang::PresumedLoc end =
        sources_.getPresumedLoc(sources_.getExpansionRange(whole.getEnd()).getEnd());
    site.begin_line = begin.getLine();
    site.begin_column = begin.getColumn();
    site.end_line = end.getLine();
    site.end_column = end.getColumn();
    site.handling = match.handling;
    site.placement = match.placement;
    site.reason = match.reason;
    site.insert_offset = sources_.getFileOffset(name);
    return &file_of(file, site.file).sites.emplace_back(std::move(site));
  }

  // Finds where to insert the argument.
  template <typename Expression>
  void place(const Expression& call, const Match& match, FoundSite& site) {
    if (site.handling != Handling::Tag)
      return;
    const char* const obstacle =
        place_argument(call, match, files_.find(site.file)->second.text, site);
    if (!obstacle)
      return;
    site.handling = wraps(match.placement) ? Handling::NoParameter : Handling::LeftToHeader;
    site.reason = obstacle;
  }

  // Sets the place of the argument; returns the reason if there is none, otherwise null.
  const char* place_argument(const clang::CallExpr& call, const Match& match,
                             const std::string& text, FoundSite& site) const {
    const SourceLocation close = call.getRParenLoc();
    if (close.isInvalid() || match.name.isMacroID() || close.isMacroID())
      return "written by a macro";
    if (sources_.getFileID(close) != sources_.getFileID(match.name))
      return "spread over two files";
    if (match.placement == Placement::AroundMember &&
        !llvm::isa_and_nonnull<clang::FunctionDecl>(enclosing_))
      return "a member called outside of functions";
    if (wraps(match.placement))
      return place_around(*call.getCallee(), text, site);
    std::optional<SourceLocation> at = close;
    if (match.placement == Placement::First)
      at = after_opening_parenthesis(call);
    else if (written_arguments(call) == 0)
      site.placement = Placement::Only;
    if (!at)
      return "opening parenthesis not found";
    site.insert_offset = sources_.getFileOffset(*at);
    site.insert_line = sources_.getPresumedLoc(*at).getLine();
    const bool is_closing = site.insert_offset < text.size() && text[site.insert_offset] == ')';
    if (site.placement != Placement::First && !is_closing)
      return "closing parenthesis not found";
    return in_directive(text, site.insert_offset) ? "inside a preprocessor directive" : nullptr;
  }

  const char* place_argument(const clang::CXXConstructExpr& construction, const Match& match,
                             const std::string& text, FoundSite& site) const {
    const SourceLocation close = construction.getParenOrBraceRange().getEnd();
    if (close.isInvalid() || close.isMacroID() || match.name.isMacroID())
      return "written by a macro";
    if (sources_.getFileID(close) != sources_.getFileID(match.name))
      return "spread over two files";
    site.insert_offset = sources_.getFileOffset(close);
    site.insert_line = sources_.getPresumedLoc(close).getLine();
    site.skipped = construction.getNumArgs() - written_arguments(construction) - 1;
    if (site.insert_offset >= text.size() ||
        (text[site.insert_offset] != ')' && text[site.insert_offset] != '}'))
      return "closing parenthesis not found";
    return in_directive(text, site.insert_offset) ? "inside a preprocessor directive" : nullptr;
  }

  const char* place_around(const clang::Expr& callee, const std::string& text,
                           FoundSite& site) const {
    const SourceLocation begin = callee.getBeginLoc();
    const SourceLocation end =
        clang::Lexer::getLocForEndOfToken(callee.getEndLoc(), 0, sources_, context_.getLangOpts());
    if (begin.isInvalid() || end.isInvalid() || begin.isMacroID() || end.isMacroID())
      return "written by a macro";
    site.insert_offset = sources_.getFileOffset(begin);
    site.insert_line = sources_.getPresumedLoc(begin).getLine();
    site.after_offset = sources_.getFileOffset(end);
    site.after_line = sources_.getPresumedLoc(end).getLine();
    return in_directive(text, site.insert_offset) ? "inside a preprocessor directive" : nullptr;
  }

  template <typename Expression>
  static unsigned written_arguments(const Expression& call) {
    unsigned count = 0;
    for (const clang::Expr* argument : call.arguments())
      count += !llvm::isa<clang::CXXDefaultArgExpr>(argument);
    return count;
  }

  std::optional<SourceLocation> after_opening_parenthesis(const clang::CallExpr& call) const {
    const SourceLocation end = call.getCallee()->getEndLoc();
    if (end.isInvalid() || end.isMacroID())
      return std::nullopt;
    const auto token = clang::Lexer::findNextToken(end, sources_, context_.getLangOpts());
    if (!token || token->isNot(clang::tok::l_paren))
      return std::nullopt;
    return token->getLocation().getLocWithOffset(1);
  }

  SourceFile& file_of(clang::FileID file, const std::string& name) {
    const auto [position, is_new] = files_.try_emplace(name);
    if (is_new) {
      position->second.name = name;
      position->second.text = sources_.getBufferData(file).str();
    }
    return position->second;
  }

  clang::ASTContext& context_;
  clang::SourceManager& sources_;
  const FileFilter& wanted_;
  const std::vector<std::string>& wrappers_;
  const clang::NamedDecl* enclosing_ = nullptr;
  std::set<unsigned> seen_;
  std::map<std::string, SourceFile> files_;
};

} // namespace

std::map<std::string, SourceFile> find_spawn_sites(clang::ASTContext& context,
                                                   const FileFilter& wanted,
                                                   const std::vector<std::string>& wrappers) {
  const clang::SourceManager& sources = context.getSourceManager();
  const auto is_wanted = [&](SourceLocation place) {
    return place.isValid() && wanted(sources.getFileID(sources.getExpansionLoc(place)));
  };
  Finder finder(context, wanted, wrappers);
  for (clang::Decl* decl : context.getTranslationUnitDecl()->decls())
    if (is_wanted(decl->getBeginLoc()) || is_wanted(decl->getEndLoc()))
      finder.TraverseDecl(decl);
  return finder.take();
}

} // namespace tp::rewrite
