// SPDX-License-Identifier: Apache-2.0
// FRAME RULES: how to get from a call to the call around it. The compiler describes that for each
// address (call frame information: DWARF 5, section 6.4; in .eh_frame as the Linux Standard Base
// has it). Reading the description takes microseconds, so a thread keeps, for the return addresses
// that it meets, the rule that results: then a frame costs a look-up and two loads, and is as right
// as unwinding, also where a function moves its stack pointer (alloca).
#pragma once

#include "base/attributes.h"

#include <cstdint>

namespace tp::rt {

// The rule for a return address: where the frame that contains it ends (its canonical frame
// address, CFA), which is the stack pointer's value after return to the next one; the next return
// address is just below it.
struct FrameRule {
  enum class Kind : std::uint8_t {
    None,         // not known: unwinding ends here
    StackPointer, // CFA = stack pointer + offset
    FramePointer, // CFA = frame pointer + offset
    Indirect,     // CFA = the word at frame pointer + offset: functions that align their stack
  };
  Kind kind = Kind::None;
  // The next frame pointer is the word at CFA + 8 * saved, or at the frame pointer; 0: unchanged.
  static constexpr std::int16_t kSavedAtFramePointer = INT16_MIN;
  std::int16_t saved = 0;
  std::int32_t offset = 0;
};

// Reads the rule from the call frame information of the loaded modules. Cold. Only x86-64 has
// rules; elsewhere, and for code without a description, the kind is None.
TP_COLD FrameRule frame_rule_at(std::uintptr_t return_address) noexcept;

// The rules that a thread has met: sets of a cache line each, the newest rule first; the oldest one
// of a set is replaced. A module that is unloaded leaves its rules: they are used only if code
// returns to the same address again.
class FrameRules {
public:
  // Null: learn() knows it. Which rules share a set does not depend on where modules are loaded, so
  // that equal runs execute equal instructions.
  TP_HOT const FrameRule* find(std::uintptr_t return_address) const noexcept {
    for (const Entry& entry : sets_[set_of(return_address)].entries)
      if (entry.address == return_address) [[likely]]
        return &entry.rule;
    return nullptr;
  }
  // Takes microseconds.
  TP_COLD const FrameRule& learn(std::uintptr_t return_address) noexcept;

private:
  struct Entry {
    std::uintptr_t address = 0;
    FrameRule rule;
  };
  static constexpr unsigned kWays = 4, kBits = 6, kPageBits = 12;
  struct alignas(64) Set {
    Entry entries[kWays];
  };
  static_assert(sizeof(Set) == 64 && kPageBits == 2 * kBits);
  static unsigned set_of(std::uintptr_t address) noexcept {
    return (address ^ address >> kBits) & ((1u << kBits) - 1);
  }

  Set sets_[1u << kBits];
};

} // namespace tp::rt
