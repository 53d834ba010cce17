// SPDX-License-Identifier: Apache-2.0
// The only file that runs Clang. It parses as little as necessary: no implicit instantiation at the
// end of the unit (as for a precompiled header), and no function bodies without a site in the
// wanted files. Both would otherwise take most of the time, and without them every call of a site
// is still resolved.
#include "clang/parse.h"

#include "text/compiler_options.h"
#include "text/installation.h"
#include "text/project.h"
#include "clang/own_files.h"
#include "clang/real_compiler.h"
#include "clang/site_bodies.h"
#include "clang/spawn_site_finder.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/Basic/FileManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/VirtualFileSystem.h>

namespace tp::rewrite {
namespace {

class Consumer : public clang::ASTConsumer {
public:
  Consumer(clang::Preprocessor& preprocessor, const ParseRequest& request, ParseResult& result)
      : sources_(preprocessor.getSourceManager()), own_(preprocessor), request_(request),
        result_(result) {
    auto bodies = std::make_unique<SiteBodies>(preprocessor, own_, request.wrappers);
    bodies_ = bodies.get();
    preprocessor.addPPCallbacks(std::move(bodies));
  }

  bool shouldSkipFunctionBody(clang::Decl* decl) override {
    return !own_.contains(sources_.getFileID(sources_.getExpansionLoc(decl->getLocation()))) ||
           !bodies_->may_have_site(*decl);
  }

  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (context.getDiagnostics().hasErrorOccurred())
      return;
    auto files = find_spawn_sites(
        context, [&](clang::FileID file) { return own_.contains(file); }, request_.wrappers);
    for (auto& [name, file] : files)
      keep(std::move(file));
    for (unsigned i = 0; i < sources_.local_sloc_entry_size(); ++i) // those without sites
      if (const auto& entry = sources_.getLocalSLocEntry(i); entry.isFile())
        if (const clang::FileID id =
                sources_.getFileID(clang::SourceLocation::getFromRawEncoding(entry.getOffset()));
            own_.contains(id))
          keep(without_sites(id));
  }

private:
  SourceFile without_sites(clang::FileID id) const {
    SourceFile file;
    file.name = sources_.getPresumedLoc(sources_.getLocForStartOfFile(id), false).getFilename();
    file.text = sources_.getBufferData(id).str();
    return file;
  }

  void keep(SourceFile file) {
    llvm::SmallString<256> path(file.name);
    sources_.getFileManager().makeAbsolutePath(path);
    file.path = canonical(path.str().str());
    result_.files.emplace(file.path, std::move(file));
  }

  const clang::SourceManager& sources_;
  OwnFiles own_;
  SiteBodies* bodies_; // the preprocessor owns it
  const ParseRequest& request_;
  ParseResult& result_;
};

// Detects a quoted include in a header that would find another file if the main file's folder were
// also searched. A copy of the main file elsewhere needs that folder on the search path, so in that
// case no copy may be made.
class HiddenHeaders : public clang::PPCallbacks {
public:
  HiddenHeaders(const clang::SourceManager& sources, ParseResult& result)
      : sources_(sources), result_(result) {}

  void InclusionDirective(clang::SourceLocation hash, const clang::Token&, llvm::StringRef name,
                          bool is_angled, clang::CharSourceRange, clang::OptionalFileEntryRef found,
                          llvm::StringRef, llvm::StringRef, const clang::Module*, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    const clang::FileID includer = sources_.getFileID(hash);
    if (is_angled || !found || includer == sources_.getMainFileID())
      return;
    const auto from = sources_.getFileEntryRefForID(includer); // none: -include
    const auto main_file = sources_.getFileEntryRefForID(sources_.getMainFileID());
    if (is_there(from ? from->getDir().getName() : ".", name) || !main_file)
      return;
    const auto other = is_there(main_file->getDir().getName(), name);
    if (other && &other->getFileEntry() != &found->getFileEntry())
      result_.hidden_header = found->getName();
  }

private:
  clang::OptionalFileEntryRef is_there(llvm::StringRef directory, llvm::StringRef name) const {
    return sources_.getFileManager().getOptionalFileRef((directory + "/" + name).str());
  }

  const clang::SourceManager& sources_;
  ParseResult& result_;
};

class Action : public clang::ASTFrontendAction {
public:
  Action(const ParseRequest& request, ParseResult& result) : request_(request), result_(result) {}

  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }

  bool BeginInvocation(clang::CompilerInstance& compiler) override {
    compiler.getFrontendOpts().SkipFunctionBodies = true;
    compiler.getFrontendOpts().DisableFree = request_.is_last;
    return true;
  }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<HiddenHeaders>(compiler.getSourceManager(), result_));
    return std::make_unique<Consumer>(compiler.getPreprocessor(), request_, result_);
  }

private:
  const ParseRequest& request_;
  ParseResult& result_;
};

