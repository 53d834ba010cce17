// Pointers by packed id, for ids that are given one after another: a hash table of pages of
// neighbouring ids, of which the one used last is at hand. Many ids alive take little more than their
// pointers, and those that live and go in the order of their ids are found without hashing.
//
// A page is there as long as one of its ids is, so that memory is proportional to what is alive.
#pragma once

#include "base/id_table.h"
#include "base/pool.h"

#include <array>
#include <cstdint>

namespace tp::analysis {

template <typename Object>
class PagedTable {
public:
  // Null if there is none.
  Object* find(std::uint64_t id) {
    if (!is_current(id) && !turn_to(id >> kPageBits))
      return nullptr;
    return current_->objects[id % kPageIds];
  }
  // `id` must not be there, and the object not be null.
  void insert(std::uint64_t id, Object* object) {
    if (!is_current(id) && !turn_to(id >> kPageBits))
      make_current(id >> kPageBits);
    current_->objects[id % kPageIds] = object;
    ++current_->used;
    ++size_;
  }
  // `id` must be there.
  void erase(std::uint64_t id) {
    if (!is_current(id))
      turn_to(id >> kPageBits);
    current_->objects[id % kPageIds] = nullptr;
    --current_->used;
    --size_;
  }
  std::size_t size() const { return size_; }
  // The same order for the same history.
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
  // Only the current page may be empty. False: there is no such page, and none has been left.
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
