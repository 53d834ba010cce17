// SPDX-License-Identifier: Apache-2.0
// See stack_unwinder.h. Only the copy of the stack is read: a rule that refers to other memory ends the
// stack there.
#include "sites/stack_unwinder.h"

#include "tp/trace/samples_format.h"

#include <dwarf.h>
#include <elf.h>
#include <gelf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

namespace tp::analysis {
namespace {

constexpr std::size_t kMostCalls = 512;
constexpr std::size_t kMostRegisters = 64;
constexpr std::size_t kMostOperations = 64;

template <typename Value>
Value value_at(const std::byte* at) {
  Value value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

} // namespace

struct StackUnwinder::Registers {
  std::array<std::uint64_t, kMostRegisters> values{};
  std::array<bool, kMostRegisters> known{};
  std::uint64_t instruction = 0;
  std::uint64_t stack_begin = 0; // address of the copy
  std::span<const std::byte> stack;
  std::size_t stack_pointer = 7;
  std::size_t instruction_number =
      16; // of the instruction, which code of the procedure linkage table is unwound by

  std::optional<std::uint64_t> memory(std::uint64_t address) const {
    const std::uint64_t offset = address - stack_begin;
    if (address < stack_begin || stack.size() < 8 || offset > stack.size() - 8)
      return std::nullopt;
    return value_at<std::uint64_t>(stack.data() + offset);
  }
};

// The expressions that compilers write into call frame information.
class StackUnwinder::Evaluation {
public:
  Evaluation(const Registers& registers, std::optional<std::uint64_t> frame)
      : registers_(registers), frame_(frame) {}

  // Empty: it cannot be evaluated. `is_value`: it is the value, else its address; `is_register`: the
  // number of a register that contains it.
  std::optional<std::uint64_t> run(const std::vector<Dwarf_Op>& operations) {
    for (const Dwarf_Op& operation : operations)
      if (!execute(operation))
        return std::nullopt;
    return pop();
  }
  bool is_value = false, is_register = false;

private:
  bool push(std::uint64_t value) {
    if (size_ == stack_.size())
      return false;
    stack_[size_++] = value;
    return true;
  }
  std::optional<std::uint64_t> pop() {
    if (size_ == 0)
      return std::nullopt;
    return stack_[--size_];
  }
  bool push_register(std::uint64_t number, std::uint64_t offset) {
    return number < kMostRegisters && registers_.known[number] &&
           push(registers_.values[number] + offset);
  }
  bool execute(const Dwarf_Op& operation) {
    const auto code = operation.atom;
    if (code >= DW_OP_lit0 && code <= DW_OP_lit31)
      return push(code - DW_OP_lit0);
    if (code >= DW_OP_breg0 && code <= DW_OP_breg31)
      return push_register(code - DW_OP_breg0, operation.number);
    if (code >= DW_OP_reg0 && code <= DW_OP_reg31) {
      is_register = true;
      return push(code - DW_OP_reg0);
    }
    switch (code) {
    case DW_OP_bregx:
      return push_register(operation.number, operation.number2);
    case DW_OP_regx:
      is_register = true;
      return push(operation.number);
    case DW_OP_call_frame_cfa:
      return frame_ && push(*frame_);
    case DW_OP_stack_value:
      is_value = true;
      return true;
    case DW_OP_nop:
      return true;
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts:
      return push(operation.number);
    case DW_OP_dup:
      return size_ > 0 && push(stack_[size_ - 1]);
    default:
      return execute_on_values(operation);
    }
  }
  bool execute_on_values(const Dwarf_Op& operation) {
    const std::optional<std::uint64_t> top = pop();
    if (!top)
      return false;
    if (operation.atom == DW_OP_plus_uconst)
      return push(*top + operation.number);
    if (operation.atom == DW_OP_deref) {
      const auto value = registers_.memory(*top);
      return value && push(*value);
    }
    const std::optional<std::uint64_t> below = pop();
    if (!below)
      return false;
    switch (operation.atom) {
    case DW_OP_plus:
      return push(*below + *top);
    case DW_OP_minus:
      return push(*below - *top);
    case DW_OP_mul:
      return push(*below * *top);
    case DW_OP_and:
      return push(*below & *top);
    case DW_OP_or:
      return push(*below | *top);
    case DW_OP_shl:
      return push(*top < 64 ? *below << *top : 0);
    case DW_OP_ge:
      return push(static_cast<std::int64_t>(*below) >= static_cast<std::int64_t>(*top) ? 1 : 0);
    default:
      return false;
    }
  }

