// SPDX-License-Identifier: Apache-2.0
// The threads that can still be joined, by their pthread_t.
#pragma once

#include "tp/hooks.h"

#include <atomic>
#include <pthread.h>

namespace tp::preload {

// A thread whose creation was recorded. Allocated by malloc; who holds it: the creator, until the
// thread is in the table; the thread, until it has begun; the table.
struct CreatedThread {
  tp_thread recorded{};
  void* (*function)(void*) = nullptr; // of pthread_create; else null
  int (*c11_function)(void*) = nullptr;
  void* argument = nullptr;
  pthread_t id{};
  CreatedThread* next = nullptr; // in the table
  std::atomic<int> holders{0};
  bool was_listed = false; // guarded by the table's mutex
};

// Null: no memory.
CreatedThread* make_thread() noexcept;
void drop(CreatedThread* thread) noexcept;
// Puts a thread into the table by its id, unless it has been there. Creator and thread both do
// this, since either may be the first that lets others join or detach it.
void list(CreatedThread* thread, pthread_t id) noexcept;
// Takes it out, for the caller, who drops it. Null: the table does not have it.
CreatedThread* take(pthread_t id) noexcept;
// The caller could not join it.
void put_back(CreatedThread* thread) noexcept;

} // namespace tp::preload
