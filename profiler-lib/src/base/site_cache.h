// SPDX-License-Identifier: Apache-2.0
// What a thread already knows: the numbers of sites, causal regions and kinds of tasks, so that it
// asks the process's registry (which takes a lock) only once for each. Hot to look up.
#pragma once

#include "base/attributes.h"

#include <cstdint>

namespace tp::rt {

// 2^Bits entries, direct-mapped: a key may replace another one. Keys and numbers are not 0. Used by
// one thread.
template <unsigned Bits>
class SiteCache {
public:
  // 0: not known.
  TP_HOT std::uint32_t find(std::uint64_t key) const noexcept {
    const Entry& entry = entries_[slot(key)];
    return entry.key == key ? entry.number : 0;
  }
  void remember(std::uint64_t key, std::uint32_t number) noexcept {
    entries_[slot(key)] = {key, number};
  }

private:
  struct Entry {
    std::uint64_t key = 0;
    std::uint32_t number = 0;
  };
  static unsigned slot(std::uint64_t key) {
    return static_cast<unsigned>((key * 0x9e3779b97f4a7c15ull) >> (64 - Bits));
  }
  Entry entries_[1u << Bits];
};

} // namespace tp::rt
