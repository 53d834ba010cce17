// SPDX-License-Identifier: Apache-2.0
// Objects of one type with a free list: no allocation per record once the largest number of live
// objects has been reached.
#pragma once

#include <cstddef>
#include <cstring>
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

// Blocks of a size that is known when the pool is created. Their content is up to the user: blocks
// have neither constructor nor destructor.
class BlockPool {
public:
  explicit BlockPool(std::size_t bytes) : bytes_(bytes < sizeof(void*) ? sizeof(void*) : bytes) {}

  void* make() {
    if (free_ == nullptr)
      grow();
    void* const block = free_;
    std::memcpy(&free_, block, sizeof free_);
    ++live_;
    return block;
  }
  void free(void* block) {
    std::memcpy(block, &free_, sizeof free_);
    free_ = block;
    --live_;
  }
  std::size_t live() const { return live_; }
  std::size_t bytes() const { return bytes_; }

private:
  static constexpr std::size_t kBlocks = 256;
  void grow() {
    memory_.push_back(std::make_unique_for_overwrite<std::byte[]>(kBlocks * bytes_));
    for (std::size_t i = kBlocks; i-- > 0;) {
      void* const block = memory_.back().get() + i * bytes_;
      std::memcpy(block, &free_, sizeof free_);
      free_ = block;
    }
  }
  const std::size_t bytes_;
  std::vector<std::unique_ptr<std::byte[]>> memory_;
  void* free_ = nullptr;
  std::size_t live_ = 0;
};

} // namespace tp::analysis
