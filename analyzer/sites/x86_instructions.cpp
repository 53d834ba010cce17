// SPDX-License-Identifier: Apache-2.0
// See instructions.h: x86-64.
#include "sites/instructions.h"

#include <cstddef>
#include <iterator>
#include <optional>

namespace tp::analysis {
namespace {

using Flow = Instruction::Flow;
using Atomic = Instruction::Atomic;

constexpr Registers kX86Flags = Registers{1} << 48;

constexpr Registers x86_register(unsigned number, Registers bits) {
  return bits << (3 * number);
}
// rax rcx rdx rbx rsp rbp rsi rdi r8 ... r15: of each three parts: the lowest byte, the one above, the rest.
constexpr Registers kRax = x86_register(0, 7), kRcx = x86_register(1, 7), kRdx = x86_register(2, 7),
                    kRbx = x86_register(3, 7), kRsp = x86_register(4, 7), kRbp = x86_register(5, 7),
                    kRsi = x86_register(6, 7), kRdi = x86_register(7, 7);

// Empty: not a general register. Writing the lower half of one clears the upper one.
std::optional<Registers> x86_bits_of(unsigned id) {
  constexpr Registers kLow = 1, kHigh = 2, kTwo = 3, kAll = 7;
  struct Name {
    unsigned id, number;
    Registers bits;
  };
  static constexpr Name kNames[] = {
      {X86_REG_AL, 0, kLow},    {X86_REG_AH, 0, kHigh},   {X86_REG_AX, 0, kTwo},
      {X86_REG_EAX, 0, kAll},   {X86_REG_RAX, 0, kAll},   {X86_REG_CL, 1, kLow},
      {X86_REG_CH, 1, kHigh},   {X86_REG_CX, 1, kTwo},    {X86_REG_ECX, 1, kAll},
      {X86_REG_RCX, 1, kAll},   {X86_REG_DL, 2, kLow},    {X86_REG_DH, 2, kHigh},
      {X86_REG_DX, 2, kTwo},    {X86_REG_EDX, 2, kAll},   {X86_REG_RDX, 2, kAll},
      {X86_REG_BL, 3, kLow},    {X86_REG_BH, 3, kHigh},   {X86_REG_BX, 3, kTwo},
      {X86_REG_EBX, 3, kAll},   {X86_REG_RBX, 3, kAll},   {X86_REG_SPL, 4, kLow},
      {X86_REG_SP, 4, kTwo},    {X86_REG_ESP, 4, kAll},   {X86_REG_RSP, 4, kAll},
      {X86_REG_BPL, 5, kLow},   {X86_REG_BP, 5, kTwo},    {X86_REG_EBP, 5, kAll},
      {X86_REG_RBP, 5, kAll},   {X86_REG_SIL, 6, kLow},   {X86_REG_SI, 6, kTwo},
      {X86_REG_ESI, 6, kAll},   {X86_REG_RSI, 6, kAll},   {X86_REG_DIL, 7, kLow},
      {X86_REG_DI, 7, kTwo},    {X86_REG_EDI, 7, kAll},   {X86_REG_RDI, 7, kAll},
      {X86_REG_R8B, 8, kLow},   {X86_REG_R8W, 8, kTwo},   {X86_REG_R8D, 8, kAll},
      {X86_REG_R8, 8, kAll},    {X86_REG_R9B, 9, kLow},   {X86_REG_R9W, 9, kTwo},
      {X86_REG_R9D, 9, kAll},   {X86_REG_R9, 9, kAll},    {X86_REG_R10B, 10, kLow},
      {X86_REG_R10W, 10, kTwo}, {X86_REG_R10D, 10, kAll}, {X86_REG_R10, 10, kAll},
      {X86_REG_R11B, 11, kLow}, {X86_REG_R11W, 11, kTwo}, {X86_REG_R11D, 11, kAll},
      {X86_REG_R11, 11, kAll},  {X86_REG_R12B, 12, kLow}, {X86_REG_R12W, 12, kTwo},
      {X86_REG_R12D, 12, kAll}, {X86_REG_R12, 12, kAll},  {X86_REG_R13B, 13, kLow},
      {X86_REG_R13W, 13, kTwo}, {X86_REG_R13D, 13, kAll}, {X86_REG_R13, 13, kAll},
      {X86_REG_R14B, 14, kLow}, {X86_REG_R14W, 14, kTwo}, {X86_REG_R14D, 14, kAll},
      {X86_REG_R14, 14, kAll},  {X86_REG_R15B, 15, kLow}, {X86_REG_R15W, 15, kTwo},
      {X86_REG_R15D, 15, kAll}, {X86_REG_R15, 15, kAll}};
  const auto found = std::ranges::find(kNames, id, &Name::id);
  return found == std::end(kNames) ? std::nullopt
                                   : std::optional(x86_register(found->number, found->bits));
}

class X86 {
public:
  // `has_frame_pointer`: rbp is not used for anything else.
  X86(const cs_insn& from, bool has_frame_pointer, Instruction& to)
      : from_(from), of_(from.detail->x86), has_frame_pointer_(has_frame_pointer), to_(to),
        name_(from.mnemonic) {
    is_locked_ = name_.starts_with("lock ");
    if (is_locked_)
      name_.remove_prefix(5);
    // "rep ret", "bnd jmp", "notrack jmp"
    const std::string_view last = name_.substr(name_.rfind(' ') + 1);
    if (last == "ret" || last == "call" || last.starts_with('j'))
      name_ = last;
  }

