// SPDX-License-Identifier: Apache-2.0
// See loop_order.h.
#include "loop_order.h"

#include "tasks.h"

#include "tp/hooks.h"

#include <utility>

namespace tp::omp {
namespace {

[[gnu::tls_model("initial-exec")]] constinit thread_local int dimensions = 1;
[[gnu::tls_model("initial-exec")]] constinit thread_local bool leaves_ordered = false;

// What is done here belongs to no step.
class OutsideOfSteps {
public:
  OutsideOfSteps() { tp_on_runtime_call(); }
  ~OutsideOfSteps() { tp_on_runtime_return(); }
  OutsideOfSteps(const OutsideOfSteps&) = delete;
  OutsideOfSteps& operator=(const OutsideOfSteps&) = delete;
};

// Null: the thread is in no loop, or alone in it.
Task* task_in_loop() {
  Task* const task = in_worksharing;
  if (task != nullptr)
    task->has_order = true;
  return task != nullptr && task->team->size.load(std::memory_order_relaxed) > 1 ? task : nullptr;
}

LoopOrder& order_of(const Task& task) {
  std::atomic<LoopOrder*>& order = task.team->phases[task.phase % Team::kPhases].order;
  LoopOrder* known = order.load(std::memory_order_acquire);
  if (known != nullptr)
    return *known;
  auto* const made = new LoopOrder;
  if (order.compare_exchange_strong(known, made, std::memory_order_acq_rel))
    return *made;
  delete made;
  return *known;
}

LoopOrder::Key key_of(const Task& task, const std::int64_t* iteration, int count) {
  LoopOrder::Key key(iteration, iteration + count);
  key.push_back(task.loops);
  return key;
}

// Others may come after the current task at the iteration.
void release(const std::int64_t* iteration, int count) {
  const Task* const task = task_in_loop();
  if (task == nullptr)
    return;
  const std::uint64_t edge = tp_on_release(0);
  const OutsideOfSteps outside;
  if (edge != 0)
    order_of(*task).put(key_of(*task, iteration, count), edge);
}

} // namespace

LoopOrder::~LoopOrder() {
  for (const auto& [key, edge] : edges_)
    tp_forget_edge(edge);
}

void LoopOrder::put(Key key, std::uint64_t edge) {
  const std::lock_guard lock(mutex_);
  edges_.insert_or_assign(std::move(key), edge);
}

std::uint64_t LoopOrder::take(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto entry = edges_.find(key);
  if (entry == edges_.end())
    return 0;
  const std::uint64_t edge = entry->second;
  edges_.erase(entry);
  return edge;
}

std::uint64_t LoopOrder::find(const Key& key) const {
  const std::lock_guard lock(mutex_);
  const auto entry = edges_.find(key);
  return entry == edges_.end() ? 0 : entry->second;
}

void note_dimensions(int count) {
  dimensions = count;
}

void note_done(const std::int64_t* iteration) {
  release(iteration, dimensions);
}

void note_waited(const std::int64_t* iteration) {
  const Task* const task = task_in_loop();
  if (task == nullptr)
    return;
  std::uint64_t edge = 0;
  {
    const OutsideOfSteps outside;
    edge = order_of(*task).find(key_of(*task, iteration, dimensions));
  }
  tp_on_acquire_shared(&edge, 1);
}

void enter_ordered() {
  const Task* const task = task_in_loop();
  if (task == nullptr)
    return;
  std::uint64_t edge = 0;
  {
    const OutsideOfSteps outside;
    edge = order_of(*task).take(key_of(*task, nullptr, 0));
  }
  tp_on_acquire(edge, 0);
}

void leave_ordered() {
  if (!leaves_ordered) // else it is known
    release(nullptr, 0);
}

LeavingOrdered::LeavingOrdered() noexcept : is_inner_(leaves_ordered) {
  leave_ordered();
  leaves_ordered = true;
}
LeavingOrdered::~LeavingOrdered() {
  leaves_ordered = is_inner_;
}

} // namespace tp::omp
