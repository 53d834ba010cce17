// SPDX-License-Identifier: Apache-2.0
// LOOPS THAT ONLY WAIT, by their machine code: for what another thread writes. What a thread does there gets
// nothing done, but counts as work, since nothing announces it.
//
// If no value is carried from one iteration to the next, and none writes to memory but an atomic operation that
// writes the same each time, the next iteration does what this one did, unless another thread has written meanwhile: the
// loop waits for that. A loop that searches, counts or computes carries a pointer, an index or a sum. With
// an instruction by which the processor knows that the thread waits (pause, yield, wfe), or a call that gives the CPU away
// (sched_yield), on each way around, it may carry a value, too: how often it has tried.
//
// Left out: loops with other calls than those, and than those of short functions that read memory and write none; loops with
// instructions that machine_code does not know; loops that read the clock; and the retries of code without locks, whose new
// value depends on the old one (an atomic sum by compare-and-swap).
// The first iteration of a loop does not wait if what it waits for is there already. Samples do not show which one they are in:
// where no instruction says that the thread waits, and no atomic operation that it acquires a lock, samples in code of the first
// iteration count only if the loop reads the same memory each time that the program comes to it.
//
// Called by sampled_code.
#pragma once

#include "sites/control_flow.h"
#include "sites/stack_unwinder.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tp::analysis {

// What the rules ask about the program.
class ProgramCode {
public:
  struct Function {
    CodeMachine machine = CodeMachine::X86_64;
    std::uint64_t begin = 0; // of the file, as in StackCall
    std::span<const std::byte> code;
  };
  virtual ~ProgramCode() = default;
  // The function around an address; empty: not known, or not to be looked at.
  virtual std::optional<Function> function_at(const StackCall& call) = 0;
  // What follows an address, at most so many bytes, in any module.
  virtual std::optional<Function> code_at(const StackCall& call, std::size_t most) = 0;
  // The symbol of the function there; empty: none.
  virtual std::string symbol_at(const StackCall& call) = 0;
  // Whose address the module finds in its memory at `slot` (an entry of its global offset table); empty: not known.
  virtual std::string import_at(std::uint32_t module, std::uint64_t slot) = 0;
};

class WaitingLoops {
public:
  explicit WaitingLoops(ProgramCode& program) : program_(program) {}

  // The loop in which a thread with that stack only waits: where it decides whether to go on. Empty also if the program
  // announces that it waits there. `calls`: innermost first, not empty.
  std::optional<StackCall> find(std::span<const StackCall> calls);

private:
  // What is known of a function. The rest is found when it is asked for.
  struct Facts {
    std::uint32_t module = 0;
    CodeMachine machine = CodeMachine::X86_64;
    ControlFlow flow;
    std::map<std::size_t, Instruction> effects; // of calls
    std::map<std::size_t, bool> waits;          // of loops
    enum class Callee : std::uint8_t { NotAsked, Asked, Harmless, Other };
    Callee callee = Callee::NotAsked;
    Instruction effect; // of calling it, if it is harmless
  };

  Facts* facts_of(const StackCall& call);
  std::optional<StackCall> loop_at(Facts& facts, std::uint64_t address);
  bool waits(Facts& facts, std::size_t loop);
  bool only_waits(Facts& facts, const CodeLoop& loop);
  bool counts(Facts& facts, const CodeLoop& loop, std::uint32_t block);
  bool reads_the_same(Facts& facts, const CodeLoop& loop);
  const Instruction& effect(Facts& facts, std::size_t instruction);
  Instruction effect_of_call(Facts& facts, const Instruction& call);
  // Of calling a function; empty: it may do anything.
  std::optional<Instruction> effect_of(const StackCall& function, CodeMachine machine);
  std::optional<Instruction> effect_by_name(const std::string& name, CodeMachine machine) const;
  std::string name_behind(const StackCall& function);
  bool is_harmless(Facts& facts);
  bool gives_back(const StackCall& call);
  bool is_announced(std::span<const StackCall> calls);
  bool is_announced_at(Facts& facts, std::uint64_t address);
  bool begins_waits(const StackCall& function);
  std::string name_of_call(const Facts& facts, const Instruction& call);

  bool pauses(Facts& facts, std::uint32_t block);
  bool pauses_each_time(Facts& facts, const CodeLoop& loop);
  bool writes_memory(Facts& facts, const std::vector<std::uint32_t>& blocks);
  Registers writes(Facts& facts, const std::vector<std::uint32_t>& blocks);
  Registers read_first(Facts& facts, const std::vector<std::uint32_t>& blocks, std::uint32_t entry,
                       bool is_loop);
  bool stores_same_values(Facts& facts, const CodeLoop& loop);

  ProgramCode& program_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Facts> functions_; // by module and begin
  std::map<StackCall, Facts*> of_calls_;
  std::map<StackCall, std::optional<StackCall>> loops_; // at an instruction
  std::map<StackCall, bool> announced_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> names_; // of what is called
  unsigned depth_ = 0;
};

} // namespace tp::analysis
