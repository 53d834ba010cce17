// SPDX-License-Identifier: Apache-2.0
// TICKETS: which admissions of limiter_nodes a message, or the task that it runs, descends from. By
// its tickets a decrement shows which message leaves a limiter.
//
// A ticket is an entry of the edge table under the message's key, but not an edge. It moves with the
// edges there. A task takes over the tickets of what it acquires (under the key of
// its frame), and each message that it sends gets copies. While there is no limiter, that costs
// nothing but a test of Frame::has_tickets.
#pragma once

#include "hooks/edge_entries.h"

namespace tp::rt {

// The message is the number-th that a limiter admitted. Limiters have 24 bits and numbers 36: they
// repeat after that. A limiter that is reset is another one.
constexpr unsigned kTicketBits = 36;
constexpr std::uint64_t kLimiters = (kMostTicket - kMostEdge) >> kTicketBits;
constexpr std::uint64_t ticket_of(std::uint64_t limiter, std::uint64_t number) noexcept {
  return kMostEdge + 1 +
         (limiter << kTicketBits | (number & ((std::uint64_t{1} << kTicketBits) - 1)));
}
constexpr bool same_limiter(std::uint64_t ticket, std::uint64_t other) noexcept {
  return (ticket ^ other) >> kTicketBits == 0;
}
static_assert(ticket_of(kLimiters - 1, ~std::uint64_t{0}) == kMostTicket);

// Removes all entries that are not edges; the tickets are added to `tickets`, if there is room.
TP_HOT void split_off_tickets(Edges& entries, Edges& tickets) noexcept {
  unsigned kept = 0;
  for (unsigned i = 0; i < entries.count; ++i)
    if (is_edge(entries.edge[i])) [[likely]]
      entries.edge[kept++] = entries.edge[i];
    else if (is_ticket(entries.edge[i]) && tickets.count < Edges::kMost)
      tickets.edge[tickets.count++] = entries.edge[i];
  entries.count = kept;
}

// The current frame has acquired a message with these tickets. They replace those of the same
// limiters. Of one limiter the newest kTicketsOfLimiter are kept, and 16 in all.
constexpr unsigned kTicketsOfLimiter = 4;
TP_COLD void adopt_tickets(Edges& tickets) noexcept;
// The current frame sends a message, or makes its task: copies its tickets there.
TP_COLD void copy_tickets(const Frame& frame, const void* to) noexcept;
// The frame ends.
TP_COLD void forget_tickets(Frame& frame) noexcept;

} // namespace tp::rt
