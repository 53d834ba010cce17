// SPDX-License-Identifier: Apache-2.0
// The ELF notes (PT_NOTE) of a loaded module: its build id, and the records that tp-c++ writes for
// calls that it does not change (site_notes.h). Cold.
#pragma once

#include <cstdint>
#include <cstring>
#include <link.h>
#include <string_view>

namespace tp::rt {

struct ElfNote {
  std::string_view owner; // without its terminating zero
  std::uint32_t type;
  std::string_view content; // memory of the module
};

// Calls visit(note) for each note until a call returns true; returns whether one did. A note that
// exceeds its segment ends the segment.
template <typename Visit>
bool visit_notes(const dl_phdr_info& module, Visit visit) {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const auto& header = module.dlpi_phdr[i];
    if (header.p_type != PT_NOTE)
      continue;
    const std::size_t align = header.p_align == 8 ? 8 : 4;
    const auto padded = [align](std::size_t size) { return (size + align - 1) & ~(align - 1); };
    const char* at = reinterpret_cast<const char*>(module.dlpi_addr + header.p_vaddr);
    const char* const end = at + header.p_memsz;
    ElfW(Nhdr) note;
    while (static_cast<std::size_t>(end - at) >= sizeof note) {
      std::memcpy(&note, at, sizeof note);
      const std::size_t content = padded(sizeof note + note.n_namesz);
      if (content + note.n_descsz > static_cast<std::size_t>(end - at))
        break;
      const std::size_t name = note.n_namesz > 0 ? note.n_namesz - 1 : 0;
      if (visit(ElfNote{{at + sizeof note, name}, note.n_type, {at + content, note.n_descsz}}))
        return true;
      const std::size_t next = padded(content + note.n_descsz);
      at += next < static_cast<std::size_t>(end - at) ? next : static_cast<std::size_t>(end - at);
    }
  }
  return false;
}

} // namespace tp::rt
