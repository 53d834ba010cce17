// SPDX-License-Identifier: Apache-2.0
// See modules.h.
#include "sites/modules.h"

#include "sites/elf_notes.h"

#include <link.h>
#include <unistd.h>

namespace tp::rt {
namespace {

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

struct Search {
  std::uintptr_t address;
  std::uintptr_t base = 0;
  std::string path; // empty: the executable
  std::string build_id;
};

// For dl_iterate_phdr: 1 if a segment of the module contains the address.
int match_module(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD)
      continue;
    const std::uintptr_t start = info->dlpi_addr + header.p_vaddr;
    if (search.address < start || search.address >= start + header.p_memsz)
      continue;
    search.base = info->dlpi_addr;
    search.path = info->dlpi_name;
    search.build_id = build_id_of(*info);
    return 1;
  }
  return 0;
}

std::string path_of_executable() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

} // namespace

std::optional<CodeAddress> Modules::locate(std::uintptr_t address, SiteFile& file) {
  Search found{address, 0, {}, {}};
  if (dl_iterate_phdr(match_module, &found) == 0)
    return std::nullopt;
  const auto [entry, is_new] = number_of_.try_emplace(
      {found.base, found.path, found.build_id}, static_cast<std::uint32_t>(number_of_.size()));
  if (is_new) {
    JsonObject line;
    line.number("module", entry->second)
        .text("path", found.path.empty() ? path_of_executable() : found.path)
        .text("build_id", found.build_id);
    file.append(line);
  }
  return CodeAddress{entry->second, address - found.base};
}

} // namespace tp::rt
