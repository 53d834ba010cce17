// SPDX-License-Identifier: Apache-2.0
// The C entry points of tp/hooks.h for edges: dependences that neither a spawn nor a wait
// expresses, and the objects that carry them from one task to another.
//
// All state is in the edge table (hooks/edge_entries.h). The entries at a serial node are its place,
// if it was given back: its edges, followed by kEndOfPlaceMark. Nodes with several places are
// limiters (limiter_hooks.cpp).
#include "tp/hooks.h"

#include "hooks/current_thread.h"
#include "hooks/edge_entries.h"
#include "hooks/tickets.h"
#include "sites/site_registry.h"

#include <atomic>

using namespace tp::rt;

namespace {

void acquire(const std::uint64_t* edges, unsigned count, Acquire how) noexcept {
  ThreadState* const thread = thread_state();
  if (thread == nullptr)
    return;
  if (has_steps(*thread, top(*thread))) [[likely]]
    acquire_edges(*thread, top(*thread), edges, count, how);
  else // on a stack that the library left in a wait, and returns to
    change_uses(edges, count, -1);
}

// The current frame continues after all edges at `key`, which are removed.
void acquire_all(const void* key, Acquire how) noexcept {
  if (!keeps_edges())
    return;
  Edges tickets;
  take_all(key, [&](Edges& edges) {
    split_off_tickets(edges, tickets);
    if (edges.count == 0)
      return;
    acquire(edges.edge, edges.count, how);
    how = Acquire::Also;
  });
  if (tickets.count > 0) [[unlikely]]
    adopt_tickets(tickets);
}

// Number of functions of collaborative_call_once that have ended in the process.
constinit std::atomic<std::uint64_t> once_ends{0};

// Hot: each time a flag is tested. Flags have at least 8 bytes.
TP_HOT AcquiredFlag& entry_of(ThreadState& thread, const void* flag) noexcept {
  return thread.acquired_flags[reinterpret_cast<std::uintptr_t>(flag) / 8 % kAcquiredFlags];
}

// The entry does not show that the frame has acquired the flag's edge: acquires it if there is one
// and it has not, and updates the entry.
void continue_after_once(ThreadState& thread, Frame& frame, AcquiredFlag& entry, const void* flag,
                         std::uint64_t ends) noexcept {
  std::uint64_t edge = entry.edge;
  if (entry.flag != flag || entry.ends != ends)
    edge = peek_edge(once_key(flag));
  if (frame.part == 0)
    frame.part = tp::trace::pack_id(thread.writer.stream(), thread.parts++) + 1;
  const bool is_after = entry.flag == flag && entry.edge == edge && entry.part == frame.part;
  entry = {flag, ends, edge, frame.part};
  if (edge != 0 && !is_after)
    acquire(&edge, 1, Acquire::Also);
}

// All edges at `from` become the place.
void give_only_place(const void* from, const void* node) noexcept {
  Edges edges;
  take_edges(from, edges);
  if (edges.count == 0)
    return;
  if (edges.count == Edges::kMost) {
    put_edges(node, edges);
    tp_pass_edges(from, node);
    edges.count = 0;
  }
  edges.edge[edges.count++] = kEndOfPlaceMark;
  put_edges(node, edges);
}

} // namespace

#define TP_EXPORT [[gnu::visibility("default")]]

