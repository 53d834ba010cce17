// SPDX-License-Identifier: Apache-2.0
// The flags of recording_state.h. tp_recording is read by libtbb's sources as well (hooks.h).
#include "base/recording_state.h"

#include <cstddef>

constinit tp::ControlPage tp_control_page{.recording = static_cast<int>(tp::Recording::NotStarted),
                                          .pause = tp::Pause::Never,
                                          .delayed = false,
                                          .ender = tp::ControlPage::kNoOne,
                                          .lock = 0,
                                          .magic = tp::kControlMagic,
                                          .process = 0,
                                          .start_ns = 0,
                                          .begun = 0,
                                          .recorded_ns = 0,
                                          .recorded_cpu_ns = 0,
                                          .last = {},
                                          .windows = {}};
static_assert(offsetof(tp::ControlPage, recording) == 0);
// Aligned as the page is: AddressSanitizer then puts no red zone behind these four bytes of it.
extern "C" int tp_recording __attribute__((alias("tp_control_page"), aligned(tp::kControlBytes)));

struct tp_node_lock; // of tp/counted_locks.h, where what follows is declared as weak

extern "C" {
[[gnu::visibility("default")]] constinit unsigned char tp_locks_are_on = 0;
[[gnu::visibility("default")]] constinit long tp_counting_at = 0;
[[gnu::visibility("default")]] constinit tp_node_lock* tp_node_locks = nullptr;
}

namespace tp::rt {

std::atomic<std::uint32_t> current_generation{1};

void set_recording(Recording state) noexcept {
  __atomic_store_n(&tp_recording, static_cast<int>(state), __ATOMIC_SEQ_CST);
}

} // namespace tp::rt