  void describe() {
    to_.is_known = true;
    if (is_flow() || is_move() || is_comparison() || is_arithmetic() || is_atomic() || is_stack() ||
        is_without_effects())
      return;
    to_.is_known = false;
  }

private:
  std::size_t count() const { return of_.op_count; }
  const cs_x86_op& operand(std::size_t i) const { return of_.operands[i]; }
  bool is_memory(std::size_t i) const { return i < count() && operand(i).type == X86_OP_MEM; }
  bool is_same_register(std::size_t i, std::size_t j) const {
    return operand(i).type == X86_OP_REG && operand(j).type == X86_OP_REG &&
           operand(i).reg == operand(j).reg;
  }
  Registers bits(unsigned id) {
    const auto found = x86_bits_of(id);
    to_.is_known &= found.has_value();
    return found.value_or(0);
  }
  Registers address(const x86_op_mem& memory) {
    Registers registers = 0;
    for (const unsigned id :
         {static_cast<unsigned>(memory.base), static_cast<unsigned>(memory.index)})
      if (id != X86_REG_INVALID && id != X86_REG_RIP && id != X86_REG_RIZ && id != X86_REG_EIZ)
        registers |= bits(id);
    return registers;
  }
  bool is_in_frame(const x86_op_mem& memory) const {
    return memory.index == X86_REG_INVALID && memory.segment == X86_REG_INVALID &&
           (memory.base == X86_REG_RSP || (memory.base == X86_REG_RBP && has_frame_pointer_));
  }
  void reads(std::size_t i) {
    if (i >= count())
      return;
    if (operand(i).type == X86_OP_REG)
      to_.reads |= bits(operand(i).reg);
    if (operand(i).type == X86_OP_MEM) {
      to_.addressed |= address(operand(i).mem);
      to_.reads |= to_.addressed;
      to_.loads_from_frame = is_in_frame(operand(i).mem) && (to_.loads_from_frame || !to_.loads);
      to_.loads = true;
    }
  }
  void stores(const x86_op_mem& memory) {
    to_.reads |= address(memory);
    (is_in_frame(memory) ? to_.stores_in_frame : to_.stores) = true;
  }
  void sets(std::size_t i) {
    if (operand(i).type == X86_OP_REG)
      set(to_, bits(operand(i).reg));
    else if (operand(i).type == X86_OP_MEM)
      stores(operand(i).mem);
  }
  void changes(std::size_t i) {
    reads(i);
    sets(i);
  }

