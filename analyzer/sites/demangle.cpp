// SPDX-License-Identifier: Apache-2.0
// See demangle.h. Demanglers recurse, and nothing in a recording limits the nesting of a name but
// its length: long names get a stack of their own.
#include "sites/demangle.h"

#include <cxxabi.h>
#if TP_LLVM_DEMANGLE
#include <llvm/Demangle/Demangle.h>
#endif

#include <pthread.h>

#include <algorithm>
#include <cstddef>
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

constexpr std::size_t kShort = 1024; // characters, on any stack
constexpr std::size_t kLongest = std::size_t{256} << 10;
constexpr std::size_t kStackPerCharacter = 2048; // bytes: several calls per level of nesting

struct Request {
  std::string (*demangle)(const std::string&);
  const std::string& name;
  std::string result;
};

void* answer(void* data) {
  auto* const request = static_cast<Request*>(data);
  request->result = request->demangle(request->name);
  return nullptr;
}

// The name itself if it is too long, or there is no memory for the stack.
std::string on_stack_for(const std::string& name, std::string (*demangle)(const std::string&)) {
  if (name.size() <= kShort)
    return demangle(name);
  Request request{demangle, name, name};
  pthread_attr_t attributes;
  if (name.size() > kLongest || pthread_attr_init(&attributes) != 0)
    return name;
  pthread_t thread;
  if (pthread_attr_setstacksize(&attributes, name.size() * kStackPerCharacter) == 0 &&
      pthread_create(&thread, &attributes, answer, &request) == 0)
    pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return request.result;
}

std::string symbol_by_any(const std::string& name) {
#if TP_LLVM_DEMANGLE
  std::string result;
  if (llvm::nonMicrosoftDemangle(name, result))
    return result;
#endif
  return by_runtime(name);
}

std::string type_by_any(const std::string& name) {
#if TP_LLVM_DEMANGLE
  std::string result;
  if (take(llvm::itaniumDemangle(name), result))
    return result;
#endif
  return by_runtime(name);
}

// "__omp_offloading_801_a2_FUNCTION_l12": clang's name for a target region, with numbers of the file and the line.
std::string without_offloading(const std::string& name) {
  constexpr std::string_view kPrefix = "__omp_offloading_";
  const std::size_t end = name.rfind("_l");
  std::size_t begin = kPrefix.size();
  for (int number = 0; number < 2 && begin != 0; ++number)
    begin = name.find('_', begin) + 1;
  return name.starts_with(kPrefix) && begin != 0 && end != name.npos && begin < end
             ? name.substr(begin, end - begin)
             : name;
}

// What GCC and clang append to the name of the function around the construct.
constexpr std::string_view kOfConstructs[] = {"._omp_fn", "._omp_cpyfn", ".omp_outlined",
                                              ".omp_task_entry"};
std::string without_outlining(const std::string& whole) {
  const std::string name = without_offloading(whole);
  std::size_t end = name.size();
  for (const std::string_view suffix : kOfConstructs)
    end = std::min(end, name.find(suffix));
  // g++ writes a star before names that the source gives symbols (__asm__).
  const std::size_t begin = name.starts_with('*') ? 1 : 0;
  return end > begin ? name.substr(begin, end - begin) : name;
}

} // namespace

std::string demangle_symbol(const std::string& name) {
  const std::string own = without_outlining(name);
  return own.starts_with("_Z") || own.starts_with("_R") ? on_stack_for(own, symbol_by_any) : own;
}

bool is_code_of_construct(std::string_view symbol) {
  return std::ranges::any_of(
      kOfConstructs, [&](std::string_view part) { return symbol.find(part) != symbol.npos; });
}

std::string demangle_type(const std::string& name) {
  return on_stack_for(name, type_by_any);
}

bool has_llvm_demangler() {
#if TP_LLVM_DEMANGLE
  return true;
#else
  return false;
#endif
}

} // namespace tp::analysis
