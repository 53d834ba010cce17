// SPDX-License-Identifier: Apache-2.0
// What the hooks keep in the edge table, and under which keys.
//
// Keys cannot be equal, since objects are aligned: the address of an object has its edges,
// address | 1 the object's site (name_key), address | 2 what is known of a node that limits the
// number of messages (limit_key), address | 3 the edge of a flag (once_key). Keys of messages that
// a limiter admitted are in limiter_hooks.cpp. They have the top bit set, like no address.
//
// Entries are edges (packed id + 1), tickets of messages (tickets.h), or marks. No stream has a
// number from which a ticket or a mark could be made (kMostEdge): so many threads never exist at
// the same time.
//
// A thread counts the uses of an edge for the analyzer: one after a release, one more for each
// copy, one less for each edge that is forgotten. So whatever moves entries must not lose any
// without change_uses().
#pragma once

#include "builder/dpst_builder.h"
#include "builder/edge_table.h"
#include "hooks/current_thread.h"

namespace tp::rt {

// Threads that are not recorded update the edge table as well: they move and destroy objects that
// carry the edges of others, and a reused address must not have old edges.
TP_HOT bool keeps_edges() noexcept {
  return recording() == Recording::On;
}

inline constexpr std::uint64_t kMostEdge = 0xefff'ffff'ffff'ffff;
inline constexpr std::uint64_t kMostTicket = 0xffff'ffef'ffff'ffff;
inline constexpr std::uint64_t kPulledMark = UINT64_MAX; // between tp_begin_pull and tp_end_pull
inline constexpr std::uint64_t kEndOfPlaceMark = UINT64_MAX - 1; // after the edges of a place
inline constexpr std::uint64_t kLeftMark = UINT64_MAX - 3;       // limiter_hooks.cpp
inline constexpr std::uint64_t kAdmittedMark = UINT64_MAX - 4;   // the same

TP_HOT bool is_edge(std::uint64_t entry) noexcept {
  return entry <= kMostEdge;
}
TP_HOT bool is_ticket(std::uint64_t entry) noexcept {
  return entry > kMostEdge && entry <= kMostTicket;
}

// Keys of an object's site, and of what limits a node: the number of its places that are taken, or
// the state of a limiter.
inline const void* name_key(const void* object) noexcept {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(object) | 1);
}
inline const void* limit_key(const void* node) noexcept {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(node) | 2);
}
// Is that a limiter? A number of places is at most 1.
inline bool is_limiter(const void* node) noexcept {
  return peek_edge(limit_key(node)) > 1;
}
// Key of the edge of a flag. A flag has no destructor that would forget the edge, so the key must
// not be used for anything else.
inline const void* once_key(const void* flag) noexcept {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(flag) | 3);
}

// Empties the key: calls use(entries) with several entries at a time, the oldest first.
template <typename Use>
TP_HOT void take_all(const void* key, Use&& use) noexcept {
  Edges edges;
  unsigned taken;
  do {
    take_edges(key, edges);
    taken = edges.count; // use() may change it
    if (taken > 0)
      use(edges);
  } while (taken == Edges::kMost);
}

// Records that the edges will be acquired once more, or once less.
inline void change_uses(const std::uint64_t* edges, unsigned count, int change) noexcept {
  ThreadState* const thread = thread_state();
  if (thread == nullptr)
    return;
  for (unsigned i = 0; i < count; ++i)
    if (is_edge(edges[i]))
      change_edge_uses(*thread, top(*thread), edges[i], change);
}

} // namespace tp::rt
