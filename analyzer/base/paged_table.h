// SPDX-License-Identifier: Apache-2.0
// Pointers by packed id, for ids that are assigned one after another: a hash table of pages of
// consecutive ids, of which the last used page is at hand. Many live ids need little more memory
// than their pointers, and ids that come and go in their order are found without hashing.
//
// A page exists as long as one of its ids does, so that memory is proportional to what is alive.
#pragma once

#include "base/id_table.h"
#include "base/pool.h"

#include <array>
#include <cstdint>

namespace tp::analysis {

template <typename Object>
class PagedTable {
public:
  // Null if the table does not contain it.
  Object* find(std::uint64_t id) {
    if (!is_current(id) && !turn_to(id >> kPageBits))
      return nullptr;
    return current_->objects[id % kPageIds];
  }
  // The table does not contain `id` yet; the object is not null and stays the caller's.
  void insert(std::uint64_t id, Object* object) {
    if (!is_current(id) && !turn_to(id >> kPageBits))
      make_current(id >> kPageBits);
    current_->objects[id % kPageIds] = object;
    ++current_->used;
    ++size_;
  }
  // The table contains `id`.
  void erase(std::uint64_t id) {
    if (!is_current(id))
      turn_to(id >> kPageBits);
    current_->objects[id % kPageIds] = nullptr;
    --current_->used;
    --size_;
  }
  std::size_t size() const { return size_; }
  // The order is the same after the same insertions and erasures.
  template <typename Function>
  void for_each(Function&& function) const {
    pages_.for_each([&](std::uint64_t, const Page* page) {
      for (Object* const object : page->objects)
        if (object)
          function(object);
    });
  }

private:
  static constexpr unsigned kPageBits = 5, kPageIds = 1 << kPageBits;
  struct Page {
    std::uint64_t number = 0;
    std::uint32_t used = 0;
    std::array<Object*, kPageIds> objects{};
  };

  bool is_current(std::uint64_t id) const {
    return current_ && current_->number == id >> kPageBits;
  }
  // Only the current page may be empty. False: the page does not exist, and the current page is
  // unchanged.
  [[gnu::noinline]] bool turn_to(std::uint64_t number) {
    Page** const found = pages_.find(number);
    if (!found)
      return false;
    Page* const next = *found;
    leave_current();
    current_ = next;
    return true;
  }
  [[gnu::noinline]] void make_current(std::uint64_t number) {
    leave_current();
    current_ = pool_.make();
    current_->number = number;
    pages_.insert(number, current_);
  }
  void leave_current() {
    if (!current_ || current_->used > 0)
      return;
    pages_.erase(current_->number);
    pool_.free(current_);
  }

  IdTable<Page*> pages_;
  Pool<Page> pool_;
  Page* current_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace tp::analysis
