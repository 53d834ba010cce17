// SPDX-License-Identifier: Apache-2.0
// TREE ORDER: which of two tasks would have ended first, had every task run where it was spawned?
// The order of tasks that outlive their spawner: by the spawner's order, and a child before the
// continuation. It is a property of the program, not of the run: two runs of the same DAG break
// ties in the same way.
//
// A task ends, in that imagined run, before everything that its spawner does later, its end
// included, and after everything that its spawner has spawned before. So the place of a new task is
// immediately before the place of its spawner:
//
//   main spawns A; A spawns B and C; main spawns D:   A main  ->  B C A main  ->  B C A D main
//
// This is order maintenance in a list, after Bender, Cole, Demaine, Farach-Colton and Zito ("Two
// simplified algorithms for maintaining order in a list", 2002): places have labels, a new one gets
// a label between those of its neighbors, and where there is none left, the smallest range of
// labels around it that is not too dense is labelled anew: amortized, O(log n) per task.
//
// The first child leaves most of the gap before its spawner for its own tasks; the k-th takes about
// the part 1/k of what is left. So neither n nested tasks nor n tasks of one spawner use up more than
// some log n bits of the label: labelling anew is rare.
//
// A place exists as long as its task, and as long as the end of the task may still be compared.
#pragma once

#include "base/pool.h"

#include <cstddef>
#include <cstdint>

namespace tp::analysis {

struct TreePlace {
  TreePlace *previous = nullptr, *next = nullptr;
  std::uint64_t label = 0;
  std::uint32_t spawned = 0; // tasks
  std::uint32_t refs = 0;
};

class TreeOrder {
public:
  TreeOrder();
  TreeOrder(const TreeOrder&) = delete;
  TreeOrder& operator=(const TreeOrder&) = delete;

  // The caller has the one reference.
  TreePlace* spawned_by(TreePlace& spawner) { return insert_before(spawner); }
  TreePlace* first() { return insert_before(*begin_.next); }
  TreePlace* last() { return insert_before(end_); }
  void share(TreePlace* place) { ++place->refs; }
  void release(TreePlace* place) {
    if (--place->refs > 0)
      return;
    place->previous->next = place->next;
    place->next->previous = place->previous;
    places_.free(place);
  }
  static bool precedes(const TreePlace& a, const TreePlace& b) { return a.label < b.label; }

  std::size_t live() const { return places_.live(); }

private:
  TreePlace* insert_before(TreePlace& next);
  void make_room(TreePlace& at);

  Pool<TreePlace> places_;
  TreePlace begin_, end_; // of the list; no tasks
};

} // namespace tp::analysis
