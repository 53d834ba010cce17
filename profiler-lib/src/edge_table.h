// EDGE TABLE: edges of the DAG on their way from the frame that released them to the one that will
// acquire them, kept under the address of an object of oneTBB's that both know and whose layout may
// not change (a scan's continuation, a node of a flow graph).
//
// A key is valid from the first put until it is emptied by take or forget, which the object's code
// does before the object is gone: so an address used again never finds old edges. All functions
// may be called by any thread; each holds the spin lock of one of many buckets for a few loads. Not
// on the path of spawns, waits and tasks.
#pragma once

#include "attributes.h"

#include <cstdint>

namespace tp::rt {

// Adds an edge (packed id + 1) behind those that the key has. Out of memory: the edge is lost.
void put_edge(const void* key, std::uint64_t edge) noexcept;
// Removes the key's oldest edge and returns it; 0 if there is none.
std::uint64_t take_edge(const void* key) noexcept;
// The oldest edge, which stays.
std::uint64_t peek_edge(const void* key) noexcept;
void forget_edges(const void* key) noexcept;
// In a fork()ed child, whose locks may be held by threads that are not there.
TP_COLD void clear_edges() noexcept;

} // namespace tp::rt
