// SPDX-License-Identifier: Apache-2.0
// The things that the analyzer numbers, each with an id type of its own, and tables indexed by such
// ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tp::analysis {

// A row of the profile: one (file, line). Row 0 is `main`, the code outside every task.
enum class Row : std::uint32_t {};
inline constexpr Row kMainRow{0};

// A causal region, as an index into SiteTable::regions: one (file, line, name).
enum class RegionId : std::uint32_t {};

// A class of steps (passes/step_class.h), numbered in the order of first occurrence.
enum class StepClassId : std::uint32_t {};

// A place where a lock is acquired, as an index into SiteTable::lock_places: one (file, line). 0: not
// known. Greater ones (DagVisitor::lock_place) are the same places, of locks of another kind or in another variable.
enum class LockPlaceId : std::uint32_t {};

// A lock object (model/lock.h), numbered in the order of first occurrence.
enum class LockObjectId : std::uint32_t {};

// A calling context (passes/calling_context.h); 0 is main.
enum class ContextId : std::uint32_t {};

template <typename Id>
constexpr std::uint32_t index_of(Id id) {
  return static_cast<std::uint32_t>(id);
}

// A vector with one element per id, from 0 on.
template <typename Id, typename Value>
class IdVector {
public:
  IdVector() = default;
  explicit IdVector(std::size_t size, const Value& value = {}) : values_(size, value) {}

  Value& operator[](Id id) { return values_[index_of(id)]; }
  const Value& operator[](Id id) const { return values_[index_of(id)]; }
  bool contains(Id id) const { return index_of(id) < values_.size(); }
  // The element; it and all missing ones before it are created first.
  Value& grown_to(Id id) {
    if (!contains(id))
      values_.resize(std::size_t{index_of(id)} + 1);
    return (*this)[id];
  }
  Id push_back(Value value) {
    values_.push_back(std::move(value));
    return static_cast<Id>(values_.size() - 1);
  }
  void resize(std::size_t size) { values_.resize(size); }
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  // The id after the last.
  Id end_id() const { return static_cast<Id>(values_.size()); }

  auto begin() { return values_.begin(); }
  auto end() { return values_.end(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

private:
  std::vector<Value> values_;
};

// All ids below `end`: for (const Row row : ids_below(table.end_id()))
template <typename Id>
class IdsBelow {
public:
  explicit IdsBelow(Id end) : end_(index_of(end)) {}
  class Iterator {
  public:
    explicit Iterator(std::uint32_t at) : at_(at) {}
    Id operator*() const { return static_cast<Id>(at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

  private:
    std::uint32_t at_;
  };
  Iterator begin() const { return Iterator(0); }
  Iterator end() const { return Iterator(end_); }

private:
  std::uint32_t end_;
};
template <typename Id>
IdsBelow<Id> ids_below(Id end) {
  return IdsBelow<Id>(end);
}

} // namespace tp::analysis
