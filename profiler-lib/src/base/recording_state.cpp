// SPDX-License-Identifier: Apache-2.0
// The flags of recording_state.h. tp_recording is read by libtbb's sources as well (hooks.h).
#include "base/recording_state.h"

int tp_recording = static_cast<int>(tp::rt::Recording::NotStarted);

namespace tp::rt {

std::atomic<bool> recording_paused{false};
std::atomic<std::uint32_t> current_generation{1};

void set_recording(Recording state) noexcept {
  __atomic_store_n(&tp_recording, static_cast<int>(state), __ATOMIC_SEQ_CST);
}

} // namespace tp::rt
