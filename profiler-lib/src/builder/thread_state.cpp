// SPDX-License-Identifier: Apache-2.0
// See thread_state.h.
#include "builder/thread_state.h"

namespace tp::rt {

constinit thread_local ThreadState* this_thread TP_TLS = nullptr;
constinit thread_local SleepByKind early_sleep TP_TLS;

} // namespace tp::rt
