// SPDX-License-Identifier: Apache-2.0
// See instructions.h: AArch64.
#include "sites/instructions.h"

#include <cstddef>
#include <iterator>
#include <optional>

namespace tp::analysis {
namespace {

using Flow = Instruction::Flow;
using Atomic = Instruction::Atomic;

constexpr Registers kArmFlags = Registers{1} << 33;
constexpr Registers arm_register(unsigned number) { // 31: the stack pointer
  return Registers{1} << number;
}
constexpr Registers kArmStack = arm_register(31), kArmFrame = arm_register(29);

// Empty: neither a general register nor the stack pointer. Writing the lower half of one clears the upper one.
std::optional<Registers> arm_register_of(unsigned id) {
  if (id == ARM64_REG_XZR || id == ARM64_REG_WZR)
    return 0;
  if (id == ARM64_REG_SP || id == ARM64_REG_WSP)
    return kArmStack;
  if (id == ARM64_REG_X29)
    return kArmFrame;
  if (id == ARM64_REG_X30)
    return arm_register(30);
  if (id >= ARM64_REG_X0 && id <= ARM64_REG_X28)
    return arm_register(id - ARM64_REG_X0);
  if (id >= ARM64_REG_W0 && id <= ARM64_REG_W30)
    return arm_register(id - ARM64_REG_W0);
  return std::nullopt;
}

class Arm {
public:
  Arm(const cs_insn& from, bool has_frame_pointer, Instruction& to)
      : of_(from.detail->arm64), has_frame_pointer_(has_frame_pointer), to_(to),
        name_(from.mnemonic) {}

  void describe() {
    to_.is_known = true;
    if (is_flow() || is_atomic() || is_load() || is_store() || is_comparison() || is_arithmetic() ||
        is_without_effects())
      return;
    to_.is_known = false;
  }

private:
  std::size_t count() const { return of_.op_count; }
  const cs_arm64_op& operand(std::size_t i) const { return of_.operands[i]; }
  Registers register_of(unsigned id) {
    const auto found = arm_register_of(id);
    to_.is_known &= found.has_value();
    return found.value_or(0);
  }
  void reads(std::size_t i) {
    if (i < count() && operand(i).type == ARM64_OP_REG)
      to_.reads |= register_of(operand(i).reg);
    else if (i < count())
      to_.is_known &= operand(i).type == ARM64_OP_IMM || operand(i).type == ARM64_OP_CIMM;
  }
  void sets(std::size_t i) {
    if (i < count() && operand(i).type == ARM64_OP_REG)
      set(to_, register_of(operand(i).reg));
  }
  // The operand that is memory, with what its address takes; false: there is none.
  bool reads_address() {
    for (std::size_t i = 0; i < count(); ++i) {
      if (operand(i).type != ARM64_OP_MEM)
        continue;
      const auto& memory = operand(i).mem;
      to_.addressed |= register_of(memory.base);
      if (memory.index != ARM64_REG_INVALID)
        to_.addressed |= register_of(memory.index);
      to_.reads |= to_.addressed;
      if (of_.writeback)
        to_.writes |= register_of(memory.base);
      if (memory.index == ARM64_REG_INVALID && memory.disp >= 0)
        to_.offset = static_cast<std::uint64_t>(memory.disp);
      is_in_frame_ =
          memory.index == ARM64_REG_INVALID &&
          (memory.base == ARM64_REG_SP || (memory.base == ARM64_REG_X29 && has_frame_pointer_));
      return true;
    }
    return false;
  }

