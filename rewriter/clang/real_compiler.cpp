// SPDX-License-Identifier: Apache-2.0
// Asks the real compiler for its include directories and default language. That takes one process
// of about 10 ms, compared with a second for the parse. Nothing is guessed from names or versions,
// so any g++ or clang++, sysroot or libc++ works.
#include "clang/real_compiler.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FileUtilities.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Program.h>

#include <cstdlib>

namespace tp::rewrite {
namespace {

// Both outputs of the command, combined; empty on failure.
std::string run(const std::vector<std::string>& command) {
  const auto program = llvm::sys::findProgramByName(command.front());
  llvm::SmallString<128> output;
  if (!program || llvm::sys::fs::createTemporaryFile("tp-ask", "txt", output))
    return "";
  const llvm::FileRemover removed_at_end(output);
  const std::vector<llvm::StringRef> arguments(command.begin(), command.end());
  const std::optional<llvm::StringRef> redirects[] = {llvm::StringRef("/dev/null"), output.str(),
                                                      output.str()};
  const int status = llvm::sys::ExecuteAndWait(*program, arguments, std::nullopt, redirects);
  const auto text = llvm::MemoryBuffer::getFile(output);
  return status == 0 && text ? (*text)->getBuffer().str() : "";
}

} // namespace

RealCompiler ask_real_compiler(const std::vector<std::string>& compiler,
                               const std::vector<std::string>& flags) {
  std::vector<std::string> command = compiler;
  command.insert(command.end(), flags.begin(), flags.end());
  for (const char* flag : {"-E", "-v", "-dM", "-x", "c++", "/dev/null"})
    command.emplace_back(flag);
  setenv("LC_ALL", "C", 1); // otherwise the markers below are translated

  RealCompiler answer;
  if (compiler.empty())
    return answer;
  const std::string output = run(command);
  bool in_list = false;
  llvm::SmallVector<llvm::StringRef, 0> lines;
  llvm::StringRef(output).split(lines, '\n');
  for (llvm::StringRef line : lines) {
    if (line.starts_with("#include <...>"))
      in_list = true;
    else if (line.starts_with("End of search list"))
      in_list = false;
    else if (in_list && line.starts_with(" "))
      answer.include_dirs.push_back(line.trim().str());
    else if (line.consume_front("#define __cplusplus "))
      answer.cplusplus = line.trim().str();
  }
  answer.answered = !answer.cplusplus.empty();
  return answer;
}

std::string standard_flag(const RealCompiler& compiler) {
  const long value = std::strtol(compiler.cplusplus.c_str(), nullptr, 10);
  const char* name = value < 201103   ? "98"
                     : value < 201402 ? "11"
                     : value < 201703 ? "14"
                     : value < 202002 ? "17"
                     : value < 202100 ? "20"
                     : value < 202400 ? "23"
                                      : "26";
  return std::string("-std=gnu++") + name;
}

} // namespace tp::rewrite