extern "C" {

TP_EXPORT uint64_t tp_on_release(int kept) noexcept {
  ThreadState* const thread = thread_state_or_create();
  if (thread == nullptr || !has_steps(*thread, top(*thread)))
    return 0;
  return release_edge(*thread, top(*thread), kept != 0);
}

TP_EXPORT void tp_on_acquire(uint64_t edge, int alone) noexcept {
  if (edge != 0)
    acquire(&edge, 1, alone != 0 ? Acquire::Alone : Acquire::Also);
}

TP_EXPORT void tp_forget_edge(uint64_t edge) noexcept {
  if (edge != 0)
    change_uses(&edge, 1, -1);
}

TP_EXPORT void tp_on_release_to(const void* key, int kept) noexcept {
  if (const std::uint64_t edge = tp_on_release(kept))
    put_edge(key, edge);
}

TP_EXPORT void tp_on_acquire_from(const void* key, int kept) noexcept {
  if (!kept)
    acquire_all(key, Acquire::Also);
  else if (keeps_edges())
    tp_on_acquire(peek_edge(key), 0);
}

TP_EXPORT void tp_on_once_end(const void* waited_at, const void* flag) noexcept {
  if (!keeps_edges())
    return;
  forget_edges(once_key(flag));
  if (const std::uint64_t edge = tp_on_release(/*kept=*/1)) {
    put_edge(waited_at, edge);
    put_edge(once_key(flag), edge);
  }
  once_ends.fetch_add(1, std::memory_order_relaxed);
}

TP_EXPORT void tp_on_after_once(const void* flag) noexcept {
  ThreadState* const thread = thread_state();
  if (thread == nullptr)
    return;
  Frame& frame = top(*thread);
  AcquiredFlag& entry = entry_of(*thread, flag);
  const std::uint64_t ends = once_ends.load(std::memory_order_relaxed);
  if (entry.flag == flag && entry.ends == ends && entry.part == frame.part) [[likely]]
    return;
  if (has_steps(*thread, frame))
    continue_after_once(*thread, frame, entry, flag, ends);
}

TP_EXPORT void tp_forget_edges(const void* key) noexcept {
  if (keeps_edges())
    take_all(key, [](const Edges& edges) { change_uses(edges.edge, edges.count, -1); });
}

TP_EXPORT void tp_on_start_after(const void* key) noexcept {
  acquire_all(key, Acquire::First);
}

TP_EXPORT int tp_has_edges(const void* key) noexcept {
  return keeps_edges() && peek_edge(key) != 0;
}

TP_EXPORT void tp_pass_edges(const void* from, const void* to) noexcept {
  if (keeps_edges())
    take_all(from, [&](const Edges& edges) { put_edges(to, edges); });
}

TP_EXPORT void tp_copy_edges(const void* from, const void* to) noexcept {
  if (thread_state() == nullptr)
    return; // the uses could not be recorded
  Edges copied;
  copied.count = 1;
  for (unsigned n = 0; (copied.edge[0] = peek_edge(from, n)) != 0; ++n)
    if (is_edge(copied.edge[0]) || is_ticket(copied.edge[0])) {
      change_uses(copied.edge, copied.count, 1);
      put_edges(to, copied);
    }
}

TP_EXPORT void tp_give_place(const void* from, const void* node, uint64_t places) noexcept {
  if (!keeps_edges())
    return;
  if (places > 1)
    tp_on_left(from, node, 1);
  else
    give_only_place(from, node);
}

TP_EXPORT void tp_take_place(const void* node, uint64_t places, const void* to) noexcept {
  if (places > 1)
    return tp_on_admit(node, places, to);
  if (!keeps_edges() || count_entry(limit_key(node), 1, places))
    return;
  Edges edges;
  for (bool is_all = false; !is_all;) {
    take_edges(node, edges, kEndOfPlaceMark);
    if (edges.count == 0)
      return;
    if (peek_edge(to) == 0)
      tp_on_release_to(to, 0);
    is_all = edges.edge[edges.count - 1] == kEndOfPlaceMark;
    edges.count -= is_all;
    put_edges(to, edges);
  }
}

TP_EXPORT void tp_forget_places(const void* node) noexcept {
  if (!keeps_edges())
    return;
  if (is_limiter(node))
    tp_forget_limiter(node);
  forget_edges(limit_key(node));
  tp_forget_edges(node);
}

TP_EXPORT void tp_begin_pull(const void* message) noexcept {
  if (keeps_edges())
    put_edge(message, kPulledMark);
}

TP_EXPORT void tp_end_pull(const void* message) noexcept {
  if (keeps_edges() && peek_edge(message) == kPulledMark)
    take_edge(message);
}

TP_EXPORT void tp_on_got_message(const void* message) noexcept {
  if (keeps_edges() && peek_edge(message) != kPulledMark)
    acquire_all(message, Acquire::Also);
}

TP_EXPORT void tp_name_object(const void* object, const void* site) noexcept {
  if (site == nullptr) {
    if (keeps_edges())
      forget_edges(name_key(object));
    return;
  }
  ThreadState* const thread = thread_state_or_create();
  if (thread == nullptr)
    return;
  // Constructed by a call that has a site of its own, such as make_unique: the constructor's is
  // inside std.
  Frame& frame = top(*thread);
  const std::uint32_t id =
      frame.call_site != 0 ? frame.call_site : id_of_site(*thread, frame, site);
  if (id == 0 || (id & kInternalSite) != 0)
    return; // made by the library for itself
  forget_edges(name_key(object));
  put_edge(name_key(object), id);
}

TP_EXPORT void tp_name_filter(const void* node, const void* site) noexcept {
  ThreadState* const thread = thread_state_or_create();
  if (thread == nullptr)
    return;
  // tp-c++ describes the call of parallel_pipeline, which is often around that of make_filter.
  const std::uint32_t id = id_of_site(*thread, top(*thread), site, Notes::Ignored);
  if ((id & kInternalSite) != 0)
    return;
  forget_edges(name_key(node));
  put_edge(name_key(node), id);
}

TP_EXPORT void tp_copy_name(const void* from, const void* to) noexcept {
  if (const std::uint32_t id = tp_name_of(from))
    put_edge(name_key(to), id);
}

TP_EXPORT uint32_t tp_name_of(const void* object) noexcept {
  return keeps_edges() ? static_cast<std::uint32_t>(peek_edge(name_key(object))) : 0;
}

TP_EXPORT uint32_t tp_filter_site(const void* node, const void* type, const void* caller,
                                  unsigned number, unsigned mode) noexcept {
  ThreadState* const thread = thread_state_or_create();
  if (thread == nullptr)
    return 0;
  Frame& frame = top(*thread);
  const OutsideOfStep outside(*thread, frame);
  std::uint32_t of = tp_name_of(node);
  if (of == 0)
    of = frame.call_site;
  if (of == 0) {
    const void* const task_stack = task_stack_of(frame);
    std::uint64_t path = thread->call_paths.find(task_stack);
    if (path == CallPaths::kUnlearned)
      path = thread->call_paths.learn(task_stack);
    of = register_address(tp_task{nullptr, type, caller}, TP_CONSTRUCT_PARALLEL_PIPELINE, path,
                          task_stack);
  }
  return register_filter(of, frame.call_site, number, mode);
}

} // extern "C"
