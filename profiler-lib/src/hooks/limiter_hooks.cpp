// SPDX-License-Identifier: Apache-2.0
// The C entry points of tp/hooks.h for messages on their way through a graph, and for limiter_node.
//
// A limiter is a limiter_node, or a node that runs several bodies at a time: a message leaves it at
// a decrement, or at the end of its body. It lets in a message when fewer than `slots` of those before it are still inside. Which of
// them have left by then is the schedule's: one thread runs the newest message first and leaves the
// oldest for the end, so that the slot of one message goes from task to task. So admission is
// recorded as a window, as in a pipeline, but by rounds: messages 0 to slots - 1, slots to
// 2 * slots - 1, and so on. The k-th message of a round comes after the k-th one to leave of the
// round before. A ticket (tickets.h) that travels with the message shows at a decrement which one
// leaves. Of the round before
//   - at least one message has left when a round begins, since at most slots - 1 are inside;
//   - if fewer than k have left when the k-th message of a round is admitted, it comes after the
//     same one as the message before it, which was admitted no later; the next one to leave then
//     is for the next message to be admitted;
//   - a message that leaves after one of the next round, which does not happen where all take the
//     same time, orders nothing. Nor does one that leaves when one of the next round has been
//     through a serial node, since it may have come after that one there, and the next round would
//     be in the chain twice.
// So what is recorded has happened in this order, and a chain has no more messages than rounds.
// Where messages cost the same and arrive together, the span is that of the window.
//
// State in the edge table, besides the messages': the limiter under the ticket of each message
// that is inside (key), and under left_key the edges with which the k-th one of a round left, or
// kLeftMark if there are none, until they are given to the k-th message of the next round.
#include "hooks/tickets.h"
#include "tp/hooks.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <sched.h>

using namespace tp::rt;

namespace {

// Of more messages at a time no order is recorded.
constexpr std::uint64_t kMostSlots = 65536;

constinit std::atomic<std::uint64_t> limiters_made{0};

// Owned by the edge table, under the node's limit_key, until the node is reset or destroyed.
struct Limiter {
  explicit Limiter(std::uint64_t slot_count) noexcept
      : slots(slot_count),
        number(limiters_made.fetch_add(1, std::memory_order_relaxed) % kLimiters) {}

  const std::uint64_t slots;
  const std::uint64_t number;
  std::atomic<bool> locked{false};
  // With the lock held.
  std::uint64_t next = 0;         // message to admit
  std::uint64_t oldest = 0;       // inside, or `next`
  std::uint64_t in_flight = 0;    // messages
  std::uint64_t newest_round = 0; // of which a message has left, or been through a serial node
  std::uint64_t left[2] = {0, 0}; // where the next message to leave of an even, odd round belongs
  Edges given;                    // to message next - 1, ...
  bool given_all = false;         // ... all of what was under its left_key; else copies
  Edges kept; // copies of what message next - 1 depends on, if message next may need them