  const Registers& registers_;
  std::optional<std::uint64_t> frame_;
  std::array<std::uint64_t, kMostOperations> stack_{};
  std::size_t size_ = 0;
};

StackUnwinder::StackUnwinder(const SampleFile& file, ModuleFiles& modules)
    : file_(file), modules_(modules), stacks_(file) {}

StackCall StackUnwinder::locate(std::uint32_t list, std::uint64_t address,
                                bool is_return_address) const {
  const std::uint64_t call = is_return_address ? address - 1 : address;
  const std::vector<std::uint32_t>& loaded = file_.loaded[list];
  const auto behind = std::ranges::upper_bound(
      loaded, call, {}, [&](std::uint32_t id) { return file_.modules[id].begin; });
  if (behind == loaded.begin())
    return {StackCall::kNoModule, call};
  const LoadedModule& module = file_.modules[*std::prev(behind)];
  if (call >= module.end)
    return {StackCall::kNoModule, call};
  return {*std::prev(behind), call - module.base};
}

const StackUnwinder::Row& StackUnwinder::row_at(const StackCall& call) {
  const auto [entry, is_new] = rows_.try_emplace(call);
  if (is_new)
    entry->second = read_row(call);
  return entry->second;
}

StackUnwinder::Row StackUnwinder::read_row(const StackCall& call) {
  Row row;
  if (call.module == StackCall::kNoModule)
    return row;
  const ModuleFiles::Opened opened = modules_.open(call.module);
  if (!opened.module)
    return row;
  const Dwarf_Addr address = opened.base + call.address;
  Dwarf_Frame* frame = nullptr;
  Dwarf_Addr bias = 0;
  if (Dwarf_CFI* const unwind = dwfl_module_eh_cfi(opened.module, &bias);
      !unwind || dwarf_cfi_addrframe(unwind, address - bias, &frame) != 0) {
    Dwarf_CFI* const debug = dwfl_module_dwarf_cfi(opened.module, &bias);
    if (!debug || dwarf_cfi_addrframe(debug, address - bias, &frame) != 0)
      return row;
  }
  bool is_signal_frame = false;
  row.return_register = dwarf_frame_info(frame, nullptr, nullptr, &is_signal_frame);
  row.is_signal_frame = is_signal_frame;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (row.return_register >= 0 && row.return_register < static_cast<int>(kMostRegisters) &&
      dwarf_frame_cfa(frame, &operations, &count) == 0 && count > 0) {
    row.frame.assign(operations, operations + count);
    row.is_known = true;
    const int registers =
        file_.machine == static_cast<std::uint32_t>(trace::SampleMachine::Aarch64) ? 32 : 17;
    for (int number = 0; number < registers; ++number) {
      Dwarf_Op memory[3];
      if (dwarf_frame_register(frame, number, memory, &operations, &count) != 0)
        continue;
      if (count == 0 && !operations)
        continue; // it keeps its value
      row.rules.push_back({number, count == 0, {operations, operations + count}});
    }
  }
  std::free(frame);
  return row;
}

bool StackUnwinder::step(const Row& row, bool is_innermost, Registers& registers) {
  const auto frame = Evaluation(registers, std::nullopt).run(row.frame);
  if (!frame)
    return false;
  Registers caller = registers;
  caller.known[registers.instruction_number] = false;
  for (const Row::Rule& rule : row.rules) {
    caller.known[rule.number] = false;
    if (rule.is_undefined)
      continue;
    Evaluation evaluation(registers, frame);
    std::optional<std::uint64_t> value = evaluation.run(rule.location);
    if (value && evaluation.is_register) {
      if (*value >= kMostRegisters || !registers.known[*value])
        continue;
      value = registers.values[*value];
    } else if (value && !evaluation.is_value &&
               *value < registers.values[registers.stack_pointer]) {
      // Below the stack: the end of the function has restored it, which compilers do not say.
      value = registers.known[rule.number] ? std::optional(registers.values[rule.number])
                                           : std::nullopt;
    } else if (value && !evaluation.is_value) {
      value = registers.memory(*value);
    }
    if (!value)
      continue;
    caller.values[rule.number] = *value;
    caller.known[rule.number] = true;
  }
  caller.values[registers.stack_pointer] = *frame;
  caller.known[registers.stack_pointer] = true;
  // Every caller is further out: no loop. An innermost function may have nothing on the stack, where calls leave the return
  // address in a register.
  const std::uint64_t stack_pointer = registers.values[registers.stack_pointer];
  if (!caller.known[row.return_register] || *frame < stack_pointer ||
      (*frame == stack_pointer && !is_innermost))
    return false;
  caller.instruction = caller.values[row.return_register];
  registers = caller;
  return true;
}

UnwoundStack StackUnwinder::unwind(std::size_t sample_number) {
  const RawSample& sample = file_.samples[sample_number];
  UnwoundStack result;
  bool seen_program = false;
  // False: the beginning of the task.
  const auto add = [&](std::uint64_t address, bool is_return_address) {
    const StackCall call = locate(sample.modules, address, is_return_address);
    const bool is_onetbb = call.module != StackCall::kNoModule && modules_.is_onetbb(call.module);
    if (is_onetbb && seen_program)
      return false;
    seen_program |= !is_onetbb;
    result.calls.push_back(call);
    return true;
  };
  if (!sample.chain.empty()) {
    for (std::size_t at = 0; at + 8 <= sample.chain.size(); at += 8)
      if (const auto address = value_at<std::uint64_t>(sample.chain.data() + at);
          address == 0 || !add(address, at > 0))
        break;
    if (result.calls.empty())
      add(sample.instruction, false);
    return result;
  }
  add(sample.instruction, false);
  if (sample.registers.empty()) {
    result.is_cut = true;
    return result;
  }
  Registers registers;
  const std::size_t count = sample.registers.size() / 8;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    registers.values[i] = value_at<std::uint64_t>(sample.registers.data() + 8 * i);
    registers.known[i] = true;
  }
  registers.instruction = sample.instruction;
  registers.instruction_number = count - 1;
  registers.stack_pointer = file_.stack_pointer;
  registers.stack_begin = registers.values[registers.stack_pointer];
  registers.stack = stacks_.of(sample_number);
  bool is_return_address = false;
  while (result.calls.size() < kMostCalls) {
    registers.values[registers.instruction_number] = registers.instruction;
    registers.known[registers.instruction_number] = true;
    const Row& row = row_at(locate(sample.modules, registers.instruction, is_return_address));
    if (!row.is_known) {
      result.is_cut = true;
      break;
    }
    const bool ends = std::ranges::any_of(row.rules, [&](const Row::Rule& rule) {
      return rule.number == row.return_register && rule.is_undefined;
    });
    if (ends)
      break; // the outermost call of the thread
    if (!step(row, result.calls.size() == 1, registers)) {
      result.is_cut = true;
      break;
    }
    is_return_address = !row.is_signal_frame;
    if (registers.instruction == 0 || !add(registers.instruction, is_return_address))
      break;
  }
  return result;
}

// The sorted table of .eh_frame_hdr, with the lengths that the entries themselves have.
const StackUnwinder::RangeTable& StackUnwinder::ranges_of(std::uint32_t id) {
  const auto [entry, is_new] = ranges_.try_emplace(id);
  RangeTable& table = entry->second;
  const ModuleFiles::Opened opened = is_new ? modules_.open(id) : ModuleFiles::Opened{};
  if (!opened.module)
    return table;
  GElf_Addr bias = 0;
  Elf* const elf = dwfl_module_getelf(opened.module, &bias);
  std::size_t headers = 0;
  if (!elf || elf_getphdrnum(elf, &headers) != 0)
    return table;
  // The bytes of the file at an address.
  const auto bytes_at = [&](std::uint64_t address, std::size_t size) -> const std::byte* {
    std::size_t file_bytes = 0;
    const char* const file = elf_rawfile(elf, &file_bytes);
    for (std::size_t i = 0; file && i < headers; ++i) {
      GElf_Phdr header;
      if (!gelf_getphdr(elf, static_cast<int>(i), &header) || header.p_type != PT_LOAD ||
          address < header.p_vaddr || address - header.p_vaddr > header.p_filesz ||
          header.p_filesz - (address - header.p_vaddr) < size)
        continue;
      const std::uint64_t offset = header.p_offset + (address - header.p_vaddr);
      if (offset <= file_bytes && file_bytes - offset >= size)
        return reinterpret_cast<const std::byte*>(file) + offset;
    }
    return nullptr;
  };
  for (std::size_t i = 0; i < headers; ++i) {
    GElf_Phdr header;
    if (!gelf_getphdr(elf, static_cast<int>(i), &header) || header.p_type != PT_GNU_EH_FRAME)
      continue;
    constexpr std::size_t kFixed = 12; // four encodings, the address of .eh_frame, the count
    const std::byte* const begin = bytes_at(header.p_vaddr, kFixed);
    // The encodings that all linkers write.
    if (!begin || begin[0] != std::byte{1} || begin[2] != std::byte{0x03} ||
        begin[3] != std::byte{0x3b})
      return table;
    const auto count = value_at<std::uint32_t>(begin + 8);
    const std::byte* const entries = bytes_at(header.p_vaddr + kFixed, std::size_t{count} * 8);
    if (!entries)
      return table;
    for (std::uint32_t number = 0; number < count; ++number) {
      const std::byte* const at = entries + std::size_t{number} * 8;
      const std::uint64_t function =
          header.p_vaddr + static_cast<std::uint64_t>(std::int64_t{value_at<std::int32_t>(at)});
      const std::uint64_t description =
          header.p_vaddr + static_cast<std::uint64_t>(std::int64_t{value_at<std::int32_t>(at + 4)});
      const std::byte* const length = bytes_at(description + 12, 4);
      if (length)
        table.functions.emplace_back(function, function + value_at<std::uint32_t>(length));
    }
    std::ranges::sort(table.functions);
  }
  return table;
}

std::optional<std::pair<std::uint64_t, std::uint64_t>>
StackUnwinder::function_range(const StackCall& call) {
  if (call.module == StackCall::kNoModule)
    return std::nullopt;
  const auto& functions = ranges_of(call.module).functions;
  const auto behind = std::ranges::upper_bound(functions, call.address, {},
                                               &std::pair<std::uint64_t, std::uint64_t>::first);
  if (behind == functions.begin() || call.address >= std::prev(behind)->second)
    return std::nullopt;
  return *std::prev(behind);
}

} // namespace tp::analysis
