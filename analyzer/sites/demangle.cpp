// SPDX-License-Identifier: Apache-2.0
// See demangle.h.
#include "sites/demangle.h"

#include <cxxabi.h>
#if TP_LLVM_DEMANGLE
#include <llvm/Demangle/Demangle.h>
#endif

#include <cstdlib>

namespace tp::analysis {
namespace {

// Takes the text; null: it was refused.
bool take(char* text, std::string& result) {
  if (!text)
    return false;
  result = text;
  std::free(text);
  return true;
}

std::string by_runtime(const std::string& name) {
  int status = 0;
  std::string result;
  return take(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), result) ? result : name;
}

} // namespace

std::string demangle_symbol(const std::string& name) {
  if (!name.starts_with("_Z") && !name.starts_with("_R"))
    return name;
#if TP_LLVM_DEMANGLE
  std::string result;
  if (llvm::nonMicrosoftDemangle(name, result))
    return result;
#endif
  return by_runtime(name);
}

std::string demangle_type(const std::string& name) {
#if TP_LLVM_DEMANGLE
  std::string result;
  if (take(llvm::itaniumDemangle(name), result))
    return result;
#endif
  return by_runtime(name);
}

bool has_llvm_demangler() {
#if TP_LLVM_DEMANGLE
  return true;
#else
  return false;
#endif
}

} // namespace tp::analysis
