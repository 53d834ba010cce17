// SPDX-License-Identifier: Apache-2.0
// See modules.h.
#include "sites/modules.h"

#include "sites/elf_notes.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <iterator>
#include <link.h>
#include <string_view>
#include <unistd.h>

namespace tp::rt {
namespace {

constexpr std::size_t kHeaderBytes = 4096; // of a module, that are mapped at least

std::string build_id_of(const dl_phdr_info& module) {
  std::string id;
  visit_notes(module, [&id](const ElfNote& note) {
    if (note.type != NT_GNU_BUILD_ID || note.owner != "GNU")
      return false;
    constexpr char kHex[] = "0123456789abcdef";
    for (const char c : note.content) {
      const auto byte = static_cast<unsigned char>(c);
      id += kHex[byte >> 4];
      id += kHex[byte & 15];
    }
    return true;
  });
  return id;
}

bool is_in_segments(const dl_phdr_info& module, std::uintptr_t address) noexcept {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const auto& header = module.dlpi_phdr[i];
    if (header.p_type == PT_LOAD && address - (module.dlpi_addr + header.p_vaddr) < header.p_memsz)
      return true;
  }
  return false;
}

struct Search {
  std::uintptr_t address;
  dl_phdr_info& module;
};

// For dl_iterate_phdr: 1 if a segment of the module contains the address.
int match_module(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (!is_in_segments(*info, search.address))
    return 0;
  search.module = *info;
  return 1;
}

enum class Found { No, Yes, NotKnown };

#if defined(DLFO_STRUCT_HAS_EH_DBASE) // where <dlfcn.h> has _dl_find_object
#pragma weak _dl_find_object

Found find_by_map(std::uintptr_t address, dl_phdr_info& module) noexcept {
  dl_find_object found{};
  if (_dl_find_object == nullptr)
    return Found::NotKnown;
  if (_dl_find_object(reinterpret_cast<void*>(address), &found) != 0)
    return Found::No;
  // The module begins with its header, unless a linker script says otherwise.
  const auto* const begin = static_cast<const char*>(found.dlfo_map_start);
  ElfW(Ehdr) header;
  std::memcpy(&header, begin, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_phentsize != sizeof(ElfW(Phdr)) || header.e_phoff % alignof(ElfW(Phdr)) != 0 ||
      header.e_phoff + header.e_phnum * sizeof(ElfW(Phdr)) > kHeaderBytes)
    return Found::NotKnown;
  module.dlpi_addr = found.dlfo_link_map->l_addr;
  module.dlpi_name = found.dlfo_link_map->l_name;
  module.dlpi_phdr = reinterpret_cast<const ElfW(Phdr)*>(begin + header.e_phoff);
  module.dlpi_phnum = header.e_phnum;
  return is_in_segments(module, address) ? Found::Yes : Found::No;
}
#else
Found find_by_map(std::uintptr_t, dl_phdr_info&) noexcept {
  return Found::NotKnown;
}
#endif

std::string path_of_executable() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

// By the name that the loader knows it by: that of a library that was loaded as "./x.so" is relative.
std::string path_of(const std::string& name) {
  if (name.empty())
    return path_of_executable();
  char* const absolute = name.starts_with('/') ? nullptr : realpath(name.c_str(), nullptr);
  const std::string path = absolute != nullptr ? absolute : name;
  std::free(absolute);
  return path;
}

// ---- calls past our locks

constexpr const char* kLockFunctions[] = {
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_timedlock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_spin_lock",
    "mtx_lock",
};

#if defined(__aarch64__)
constexpr std::uint32_t kJumpSlot = R_AARCH64_JUMP_SLOT, kGlobalData = R_AARCH64_GLOB_DAT;
#else
constexpr std::uint32_t kJumpSlot = R_X86_64_JUMP_SLOT, kGlobalData = R_X86_64_GLOB_DAT;
#endif

// What a module's dynamic section says of the functions that it calls.
struct Imports {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * calls = nullptr;  // DT_JMPREL
  const ElfW(Rela) * others = nullptr; // DT_RELA, without the relative ones
  std::size_t call_count = 0, other_count = 0;
};

Imports imports_of(const dl_phdr_info& module) noexcept {
  Imports found;
  std::size_t relative = 0;
  const auto address = [&](const ElfW(Dyn) & entry) { // the loader may have added the base
    const std::uintptr_t at = entry.d_un.d_ptr;
    return at < module.dlpi_addr ? at + module.dlpi_addr : at;
  };
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    if (module.dlpi_phdr[i].p_type != PT_DYNAMIC)
      continue;
    const auto* entry =
        reinterpret_cast<const ElfW(Dyn)*>(module.dlpi_addr + module.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry)
      switch (entry->d_tag) {
      case DT_SYMTAB:
        found.symbols = reinterpret_cast<const ElfW(Sym)*>(address(*entry));
        break;
      case DT_STRTAB:
        found.names = reinterpret_cast<const char*>(address(*entry));
        break;
      case DT_JMPREL:
        found.calls = reinterpret_cast<const ElfW(Rela)*>(address(*entry));
        break;
      case DT_RELA:
        found.others = reinterpret_cast<const ElfW(Rela)*>(address(*entry));
        break;
      case DT_PLTRELSZ:
        found.call_count = entry->d_un.d_val / sizeof(ElfW(Rela));
        break;
      case DT_RELASZ:
        found.other_count = entry->d_un.d_val / sizeof(ElfW(Rela));
        break;
      case DT_RELACOUNT:
        relative = entry->d_un.d_val;
        break;
      default:
        break;
      }
  }
  relative = relative < found.other_count ? relative : found.other_count;
  found.others += found.others != nullptr ? relative : 0;
  found.other_count -= relative;
  return found;
}

