// SPDX-License-Identifier: Apache-2.0
// Labels are in 1 ... 2^63 - 1; those of the list's beginning and end are 0 and 2^63.
#include "dag/tree_order.h"

#include <algorithm>
#include <bit>

namespace tp::analysis {
namespace {
constexpr unsigned kBits = 63;
constexpr std::uint64_t kEnd = std::uint64_t{1} << kBits;
// A range of 2^i labels is too dense with more than kMostDense^i places: between 1, with which a
// range would be labelled anew for each place, and 2, with which there would be no room left.
constexpr double kMostDense = 1.45;
// Of a gap above kLargeGap, a first child leaves the part 2^-kLogLargePart for its siblings and the
// rest for what it spawns: a million nested tasks find room.
constexpr std::uint64_t kLargeGap = std::uint64_t{1} << 40;
constexpr unsigned kLogLargePart = 16;
} // namespace

TreeOrder::TreeOrder() {
  begin_.next = &end_;
  end_.previous = &begin_;
  end_.label = kEnd;
}

// Hot: once per task.
TreePlace* TreeOrder::insert_before(TreePlace& next) {
  TreePlace* const place = places_.make();
  if (next.label - next.previous->label < 2) [[unlikely]]
    make_room(next);
  TreePlace* const previous = next.previous;
  const std::uint64_t gap = next.label - previous->label;
  const std::uint64_t part = ++next.spawned == 1
                                 ? gap - (gap >> (gap > kLargeGap ? kLogLargePart : 1))
                                 : gap >> std::bit_width(next.spawned);
  *place = {previous, &next, previous->label + std::max<std::uint64_t>(part, 1), 0, 1};
  previous->next = next.previous = place;
  return place;
}

// Spreads the labels of the smallest range around `at` that is not too dense, or of a larger one that
// has hardly more places.
void TreeOrder::make_room(TreePlace& at) {
  struct Range {
    TreePlace *first, *last;
    std::uint64_t count, from, size;
  };
  TreePlace* const middle = &at == &end_ ? at.previous : &at;
  Range range{middle, middle, 1, 0, 1}, chosen{};
  double most = 1;
  std::uint64_t enough = kEnd;
  for (unsigned bits = 1; bits <= kBits; ++bits) {
    most *= kMostDense;
    range.size = std::uint64_t{1} << bits;
    range.from = middle->label & ~(range.size - 1);
    for (; range.first->previous != &begin_ && range.first->previous->label >= range.from;
         ++range.count)
      range.first = range.first->previous;
    for (; range.last->next != &end_ && range.last->next->label - range.from < range.size;
         ++range.count)
      range.last = range.last->next;
    if (range.count > enough)
      break;
    if (static_cast<double>(range.count) > most || range.size / (range.count + 1) < 4)
      continue;
    if (chosen.count == 0)
      enough = 2 * range.count + 8;
    chosen = range;
  }
  std::uint64_t label = chosen.from;
  for (TreePlace* place = chosen.first; place != chosen.last->next; place = place->next)
    place->label = label += chosen.size / (chosen.count + 1);
}

} // namespace tp::analysis
