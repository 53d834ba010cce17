// SPDX-License-Identifier: Apache-2.0
// Which stream's record comes next. Streams that can go on are in a heap by (time, stream number).
// A stream whose next record needs something that has not been read yet (a spawn, a join, an edge)
// is in the list of what it waits for, and returns to the heap when that is read. Used by DagReader
// and Joins.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace tp::analysis {

inline constexpr std::uint32_t kNoStream = std::numeric_limits<std::uint32_t>::max();

// The streams that wait for one thing: a list through StreamQueue::Entry::next.
struct Waiters {
  std::uint32_t first = kNoStream;
};

class StreamQueue {
public:
  explicit StreamQueue(std::size_t streams) : entries_(streams) {}

  void push(std::uint64_t time, std::uint32_t stream) {
    entries_[stream].time = time;
    heap_.push_back({time, stream});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  bool empty() const { return heap_.empty(); }
  bool comes_before(std::uint64_t time, std::uint32_t stream) const {
    return heap_.empty() || later(heap_.front(), {time, stream});
  }
  // The earliest record of all streams in the queue, ready or blocked; `time` if none is earlier.
  std::uint64_t earliest(std::uint64_t time) const {
    if (!heap_.empty())
      time = std::min(time, heap_.front().time);
    for (const Entry& entry : entries_)
      if (entry.waits_on)
        time = std::min(time, entry.time);
    return time;
  }
  std::uint32_t pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const std::uint32_t stream = heap_.back().stream;
    heap_.pop_back();
    return stream;
  }

  // `stream`, whose next record is at `time`, waits for `waiters`; `wanted` is an ordinal for
  // wake_up_to; `perhaps_in_vain`: the program may not have waited for all of this.
  void block(std::uint64_t time, std::uint32_t stream, Waiters& waiters, std::uint64_t wanted,
             bool perhaps_in_vain) {
    entries_[stream] = {time, wanted, &waiters, waiters.first, perhaps_in_vain};
    waiters.first = stream;
    ++blocked_;
  }
  void wake_all(Waiters& waiters) {
    while (waiters.first != kNoStream)
      unblock_first(waiters);
  }
  // Wakes those that wait for an ordinal of at most `ordinal`.
  void wake_up_to(Waiters& waiters, std::uint64_t ordinal) {
    for (std::uint32_t* link = &waiters.first; *link != kNoStream;) {
      Entry& entry = entries_[*link];
      if (entry.wanted > ordinal) {
        link = &entry.next;
        continue;
      }
      const std::uint32_t stream = *link;
      *link = entry.next;
      leave(stream);
      push(entry.time, stream);
    }
  }
  // Call it when no stream can go on: takes out the earliest blocked stream; kNoStream if no stream
  // is blocked. A stream that waits perhaps in vain comes before all others: once it has given way,
  // the others may get what they wait for.
  std::uint32_t take_earliest_blocked() {
    if (blocked_ == 0)
      return kNoStream;
    const auto rank = [](const Entry& entry) {
      return std::pair(!entry.perhaps_in_vain, entry.time);
    };
    std::uint32_t best = kNoStream;
    for (std::uint32_t stream = 0; stream < entries_.size(); ++stream)
      if (entries_[stream].waits_on &&
          (best == kNoStream || rank(entries_[stream]) < rank(entries_[best])))
        best = stream;
    std::uint32_t* link = &entries_[best].waits_on->first;
    while (*link != best)
      link = &entries_[*link].next;
    *link = entries_[best].next;
    leave(best);
    return best;
  }

private:
  struct Entry {
    std::uint64_t time = 0;
    std::uint64_t wanted = 0;
    Waiters* waits_on = nullptr;
    std::uint32_t next = kNoStream;
    bool perhaps_in_vain = false;
  };
  struct Item {
    std::uint64_t time;
    std::uint32_t stream;
  };
  static bool later(const Item& a, const Item& b) {
    return a.time != b.time ? a.time > b.time : a.stream > b.stream;
  }
  void leave(std::uint32_t stream) {
    entries_[stream].waits_on = nullptr;
    --blocked_;
  }
  void unblock_first(Waiters& waiters) {
    const std::uint32_t stream = waiters.first;
    waiters.first = entries_[stream].next;
    leave(stream);
    push(entries_[stream].time, stream);
  }

  std::vector<Entry> entries_;
  std::vector<Item> heap_;
  std::size_t blocked_ = 0;
};

} // namespace tp::analysis
