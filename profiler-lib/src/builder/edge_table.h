// EDGE TABLE: edges of the DAG on their way from the frame that released them to the one that will
// acquire them, kept under the address of an object of oneTBB's that both know and whose layout may
// not change (a scan's continuation, a node of a flow graph, a message).
//
// A key is valid from the first put until it is emptied by take or forget, which the object's code
// does before the object is gone: so an address used again never finds old edges. All functions
// may be called by any thread, for one key by one thread at a time or under a lock of the object's;
// each holds the spin lock of one of many buckets for a few loads, and none if the bucket is empty.
// Not on the path of spawns, waits and tasks.
#pragma once

#include "base/attributes.h"

#include <cstdint>

namespace tp::rt {

// Entries of a key. Edges are packed id + 1; other values are the caller's marks.
struct Edges {
  static constexpr unsigned kMost = 16;
  unsigned count = 0;
  std::uint64_t edge[kMost];
};

// Adds an entry behind those that the key has. Out of memory: the edge is lost.
void put_edge(const void* key, std::uint64_t edge) noexcept;
void put_edges(const void* key, const Edges& edges) noexcept;
// Removes the key's oldest entry and returns it; 0 if there is none.
std::uint64_t take_edge(const void* key) noexcept;
// Moves the oldest entries to `edges`, as many as there is room for, up to and with the first that
// equals `last`.
void take_edges(const void* key, Edges& edges, std::uint64_t last = 0) noexcept;
// The n-th oldest entry, which stays; 0 if there is none.
std::uint64_t peek_edge(const void* key, unsigned n = 0) noexcept;
void forget_edges(const void* key) noexcept;
// Adds `change` to the only entry of the key (0 if there is none) within 0 and `most`. Returns
// whether that was possible.
bool count_entry(const void* key, int change, std::uint64_t most) noexcept;
// In a fork()ed child, where locks may be held by threads that are not there. Touches no bucket: the
// table keeps sharing its memory with the parent's.
TP_COLD void clear_edges() noexcept;

} // namespace tp::rt
