// SPDX-License-Identifier: Apache-2.0
// See module_code.h.
#include "sites/module_code.h"

#include <gelf.h>

#include <algorithm>
#include <utility>

namespace tp::analysis {
namespace {

// Longer functions are not looked at.
constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 10;

Elf* elf_of(const ModuleFiles::Opened& opened) {
  GElf_Addr bias = 0;
  return opened.module ? dwfl_module_getelf(opened.module, &bias) : nullptr;
}

std::optional<CodeMachine> machine_of(Elf* elf) {
  GElf_Ehdr header;
  if (!gelf_getehdr(elf, &header) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB)
    return std::nullopt;
  if (header.e_machine == EM_X86_64)
    return CodeMachine::X86_64;
  return header.e_machine == EM_AARCH64 ? std::optional(CodeMachine::Aarch64) : std::nullopt;
}

// All code that the file has.
std::vector<ModuleCode::Segment> segments_of(Elf* elf) {
  std::vector<ModuleCode::Segment> segments;
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0)
    return segments;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (!gelf_getphdr(elf, static_cast<int>(i), &header) || header.p_type != PT_LOAD ||
        (header.p_flags & PF_X) == 0)
      continue;
    const Elf_Data* const data = elf_getdata_rawchunk(
        elf, static_cast<std::int64_t>(header.p_offset), header.p_filesz, ELF_T_BYTE);
    if (data && data->d_buf)
      segments.push_back(
          {header.p_vaddr, {static_cast<const std::byte*>(data->d_buf), data->d_size}});
  }
  return segments;
}

// By the addresses where the dynamic linker writes those of what is imported.
std::map<std::uint64_t, std::string> imports_of(Elf* elf) {
  std::map<std::uint64_t, std::string> imports;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header, of_symbols;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA || header.sh_entsize == 0)
      continue;
    Elf_Scn* const symbols = elf_getscn(elf, header.sh_link);
    Elf_Data* const relocations = elf_getdata(section, nullptr);
    Elf_Data* const names = symbols ? elf_getdata(symbols, nullptr) : nullptr;
    if (!relocations || !names || !gelf_getshdr(symbols, &of_symbols) ||
        (of_symbols.sh_type != SHT_DYNSYM && of_symbols.sh_type != SHT_SYMTAB))
      continue;
    const std::size_t count = relocations->d_size / header.sh_entsize;
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Rela relocation;
      GElf_Sym symbol;
      if (!gelf_getrela(relocations, static_cast<int>(i), &relocation) ||
          GELF_R_SYM(relocation.r_info) == 0 ||
          !gelf_getsym(names, static_cast<int>(GELF_R_SYM(relocation.r_info)), &symbol))
        continue;
      if (const char* const name = elf_strptr(elf, of_symbols.sh_link, symbol.st_name))
        imports.try_emplace(relocation.r_offset, name);
    }
  }
  return imports;
}

} // namespace

std::optional<std::pair<std::uint64_t, std::uint64_t>> ModuleCode::range_of(const StackCall& call) {
  if (const auto range = unwinder_.function_range(call))
    return range;
  SymbolIndex* const symbols = questions_.symbols_of(call.module);
  const auto symbol =
      symbols ? symbols->find(files_.open(call.module).base + call.address) : std::nullopt;
  if (!symbol)
    return std::nullopt;
  const std::uint64_t begin = call.address - symbol->offset;
  return std::pair(begin, begin + symbol->size);
}

const ModuleCode::Contents& ModuleCode::contents_of(std::uint32_t module) {
  const auto [contents, is_new] = contents_.try_emplace(module);
  if (!is_new)
    return contents->second;
  if (Elf* const elf = elf_of(files_.open(module)))
    if (const auto machine = machine_of(elf))
      contents->second = {machine, segments_of(elf)};
  return contents->second;
}

std::optional<ProgramCode::Function> ModuleCode::function_at(const StackCall& call) {
  if (call.module == StackCall::kNoModule || questions_.is_left_out(call.module) ||
      !contents_of(call.module).machine)
    return std::nullopt;
  const auto range = range_of(call);
  if (!range || range->second <= range->first || range->second - range->first > kMostBytes)
    return std::nullopt;
  const auto size = static_cast<std::size_t>(range->second - range->first);
  const auto function = code_at({call.module, range->first}, size);
  return function && function->code.size() == size ? function : std::nullopt;
}

std::optional<ProgramCode::Function> ModuleCode::code_at(const StackCall& call, std::size_t most) {
  const Contents& contents = contents_of(call.module);
  for (const Segment& each : contents.segments)
    if (call.address >= each.begin && call.address - each.begin < each.code.size()) {
      const auto rest = each.code.subspan(call.address - each.begin);
      return Function{*contents.machine, call.address, rest.first(std::min(rest.size(), most))};
    }
  return std::nullopt;
}

std::string ModuleCode::symbol_at(const StackCall& call) {
  if (call.module == StackCall::kNoModule)
    return {};
  SymbolIndex* const symbols = questions_.symbols_of(call.module);
  const auto symbol =
      symbols ? symbols->find(files_.open(call.module).base + call.address) : std::nullopt;
  return symbol ? symbol->name : "";
}

std::string ModuleCode::import_at(std::uint32_t module, std::uint64_t slot) {
  const auto [imports, is_new] = imports_.try_emplace(module);
  if (is_new)
    if (Elf* const elf = elf_of(files_.open(module)))
      imports->second = imports_of(elf);
  const auto found = imports->second.find(slot);
  return found == imports->second.end() ? std::string() : found->second;
}

} // namespace tp::analysis
