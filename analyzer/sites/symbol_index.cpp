// SPDX-License-Identifier: Apache-2.0
// See symbol_index.h.
#include "sites/symbol_index.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace tp::analysis {
namespace {

constexpr std::string_view kVtable = "_ZTV";

bool is_code(const GElf_Sym& symbol, GElf_Word section) {
  const unsigned type = GELF_ST_TYPE(symbol.st_info);
  return section != SHN_UNDEF && section != SHN_ABS && section != SHN_COMMON &&
         (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

int rank_of(const GElf_Sym& symbol) {
  const unsigned binding = GELF_ST_BIND(symbol.st_info);
  const int by_binding = binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
  return by_binding + (GELF_ST_TYPE(symbol.st_info) == STT_NOTYPE ? 3 : 0);
}

} // namespace

// Where the section ends, as an address of the module; 0: not known.
static GElf_Addr end_of_section(Elf* elf, GElf_Word section, const GElf_Sym& symbol,
                                GElf_Addr address) {
  GElf_Shdr header;
  Elf_Scn* const found = elf ? elf_getscn(elf, section) : nullptr;
  return found && gelf_getshdr(found, &header) && header.sh_addr <= symbol.st_value
             ? header.sh_addr + header.sh_size + (address - symbol.st_value)
             : 0;
}

SymbolIndex::SymbolIndex(Dwfl_Module* module) {
  const int count = dwfl_module_getsymtab(module);
  for (int i = 1; i < count; ++i) {
    GElf_Sym symbol;
    GElf_Addr address = 0;
    GElf_Word section = SHN_UNDEF;
    Elf* elf = nullptr;
    const char* const name =
        dwfl_module_getsym_info(module, i, &symbol, &address, &section, &elf, nullptr);
    // On some machines the names of marks between code and data begin with $.
    if (name && *name && *name != '$' && is_code(symbol, section))
      symbols_.push_back({address, address + symbol.st_size, name, rank_of(symbol),
                          symbol.st_size == 0 ? end_of_section(elf, section, symbol, address) : 0});
    if (name && std::string_view(name).starts_with(kVtable))
      vtables_.insert(std::string_view(name).substr(kVtable.size()));
  }
  std::ranges::sort(symbols_, [](const Symbol& a, const Symbol& b) {
    if (a.begin != b.begin)
      return a.begin < b.begin;
    // Of two at one address the inner one comes last.
    if (a.end != b.end)
      return a.end > b.end;
    if (a.rank != b.rank)
      return a.rank > b.rank;
    return std::strcmp(a.name, b.name) > 0;
  });
  // Leaves out labels in functions.
  std::uint64_t covered = 0;
  std::erase_if(symbols_, [&](const Symbol& symbol) {
    covered = std::max(covered, symbol.end);
    return symbol.end == symbol.begin && symbol.begin < covered;
  });
  for (std::size_t i = symbols_.size(); i-- > 1;)
    if (Symbol& before = symbols_[i - 1]; before.end == before.begin)
      before.end = std::min(symbols_[i].begin,
                            before.section_end > 0 ? before.section_end : symbols_[i].begin);
  std::uint64_t last = 0;
  for (const Symbol& symbol : symbols_)
    last_end_.push_back(last = std::max(last, symbol.end));
}

std::optional<SymbolIndex::Found> SymbolIndex::find(std::uint64_t address) const {
  const auto behind = std::ranges::upper_bound(symbols_, address, {}, &Symbol::begin);
  for (auto i = static_cast<std::size_t>(behind - symbols_.begin()); i-- > 0;) {
    if (last_end_[i] <= address)
      break;
    if (address < symbols_[i].end)
      return Found{symbols_[i].name, address - symbols_[i].begin,
                   symbols_[i].end - symbols_[i].begin};
  }
  return std::nullopt;
}

std::optional<std::uint64_t> SymbolIndex::begin_of(std::string_view name) {
  if (begins_.empty())
    for (const Symbol& symbol : symbols_)
      if (const auto [entry, is_new] = begins_.try_emplace(symbol.name, symbol.begin);
          !is_new && entry->second != symbol.begin)
        entry->second = 0;
  const auto found = begins_.find(name);
  return found == begins_.end() || found->second == 0 ? std::nullopt : std::optional(found->second);
}

bool SymbolIndex::has_virtual_functions(std::string_view of_class) const {
  if (of_class.find_first_of("<( '{") != of_class.npos)
    return false;
  std::string mangled;
  std::size_t components = 0;
  for (std::size_t end = 0; end != of_class.npos; ++components) {
    end = of_class.find("::");
    const std::string_view name = of_class.substr(0, end);
    mangled.append(std::to_string(name.size())).append(name);
    of_class.remove_prefix(end == of_class.npos ? of_class.size() : end + 2);
  }
  return vtables_.contains(components > 1 ? "N" + mangled + "E" : mangled);
}

} // namespace tp::analysis
