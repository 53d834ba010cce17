// SPDX-License-Identifier: Apache-2.0
// The work of the open step in each causal region, for any number of regions. Used by one thread.
// Regions are numbered densely (site_registry.h), so beyond the first few an array by region number
// finds an entry at once.
#pragma once

#include <cstdint>

namespace tp::rt {

struct RegionWork {
  std::uint32_t region;
  std::uint64_t work;
};

class RegionTable {
public:
  RegionTable() = default;
  ~RegionTable();
  RegionTable(const RegionTable&) = delete;
  RegionTable& operator=(const RegionTable&) = delete;

  // False: out of memory, the work was not added.
  bool add(std::uint32_t region, std::uint64_t work) noexcept {
    if (count_ == 0 || few_[0].region != region) [[unlikely]]
      return add_another(region, work);
    few_[0].work += work;
    return true;
  }
  // Limits the work of all regions together to `work`.
  void trim(std::uint64_t work) noexcept;
  bool empty() const noexcept { return count_ == 0; }
  unsigned size() const noexcept { return count_; }
  // In the order in which they were first added.
  const RegionWork& operator[](unsigned i) const noexcept {
    return i < kFew ? few_[i] : many_[i - kFew];
  }
  void clear() noexcept {
    if (count_ > kFew) [[unlikely]]
      clear_many();
    count_ = 0;
  }

private:
  static constexpr unsigned kFew = 8;

  bool add_another(std::uint32_t region, std::uint64_t work) noexcept;
  bool add_to_many(std::uint32_t region, std::uint64_t work) noexcept;
  void clear_many() noexcept;

  unsigned count_ = 0;
  RegionWork few_[kFew];
  // Entries kFew and up, and by region number the index in `many_` plus 1, 0: none. Kept for reuse.
  RegionWork* many_ = nullptr;
  std::uint32_t* index_ = nullptr;
  unsigned many_capacity_ = 0, index_capacity_ = 0;
};

} // namespace tp::rt
