// SPDX-License-Identifier: Apache-2.0
// PATH COMPOSITION: which rows the longest path to a point is made of.
//
// In addition to its length, every path carries its composition: a chain of segments, newest first,
// each a small map from key to work. Paths share the segments that they have in common. A spawn
// freezes the current segment (two holders), and both sides continue in new ones; where paths meet,
// the winner's chain replaces the loser's. A segment with one holder is extended in place. One that
// is held only by its successor is merged into it, smaller map into larger. So a chain is as long
// as the number of points that still share parts of it: bounded by what is alive.
//
// The key is a template parameter, and so is the data that a segment holds in addition to the map
// (`Extra`, see OnSpan): absorb() is called when an older segment is merged into its own, clear()
// when its segment is freed.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tp::analysis {

using SegmentId = std::uint32_t;
inline constexpr SegmentId kNoSegment = ~SegmentId{0};

struct NoExtra {
  struct Owner {};
  void follow(const NoExtra&) {}
  void absorb(Owner&, NoExtra&) {}
  void clear(Owner&) {}
};

template <typename Key, typename Extra = NoExtra>
class SegmentStore {
public:
  using Owner = typename Extra::Owner;
  struct Entry {
    Key key;
    std::uint64_t work;
  };

  explicit SegmentStore(Owner& owner) : owner_(owner) {}

  SegmentId share(SegmentId id) {
    if (id != kNoSegment)
      ++at(id).refs;
    return id;
  }
  void drop(SegmentId id) {
    while (id != kNoSegment && --at(id).refs == 0) {
      const SegmentId previous = at(id).previous;
      free(id);
      id = previous;
    }
  }
  // The path that ends in `id` (the caller's reference) grows by `work`. Returns the segment that
  // replaces `id`.
  SegmentId extend(SegmentId id, Key key, std::uint64_t work) {
    if (id == kNoSegment || at(id).refs > 1)
      id = begin_after(id);
    collapse(id);
    add(at(id), key, work);
    return id;
  }
  // A new segment at the end of the path; takes over the caller's reference to `id`.
  SegmentId begin_after(SegmentId id) {
    const SegmentId fresh = make();
    at(fresh).previous = id;
    if (id != kNoSegment)
      at(fresh).extra.follow(at(id).extra);
    return fresh;
  }
  // Merges all segments into `id` that only `id` holds.
  void collapse(SegmentId id) {
    Segment& into = at(id);
    while (into.previous != kNoSegment && at(into.previous).refs == 1) {
      const SegmentId merged = into.previous;
      Segment& from = at(merged);
      if (size_of(from) > size_of(into)) {
        std::swap(into.map, from.map);
        std::swap(into.key, from.key);
        std::swap(into.work, from.work);
      }
      for_each(from, [&](const Entry& entry) { add(into, entry.key, entry.work); });
      into.extra.absorb(owner_, from.extra);
      into.previous = from.previous;
      free(merged);
    }
  }
  Extra& extra(SegmentId id) { return at(id).extra; }
  SegmentId previous(SegmentId id) const { return at(id).previous; }
  // Sums per key of the whole chain, ordered by key.
  std::vector<Entry> total(SegmentId id) const {
    std::vector<Entry> sum;
    for (; id != kNoSegment; id = at(id).previous)
      for_each(at(id), [&](const Entry& entry) { add(sum, entry.key, entry.work); });
    return sum;
  }
  std::size_t live() const { return live_; }

private:
  using Map = std::vector<Entry>; // ordered by key
  static constexpr std::uint32_t kNoMap = ~std::uint32_t{0};
  // Most segments have one key. It is kept here, so that a segment fits one cache line.
  struct alignas(64) Segment {
    SegmentId previous = kNoSegment;
    std::uint32_t refs = 0;
    std::uint32_t map = kNoMap; // all keys, if there have been several
    Key key{};
    std::uint64_t work = 0; // of `key`; 0: it has no key yet
    [[no_unique_address]] Extra extra;
  };

  // In blocks: a segment never moves, and unused memory is not touched.
  static constexpr unsigned kBlockBits = 8;
  Segment& at(SegmentId id) const {
    return blocks_[id >> kBlockBits][id & ((1u << kBlockBits) - 1)];
  }
  template <typename Function>
  void for_each(const Segment& segment, Function&& function) const {
    if (segment.map != kNoMap)
      for (const Entry& entry : maps_[segment.map])
        function(entry);
    else if (segment.work > 0)
      function(Entry{segment.key, segment.work});
  }
  void add(Segment& to, Key key, std::uint64_t work) {
    if (to.map == kNoMap) {
      if (to.work == 0 || to.key == key) [[likely]] {
        to.key = key;
        to.work += work;
        return;
      }
      to.map = make_map();
      maps_[to.map].push_back({to.key, to.work});
    }
    add(maps_[to.map], key, work);
  }
  static void add(Map& entries, Key key, std::uint64_t work) {
    if (!entries.empty() && entries.back().key == key) {
      entries.back().work += work;
      return;
    }
    const auto place = std::lower_bound(entries.begin(), entries.end(), key,
                                        [](const Entry& entry, Key k) { return entry.key < k; });
    if (place != entries.end() && place->key == key)
      place->work += work;
    else
      entries.insert(place, {key, work});
  }
  std::uint32_t make_map() {
    if (spare_maps_.empty()) {
      maps_.emplace_back();
      return static_cast<std::uint32_t>(maps_.size() - 1);
    }
    const std::uint32_t map = spare_maps_.back();
    spare_maps_.pop_back();
    return map;
  }
  SegmentId make() {
    if (live_ >= next_sweep_)
      sweep();
    SegmentId id = free_;
    if (id == kNoSegment) {
      id = made_++;
      if (id >> kBlockBits == blocks_.size())
        blocks_.push_back(std::make_unique<Segment[]>(1u << kBlockBits));
    } else {
      free_ = at(id).previous;
    }
    ++live_;
    at(id).refs = 1;
    at(id).previous = kNoSegment;
    return id;
  }
  void free(SegmentId id) {
    Segment& segment = at(id);
    if (segment.map != kNoMap) {
      maps_[segment.map].clear(); // keeps its storage for the next user
      spare_maps_.push_back(segment.map);
      segment.map = kNoMap;
    }
    segment.work = 0;
    segment.extra.clear(owner_);
    segment.refs = 0; // marks the segment as unused, for sweep()
    segment.previous = free_;
    free_ = id;
    --live_;
  }
  std::size_t size_of(const Segment& segment) const {
    return segment.map == kNoMap ? segment.work > 0 : maps_[segment.map].size();
  }
  // A segment in the middle of a chain does not notice when its other holders are dropped. Each
  // time the number of segments has doubled, all chains are collapsed: constant cost per segment
  // made.
  void sweep() {
    for (SegmentId id = 0; id < made_; ++id)
      if (at(id).refs > 0)
        collapse(id);
    next_sweep_ = 2 * live_ + 1024;
  }

  Owner& owner_;
  std::vector<std::unique_ptr<Segment[]>> blocks_;
  std::vector<Map> maps_;
  std::vector<std::uint32_t> spare_maps_;
  SegmentId made_ = 0; // free ones included
  SegmentId free_ = kNoSegment;
  std::size_t live_ = 0;
  std::size_t next_sweep_ = 1024;
};

} // namespace tp::analysis
