// SPDX-License-Identifier: Apache-2.0
// The table grows by doubling; it is as large as the number of the program's code segments.
#include "passes/step_class.h"

#include <algorithm>

namespace tp::analysis {

StepClassId StepClassTable::add(const StepClass& fresh, std::size_t at) {
  const StepClassId id = classes_.push_back(fresh);
  slots_[at] = {Words(fresh), id, true};
  if (classes_.size() * 2 <= slots_.size())
    return id;
  slots_.assign(slots_.size() * 2, {});
  for (const StepClassId each : ids_below(classes_.end_id())) {
    const Words words(classes_[each]);
    std::size_t i = home(words);
    while (slots_[i].taken)
      i = (i + 1) & (slots_.size() - 1);
    slots_[i] = {words, each, true};
  }
  return id;
}

void name_first_use(IdVector<StepClassId, StepClass>& classes) {
  const auto first = std::ranges::find_if(classes, [](const StepClass& of) {
    return of.row == kMainRow && of.closed.row != kMainRow; // a spawn, or a spawn and wait
  });
  if (first == classes.end())
    return;
  const Row row = first->closed.row;
  for (StepClass& of : classes)
    for (Boundary* const boundary : {&of.opened, &of.closed})
      if (boundary->kind == BoundaryKind::FirstUse)
        boundary->row = row;
}

} // namespace tp::analysis
