// SPDX-License-Identifier: Apache-2.0
// EDGE TABLE: edges of the DAG between the frame that released them and the one that will acquire
// them, stored under the address of an object of oneTBB that both know and whose layout must not
// change (the continuation of a scan, a node of a flow graph, a message).
//
// A key has entries from the first put until take or forget empties it, which the object's code
// does before the object is destroyed: so a reused address never has old edges. Any thread may call
// these functions, for one key one thread at a time or under a lock of the object. Each holds the
// spin lock of one of many buckets for a few loads, or none if the bucket is empty. Called by the
// edge hooks; not on the path of spawns, waits and tasks.
#pragma once

#include "base/attributes.h"

#include <cstdint>

namespace tp::rt {

// Entries of a key. An edge is its packed id + 1; the caller knows what other values are
// (hooks/edge_entries.h). None is 0.
struct Edges {
  static constexpr unsigned kMost = 16;
  unsigned count = 0;
  std::uint64_t edge[kMost];
};

// Appends an entry to those of the key. Out of memory: the edge is lost.
void put_edge(const void* key, std::uint64_t edge) noexcept;
void put_edges(const void* key, const Edges& edges) noexcept;
// Removes the key's oldest entry and returns it; 0 if there is none.
std::uint64_t take_edge(const void* key) noexcept;
// Moves the oldest entries to `edges`: as many as there is room for, up to and including the first
// one that equals `last`.
void take_edges(const void* key, Edges& edges, std::uint64_t last = 0) noexcept;
// Returns the n-th oldest entry, which stays; 0 if there is none.
std::uint64_t peek_edge(const void* key, unsigned n = 0) noexcept;
// Removes all entries of the key.
void forget_edges(const void* key) noexcept;
// Adds `change` to the key's only entry (0 if there is none), if the sum is between 0 and `most`.
// Returns whether it is.
bool count_entry(const void* key, int change, std::uint64_t most) noexcept;
// Returns the key's oldest entry, which is `edge` if there was none before. 0: out of memory.
std::uint64_t peek_or_put_edge(const void* key, std::uint64_t edge) noexcept;
// Empties the table in a fork()ed child, where locks may be held by threads that do not exist
// there. Writes to no bucket, so that the child keeps sharing the table's memory with its parent.
TP_COLD void clear_edges() noexcept;

} // namespace tp::rt
