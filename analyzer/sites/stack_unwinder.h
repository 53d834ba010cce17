// SPDX-License-Identifier: Apache-2.0
// STACK UNWINDER: from the registers and the innermost bytes of a stack to the calls on it, by the call
// frame information of the modules. What it says at one instruction is read once and kept: samples hit
// the same ones again and again. Used by sampled_code.
//
// Follows a stack up to the beginning of a task: the first frame inside libtbb below code of the program.
// What comes further out is known from the streams.
#pragma once

#include "model/samples.h"
#include "sites/module_files.h"
#include "sites/sample_stacks.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <elfutils/libdw.h>

namespace tp::analysis {

// One call on a stack: the instruction, or the call that has not returned, in the address space of the
// module's file.
struct StackCall {
  std::uint32_t module = kNoModule; // index into SampleFile::modules
  std::uint64_t address = 0;        // of the file; kNoModule: of the process
  static constexpr std::uint32_t kNoModule = ~std::uint32_t{0};
  auto operator<=>(const StackCall&) const = default;
};

struct UnwoundStack {
  std::vector<StackCall> calls; // innermost first; never empty
  bool is_cut = false;          // the copy, or what is known, ends before the beginning of the task
};

class StackUnwinder {
public:
  // Both outlive the unwinder.
  StackUnwinder(const SampleFile& file, ModuleFiles& modules);

  // An index into the file's samples; cheapest in their order.
  UnwoundStack unwind(std::size_t sample_number);

  // The function around a call by the unwind information, as [begin, end) in the file; empty: it has none.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> function_range(const StackCall& call);

private:
  struct Row { // how to find the caller's registers at an instruction
    bool is_known = false;
    int return_register = 0;
    bool is_signal_frame = false; // the caller was interrupted, it did not call
    std::vector<Dwarf_Op> frame;  // the canonical frame address
    struct Rule {
      int number = 0;
      bool is_undefined = false;
      std::vector<Dwarf_Op> location;
    };
    std::vector<Rule> rules; // of registers that change
  };
  struct RangeTable {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> functions; // by begin
  };
  struct Registers;
  class Evaluation;

  StackCall locate(std::uint32_t list, std::uint64_t address, bool is_return_address) const;
  const Row& row_at(const StackCall& call);
  Row read_row(const StackCall& call);
  static bool step(const Row& row, bool is_innermost, Registers& registers);
  const RangeTable& ranges_of(std::uint32_t id);

  const SampleFile& file_;
  ModuleFiles& modules_;
  SampleStacks stacks_;
  std::map<StackCall, Row> rows_;
  std::map<std::uint32_t, RangeTable> ranges_;
};

} // namespace tp::analysis
