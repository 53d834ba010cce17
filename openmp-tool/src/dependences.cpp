// SPDX-License-Identifier: Apache-2.0
// See dependences.h.
#include "dependences.h"

#include "tp/hooks.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace tp::omp {

void release(DependenceNode* node) {
  if (node->refs.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  for (DependenceNode* const each : node->after)
    release(each);
  // Its one use, which no successor took.
  tp_forget_edge(node->edge.load(std::memory_order_relaxed));
  delete node;
}

void DependenceTable::clear(Accesses& accesses) {
  for (DependenceNode* const node : accesses.tasks)
    release(node);
  accesses.tasks.clear();
}

DependenceTable::~DependenceTable() {
  for (auto& [address, object] : objects_) {
    clear(object.before);
    clear(object.last);
  }
  if (all_memory_ != nullptr)
    release(all_memory_);
}

void DependenceTable::come_after(DependenceNode& node, const Accesses& accesses) {
  for (DependenceNode* const each : accesses.tasks)
    if (each != &node &&
        std::find(node.after.begin(), node.after.end(), each) == node.after.end()) {
      share(each);
      node.after.push_back(each);
    }
}

void DependenceTable::access(DependenceNode& node, Object& object, DependenceType type) {
  const DependenceType kind = type == DependenceType::InOut ? DependenceType::Out : type;
  Accesses& last = object.last;
  if (std::find(last.tasks.begin(), last.tasks.end(), &node) != last.tasks.end())
    return; // twice in one clause
  if (kind == last.kind && kind != DependenceType::Out) {
    come_after(node, object.before);
  } else {
    come_after(node, last);
    if (!last.tasks.empty()) {
      clear(object.before);
      object.before = std::move(last);
    }
    last = {kind, {}};
  }
  share(&node);
  last.tasks.push_back(&node);
}

DependenceTable::Object& DependenceTable::object_at(void* address) {
  const auto [entry, is_new] = objects_.try_emplace(address);
  if (is_new && all_memory_ != nullptr) {
    share(all_memory_);
    entry->second.last.tasks.push_back(all_memory_);
  }
  return entry->second;
}

namespace {

// No object of the program's has such an address.
const void* next_set() {
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 63, kDistance = 64;
  static constinit std::atomic<std::uint64_t> next{kFirst};
  return reinterpret_cast<const void*>(next.fetch_add(kDistance, std::memory_order_relaxed));
}

} // namespace

void DependenceTable::exclude(DependenceNode& node, Object& object) {
  if (object.set == nullptr)
    object.set = next_set();
  const auto place = std::lower_bound(node.sets.begin(), node.sets.end(), object.set, std::less());
  if (place == node.sets.end() || *place != object.set)
    node.sets.insert(place, object.set);
}

void DependenceTable::add(DependenceNode& node, const Dependence* dependences, int count) {
  const auto is_all = [](const Dependence& each) {
    return each.type == DependenceType::OutAllMemory || each.type == DependenceType::InOutAllMemory;
  };
  if (std::any_of(dependences, dependences + count, is_all)) {
    for (auto& [address, object] : objects_)
      access(node, object, DependenceType::Out);
    if (all_memory_ != nullptr) {
      come_after(node, {DependenceType::Out, {all_memory_}});
      release(all_memory_);
    }
    share(&node);
    all_memory_ = &node;
    return;
  }
  for (int i = 0; i < count; ++i) {
    const DependenceType type = dependences[i].type;
    if (type == DependenceType::Source || type == DependenceType::Sink)
      continue;
    Object& object = object_at(dependences[i].variable.ptr);
    access(node, object, type);
    if (type == DependenceType::MutexInOutSet)
      exclude(node, object);
  }
}

} // namespace tp::omp
