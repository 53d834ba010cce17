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
[[gnu::tls_model("initial-exec")]] constinit thread_local bool asks_for_ordered = false;
[[gnu::tls_model("initial-exec")]] constinit thread_local std::uint64_t edge_when_asked = 0;

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
    task->division = Division::InOrder;
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

// Of an iteration of a doacross loop. 0: it is not done yet, or there is no such iteration.
std::uint64_t edge_of(const std::int64_t* iteration) {
  const Task* const task = task_in_loop();
  if (task == nullptr)
    return 0;
  const OutsideOfSteps outside;
  return order_of(*task).find(key_of(*task, iteration, dimensions));
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

void note_order() {
  task_in_loop();
}

void note_dimensions(int count) {
  dimensions = count;
}

void note_done(const std::int64_t* iteration) {
  release(iteration, dimensions);
}

WaitForIteration::WaitForIteration(const std::int64_t* iteration)
    : iteration_(iteration), edge_(edge_of(iteration)),
      is_for_others_(edge_ == 0 && __atomic_load_n(&tp_locks_are_on, __ATOMIC_RELAXED) != 0) {
  is_for_others_ ? tp_on_busy_wait() : tp_on_runtime_call();
}
WaitForIteration::~WaitForIteration() {
  is_for_others_ ? tp_on_busy_wait_end() : tp_on_runtime_return();
  if (edge_ == 0)
    edge_ = edge_of(iteration_);
  tp_on_acquire_shared(&edge_, 1);
}

// Which block comes next is not known here: that another thread has left one meanwhile shows that this thread had to wait.
void wait_for_ordered() {
  if (in_worksharing == nullptr)
    return;
  asks_for_ordered = true;
  edge_when_asked = 0;
  if (const Task* const task = task_in_loop(); task != nullptr) {
    const OutsideOfSteps outside;
    edge_when_asked = order_of(*task).find(key_of(*task, nullptr, 0));
  }
  if (__atomic_load_n(&tp_locks_are_on, __ATOMIC_RELAXED) != 0)
    tp_on_lock_wait();
  else
    tp_on_runtime_call();
}

void enter_ordered(std::uint64_t lock, const void* caller) {
  std::uint64_t edge = 0;
  const Task* const in_team = task_in_loop();
  if (in_team != nullptr)
    edge = order_of(*in_team).take(key_of(*in_team, nullptr, 0));
  if (asks_for_ordered) {
    asks_for_ordered = false;
    constexpr int kHadNotToWait = 2;
    if (__atomic_load_n(&tp_locks_are_on, __ATOMIC_RELAXED) != 0)
      tp_on_lock_wait_end(edge == edge_when_asked ? kHadNotToWait : 0);
    else
      tp_on_runtime_return();
  }
  if (in_team != nullptr)
    tp_on_acquire(edge, 0);
  Task* const task = in_worksharing;
  if (task == nullptr || __atomic_load_n(&tp_locks_are_on, __ATOMIC_RELAXED) == 0)
    return;
  task->ordered = reinterpret_cast<const void*>(lock);
  tp_on_lock_taken(task->ordered, TP_LOCK_OMP_ORDERED, 0, caller);
}

void leave_ordered() {
  if (leaves_ordered) // it is known
    return;
  if (Task* const task = in_worksharing; task != nullptr && task->ordered != nullptr) {
    tp_on_lock_given(task->ordered);
    task->ordered = nullptr;
  }
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
