// SPDX-License-Identifier: Apache-2.0
// Memory of tasks and teams. A thread keeps some tasks that it has freed for the next ones.
#include "tasks.h"

#include "dependences.h"
#include "loop_order.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

namespace tp::omp {

constinit thread_local Task* in_worksharing [[gnu::tls_model("initial-exec")]] = nullptr;

namespace {

constexpr unsigned kMostKept = 256;

struct Kept {
  Task* first = nullptr;
  unsigned count = 0;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local Kept kept;

// Of the task from one member to another. A memset of this size is a string instruction, which takes longer.
template <std::size_t kBegin, std::size_t kEnd>
void clear(Task& task) {
  constexpr std::size_t kBlock = 16;
  auto* const bytes = reinterpret_cast<char*>(&task);
#pragma GCC unroll 16
  for (std::size_t at = kBegin; at + kBlock <= kEnd; at += kBlock)
    std::memset(bytes + at, 0, kBlock);
  std::memset(bytes + kEnd - (kEnd - kBegin) % kBlock, 0, (kEnd - kBegin) % kBlock);
}

// All of it but its frame and its loop.
void clear(Task& task) {
  clear<offsetof(Task, words), offsetof(Task, frame)>(task);
  clear<offsetof(Task, chunk), offsetof(Task, work)>(task);
}

} // namespace

Task* make_task(Team* team) {
  Task* task = kept.first;
  if (task != nullptr) {
    kept.first = task->next_free;
    --kept.count;
  } else {
    task = static_cast<Task*>(std::aligned_alloc(alignof(Task), sizeof(Task)));
    if (task == nullptr)
      return nullptr;
  }
  clear(*task);
  task->team = team;
  return task;
}

void free_task(Task* task) {
  delete task->table;
  if (task->node != nullptr)
    release(task->node);
  if (task->is_implicit)
    release(task->team);
  keep_task(task);
}

void keep_task(Task* task) {
  if (kept.count == kMostKept) {
    std::free(task);
    return;
  }
  task->next_free = kept.first;
  kept.first = task;
  ++kept.count;
}

namespace {

// Lists of kMostPlain tasks, for any thread; null: none.
constinit std::atomic<Task*> batches[16];

void free_list(Task*& first) {
  while (Task* const task = first) {
    first = task->next_free;
    std::free(task);
  }
}

} // namespace

void pass_on_plain_tasks() {
  for (std::atomic<Task*>& batch : batches) {
    Task* none = nullptr;
    if (batch.load(std::memory_order_relaxed) == nullptr &&
        batch.compare_exchange_strong(none, here.plain, std::memory_order_release,
                                      std::memory_order_relaxed)) {
      here.plain = nullptr;
      break;
    }
  }
  free_list(here.plain);
  here.plain_count = 0;
}

Task* make_plain_task() {
  for (std::atomic<Task*>& batch : batches)
    if (batch.load(std::memory_order_relaxed) != nullptr)
      if (Task* const first = batch.exchange(nullptr, std::memory_order_acquire)) {
        here.plain = first->next_free;
        here.plain_count = kMostPlain - 1;
        return first;
      }
  Task* const task = make_task(nullptr);
  if (task != nullptr) {
    task->is_simple = true;
    task->grain = 1;
    task->traits = kTaskTraits;
  }
  return task;
}

void free_kept_tasks() {
  free_list(kept.first);
  free_list(here.plain);
  kept.count = here.plain_count = 0;
}

Team* make_team(std::uint32_t requested) {
  Team* const team = new (std::nothrow) Team;
  if (team == nullptr)
    return nullptr;
  team->requested = requested;
  if (requested > 0)
    team->words = new (std::nothrow) std::uint64_t[requested][2]();
  if (requested > 0 && team->words == nullptr) {
    delete team;
    return nullptr;
  }
  return team;
}

void forget_order(Phase& phase) {
  delete phase.order.exchange(nullptr, std::memory_order_acq_rel);
}

void release(Team* team) {
  if (team->refs.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  for (Phase& phase : team->phases)
    forget_order(phase);
  delete[] team->words;
  delete team;
}

} // namespace tp::omp
