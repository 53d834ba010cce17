#include "edge_table.h"

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
  std::atomic<bool> locked{false};
  Entry* first = nullptr; // oldest first
  Entry* unused = nullptr;
};

// Enough for a million buffered messages; what is never used is never touched.
constexpr unsigned kBucketBits = 14;
constinit Bucket buckets[1u << kBucketBits];

// Holds the bucket of a key.
class Held {
public:
  explicit Held(const void* key) noexcept
      : bucket_(buckets[(reinterpret_cast<std::uintptr_t>(key) * 0x9e3779b97f4a7c15u) >>
                        (64 - kBucketBits)]) {
    for (unsigned tries = 0; bucket_.locked.exchange(true, std::memory_order_acquire); ++tries)
      if (tries % 64 == 63)
        sched_yield(); // its holder may have been preempted
  }
  ~Held() { bucket_.locked.store(false, std::memory_order_release); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  Bucket& operator*() const noexcept { return bucket_; }

private:
  Bucket& bucket_;
};

// Where the oldest entry of the key hangs, or the end of the list.
Entry** find(Bucket& bucket, const void* key) noexcept {
  Entry** at = &bucket.first;
  while (*at != nullptr && (*at)->key != key)
    at = &(*at)->next;
  return at;
}

std::uint64_t unlink(Bucket& bucket, Entry** at) noexcept {
  Entry* const entry = *at;
  *at = entry->next;
  entry->next = bucket.unused;
  bucket.unused = entry;
  return entry->edge;
}

} // namespace

void put_edge(const void* key, std::uint64_t edge) noexcept {
  const Held held(key);
  Bucket& bucket = *held;
  Entry* entry = bucket.unused;
  if (entry != nullptr)
    bucket.unused = entry->next;
  else if ((entry = new (std::nothrow) Entry) == nullptr)
    return;
  Entry** end = &bucket.first;
  while (*end != nullptr)
    end = &(*end)->next;
  *entry = {key, edge, nullptr};
  *end = entry;
}

std::uint64_t take_edge(const void* key) noexcept {
  const Held held(key);
  Entry** const at = find(*held, key);
  return *at != nullptr ? unlink(*held, at) : 0;
}

std::uint64_t peek_edge(const void* key) noexcept {
  const Held held(key);
  const Entry* const entry = *find(*held, key);
  return entry != nullptr ? entry->edge : 0;
}

void forget_edges(const void* key) noexcept {
  const Held held(key);
  for (Entry** at; *(at = find(*held, key)) != nullptr;)
    unlink(*held, at);
}

void clear_edges() noexcept {
  for (Bucket& bucket : buckets) {
    bucket.first = bucket.unused = nullptr; // a thread may have been in the middle of a change
    bucket.locked.store(false, std::memory_order_relaxed);
  }
}

} // namespace tp::rt