  bool is_flow() {
    if (name_ == "call" || name_ == "jmp") {
      const bool is_call = name_ == "call";
      to_.flow = is_call ? Flow::Call : Flow::Jump;
      if (count() > 0 && operand(0).type == X86_OP_IMM) {
        to_.target = static_cast<std::uint64_t>(operand(0).imm);
        return true;
      }
      reads(0);
      if (is_memory(0) && operand(0).mem.base == X86_REG_RIP &&
          operand(0).mem.index == X86_REG_INVALID)
        to_.target_at =
            from_.address + from_.size + static_cast<std::uint64_t>(operand(0).mem.disp);
      to_.jumps_anywhere = true;
      if (!is_call)
        to_.flow = Flow::Leaves;
      return true;
    }
    if (name_.starts_with("ret") || is_one_of(name_, {"ud2", "int3", "hlt"})) {
      to_.flow = Flow::Leaves;
      return true;
    }
    if (!name_.starts_with("j") && !name_.starts_with("loop"))
      return false;
    to_.flow = Flow::Branch;
    if (count() > 0 && operand(0).type == X86_OP_IMM)
      to_.target = static_cast<std::uint64_t>(operand(0).imm);
    to_.reads |= kX86Flags;
    to_.is_known = to_.target && !is_one_of(name_, {"jcxz", "jecxz", "jrcxz"}) && name_[0] == 'j';
    return true;
  }
  bool is_move() {
    if (is_one_of(name_, {"mov", "movabs", "movzx", "movsx", "movsxd"}) && count() == 2) {
      reads(1);
      sets(0);
      to_.stores_constant = to_.stores_in_frame && operand(1).type == X86_OP_IMM;
      return true;
    }
    if (name_ == "lea" && count() == 2 && is_memory(1)) {
      to_.reads |= address(operand(1).mem);
      sets(0);
      return true;
    }
    if (name_.starts_with("set") && count() == 1) {
      to_.reads |= kX86Flags;
      sets(0);
      return true;
    }
    if (name_.starts_with("cmov") && count() == 2) {
      to_.reads |= kX86Flags;
      reads(1);
      reads(0);
      to_.writes |= bits(operand(0).reg);
      return true;
    }
    if (is_one_of(name_, {"cdqe", "cwde", "cbw"})) {
      to_.reads |= kRax;
      to_.writes |= kRax;
      return true;
    }
    if (is_one_of(name_, {"cdq", "cqo"})) {
      to_.reads |= kRax;
      set(to_, kRdx);
      return true;
    }
    return false;
  }
  bool is_comparison() {
    if (!is_one_of(name_, {"cmp", "test", "bt"}) || count() != 2)
      return false;
    reads(0);
    reads(1);
    name_ == "bt" ? void(to_.writes |= kX86Flags) : set(to_, kX86Flags);
    return true;
  }
  bool is_arithmetic() {
    if (is_locked_)
      return false;
    if (is_one_of(name_, {"add", "sub", "and", "or", "xor", "adc", "sbb"}) && count() == 2) {
      if (is_one_of(name_, {"adc", "sbb"}))
        to_.reads |= kX86Flags;
      set(to_, kX86Flags);
      if (is_one_of(name_, {"xor", "sub"}) && is_same_register(0, 1)) {
        sets(0);
        return true;
      }
      reads(1);
      changes(0);
      return true;
    }
    if (is_one_of(name_, {"inc", "dec", "neg", "not", "shl", "sal", "shr", "sar", "rol", "ror",
                          "bts", "btr", "btc", "bswap"})) {
      to_.writes |= kX86Flags;
      reads(1);
      changes(0);
      return true;
    }
    if (name_ == "imul" && (count() == 2 || count() == 3)) {
      to_.writes |= kX86Flags;
      reads(1);
      if (count() == 2)
        reads(0);
      sets(0);
      return true;
    }
    return false;
  }
  bool is_atomic() {
    if (name_ == "xchg" && count() == 2) {
      const std::size_t memory = is_memory(0) ? 0 : 1, other = 1 - memory;
      if (!is_memory(memory)) {
        reads(0);
        reads(1);
        sets(0);
        sets(1);
        return true;
      }
      return writes_atomically(memory, other, Atomic::Sets, true);
    }
    if (!is_locked_ || count() == 0 || !is_memory(0))
      return false;
    set(to_, kX86Flags);
    if (name_ == "cmpxchg" && count() == 2) {
      const Registers expected = x86_register(0, operand(0).size == 1   ? 1
                                                 : operand(0).size == 2 ? 3
                                                                        : 7);
      to_.reads |= expected;
      to_.writes |= expected;
      return writes_atomically(0, 1, Atomic::Sets, false);
    }
    if (is_one_of(name_, {"cmpxchg8b", "cmpxchg16b"})) {
      to_.reads |= kRax | kRdx | kRbx | kRcx;
      to_.writes |= kRax | kRdx;
      to_.stored = kRbx | kRcx;
      return writes_atomically(0, 1, Atomic::Sets, false);
    }
    if (name_ == "xadd")
      return writes_atomically(0, 1, Atomic::Changes, true);
    if (is_one_of(name_, {"or", "and", "bts", "btr"}))
      return writes_atomically(0, 1, Atomic::Sets, false);
    return is_one_of(name_,
                     {"add", "sub", "adc", "sbb", "xor", "inc", "dec", "neg", "not", "btc"}) &&
           writes_atomically(0, 1, Atomic::Changes, false);
  }
  bool writes_atomically(std::size_t memory, std::size_t other, Atomic how, bool gives_old) {
    reads(memory);
    reads(other);
    to_.atomic = how;
    if (other < count() && operand(other).type == X86_OP_REG) {
      to_.stored |= bits(operand(other).reg);
      if (gives_old)
        sets(other);
    }
    return true;
  }
  bool is_stack() {
    if (name_ == "push") {
      reads(0);
      to_.reads |= kRsp;
      to_.writes |= kRsp;
      to_.stores_in_frame = true;
      return true;
    }
    if (name_ == "pop") {
      to_.reads |= kRsp;
      to_.writes |= kRsp;
      to_.loads = true;
      sets(0);
      return true;
    }
    if (name_ == "leave") {
      to_.reads |= kRbp;
      set(to_, kRsp | kRbp);
      to_.loads = true;
      return true;
    }
    return false;
  }
  bool is_without_effects() {
    to_.pauses = name_ == "pause";
    to_.is_padding = name_.ends_with("nop");
    return to_.pauses || to_.is_padding || name_.starts_with("prefetch") ||
           is_one_of(name_, {"endbr64", "lfence", "mfence", "sfence"});
  }

  const cs_insn& from_;
  const cs_x86& of_;
  const bool has_frame_pointer_;
  Instruction& to_;
  std::string_view name_;
  bool is_locked_ = false;
};

} // namespace

void describe_x86(const cs_insn& from, bool has_frame_pointer, Instruction& to) {
  X86(from, has_frame_pointer, to).describe();
}

bool sets_frame_pointer_x86(const cs_insn& from) {
  return std::string_view(from.mnemonic) == "mov" && std::string_view(from.op_str) == "rbp, rsp";
}

Registers arguments_x86() {
  return kRdi | kRsi | kRdx | kRcx | kRax | x86_register(8, 7) | x86_register(9, 7);
}

Registers changed_by_calls_x86() {
  return arguments_x86() | x86_register(10, 7) | x86_register(11, 7) | kX86Flags;
}

} // namespace tp::analysis
