// SPDX-License-Identifier: Apache-2.0
// MACHINE CODE: what instructions of a function do, as far as it takes to recognize loops that only wait: where they
// continue, which registers and how memory they read and write. Instructions that the tables do not contain are
// marked as unknown; nothing is assumed of them. x86-64 and AArch64, decoded by capstone. Used by waiting_loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tp::analysis {

// A set of registers. x86-64: of each general register its lowest byte, the one above that, and the rest. Those that a
// thread cannot compute with (the instruction pointer, segments) are not in it.
using Registers = std::uint64_t;

struct Instruction {
  enum class Flow : std::uint8_t {
    Next,
    Jump,
    Branch, // to `target`, or to what follows
    Call,
    Leaves // returns, traps, or jumps to an address that it computes
  };
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  bool is_known = false;   // its effects are these, and no others
  bool is_padding = false; // does nothing
  Flow flow = Flow::Next;
  bool jumps_anywhere = false; // a jump or call to an address that it computes
  // Of a jump, branch or call.
  std::optional<std::uint64_t> target;
  // Where memory has the address that a call or jump goes to (an entry of the global offset table).
  std::optional<std::uint64_t> target_at;

  // AArch64: the page that adrp computes; the constant offset of a load.
  std::optional<std::uint64_t> page, offset;

  Registers reads = 0;
  Registers writes = 0; // perhaps
  Registers sets = 0;   // of `writes`, always: what they held before does not matter
  Registers addressed =
      0; // of `reads`, those of the addresses of what it loads or changes in memory
  bool loads = false;
  bool loads_from_frame =
      false; // all that it loads is at a constant distance from the stack or frame pointer
  bool stores = false;          // other than to its own frame, and other than an atomic operation
  bool stores_in_frame = false; // at a constant distance from the stack or frame pointer
  bool stores_constant = false; // what it stores there is the same each time
  bool pauses = false;          // lets the processor know that the thread waits

  // An atomic operation that writes to memory.
  enum class Atomic : std::uint8_t {
    None,
    Sets,   // writes what depends on `stored` only: the same again has no effect
    Changes // writes something else each time
  };
  Atomic atomic = Atomic::None;
  Registers stored = 0;
  // Of a store that fails if another thread wrote: the register that says so. Code repeats it as if it were one instruction.
  Registers status = 0;

  std::uint64_t end() const { return address + size; }
};

enum class CodeMachine : std::uint8_t { X86_64, Aarch64 };

// From the first byte of a function on, whose address is `address`; what cannot be decoded is unknown. At most
// kMostInstructions; longer functions give none.
inline constexpr std::size_t kMostInstructions = 20000;
std::vector<Instruction> decode(CodeMachine machine, std::span<const std::byte> code,
                                std::uint64_t address);

// By the calling convention: what a function may read of its caller's registers, and what it may change.
Registers arguments(CodeMachine machine);
Registers changed_by_calls(CodeMachine machine);

} // namespace tp::analysis
