// SPDX-License-Identifier: Apache-2.0
// See tickets.h.
#include "hooks/tickets.h"

#include <algorithm>
#include <functional>

namespace tp::rt {

void adopt_tickets(Edges& tickets) noexcept {
  ThreadState* const thread = thread_state();
  if (thread == nullptr)
    return;
  Frame& frame = top(*thread);
  Edges held;
  if (frame.has_tickets)
    take_edges(&frame, held);
  const unsigned added = tickets.count;
  for (unsigned i = 0; i < held.count && tickets.count < Edges::kMost; ++i)
    if (std::none_of(tickets.edge, tickets.edge + added,
                     [&](std::uint64_t each) { return same_limiter(each, held.edge[i]); }))
      tickets.edge[tickets.count++] = held.edge[i];
  std::sort(tickets.edge, tickets.edge + tickets.count, std::greater<>());
  held.count = 0;
  unsigned of_limiter = 0;
  for (unsigned i = 0; i < tickets.count; ++i) {
    const bool is_first = i == 0 || !same_limiter(tickets.edge[i], tickets.edge[i - 1]);
    if (!is_first && tickets.edge[i] == tickets.edge[i - 1])
      continue;
    of_limiter = is_first ? 1 : of_limiter + 1;
    if (of_limiter <= kTicketsOfLimiter)
      held.edge[held.count++] = tickets.edge[i];
  }
  put_edges(&frame, held);
  frame.has_tickets = true;
}

void copy_tickets(const Frame& frame, const void* to) noexcept {
  std::uint64_t ticket;
  for (unsigned n = 0; (ticket = peek_edge(&frame, n)) != 0; ++n)
    put_edge(to, ticket);
}

void forget_tickets(Frame& frame) noexcept {
  forget_edges(&frame);
  frame.has_tickets = false;
}

} // namespace tp::rt
