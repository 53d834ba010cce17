// SPDX-License-Identifier: Apache-2.0
// See machine_code.h.
#include "sites/machine_code.h"

#include "sites/instructions.h"

#include <cstring>

namespace tp::analysis {
namespace {

class Disassembler {
public:
  explicit Disassembler(CodeMachine machine) {
    const bool is_x86 = machine == CodeMachine::X86_64;
    is_open_ = cs_open(is_x86 ? CS_ARCH_X86 : CS_ARCH_ARM64, is_x86 ? CS_MODE_64 : CS_MODE_ARM,
                       &handle_) == CS_ERR_OK;
    if (is_open_)
      cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON);
    room_ = is_open_ ? cs_malloc(handle_) : nullptr;
  }
  ~Disassembler() {
    if (room_)
      cs_free(room_, 1);
    if (is_open_)
      cs_close(&handle_);
  }
  Disassembler(const Disassembler&) = delete;
  Disassembler& operator=(const Disassembler&) = delete;

  // Null: these bytes are no instruction that it knows.
  const cs_insn* at(std::span<const std::byte> code, std::uint64_t address) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(code.data());
    std::size_t size = code.size();
    return room_ && cs_disasm_iter(handle_, &bytes, &size, &address, room_) ? room_ : nullptr;
  }

private:
  csh handle_ = 0;
  bool is_open_ = false;
  cs_insn* room_ = nullptr;
};

// Its own: a handle keeps memory of the last instruction.
Disassembler& disassembler(CodeMachine machine) {
  thread_local Disassembler x86(CodeMachine::X86_64), arm(CodeMachine::Aarch64);
  return machine == CodeMachine::X86_64 ? x86 : arm;
}

} // namespace

std::vector<Instruction> decode(CodeMachine machine, std::span<const std::byte> code,
                                std::uint64_t address) {
  const bool is_x86 = machine == CodeMachine::X86_64;
  const std::uint32_t least = is_x86 ? 1 : 4;
  std::vector<Instruction> all;
  bool has_frame_pointer = false;
  for (std::size_t offset = 0; offset + least <= code.size();) {
    if (all.size() == kMostInstructions)
      return {};
    const auto rest = code.subspan(offset);
    Instruction& to = all.emplace_back();
    to.address = address + offset;
    to.size = least;
    if (const cs_insn* const from = disassembler(machine).at(rest, to.address)) {
      to.size = from->size;
      has_frame_pointer |= is_x86 ? sets_frame_pointer_x86(*from) : sets_frame_pointer_arm(*from);
      is_x86 ? describe_x86(*from, has_frame_pointer, to)
             : describe_arm(*from, has_frame_pointer, to);
    }
    if (!is_x86 && !to.is_known && to.flow == Instruction::Flow::Next) {
      std::uint32_t word = 0;
      std::memcpy(&word, rest.data(), sizeof word);
      Instruction newer;
      newer.address = to.address;
      newer.size = to.size;
      if (describe_newer_arm(word, newer)) {
        newer.is_known = true;
        to = newer;
      }
    }
    offset += to.size;
  }
  return all;
}

Registers arguments(CodeMachine machine) {
  return machine == CodeMachine::X86_64 ? arguments_x86() : arguments_arm();
}

Registers changed_by_calls(CodeMachine machine) {
  return machine == CodeMachine::X86_64 ? changed_by_calls_x86() : changed_by_calls_arm();
}

} // namespace tp::analysis