// The functions that the program calls by these names; null: none.
using LockFunctions = std::array<std::uintptr_t, std::size(kLockFunctions)>;

LockFunctions lock_functions() noexcept {
  LockFunctions found{};
  for (std::size_t i = 0; i < found.size(); ++i)
    found[i] = reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, kLockFunctions[i]));
  return found;
}

// A function that is called for the first time later is one of the module's own until then.
bool calls_past(const dl_phdr_info& module, const LockFunctions& ours) noexcept {
  const Imports imports = imports_of(module);
  if (imports.symbols == nullptr || imports.names == nullptr)
    return false;
  const auto passes = [&](const ElfW(Rela) & relocation) {
    const auto symbol = static_cast<std::size_t>(relocation.r_info >> 32);
    const auto type = static_cast<std::uint32_t>(relocation.r_info);
    if (symbol == 0 || (type != kJumpSlot && type != kGlobalData))
      return false;
    const char* const name = imports.names + imports.symbols[symbol].st_name;
    if (*name != 'p' && *name != 'm')
      return false;
    for (std::size_t i = 0; i < ours.size(); ++i)
      if (ours[i] != 0 && std::strcmp(name, kLockFunctions[i]) == 0) {
        const auto called =
            *reinterpret_cast<const std::uintptr_t*>(module.dlpi_addr + relocation.r_offset);
        return called != 0 && called != ours[i] && !is_in_segments(module, called);
      }
    return false;
  };
  return (imports.calls != nullptr &&
          std::any_of(imports.calls, imports.calls + imports.call_count, passes)) ||
         (imports.others != nullptr &&
          std::any_of(imports.others, imports.others + imports.other_count, passes));
}

struct PastSearch {
  LockFunctions ours;
  std::vector<std::string> paths;
};

} // namespace

bool find_module(std::uintptr_t address, dl_phdr_info& module) noexcept {
  if (const Found found = find_by_map(address, module); found != Found::NotKnown)
    return found == Found::Yes;
  Search search{address, module};
  return dl_iterate_phdr(match_module, &search) != 0;
}

std::vector<LoadedModule> loaded_modules() {
  std::vector<LoadedModule> loaded;
  const auto add = [](dl_phdr_info* module, std::size_t, void* result) {
    const std::string path = module->dlpi_name;
    if (path.empty() || path.find('/') != path.npos) // the kernel's has no file
      static_cast<std::vector<LoadedModule>*>(result)->emplace_back(module->dlpi_addr, path,
                                                                    build_id_of(*module));
    return 0;
  };
  dl_iterate_phdr(add, &loaded);
  return loaded;
}

std::vector<std::string> modules_past_our_locks() {
  PastSearch search{lock_functions(), {}};
  const auto look_at = [](dl_phdr_info* module, std::size_t, void* data) {
    auto& [ours, paths] = *static_cast<PastSearch*>(data);
    const std::string_view path = module->dlpi_name;
    if (path.find('/') != path.npos && calls_past(*module, ours))
      paths.push_back(path_of(std::string(path)));
    return 0;
  };
  dl_iterate_phdr(look_at, &search);
  return std::move(search.paths);
}

std::optional<CodeAddress> Modules::locate(std::uintptr_t address, SiteFile& file) {
  dl_phdr_info module{};
  if (!find_module(address, module))
    return std::nullopt;
  const std::string path = module.dlpi_name, build_id = build_id_of(module);
  const auto [entry, is_new] = number_of_.try_emplace(
      {module.dlpi_addr, path, build_id}, static_cast<std::uint32_t>(number_of_.size()));
  if (is_new) {
    JsonObject line;
    line.number("module", entry->second).text("path", path_of(path)).text("build_id", build_id);
    file.append(line);
  }
  return CodeAddress{entry->second, address - module.dlpi_addr};
}

void Modules::write_past(const std::vector<std::string>& paths, SiteFile& file) {
  for (const std::string& path : paths) {
    JsonObject line;
    line.text("past_locks", path);
    file.append(line);
  }
}

void Modules::write_others(const std::vector<LoadedModule>& loaded, SiteFile& file) const {
  for (const LoadedModule& module : loaded) {
    if (number_of_.contains(module))
      continue;
    const auto& [base, path, build_id] = module;
    JsonObject line;
    line.text("loaded", path_of(path)).text("build_id", build_id);
    file.append(line);
  }
}

} // namespace tp::rt
