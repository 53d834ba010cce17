// SPDX-License-Identifier: Apache-2.0
// The C entry points of tp/hooks.h for limits of concurrency: arenas, global_control, tokens. Cold:
// called where a thread gets a slot of an arena, where a task is enqueued, where a limit changes, and where a
// pipeline begins.
#include "hooks/limit_hooks.h"

#include "builder/dpst_builder.h"
#include "hooks/current_thread.h"
#include "session/session.h"

#include <algorithm>
#include <atomic>

namespace tp::rt {
namespace {

std::atomic<std::uint32_t> arenas{0}; // that have asked for a concurrency: they are few
// What global_control allows: threads << 1 | like_machine. 0: it never said.
std::atomic<std::uint64_t> allowed{0};
std::atomic<bool> not_recorded{false}; // the last change of it

constexpr std::uint64_t kMostThreads = UINT32_MAX;

// Arenas and global_control get the machine's number of CPUs from oneTBB, which --as-if-cores changes.
bool is_like_machine(std::uint64_t threads, std::uint64_t cpus) noexcept {
  const int cores = as_if_cores();
  return threads == (cores > 0 ? static_cast<std::uint64_t>(cores) : cpus);
}

} // namespace

void note_allowed_threads(ThreadState& thread) noexcept {
  if (!not_recorded.load(std::memory_order_relaxed) ||
      !not_recorded.exchange(false, std::memory_order_relaxed))
    return;
  const std::uint64_t now = allowed.load(std::memory_order_relaxed);
  allow_threads(thread, top(thread), static_cast<std::uint32_t>(now >> 1), (now & 1) != 0);
}

} // namespace tp::rt

using namespace tp::rt;

#define TP_EXPORT [[gnu::visibility("default")]]

extern "C" {

TP_EXPORT void tp_on_arena_made(tp_arena* arena, int asked, unsigned reserved, unsigned slots,
                                int cpus) noexcept {
  arena->asked = static_cast<std::uint32_t>(asked);
  arena->reserved = reserved;
  arena->slots = slots;
  arena->like_machine = is_like_machine(arena->asked, static_cast<std::uint64_t>(cpus)) ? 1 : 0;
  arena->id = arenas.fetch_add(1, std::memory_order_relaxed) + 1;
}

TP_EXPORT void tp_on_arena(const tp_arena* arena, int entered) noexcept {
  ThreadState* const thread = thread_state();
  if (thread != nullptr && thread->arena != arena->id)
    enter_arena(*thread, top(*thread), *arena, entered != 0);
}

TP_EXPORT int tp_is_outside_of_tasks() noexcept {
  ThreadState* const thread = thread_state();
  if (thread == nullptr || thread->arena != 0)
    return 0;
  const Frame* const frame = &top(*thread);
  return frame == &thread->root || frame == &thread->created ? 1 : 0;
}

TP_EXPORT void tp_on_enqueue(tp_arena* arena) noexcept {
  if (arena->id == 0 || __atomic_load_n(&arena->enqueued, __ATOMIC_RELAXED) != 0)
    return;
  ThreadState* const thread = thread_state();
  if (thread != nullptr && __atomic_exchange_n(&arena->enqueued, 1, __ATOMIC_RELAXED) == 0)
    note_enqueued(*thread, top(*thread), arena->id);
}

TP_EXPORT void tp_on_tokens(uint64_t tokens) noexcept {
  ThreadState* const thread = thread_state();
  if (thread != nullptr && has_steps(*thread, top(*thread)))
    note_tokens(*thread, top(*thread), tokens);
}

TP_EXPORT void tp_on_allowed_threads(uint64_t threads, uint64_t all) noexcept {
  const bool like_machine = is_like_machine(threads, all);
  const std::uint64_t now = std::min(threads, kMostThreads) << 1 | (like_machine ? 1 : 0);
  if (allowed.exchange(now, std::memory_order_relaxed) == now)
    return;
  if (ThreadState* const thread = thread_state())
    allow_threads(*thread, top(*thread), static_cast<std::uint32_t>(now >> 1), like_machine);
  else
    not_recorded.store(true, std::memory_order_relaxed);
}

} // extern "C"
