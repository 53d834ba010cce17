// SPDX-License-Identifier: Apache-2.0
// For work of the runtime inside of a step that is not part of the step: a new chunk, a new site.
// Used by the builder and the hooks, on the thread that owns the state. Cold: two readings of the
// clock.
#pragma once

#include "builder/thread_state.h"

namespace tp::rt {

// While one of these lives, nothing counts for the frame's open step, nor for the causal region in
// it. The frame is on top of the thread's frames; it need not have an open step.
class OutsideOfStep {
public:
  OutsideOfStep(ThreadState& thread, Frame& frame) noexcept;
  ~OutsideOfStep();
  OutsideOfStep(const OutsideOfStep&) = delete;
  OutsideOfStep& operator=(const OutsideOfStep&) = delete;

private:
  ThreadState& thread_;
  Frame& frame_;
  Reading begin_;
  std::uint64_t begin_asleep_, begin_waited_;
  SleepByKind begin_known_sleep_;
  int errno_; // of the program, which may call hooks where it expects that errno stays
  std::uint64_t begin_extra_[kMaxExtraEvents];
};

} // namespace tp::rt
