// SPDX-License-Identifier: Apache-2.0
// THE CODE OF MODULES as waiting_loops asks for it: bytes of functions, whose ranges unwind information or symbols have,
// and the names of what a module imports. Reads the files of the user's as they are: whatever they say of themselves, nothing
// outside of them is read. Used by sampled_code.
#pragma once

#include "sites/module_files.h"
#include "sites/symbol_index.h"
#include "sites/waiting_loops.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tp::analysis {

class ModuleCode : public ProgramCode {
public:
  struct Segment { // of the file
    std::uint64_t begin = 0;
    std::span<const std::byte> code;
  };
  struct Questions {
    std::function<bool(std::uint32_t)> is_left_out; // modules whose loops are not to be looked at
    std::function<SymbolIndex*(std::uint32_t)> symbols_of; // null: none
  };
  // Both outlive it.
  ModuleCode(ModuleFiles& files, StackUnwinder& unwinder, Questions questions)
      : files_(files), unwinder_(unwinder), questions_(std::move(questions)) {}

  std::optional<Function> function_at(const StackCall& call) override;
  std::optional<Function> code_at(const StackCall& call, std::size_t most) override;
  std::string symbol_at(const StackCall& call) override;
  std::string import_at(std::uint32_t module, std::uint64_t slot) override;

private:
  struct Contents {
    std::optional<CodeMachine> machine; // empty: none whose code is known
    std::vector<Segment> segments;
  };
  const Contents& contents_of(std::uint32_t module);
  std::optional<std::pair<std::uint64_t, std::uint64_t>> range_of(const StackCall& call);

  ModuleFiles& files_;
  StackUnwinder& unwinder_;
  Questions questions_;
  std::map<std::uint32_t, Contents> contents_;
  std::map<std::uint32_t, std::map<std::uint64_t, std::string>> imports_;
};

} // namespace tp::analysis
