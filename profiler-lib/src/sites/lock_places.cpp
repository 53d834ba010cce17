// SPDX-License-Identifier: Apache-2.0
// See lock_places.h: what is known of locks by their addresses. Their numbers are the registry's
// (site_registry.cpp).
#include "sites/lock_places.h"

#include <link.h>

namespace tp::rt {

constinit LockGeneration lock_generations[1u << kLockGenerationBits];

namespace {

// The bits of the address that its entry does not determine.
std::uint32_t tag_of(std::uint64_t address) noexcept {
  return static_cast<std::uint32_t>(mix_lock_address(address) >> (32 - kLockGenerationBits));
}

LockGeneration& entry_of(std::uint64_t address) noexcept {
  return lock_generations[mix_lock_address(address) >> (64 - kLockGenerationBits)];
}

// For dl_iterate_phdr.
int add_data_of_module(dl_phdr_info* info, std::size_t, void* data) {
  auto& ranges = *static_cast<std::vector<StaticData::Range>*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0)
      ranges.push_back({begin, begin + header.p_memsz});
  }
  return 0;
}

} // namespace

void count_lock_generation(std::uint64_t address) noexcept {
  LockGeneration& entry = entry_of(address);
  entry.count.fetch_add(1, std::memory_order_relaxed);
  entry.tag.store(tag_of(address), std::memory_order_relaxed);
}

bool is_lock_announced(std::uint64_t address) noexcept {
  const LockGeneration& entry = entry_of(address);
  return entry.count.load(std::memory_order_relaxed) != 0 &&
         entry.tag.load(std::memory_order_relaxed) == tag_of(address);
}

bool StaticData::contains(std::uint64_t address) {
  const auto in_any = [&] {
    for (const Range& range : ranges_)
      if (address - range.begin < range.end - range.begin)
        return true;
    return false;
  };
  if (in_any())
    return true;
  if (++misses_ < next_look_)
    return false;
  next_look_ *= 2;
  ranges_.clear();
  dl_iterate_phdr(add_data_of_module, &ranges_);
  return in_any();
}

} // namespace tp::rt
