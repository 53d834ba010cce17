// SPDX-License-Identifier: Apache-2.0
// Memory of tasks and teams. A thread keeps some tasks that it has freed for the next ones.
#include "tasks.h"

#include "dependences.h"
#include "loop_order.h"

#include <cstdlib>
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

// All of it but its frame and its loop. A memset of this size is a string instruction, which takes longer.
void clear(Task& task) {
  using Block [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = std::uint64_t;
  constexpr std::size_t kBegin = offsetof(Task, words);
  constexpr std::size_t kBlocks = (offsetof(Task, work) - kBegin) / sizeof(Block);
  static_assert(kBegin + kBlocks * sizeof(Block) == offsetof(Task, work));
  auto* const blocks = reinterpret_cast<Block*>(reinterpret_cast<char*>(&task) + kBegin);
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kBlocks; ++i)
    blocks[i] = Block{};
}

} // namespace

Task* make_task(Team* team) {
  Task* task = kept.first;
  if (task != nullptr) {
    kept.first = task->next_free;
    --kept.count;
  } else {
    task = static_cast<Task*>(std::malloc(sizeof(Task)));
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

void free_kept_tasks() {
  while (Task* const task = kept.first) {
    kept.first = task->next_free;
    std::free(task);
  }
  kept.count = 0;
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
