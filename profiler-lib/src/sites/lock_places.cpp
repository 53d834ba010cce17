// SPDX-License-Identifier: Apache-2.0
// See lock_places.h: what is known of locks by their addresses. Their numbers are the registry's
// (site_registry.cpp).
#include "sites/lock_places.h"

#include "sites/modules.h"

#include <link.h>

namespace tp::rt {

constinit LockGeneration lock_generations[1u << kLockGenerationBits];
constinit std::atomic<std::uint64_t> all_lock_generations{0};

namespace {

// The bits of the address that its entry does not determine.
std::uint32_t tag_of(std::uint64_t address) noexcept {
  return static_cast<std::uint32_t>(mix_lock_address(address) >> (32 - kLockGenerationBits));
}

LockGeneration& entry_of(std::uint64_t address) noexcept {
  return lock_generations[mix_lock_address(address) >> (64 - kLockGenerationBits)];
}

} // namespace

void count_lock_generation(std::uint64_t address) noexcept {
  LockGeneration& entry = entry_of(address);
  entry.count.fetch_add(1, std::memory_order_relaxed);
  entry.tag.store(tag_of(address), std::memory_order_relaxed);
  all_lock_generations.fetch_add(1, std::memory_order_release);
}

bool is_lock_announced(std::uint64_t address) noexcept {
  const LockGeneration& entry = entry_of(address);
  return entry.count.load(std::memory_order_relaxed) != 0 &&
         entry.tag.load(std::memory_order_relaxed) == tag_of(address);
}

bool is_in_static_data(std::uint64_t address) noexcept {
  dl_phdr_info module{};
  if (!find_module(address, module))
    return false;
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const auto& header = module.dlpi_phdr[i];
    if (header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0 &&
        address - (module.dlpi_addr + header.p_vaddr) < header.p_memsz)
      return true;
  }
  return false;
}

} // namespace tp::rt