// Keeps each error as one line.
class ErrorCollector : public clang::DiagnosticConsumer {
public:
  explicit ErrorCollector(ParseResult& result) : result_(result) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& diagnostic) override {
    DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
    if (level < clang::DiagnosticsEngine::Error || result_.errors.size() >= 20)
      return;
    llvm::SmallString<200> message;
    diagnostic.FormatDiagnostic(message);
    std::string line;
    if (diagnostic.hasSourceManager() && diagnostic.getLocation().isValid()) {
      const clang::PresumedLoc place =
          diagnostic.getSourceManager().getPresumedLoc(diagnostic.getLocation());
      line = std::string(place.getFilename()) + ':' + std::to_string(place.getLine()) + ':' +
             std::to_string(place.getColumn()) + ": ";
    }
    result_.errors.push_back(line + message.str().str());
  }

private:
  ParseResult& result_;
};

// The system directories of the real compiler, with Clang's own headers in place of the compiler's,
// which use built-ins that only that compiler knows. The compiler's own remain at the very end of
// the path, for omp.h and the like.
void add_system_headers(std::vector<std::string>& arguments, const RealCompiler& compiler) {
  arguments.insert(arguments.end(), {"-nostdinc", "-nostdinc++"});
  std::vector<std::string> last;
  bool own_added = false;
  for (const std::string& directory : compiler.include_dirs) {
    const bool is_compilers_own = llvm::StringRef(directory).ends_with("/include") &&
                                  (llvm::StringRef(directory).contains("/lib/gcc/") ||
                                   llvm::StringRef(directory).contains("/lib/clang/"));
    if (is_compilers_own && !own_added)
      arguments.insert(arguments.end(), {"-isystem", TP_CLANG_RESOURCE_DIR "/include"});
    own_added |= is_compilers_own;
    if (is_compilers_own)
      last.push_back(directory);
    else
      arguments.insert(arguments.end(), {"-isystem", directory});
  }
  for (const std::string& directory : last)
    arguments.insert(arguments.end(), {"-idirafter", directory});
}

bool has_standard(const std::vector<std::string>& flags) {
  for (const std::string& flag : flags)
    if (flag.starts_with("-std=") || flag.starts_with("--std=") || flag == "-ansi")
      return true;
  return false;
}

std::vector<std::string> clang_command(const ParseRequest& request) {
  // Some errors of Clang 19 concern code that g++ 12 accepts, and belong to warning groups: out of
  // range enumerators as constants (old Boost), `template` without an argument list (OpenVDB).
  std::vector<std::string> arguments = {"clang++",         "-fsyntax-only",
                                        "-Wno-everything", "-fno-caret-diagnostics",
                                        "-resource-dir",   TP_CLANG_RESOURCE_DIR};
  // GCC's attribute that names what frees the memory, as in its omp.h: Clang 19 knows it without arguments.
  arguments.emplace_back("-D__malloc__(...)=__malloc__");
  if (const std::string ours = installed_include_dir(); !ours.empty())
    arguments.insert(arguments.end(), {"-isystem", ours});
  const std::vector<std::string> kept = flags_for_clang(request.flags);
  arguments.insert(arguments.end(), kept.begin(), kept.end());
  const RealCompiler compiler =
      ask_real_compiler(request.compiler, flags_for_question(request.flags));
  if (compiler.answered) {
    add_system_headers(arguments, compiler);
    if (!has_standard(request.flags))
      arguments.push_back(standard_flag(compiler));
  }
  arguments.insert(arguments.end(), {"-x", "c++", request.file});
  return arguments;
}

} // namespace

std::vector<ParseRequest> requests_for(const std::string& file, const std::string& build_dir) {
  if (build_dir.empty()) {
    ParseRequest request;
    request.file = file;
    return {request};
  }
  std::vector<ParseRequest> requests;
  std::string error;
  const auto database = clang::tooling::CompilationDatabase::loadFromDirectory(build_dir, error);
  if (!database)
    return requests;
  for (const clang::tooling::CompileCommand& command :
       database->getCompileCommands(canonical(file))) {
    ParseRequest request;
    request.file = canonical(file);
    request.directory = command.Directory;
    std::vector<std::string> words = command.CommandLine;
    if (words.size() > 1 && llvm::StringRef(words[0]).ends_with("ccache"))
      words.erase(words.begin());
    request.compiler.assign(words.begin(), words.begin() + (words.empty() ? 0 : 1));
    request.flags = expand_response_files(words);
    requests.push_back(std::move(request));
  }
  return requests;
}

ParseResult parse(const ParseRequest& request) {
  ParseResult result;
  auto file_system = llvm::vfs::createPhysicalFileSystem();
  if (!request.directory.empty()) {
    if (const std::error_code error = file_system->setCurrentWorkingDirectory(request.directory)) {
      result.errors.push_back(request.directory + ": " + error.message());
      return result;
    }
  }
  llvm::IntrusiveRefCntPtr<clang::FileManager> files(
      new clang::FileManager(clang::FileSystemOptions(), std::move(file_system)));
  clang::tooling::ToolInvocation invocation(clang_command(request),
                                            std::make_unique<Action>(request, result), files.get());
  ErrorCollector errors(result);
  invocation.setDiagnosticConsumer(&errors);
  result.ok = invocation.run() && result.errors.empty();
  return result;
}

} // namespace tp::rewrite
