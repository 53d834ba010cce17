// SPDX-License-Identifier: Apache-2.0
// STEP CLASSES: code segments that need no annotation. A step is identified by the row of its task
// and by its two boundaries: the code between two spawn sites, or from the start of a task to its
// first wait. (TaskProf's second version identifies such regions by the site before and the site
// after.) Classes are numbered in the order of first occurrence, the same in every reading of the
// same trace.
#pragma once

#include "dag/dag_visitor.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

struct StepClass {
  Row row = kMainRow;
  Boundary opened, closed;
  bool operator==(const StepClass&) const = default;
};

// A FirstUse boundary has no row when its step is read. Sets the row of those in `classes`, all
// classes of a reading, to the row of the first task that code outside of all tasks created.
void name_first_use(IdVector<StepClassId, StepClass>& classes);

class StepClassTable {
public:
  // Hot: once per step.
  StepClassId id_of(const StepClass& wanted) {
    const Words words(wanted);
    for (std::size_t i = home(words);; i = (i + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[i];
      if (slot.words == words && slot.taken) [[likely]]
        return slot.id;
      if (!slot.taken)
        return add(wanted, i);
    }
  }
  const IdVector<StepClassId, StepClass>& classes() const { return classes_; }

private:
  // A class as two words: quick to compare and to hash.
  struct Words {
    std::uint64_t rows = 0, kinds = 0;
    Words() = default;
    explicit Words(const StepClass& of)
        : rows(std::uint64_t{index_of(of.opened.row)} << 32 | index_of(of.row)),
          kinds(std::uint64_t{index_of(of.closed.row)} << 32 |
                static_cast<std::uint64_t>(of.opened.kind) << 8 |
                static_cast<std::uint64_t>(of.closed.kind)) {}
    bool operator==(const Words&) const = default;
  };
  struct Slot {
    Words words;
    StepClassId id{};
    bool taken = false;
  };
  std::size_t home(const Words& words) const {
    // A sum: the processor can do the multiplications in parallel.
    const std::uint64_t hash =
        words.rows * 0x9e3779b97f4a7c15ull + words.kinds * 0xbf58476d1ce4e5b9ull;
    return static_cast<std::size_t>(hash >> 32) & (slots_.size() - 1);
  }
  StepClassId add(const StepClass& fresh, std::size_t at);

  IdVector<StepClassId, StepClass> classes_;
  std::vector<Slot> slots_ = std::vector<Slot>(64);
};

} // namespace tp::analysis
