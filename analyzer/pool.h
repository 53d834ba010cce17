// Objects of one type on a free list: no allocation per record once the largest number alive is
// reached.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace tp::analysis {

template <typename Object>
class Pool {
public:
  Object* make() {
    if (free_ == nullptr)
      grow();
    Slot* const slot = free_;
    free_ = slot->next;
    ++live_;
    return new (slot->bytes) Object{};
  }
  void free(Object* object) {
    object->~Object();
    Slot* const slot = reinterpret_cast<Slot*>(object);
    slot->next = free_;
    free_ = slot;
    --live_;
  }
  std::size_t live() const { return live_; }

private:
  union Slot {
    Slot* next;
    alignas(Object) std::byte bytes[sizeof(Object)];
  };
  static constexpr std::size_t kSlots = 256;
  void grow() {
    blocks_.push_back(std::make_unique<Slot[]>(kSlots));
    for (std::size_t i = kSlots; i-- > 0;) {
      blocks_.back()[i].next = free_;
      free_ = &blocks_.back()[i];
    }
  }
  std::vector<std::unique_ptr<Slot[]>> blocks_;
  Slot* free_ = nullptr;
  std::size_t live_ = 0;
};

} // namespace tp::analysis