  bool is_flow() {
    const bool is_jump = name_ == "b", is_call = name_ == "bl";
    const bool tests = is_one_of(name_, {"cbz", "cbnz", "tbz", "tbnz"});
    if (is_jump || is_call || tests || name_.starts_with("b.")) {
      const bool is_conditional =
          tests || name_.starts_with("b.") ||
          (is_jump && of_.cc != ARM64_CC_INVALID && of_.cc != ARM64_CC_AL && of_.cc != ARM64_CC_NV);
      to_.flow = is_call ? Flow::Call : is_conditional ? Flow::Branch : Flow::Jump;
      if (tests)
        reads(0);
      else if (is_conditional)
        to_.reads |= kArmFlags;
      if (count() > 0 && operand(count() - 1).type == ARM64_OP_IMM)
        to_.target = static_cast<std::uint64_t>(operand(count() - 1).imm);
      to_.is_known = to_.target.has_value();
      return true;
    }
    if (is_one_of(name_, {"br", "blr"})) {
      reads(0);
      to_.jumps_anywhere = true;
      to_.flow = name_ == "br" ? Flow::Leaves : Flow::Call;
      return true;
    }
    if (!is_one_of(name_, {"ret", "brk", "udf", "hlt", "retaa", "retab"}))
      return false;
    to_.flow = Flow::Leaves;
    return true;
  }
  bool is_atomic() {
    if (!is_one_of(name_,
                   {"stxr", "stxrb", "stxrh", "stlxr", "stlxrb", "stlxrh", "stxp", "stlxp"}) ||
        !reads_address() || count() < 3)
      return false;
    for (std::size_t i = 1; i + 1 < count(); ++i) {
      reads(i);
      to_.stored |= register_of(operand(i).reg);
    }
    to_.status = register_of(operand(0).reg);
    sets(0);
    to_.atomic = Atomic::Sets;
    return true;
  }
  bool is_load() {
    if (!name_.starts_with("ld") || !reads_address())
      return false;
    const bool is_pair = is_one_of(name_, {"ldp", "ldpsw", "ldxp", "ldaxp", "ldnp"});
    if (!is_pair &&
        !is_one_of(name_, {"ldr",    "ldrb",  "ldrh",   "ldrsb",  "ldrsh",  "ldrsw", "ldur",
                           "ldurb",  "ldurh", "ldursb", "ldursh", "ldursw", "ldar",  "ldarb",
                           "ldarh",  "ldlar", "ldxr",   "ldxrb",  "ldxrh",  "ldaxr", "ldaxrb",
                           "ldaxrh", "ldapr", "ldaprb", "ldaprh", "ldapur"}))
      return false;
    sets(0);
    if (is_pair)
      sets(1);
    to_.loads = true;
    to_.loads_from_frame = is_in_frame_;
    return true;
  }
  bool is_store() {
    if (!is_one_of(name_, {"str", "strb", "strh", "stur", "sturb", "sturh", "stp", "stnp", "stlr",
                           "stlrb", "stlrh"}) ||
        !reads_address())
      return false;
    bool is_zero = true;
    for (std::size_t i = 0; i < count() && operand(i).type == ARM64_OP_REG; ++i) {
      reads(i);
      is_zero &= operand(i).reg == ARM64_REG_XZR || operand(i).reg == ARM64_REG_WZR;
    }
    (is_in_frame_ ? to_.stores_in_frame : to_.stores) = true;
    to_.stores_constant = is_in_frame_ && is_zero;
    return true;
  }
  bool is_comparison() {
    if (is_one_of(name_, {"cmp", "cmn", "tst"})) {
      for (std::size_t i = 0; i < count(); ++i)
        reads(i);
      set(to_, kArmFlags);
      return true;
    }
    if (!is_one_of(name_, {"ccmp", "ccmn"}))
      return false;
    for (std::size_t i = 0; i < count(); ++i)
      reads(i);
    to_.reads |= kArmFlags;
    set(to_, kArmFlags);
    return true;
  }
  bool is_arithmetic() {
    static constexpr std::string_view kNames[] = {
        "add",  "adds",  "sub",   "subs",  "and",   "ands", "orr",  "orn",  "eor",  "eon",
        "bic",  "bics",  "mov",   "movz",  "movn",  "mvn",  "neg",  "negs", "lsl",  "lsr",
        "asr",  "ror",   "uxtb",  "uxth",  "uxtw",  "sxtb", "sxth", "sxtw", "ubfx", "ubfm",
        "sbfx", "sbfm",  "ubfiz", "sbfiz", "madd",  "msub", "mul",  "adr",  "adrp", "csel",
        "cset", "csinc", "csinv", "csneg", "csetm", "cinc", "cinv", "cneg", "rev",  "clz"};
    const bool is_partial = is_one_of(name_, {"movk", "bfi", "bfxil", "bfm"});
    if (!is_partial && std::ranges::find(kNames, name_) == std::end(kNames))
      return false;
    for (std::size_t i = is_partial ? 0 : 1; i < count(); ++i)
      reads(i);
    if (name_.starts_with("cs") || name_.starts_with("ci") || name_ == "cneg")
      to_.reads |= kArmFlags;
    if (name_ == "adrp" && count() == 2)
      to_.page = static_cast<std::uint64_t>(operand(1).imm);
    if (name_.ends_with("s") && is_one_of(name_, {"adds", "subs", "ands", "bics", "negs"}))
      set(to_, kArmFlags);
    sets(0);
    return true;
  }
  bool is_without_effects() {
    to_.is_padding = name_ == "nop";
    to_.pauses = is_one_of(name_, {"yield", "wfe", "isb"});
    return to_.pauses || is_one_of(name_, {"nop", "hint", "sev", "sevl", "dmb", "dsb", "prfm",
                                           "bti", "prfum", "clrex"});
  }

  const cs_arm64& of_;
  const bool has_frame_pointer_;
  Instruction& to_;
  std::string_view name_;
  bool is_in_frame_ = false;
};

} // namespace

void describe_arm(const cs_insn& from, bool has_frame_pointer, Instruction& to) {
  Arm(from, has_frame_pointer, to).describe();
}

bool describe_newer_arm(std::uint32_t word, Instruction& to) {
  const auto number = [word](unsigned shift) {
    const unsigned found = word >> shift & 31;
    return found == 31 ? Registers{0} : arm_register(found);
  };
  const Registers base = (word >> 5 & 31) == 31 ? kArmStack : number(5);
  to.reads = to.addressed = base;
  to.loads = true;
  if ((word & 0x3FA07C00) ==
      0x08A07C00) { // cas: Rs is compared and gets the old value, Rt is stored
    to.reads |= number(16) | number(0);
    to.writes = number(16);
    to.stored = number(0);
    to.atomic = Atomic::Sets;
    return true;
  }
  if ((word & 0x3FFFFC00) == 0x38BFC000) { // ldapr
    set(to, number(0));
    return true;
  }
  if ((word & 0x3F200C00) != 0x38200000)
    return false;
  const unsigned operation = word >> 12 & 15; // Rs is the operand, Rt gets the old value
  constexpr unsigned kClear = 1, kSet = 3, kSwap = 8;
  if (operation > kSwap)
    return false;
  to.reads |= number(16);
  to.stored = number(16);
  to.atomic = operation == kClear || operation == kSet || operation == kSwap ? Atomic::Sets
                                                                             : Atomic::Changes;
  set(to, number(0));
  return true;
}

bool sets_frame_pointer_arm(const cs_insn& from) {
  const std::string_view name(from.mnemonic), operands(from.op_str);
  return (name == "mov" && operands == "x29, sp") ||
         (name == "add" && operands.starts_with("x29, sp, "));
}

Registers arguments_arm() {
  return (Registers{1} << 9) - 1; // x0 to x8
}

Registers changed_by_calls_arm() {
  return ((Registers{1} << 19) - 1) | arm_register(30) | kArmFlags;
}

} // namespace tp::analysis
