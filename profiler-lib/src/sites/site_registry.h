// Spawn sites, modules and causal regions of the process: gives each a dense number and writes it
// to sites.jsonl when it is first seen. One lock, taken once per site and thread (threads keep what
// they learned in a SiteCache). Cold.
#pragma once

#include "base/attributes.h"
#include "tp/hooks.h"

#include <cstdint>

namespace tp::rt {

// What a thread knows about sites: direct-mapped, keyed by the record's address, or by the type of
// the task and the address that asked for the spawn. Hot to look up.
class SiteCache {
public:
  // 0: not known.
  TP_HOT std::uint32_t find(std::uint64_t key) const noexcept {
    const Entry& entry = entries_[slot(key)];
    return entry.key == key ? entry.site : 0;
  }
  void remember(std::uint64_t key, std::uint32_t site) noexcept {
    entries_[slot(key)] = {key, site};
  }

private:
  struct Entry {
    std::uint64_t key = 0;
    std::uint32_t site = 0;
  };
  static constexpr unsigned kEntries = 128;
  static unsigned slot(std::uint64_t key) {
    return static_cast<unsigned>((key * 0x9e3779b97f4a7c15ull) >> 57);
  }
  Entry entries_[kEntries];
  static_assert(kEntries == 1u << (64 - 57));
};

inline std::uint64_t address_key(const void* type, const void* caller) {
  const auto high = reinterpret_cast<std::uint64_t>(type);
  return (high << 21 | high >> 43) ^ reinterpret_cast<std::uint64_t>(caller) ^ 1;
}

// Marks a site of a oneTBB, PSTL or other library header: its spawns belong to the site of the task
// around them.
inline constexpr std::uint32_t kInternalSite = 0x80000000u;

// A constant record made by tp-rewrite or by the compiler. The result carries kInternalSite where
// it applies.
std::uint32_t register_site(const void* record);
// A site of code that was not recompiled: unwinds the calling thread's stack. `construct` is
// trace::Construct.
std::uint32_t register_address(const tp_task& task, unsigned construct);
// What a task of this vtable is to an algorithm of oneTBB. Unknown without RTTI. None is 0, which a SiteCache does not know.
enum class TaskKind : std::uint32_t {
  Other = 1,
  First,   // from which all descends that the algorithm waits for (not so in parallel_invoke)
  ForEach, // the same, of a parallel_for_each, which waits for what is fed to it as well
  Fed,     // an item that was fed to a parallel_for_each
};
TaskKind kind_of_task(const void* type) noexcept;
std::uint32_t register_region(const tp_region& region);

// Starts anew with an empty file in the given folder (session start, fork child). False: errno.
bool open_site_table(const char* path);

} // namespace tp::rt
