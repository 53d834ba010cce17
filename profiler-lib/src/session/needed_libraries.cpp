// SPDX-License-Identifier: Apache-2.0
// Which libraries the loaded modules need: the DT_NEEDED entries of their dynamic sections.
#include "session/session.h"
#include "sites/call_path.h"

#include <cstdint>
#include <cstring>
#include <link.h>

namespace tp::rt {
namespace {

bool lists_onetbb(const dl_phdr_info& module, const ElfW(Dyn) * dynamic) {
  const char* names = nullptr;
  for (const ElfW(Dyn)* entry = dynamic; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB) {
      // The loader has made it an address, but for modules that it may not write to (the vDSO).
      const std::uintptr_t at = entry->d_un.d_ptr;
      names = reinterpret_cast<const char*>(at < module.dlpi_addr ? module.dlpi_addr + at : at);
    }
  for (const ElfW(Dyn)* entry = dynamic; names != nullptr && entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_NEEDED && std::strncmp(names + entry->d_un.d_val, "libtbb.so", 9) == 0)
      return true;
  return false;
}

int look_at(dl_phdr_info* module, std::size_t /*size*/, void* /*unused*/) {
  for (unsigned i = 0; i < module->dlpi_phnum; ++i)
    if (const ElfW(Phdr)& part = module->dlpi_phdr[i]; part.p_type == PT_DYNAMIC)
      return lists_onetbb(*module,
                          reinterpret_cast<const ElfW(Dyn)*>(module->dlpi_addr + part.p_vaddr))
                 ? 1
                 : 0;
  return 0;
}

} // namespace

bool needs_onetbb() noexcept {
  return dl_iterate_phdr(look_at, nullptr) != 0;
}

} // namespace tp::rt
