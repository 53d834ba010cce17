// SPDX-License-Identifier: Apache-2.0
// What a decoded instruction does, by a table for each processor. Called by machine_code.
#pragma once

#include "sites/machine_code.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include <capstone/capstone.h>

namespace tp::analysis {

// `has_frame_pointer`: the register that may have it is used for nothing else.
void describe_x86(const cs_insn& from, bool has_frame_pointer, Instruction& to);
void describe_arm(const cs_insn& from, bool has_frame_pointer, Instruction& to);
// Atomic operations of Armv8.1, and loads of Armv8.3, which not all versions of capstone know. False: another instruction.
bool describe_newer_arm(std::uint32_t word, Instruction& to);

// Whether it makes that register the frame pointer.
bool sets_frame_pointer_x86(const cs_insn& from);
bool sets_frame_pointer_arm(const cs_insn& from);

// By the calling convention.
Registers arguments_x86();
Registers arguments_arm();
Registers changed_by_calls_x86();
Registers changed_by_calls_arm();

inline bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

inline void set(Instruction& to, Registers registers) {
  to.writes |= registers;
  to.sets |= registers;
}

} // namespace tp::analysis