  const void* key(std::uint64_t message) const noexcept {
    return reinterpret_cast<const void*>(ticket_of(number, message));
  }
  const void* left_key(std::uint64_t message) const noexcept {
    return reinterpret_cast<const void*>(ticket_of(number, message) ^ std::uint64_t{1} << 60);
  }
  bool is_inside(std::uint64_t message) const noexcept { return peek_edge(key(message)) != 0; }
  // Of the round after.
  bool has_left(std::uint64_t message) const noexcept { return peek_edge(left_key(message)) != 0; }
};

class Locked {
public:
  explicit Locked(Limiter& limiter) noexcept : limiter_(limiter) {
    for (unsigned tries = 1; limiter.locked.exchange(true, std::memory_order_acquire); ++tries)
      if (tries % 64 == 0)
        sched_yield();
  }
  ~Locked() { limiter_.locked.store(false, std::memory_order_release); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

private:
  Limiter& limiter_;
};

// Null: nothing was admitted since the limiter was made or reset.
Limiter* find_limiter(const void* node) noexcept {
  return reinterpret_cast<Limiter*>(peek_edge(limit_key(node)));
}
Limiter* find_or_make_limiter(const void* node, std::uint64_t slots) noexcept {
  if (Limiter* const limiter = find_limiter(node))
    return limiter;
  auto* const made = new (std::nothrow) Limiter(slots);
  if (made == nullptr)
    return nullptr;
  const std::uint64_t entry =
      peek_or_put_edge(limit_key(node), reinterpret_cast<std::uint64_t>(made));
  if (entry != reinterpret_cast<std::uint64_t>(made))
    delete made;
  return reinterpret_cast<Limiter*>(entry);
}

void drop(Edges& edges) noexcept {
  change_uses(edges.edge, edges.count, -1);
  edges.count = 0;
}

void copy_edges(const Edges& from, const void* to) noexcept {
  if (thread_state() == nullptr)
    return;
  change_uses(from.edge, from.count, 1);
  put_edges(to, from);
}

// Removes the limiter's tickets from a message, and returns the last of them, or 0.
std::uint64_t take_ticket(const Limiter& limiter, const void* message) noexcept {
  const std::uint64_t ours = ticket_of(limiter.number, 0);
  const auto is_ours = [&](std::uint64_t entry) {
    return is_ticket(entry) && same_limiter(entry, ours);
  };
  std::uint64_t ticket = 0, entry;
  for (unsigned n = 0; (entry = peek_edge(message, n)) != 0; ++n)
    if (is_ours(entry))
      ticket = entry;
  if (ticket == 0)
    return 0;
  long others = 0;
  take_all(message, [&](Edges& entries) {
    entries.count = static_cast<unsigned>(
        std::remove_if(entries.edge, entries.edge + entries.count, is_ours) - entries.edge);
    put_edges(&others, entries);
  });
  tp_pass_edges(&others, message);
  return ticket;
}

std::uint64_t message_of(const Limiter& limiter, std::uint64_t ticket) noexcept {
  return limiter.next -
         (ticket_of(0, limiter.next) - ticket_of(0, ticket)) % (std::uint64_t{1} << kTicketBits);
}

// Which message a decrement by one with these tickets is for: the newest of them that is inside,
// else the oldest that is inside.
std::uint64_t leaving(const Limiter& limiter, const Edges& tickets) noexcept {
  std::uint64_t newest = 0; // + 1
  for (unsigned i = 0; i < tickets.count; ++i) {
    if (!same_limiter(tickets.edge[i], ticket_of(limiter.number, 0)))
      continue;
    const std::uint64_t message = message_of(limiter, tickets.edge[i]);
    if (message >= newest && limiter.is_inside(message))
      newest = message + 1;
  }
  return newest != 0 ? newest - 1 : limiter.oldest;
}

// Message limiter.next is the first of a round: nothing depends on those of two rounds before.
void begin_round(Limiter& limiter) noexcept {
  drop(limiter.kept);
  limiter.left[limiter.next / limiter.slots % 2] = limiter.next;
}

// Fills limiter.given with what message limiter.next depends on, besides its own edges.
void choose_given(Limiter& limiter) noexcept {
  const std::uint64_t n = limiter.next, slots = limiter.slots;
  limiter.given.count = 0;
  limiter.given_all = false;
  if (n % slots == 0)
    begin_round(limiter);
  if (n < slots)
    return;
  const std::uint64_t before = n - slots;
  if (limiter.has_left(before)) {
    take_edges(limiter.left_key(before), limiter.given);
    if (limiter.given.edge[0] == kLeftMark)
      limiter.given.count = 0;
    limiter.given_all = true;
    tp_forget_edges(limiter.left_key(before)); // more than there is room for
    drop(limiter.kept);
  } else if (limiter.kept.count > 0) {
    change_uses(limiter.kept.edge, limiter.kept.count, 1);
    limiter.given = limiter.kept;
    return;
  }
  const bool is_last = (n + 1) % slots == 0;
  if (is_last || limiter.has_left(before + 1) || thread_state() == nullptr)
    return;
  change_uses(limiter.given.edge, limiter.given.count, 1);
  limiter.kept = limiter.given;
}

// The message that an input_node offers was admitted after `given`, which is what its next call
// depends on as well.
void tell_source(const void* message, const Edges& given) noexcept {
  ThreadState* const thread = thread_state();
  if (thread == nullptr || thread->offered != message)
    return;
  const void* const source = thread->offered_from;
  const bool is_kept = peek_edge(source) != 0;
  if (!is_kept && given.count == 0)
    return; // the next call is spawned by the current frame, which made the message
  if (!is_kept)
    tp_on_release_to(source, 0);
  copy_edges(given, source);
  put_edge(source, kAdmittedMark);
}

// The message is no longer inside; `edges` is the key of those of its decrement, `is_last` if they
// are not needed for another message.
void leave(Limiter& limiter, std::uint64_t message, const void* edges, bool is_last) noexcept {
  forget_edges(limiter.key(message));
  --limiter.in_flight;
  while (limiter.oldest < limiter.next && !limiter.is_inside(limiter.oldest))
    ++limiter.oldest;
  const std::uint64_t slots = limiter.slots, round = message / slots;
  if (round < limiter.newest_round)
    return;
  limiter.newest_round = round;
  std::uint64_t& place = limiter.left[round % 2];
  place = std::max(place, limiter.next - std::min(limiter.next, slots));
  if (place / slots != round)
    return; // the next round is complete
  const void* const key = limiter.left_key(place++);
  if (is_last)
    tp_pass_edges(edges, key);
  else
    tp_copy_edges(edges, key);
  if (peek_edge(key) == 0)
    put_edge(key, kLeftMark);
}

// The next body of a serial node comes after the one that the current frame has run.
void pass_serial_node(const Frame& frame) noexcept {
  std::uint64_t ticket;
  for (unsigned n = 0; (ticket = peek_edge(&frame, n)) != 0; ++n) {
    auto* const limiter =
        reinterpret_cast<Limiter*>(peek_edge(reinterpret_cast<const void*>(ticket)));
    if (limiter == nullptr)
      continue; // no longer inside
    const Locked locked(*limiter);
    limiter->newest_round =
        std::max(limiter->newest_round, message_of(*limiter, ticket) / limiter->slots);
  }
}

// The newest message was not let in after all: the next one gets its number, and what it was given.
void take_back(Limiter& limiter, const void* message) noexcept {
  --limiter.next;
  --limiter.in_flight;
  forget_edges(limiter.key(limiter.next));
  long others = 0;
  Edges& given = limiter.given;
  Edges taken;
  take_all(message, [&](Edges& entries) {
    unsigned kept = 0;
    for (unsigned i = 0; i < entries.count; ++i) {
      auto* const end = given.edge + given.count;
      auto* const found = std::find(given.edge, end, entries.edge[i]);
      if (found == end) {
        entries.edge[kept++] = entries.edge[i];
        continue;
      }
      taken.edge[taken.count++] = *found;
      *found = given.edge[--given.count];
    }
    entries.count = kept;
    put_edges(&others, entries);
  });
  tp_pass_edges(&others, message);
  if (!limiter.given_all)
    return drop(taken);
  const void* const key = limiter.left_key(limiter.next - limiter.slots);
  put_edges(key, taken);
  if (taken.count == 0)
    put_edge(key, kLeftMark);
}

} // namespace

#define TP_EXPORT [[gnu::visibility("default")]]

extern "C" {

TP_EXPORT void tp_on_send(const void* message) noexcept {
  tp_on_release_to(message, 0);
  ThreadState* const thread = thread_state();
  if (thread != nullptr && top(*thread).has_tickets) [[unlikely]]
    copy_tickets(top(*thread), message);
}

TP_EXPORT void tp_pass_message(const void* from, const void* to) noexcept {
  ThreadState* const thread = thread_state();
  if (thread != nullptr && top(*thread).has_tickets && peek_edge(from) == 0) [[unlikely]]
    copy_tickets(top(*thread), to);
  else
    tp_pass_edges(from, to);
}

TP_EXPORT void tp_on_message_done(const void* to, const void* node) noexcept {
  tp_on_release_to(to, 0);
  ThreadState* const thread = thread_state();
  if (thread == nullptr || !top(*thread).has_tickets) [[likely]]
    return;
  if (!is_limiter(node))
    return pass_serial_node(top(*thread));
  if (const std::uint64_t ticket = take_ticket(*find_limiter(node), &top(*thread)))
    put_edge(to, ticket);
}

TP_EXPORT void tp_offer_message(const void* message, const void* source) noexcept {
  if (ThreadState* const thread = thread_state()) {
    thread->offered = message;
    thread->offered_from = source;
  }
}

TP_EXPORT void tp_on_next_call(const void* source) noexcept {
  if (!keeps_edges() || peek_edge(source) == 0)
    return;
  bool is_admitted = false;
  long call = 0;
  take_all(source, [&](Edges& taken) {
    is_admitted = is_admitted || std::find(taken.edge, taken.edge + taken.count, kAdmittedMark) !=
                                     taken.edge + taken.count;
    put_edges(&call, taken);
  });
  if (is_admitted)
    tp_on_start_after(&call);
  else
    tp_on_acquire_from(&call, 0);
}

TP_EXPORT void tp_on_admit(const void* node, uint64_t slots, const void* message) noexcept {
  if (!keeps_edges() || slots > kMostSlots)
    return;
  Limiter* const limiter = find_or_make_limiter(node, slots);
  if (limiter == nullptr)
    return;
  if (peek_edge(message) == 0)
    tp_on_send(message);
  take_ticket(*limiter, message); // of when it was here before
  Edges given;
  {
    const Locked locked(*limiter);
    choose_given(*limiter);
    given = limiter->given;
    put_edge(limiter->key(limiter->next), reinterpret_cast<std::uint64_t>(limiter));
    put_edge(message, ticket_of(limiter->number, limiter->next));
    ++limiter->in_flight;
    ++limiter->next;
  }
  tell_source(message, given);
  put_edges(message, given);
}

TP_EXPORT void tp_on_rejected(const void* node, const void* message) noexcept {
  Limiter* const limiter = keeps_edges() ? find_limiter(node) : nullptr;
  if (limiter == nullptr)
    return;
  const Locked locked(*limiter);
  const std::uint64_t ticket = take_ticket(*limiter, message);
  if (ticket == 0)
    return;
  if (ticket == ticket_of(limiter->number, limiter->next - 1))
    return take_back(*limiter, message);
  long none = 0;
  leave(*limiter, message_of(*limiter, ticket), &none, true);
}

TP_EXPORT void tp_on_left(const void* from, const void* node, uint64_t count) noexcept {
  if (!keeps_edges() || count == 0)
    return;
  Limiter* const limiter = find_limiter(node);
  if (limiter == nullptr)
    return tp_forget_edges(from);
  long scratch = 0;
  Edges tickets;
  take_all(from, [&](Edges& entries) {
    split_off_tickets(entries, tickets);
    put_edges(&scratch, entries);
  });
  {
    const Locked locked(*limiter);
    for (; count > 0 && limiter->in_flight > 0; --count)
      leave(*limiter, leaving(*limiter, tickets), &scratch, count == 1 || limiter->in_flight == 1);
  }
  tp_forget_edges(&scratch);
}

TP_EXPORT void tp_forget_limiter(const void* node) noexcept {
  Limiter* const limiter = keeps_edges() ? find_limiter(node) : nullptr;
  if (limiter == nullptr)
    return;
  forget_edges(limit_key(node));
  drop(limiter->kept);
  for (std::uint64_t n = limiter->oldest; limiter->in_flight > 0 && n < limiter->next; ++n)
    if (limiter->is_inside(n)) {
      forget_edges(limiter->key(n));
      --limiter->in_flight;
    }
  const std::uint64_t end = std::max(limiter->left[0], limiter->left[1]);
  for (std::uint64_t n = limiter->next - std::min(limiter->next, limiter->slots); n < end; ++n)
    tp_forget_edges(limiter->left_key(n));
  delete limiter;
}

} // extern "C"
