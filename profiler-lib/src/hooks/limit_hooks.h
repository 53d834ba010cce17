// SPDX-License-Identifier: Apache-2.0
// Limits of concurrency that were set before the first thread was recorded.
#pragma once

#include "builder/thread_state.h"

namespace tp::rt {

// The thread has just begun: if global_control allowed another number of threads while the calling
// thread was not recorded, records that. Cold: once per thread.
void note_allowed_threads(ThreadState& thread) noexcept;

} // namespace tp::rt
