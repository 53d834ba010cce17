// SPDX-License-Identifier: Apache-2.0
// CONTROL FLOW of a function's machine code: blocks that run from their first to their last instruction, and natural
// loops (Aho, Lam, Sethi, Ullman, Compilers, 9.6), by dominators (Cooper, Harvey, Kennedy 2001). Each edge back to a
// block that dominates its source is a loop of its own, also where several lead to the same block.
// An atomic operation that repeats its store until it succeeds is not taken for a loop. Used by waiting_loops.
#pragma once

#include "sites/machine_code.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tp::analysis {

struct CodeBlock {
  std::size_t begin = 0, end = 0; // indices of instructions
  std::vector<std::uint32_t> next;
  bool leaves = false; // it may also leave the function
};

struct CodeLoop {
  std::uint32_t header = 0;          // where it begins
  std::uint32_t latch = 0;           // whose last instruction leads back
  std::vector<std::uint32_t> blocks; // ascending
  std::size_t instructions = 0;
  bool has(std::uint32_t block) const;
};

struct ControlFlow {
  std::vector<Instruction> code;
  std::vector<CodeBlock> blocks;
  std::vector<CodeLoop> loops; // the shortest first
  // It may continue at an address that it computes: there may be loops that are not known.
  bool has_unknown_jumps = false;

  std::optional<std::uint32_t> block_at(std::uint64_t address) const;
};

ControlFlow control_flow(std::vector<Instruction> code);

} // namespace tp::analysis
