// SPDX-License-Identifier: Apache-2.0
// Open-addressing map from a packed id to a small value (pointer or index). It contains only what
// is alive, which is little: the table stays in the cache, however many ids a trace has used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tp::analysis {

template <typename Value>
class IdTable {
public:
  // A pointer to the value, or null. Valid until the next insert or erase.
  Value* find(std::uint64_t id) {
    for (std::size_t i = home(id);; i = (i + 1) & mask()) {
      if (!slots_[i].used)
        return nullptr;
      if (slots_[i].id == id)
        return &slots_[i].value;
    }
  }
  const Value* find(std::uint64_t id) const { return const_cast<IdTable*>(this)->find(id); }
  // The table does not contain `id` yet.
  void insert(std::uint64_t id, Value value) {
    if ((size_ + 1) * 2 > slots_.size())
      grow();
    ++size_;
    place(id, value);
  }
  bool erase(std::uint64_t id) {
    std::size_t hole = home(id);
    for (; slots_[hole].id != id || !slots_[hole].used; hole = (hole + 1) & mask())
      if (!slots_[hole].used)
        return false;
    --size_;
    // Close the hole: move back the slots that could not be at their home position because of the
    // erased one.
    for (std::size_t i = (hole + 1) & mask(); slots_[i].used; i = (i + 1) & mask()) {
      const std::size_t distance = (i - home(slots_[i].id)) & mask();
      if (distance >= ((i - hole) & mask())) {
        slots_[hole] = slots_[i];
        hole = i;
      }
    }
    slots_[hole] = Slot{};
    return true;
  }
  std::size_t size() const { return size_; }
  // In the order of the table: the same order after the same insertions and erasures.
  template <typename Function>
  void for_each(Function&& function) const {
    for (const Slot& slot : slots_)
      if (slot.used)
        function(slot.id, slot.value);
  }

private:
  struct Slot {
    std::uint64_t id = 0;
    Value value{};
    bool used = false;
  };
  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t home(std::uint64_t id) const {
    return static_cast<std::size_t>((id * 0x9e3779b97f4a7c15ull) >> shift_);
  }
  void place(std::uint64_t id, Value value) {
    std::size_t i = home(id);
    while (slots_[i].used)
      i = (i + 1) & mask();
    slots_[i] = {id, value, true};
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    --shift_;
    for (const Slot& slot : old)
      if (slot.used)
        place(slot.id, slot.value);
  }
  std::vector<Slot> slots_ = std::vector<Slot>(64);
  int shift_ = 64 - 6;
  std::size_t size_ = 0;
};

} // namespace tp::analysis
