// SPDX-License-Identifier: Apache-2.0
// See edge_table.h.
#include "builder/edge_table.h"

#include <atomic>
#include <cstddef>
#include <new>
#include <sched.h>

namespace tp::rt {
namespace {

struct Entry {
  const void* key;
  std::uint64_t edge;
  Entry* next;
};

struct Bucket {
  std::atomic<std::uint32_t> state{0}; // number of the process, and kLocked
  std::atomic<Entry*> first{nullptr};  // oldest first; written with the lock held
  Entry* last = nullptr;               // if there is a first
  Entry* unused = nullptr;
};

// Enough for a million buffered messages. Pages of buckets that are never used are never allocated.
constexpr unsigned kBucketBits = 14;
constinit Bucket buckets[1u << kBucketBits];

// Even numbers count the forks between the first process and this one. A bucket with another number
// is the parent's: it counts as empty and not locked, whatever it contains.
constexpr std::uint32_t kLocked = 1;
constinit std::atomic<std::uint32_t> process{0};

Bucket& bucket_of(const void* key) noexcept {
  return buckets[(reinterpret_cast<std::uintptr_t>(key) * 0x9e3779b97f4a7c15u) >>
                 (64 - kBucketBits)];
}

// Without a lock: the key's entries were put by this thread, or the put happens before this call
// for another reason.
bool is_empty(const void* key) noexcept {
  const Bucket& bucket = bucket_of(key);
  return bucket.first.load(std::memory_order_acquire) == nullptr ||
         (bucket.state.load(std::memory_order_relaxed) & ~kLocked) !=
             process.load(std::memory_order_relaxed);
}

// The bucket of a key, locked while this lives.
class LockedBucket {
public:
  explicit LockedBucket(const void* key) noexcept : bucket_(bucket_of(key)), key_(key) {
    const std::uint32_t ours = process.load(std::memory_order_relaxed);
    std::uint32_t before;
    for (unsigned tries = 1;; ++tries) {
      before = bucket_.state.exchange(ours | kLocked, std::memory_order_acquire);
      if (before != (ours | kLocked))
        break;
      if (tries % 64 == 0)
        sched_yield(); // its holder may have been preempted
    }
    if (before != ours) { // of the parent: its lists may be inconsistent
      set_first(nullptr);
      bucket_.last = bucket_.unused = nullptr;
    }
  }
  ~LockedBucket() {
    bucket_.state.store(process.load(std::memory_order_relaxed), std::memory_order_release);
  }
  LockedBucket(const LockedBucket&) = delete;
  LockedBucket& operator=(const LockedBucket&) = delete;

  bool append(std::uint64_t edge) noexcept {
    Entry* entry = bucket_.unused;
    if (entry != nullptr)
      bucket_.unused = entry->next;
    else
      entry = new (std::nothrow) Entry;
    if (entry == nullptr)
      return false;
    *entry = {key_, edge, nullptr};
    if (first() == nullptr)
      set_first(entry);
    else
      bucket_.last->next = entry;
    bucket_.last = entry;
    return true;
  }
  // The key's oldest entry after `before` (null: of all), or null. Sets `before` to the entry's
  // predecessor.
  Entry* find(Entry*& before) noexcept {
    Entry* entry = before == nullptr ? first() : before->next;
    for (; entry != nullptr && entry->key != key_; entry = entry->next)
      before = entry;
    return entry;
  }
  // Removes an entry that find() returned.
  std::uint64_t unlink(Entry* before, Entry* entry) noexcept {
    if (before == nullptr)
      set_first(entry->next);
    else
      before->next = entry->next;
    if (bucket_.last == entry)
      bucket_.last = before;
    entry->next = bucket_.unused;
    bucket_.unused = entry;
    return entry->edge;
  }

private:
  Entry* first() const noexcept { return bucket_.first.load(std::memory_order_relaxed); }
  void set_first(Entry* entry) noexcept { bucket_.first.store(entry, std::memory_order_release); }

  Bucket& bucket_;
  const void* const key_;
};

} // namespace

void put_edge(const void* key, std::uint64_t edge) noexcept {
  LockedBucket(key).append(edge);
}

void put_edges(const void* key, const Edges& edges) noexcept {
  LockedBucket bucket(key);
  for (unsigned i = 0; i < edges.count; ++i)
    bucket.append(edges.edge[i]);
}

std::uint64_t take_edge(const void* key) noexcept {
  if (is_empty(key))
    return 0;
  LockedBucket bucket(key);
  Entry* before = nullptr;
  Entry* const entry = bucket.find(before);
  return entry != nullptr ? bucket.unlink(before, entry) : 0;
}

void take_edges(const void* key, Edges& edges, std::uint64_t last) noexcept {
  edges.count = 0;
  if (is_empty(key))
    return;
  LockedBucket bucket(key);
  Entry* before = nullptr;
  while (edges.count < Edges::kMost) {
    Entry* const entry = bucket.find(before);
    if (entry == nullptr)
      break;
    const std::uint64_t edge = bucket.unlink(before, entry);
    edges.edge[edges.count++] = edge;
    if (edge == last)
      break;
  }
}

std::uint64_t peek_edge(const void* key, unsigned n) noexcept {
  if (is_empty(key))
    return 0;
  LockedBucket bucket(key);
  Entry* before = nullptr;
  Entry* entry = bucket.find(before);
  for (; n > 0 && entry != nullptr; --n) {
    before = entry;
    entry = bucket.find(before);
  }
  return entry != nullptr ? entry->edge : 0;
}

void forget_edges(const void* key) noexcept {
  if (is_empty(key))
    return;
  LockedBucket bucket(key);
  Entry* before = nullptr;
  while (Entry* const entry = bucket.find(before))
    bucket.unlink(before, entry);
}

bool count_entry(const void* key, int change, std::uint64_t most) noexcept {
  LockedBucket bucket(key);
  Entry* before = nullptr;
  Entry* const entry = bucket.find(before);
  const std::uint64_t count =
      (entry != nullptr ? entry->edge : 0) + static_cast<std::int64_t>(change);
  if (count > most) // also below 0
    return false;
  if (entry != nullptr)
    entry->edge = count;
  else
    bucket.append(count);
  return true;
}

std::uint64_t peek_or_put_edge(const void* key, std::uint64_t edge) noexcept {
  LockedBucket bucket(key);
  Entry* before = nullptr;
  Entry* const entry = bucket.find(before);
  if (entry != nullptr)
    return entry->edge;
  return bucket.append(edge) ? edge : 0;
}

void clear_edges() noexcept {
  process.fetch_add(kLocked + 1, std::memory_order_relaxed);
}

} // namespace tp::rt
