// SPDX-License-Identifier: Apache-2.0
// See thread_table.h.
#include "preload/thread_table.h"

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace tp::preload {
namespace {

constexpr unsigned kBuckets = 1024;

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; // guards what follows
CreatedThread* buckets[kBuckets];

CreatedThread** bucket_of(pthread_t id) noexcept {
  const auto key =
      std::bit_cast<std::uintptr_t>(id); // an integer here, a pointer in other C libraries
  return &buckets[(key >> 12) * 0x9e3779b97f4a7c15ull >> 54];
}

void insert(CreatedThread* thread) noexcept {
  CreatedThread** const bucket = bucket_of(thread->id);
  thread->next = *bucket;
  *bucket = thread;
}

// The parent's threads do not exist here, and their ids may be used again. One of them may have held the lock:
// nothing of what it guards is used. Acquiring it before the fork would be in the other order than when
// the end of the recording, under the session's lock, joins a thread.
void after_fork_in_child() {
  for (CreatedThread*& bucket : buckets)
    bucket = nullptr;
  mutex = PTHREAD_MUTEX_INITIALIZER;
}

[[gnu::constructor]] void handle_forks() {
  pthread_atfork(nullptr, nullptr, after_fork_in_child);
}

} // namespace

CreatedThread* make_thread() noexcept {
  void* const memory = std::malloc(sizeof(CreatedThread));
  return memory == nullptr ? nullptr : new (memory) CreatedThread;
}

void drop(CreatedThread* thread) noexcept {
  if (thread->holders.fetch_sub(1) == 1)
    std::free(thread);
}

void list(CreatedThread* thread, pthread_t id) noexcept {
  pthread_mutex_lock(&mutex);
  if (!thread->was_listed) {
    thread->was_listed = true;
    thread->id = id;
    thread->holders.fetch_add(1);
    insert(thread);
  }
  pthread_mutex_unlock(&mutex);
}

CreatedThread* take(pthread_t id) noexcept {
  pthread_mutex_lock(&mutex);
  CreatedThread** at = bucket_of(id);
  while (*at != nullptr && pthread_equal((*at)->id, id) == 0)
    at = &(*at)->next;
  CreatedThread* const found = *at;
  if (found != nullptr)
    *at = found->next;
  pthread_mutex_unlock(&mutex);
  return found;
}

void put_back(CreatedThread* thread) noexcept {
  pthread_mutex_lock(&mutex);
  insert(thread);
  pthread_mutex_unlock(&mutex);
}

} // namespace tp::preload
