// SPDX-License-Identifier: Apache-2.0
// CODE OF THE PROGRAM'S THAT libomp CALLS inside of its own functions, where time is the runtime's: copies of the data of
// tasks, and what combines the values of a reduction. The entry points pass functions of ours in place of the program's,
// which call those.
#pragma once

#include "call_sites.h"

#include <atomic>
#include <cstdint>

namespace tp::omp {

// The same function as code of the program's, for the runtime to call, on any thread. Null: null. The function itself if
// there are too many; then its time is the runtime's.
using Copy = void(void* to, void* from);
Copy* as_program_code(Copy* copy);
using Duplicate = void(void* to, void* from, std::int32_t is_last);
Duplicate* as_program_code(Duplicate* duplicate);
// Of the reduction of a taskgroup: the thread that ends the group calls it, after the group's tasks.
using Combine = void(void* into, void* from);
Combine* as_code_after_group(Combine* combine);

// What it does between them is the program's. On the thread that ends a taskgroup.
class CodeAfterGroup {
public:
  CodeAfterGroup();
  ~CodeAfterGroup();
  CodeAfterGroup(const CodeAfterGroup&) = delete;
  CodeAfterGroup& operator=(const CodeAfterGroup&) = delete;

private:
  Task* task_;
  unsigned state_ = 0;
};

// A thread's part of the reduction of a loop or region of clang's, while it asks libomp how the values are to be combined.
// In most teams the threads then do it in code of their own, one after the other. In large ones libomp combines the values
// in a tree, while the threads gather in a barrier: one that has arrived there takes the values of another one that has
// arrived, or of what that has combined. Each such combination is a task, which follows both.
class Reduction {
public:
  // `waits`: the team goes on when the first thread says so, note_end_of_reduction().
  Reduction(void* data, Combine* combine, const Ident* ident, const void* caller, bool waits);
  ~Reduction();
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;

  // What libomp gets in place of the program's data and function.
  static void combine(void* into, void* from);
  void note_arrival();

private:
  void take_over(Reduction& from);

  void* const data_;
  Combine* const combine_;
  const Ident* const ident_;
  const void* const caller_;
  const bool waits_;
  bool has_arrived_ = false; // in that barrier
  std::atomic<std::uint64_t> edge_{
      0};                     // from what the thread has so far; the one that takes it clears it
  std::uint64_t context_ = 0; // of what it combines
  Reduction* const outer_;
};
// Of a reduction whose team waits, on the thread that has combined its values.
void note_end_of_reduction();

} // namespace tp::omp
