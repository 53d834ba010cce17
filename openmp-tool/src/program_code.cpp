// SPDX-License-Identifier: Apache-2.0
// See program_code.h. Most of the program's functions get nothing that could say which one is meant, so each has one of a
// number of functions of ours.
#include "program_code.h"

#include "tp/hooks.h"

#include <array>
#include <cstddef>
#include <utility>

namespace tp::omp {
namespace {

struct ProgramCode {
  ProgramCode() : state(tp_on_program_code()) {}
  ~ProgramCode() { tp_on_program_code_end(state); }
  ProgramCode(const ProgramCode&) = delete;
  ProgramCode& operator=(const ProgramCode&) = delete;
  const unsigned state;
};

template <typename Around, typename Function>
class Replacements;
template <typename Around, typename... Arguments>
class Replacements<Around, void(Arguments...)> {
public:
  using Function = void(Arguments...);

  static Function* of(Function* original) {
    if (original == nullptr)
      return nullptr;
    for (std::size_t i = 0; i < kMost; ++i) {
      Function* found = originals[i].load(std::memory_order_relaxed);
      if (found == original ||
          (found == nullptr &&
           (originals[i].compare_exchange_strong(found, original, std::memory_order_relaxed) ||
            found == original)))
        return kFunctions[i];
    }
    return original;
  }

private:
  static constexpr std::size_t kMost = 64;

  template <std::size_t I>
  static void call(Arguments... arguments) {
    const Around around;
    originals[I].load(std::memory_order_relaxed)(arguments...);
  }
  template <std::size_t... I>
  static constexpr std::array<Function*, kMost> functions(std::index_sequence<I...>) {
    return {&call<I>...};
  }

  static constinit inline std::atomic<Function*> originals[kMost] = {};
  static constexpr std::array<Function*, kMost> kFunctions =
      functions(std::make_index_sequence<kMost>());
};

} // namespace

Copy* as_program_code(Copy* copy) {
  return Replacements<ProgramCode, Copy>::of(copy);
}
Duplicate* as_program_code(Duplicate* duplicate) {
  return Replacements<ProgramCode, Duplicate>::of(duplicate);
}
Combine* as_code_after_group(Combine* combine) {
  return Replacements<CodeAfterGroup, Combine>::of(combine);
}

} // namespace tp::omp
