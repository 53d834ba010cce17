// The C entry points (tp/hooks.h) for edges: order that neither a spawn nor a wait expresses, and what
// objects carry of it from one task to another.
#include "tp/hooks.h"

#include "builder/dpst_builder.h"
#include "builder/edge_table.h"
#include "hooks/current_thread.h"

#include <atomic>

using namespace tp::rt;

namespace {

// The edge table is kept also by threads that are not recorded: they move and destroy what carries
// the edges of others, and an address that is used again must not find old ones.
TP_HOT bool keeps_edges() noexcept {
  return recording() == Recording::On;
}

// Entries of the edge table that are no edges; no packed id is that large.
constexpr std::uint64_t kPulledMark = UINT64_MAX;         // tp_begin_pull
constexpr std::uint64_t kEndOfPlaceMark = UINT64_MAX - 1; // behind the edges of a place
TP_HOT bool is_edge(std::uint64_t entry) noexcept {
  return entry < kEndOfPlaceMark;
}

// Empties the key: calls use(edges) with some entries at a time, the oldest first.
template <typename Use>
TP_HOT void take_all(const void* key, Use&& use) noexcept {
  Edges edges;
  do {
    take_edges(key, edges);
    if (edges.count > 0)
      use(edges);
  } while (edges.count == Edges::kMost);
}

// Tells that the edges will be acquired once more, or not at all.
void change_uses(const std::uint64_t* edges, unsigned count, int change) noexcept {
  ThreadState* const thread = known_thread();
  if (thread == nullptr)
    return;
  for (unsigned i = 0; i < count; ++i)
    if (is_edge(edges[i]))
      change_edge_uses(*thread, top(*thread), edges[i], change);
}

void acquire(const std::uint64_t* edges, unsigned count, Acquire how) noexcept {
  ThreadState* const thread = known_thread();
  if (thread == nullptr)
    return;
  if (has_steps(*thread, top(*thread))) [[likely]]
    acquire_edges(*thread, top(*thread), edges, count, how);
  else // a stack that the library left in a wait, and goes back to
    change_uses(edges, count, -1);
}

// The current frame comes after all edges at `key`.
void acquire_all(const void* key, Acquire how) noexcept {
  if (!keeps_edges())
    return;
  take_all(key, [&](const Edges& edges) {
    acquire(edges.edge, edges.count, how);
    how = Acquire::Also;
  });
}

// Where the edge table keeps the site of an object, and how many of its places were taken, at most
// as many as it has: beside its edges, since objects are aligned.
const void* name_key(const void* object) noexcept {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(object) | 1);
}
const void* taken_key(const void* node) noexcept {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(node) | 2);
}
// And the edge of a flag: it has no destructor that would forget it, so nothing else may ever find it.
const void* once_key(const void* flag) noexcept {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(flag) | 3);
}

// Functions that have ended (tp_on_once_end).
constinit std::atomic<std::uint64_t> once_ends{0};

// Hot: whenever a flag is asked. Flags are 8 bytes at least.
TP_HOT OnceMemo& memo_of(ThreadState& thread, const void* flag) noexcept {
  return thread.once[reinterpret_cast<std::uintptr_t>(flag) / 8 % kOnceMemos];
}

// The memo does not say that the frame is after the flag's edge: makes it so.
void continue_after_once(ThreadState& thread, Frame& frame, OnceMemo& memo, const void* flag,
                         std::uint64_t ends) noexcept {
  std::uint64_t edge = memo.edge;
  if (memo.flag != flag || memo.ends != ends)
    edge = peek_edge(once_key(flag));
  if (frame.part == 0)
    frame.part = tp::trace::pack_id(thread.writer.stream(), thread.parts++) + 1;
  const bool is_after = memo.flag == flag && memo.edge == edge && memo.part == frame.part;
  memo = {flag, ends, edge, frame.part};
  if (edge != 0 && !is_after)
    acquire(&edge, 1, Acquire::Also);
}

// All edges at `from` become one place.
void give_last_place(const void* from, const void* node) noexcept {
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
  ThreadState* const thread = any_thread();
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
  ThreadState* const thread = known_thread();
  if (thread == nullptr)
    return;
  Frame& frame = top(*thread);
  OnceMemo& memo = memo_of(*thread, flag);
  const std::uint64_t ends = once_ends.load(std::memory_order_relaxed);
  if (memo.flag == flag && memo.ends == ends && memo.part == frame.part) [[likely]]
    return;
  if (has_steps(*thread, frame))
    continue_after_once(*thread, frame, memo, flag, ends);
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
  if (known_thread() == nullptr)
    return; // nobody would be told
  Edges copied;
  copied.count = 1;
  for (unsigned n = 0; (copied.edge[0] = peek_edge(from, n)) != 0; ++n)
    if (is_edge(copied.edge[0])) {
      change_uses(copied.edge, copied.count, 1);
      put_edges(to, copied);
    }
}

TP_EXPORT void tp_give_places(const void* from, const void* node, uint64_t count) noexcept {
  for (; count > 1 && tp_has_edges(from); --count) {
    tp_copy_edges(from, node);
    put_edge(node, kEndOfPlaceMark);
  }
  if (count == 1 && keeps_edges())
    give_last_place(from, node);
}

TP_EXPORT void tp_take_place(const void* node, uint64_t places, const void* to) noexcept {
  if (!keeps_edges() || count_entry(taken_key(node), 1, places))
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

TP_EXPORT void tp_return_place(const void* node) noexcept {
  if (keeps_edges())
    count_entry(taken_key(node), -1, UINT64_MAX);
}

TP_EXPORT void tp_forget_places(const void* node) noexcept {
  if (!keeps_edges())
    return;
  forget_edges(taken_key(node));
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
  ThreadState* const thread = any_thread();
  if (thread == nullptr)
    return;
  // Made for a call that has a site of its own, such as make_unique: the constructor's is inside std.
  Frame& frame = top(*thread);
  const std::uint32_t id =
      frame.call_site != 0 ? frame.call_site : id_of_site(*thread, frame, site);
  if (id == 0 || (id & kInternalSite) != 0)
    return; // made by the library for itself
  forget_edges(name_key(object));
  put_edge(name_key(object), id);
}

TP_EXPORT void tp_copy_name(const void* from, const void* to) noexcept {
  if (const std::uint32_t id = tp_name_of(from))
    put_edge(name_key(to), id);
}

TP_EXPORT uint32_t tp_name_of(const void* object) noexcept {
  return keeps_edges() ? static_cast<std::uint32_t>(peek_edge(name_key(object))) : 0;
}

} // extern "C"
