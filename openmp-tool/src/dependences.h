// SPDX-License-Identifier: Apache-2.0
// DEPENDENCES: which siblings does a task come after? From its depend clauses alone, so that the answer does
// not depend on the schedule. One table per task that creates others; its thread alone uses it, since siblings
// are created one after the other.
#pragma once

#include "ompt.h"

#include <atomic>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tp::omp {

// A task with dependences, for those that come after it. Shared: by its task, by tables and by successors.
struct DependenceNode {
  std::atomic<std::uint32_t> refs{1};
  std::atomic<std::uint64_t> edge{
      0}; // from the end of the task, before a successor begins; 0: not recorded
  std::vector<DependenceNode*> after; // owned references, until the task begins; of its task only
  // Of its task only, which excludes the others in them while it runs; ascending.
  std::vector<const void*> sets;
  const void* caller = nullptr; // of its task's creation, if there are sets
};

void release(DependenceNode* node);
inline void share(DependenceNode* node) {
  node->refs.fetch_add(1, std::memory_order_relaxed);
}

class DependenceTable {
public:
  DependenceTable() = default;
  DependenceTable(const DependenceTable&) = delete;
  ~DependenceTable();
  // `node`, which is new, gets what it comes after.
  void add(DependenceNode& node, const Dependence* dependences, int count);

private:
  // Accesses that are not ordered among themselves: several readers, or tasks of one set; else one task.
  struct Accesses {
    DependenceType kind = DependenceType::Out;
    std::vector<DependenceNode*> tasks;
  };
  // Tasks of one parent with depend(mutexinoutset: object) exclude each other. No other parent's: so what
  // is known of the set is a number, and not the address of the object.
  struct Object {
    Accesses before, last;
    const void* set = nullptr; // null: no such task so far
  };
  static void clear(Accesses& accesses);
  static void come_after(DependenceNode& node, const Accesses& accesses);
  static void access(DependenceNode& node, Object& object, DependenceType type);
  Object& object_at(void* address);
  static void exclude(DependenceNode& node, Object& object);

  std::unordered_map<void*, Object> objects_;
  DependenceNode* all_memory_ = nullptr; // the last task that accessed all of it
};

} // namespace tp::omp
