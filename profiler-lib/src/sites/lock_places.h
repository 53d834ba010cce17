// SPDX-License-Identifier: Apache-2.0
// LOCK PLACES: numbers for the places where locks are acquired, and what is known of locks by their
// addresses: their generations, and whether they are in a module's static data. Any thread.
#pragma once

#include "base/attributes.h"
#include "tp/hooks.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tp::rt {

// How often locks were made or destroyed at an address, as far as that is announced. Addresses that
// share an entry have their generations in common: that can only make two locks of one.
struct LockGeneration {
  std::atomic<std::uint32_t> count;
  std::atomic<std::uint32_t> tag; // of the address of the last one
};
inline constexpr unsigned kLockGenerationBits = 16;
extern LockGeneration lock_generations[1u << kLockGenerationBits];

TP_HOT std::uint64_t mix_lock_address(std::uint64_t address) noexcept {
  return address * 0x9e3779b97f4a7c15ull;
}
TP_HOT const std::atomic<std::uint32_t>& generations_of_lock(std::uint64_t address) noexcept {
  return lock_generations[mix_lock_address(address) >> (64 - kLockGenerationBits)].count;
}
TP_HOT std::uint32_t generation_of_lock(std::uint64_t address) noexcept {
  return generations_of_lock(address).load(std::memory_order_relaxed);
}
// How many there are, of all addresses. As long as it is the same, so are the generations.
extern std::atomic<std::uint64_t> all_lock_generations;
void count_lock_generation(std::uint64_t address) noexcept;
// Was the last lock whose making or end was announced there at this very address?
bool is_lock_announced(std::uint64_t address) noexcept;

// In the writable data of a loaded module. Cold.
bool is_in_static_data(std::uint64_t address) noexcept;

// The number of a place: the calls on the calling thread's stack and, if there is one, an annotation's
// statement. The stack begins with that to which `caller` belongs (null: the first one outside of
// libtbb). `path`, `task_stack`: as in site_registry.h. `column`: of the statement, 0: not known. Cold.
std::uint32_t register_lock_place(unsigned kind, const void* caller, const tp_lock_place* stated,
                                  std::uint64_t path, const void* task_stack, unsigned column = 0);
// Locks of kind TP_LOCK_FLOW_GRAPH_NODE are in nodes of flow graphs, and the place where they are acquired is that where the
// node was made. A node is: of that class, by a call with that record (tp_spawn_site), or, if that is in a library's code, by
// the calls on the thread's stack from that to which `caller` belongs. Cold.
void register_node(const void* node, std::size_t size, const char* what, const void* record,
                   const void* caller, std::uint64_t path, const void* task_stack);
// Such a lock is made: those that were in a node there are gone. Cold.
void forget_node_of_lock(std::uint64_t lock);
// The number of the place plus 1; 0: it is not known. Cold.
std::uint32_t place_of_node(std::uint64_t lock);

// Key of a place in a SiteCache: `what` is the caller or the statement.
inline std::uint64_t lock_place_key(unsigned kind, const void* what, std::uint64_t path) {
  const auto high = reinterpret_cast<std::uint64_t>(what);
  return (high << 21 | high >> 43) ^ path ^ (std::uint64_t{kind} << 1 | 1);
}

// A thread has met a lock. Writes where in a module it is, once. True: a lock that is made later at the same
// address could not be distinguished from it. Cold.
bool register_lock(std::uint64_t address, std::uint32_t generation, unsigned kind);

} // namespace tp::rt
