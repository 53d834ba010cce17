// SPDX-License-Identifier: Apache-2.0
// Whether events are recorded now. Written by the session and by tp::pause() and tp::resume(), read
// by every hook, on any thread. Hot to read: one relaxed load each.
#pragma once

#include "base/attributes.h"
#include "tp/hooks.h"

#include <atomic>
#include <cstdint>

namespace tp::rt {

enum class Recording : int {
  Off,        // disabled, failed, or the process is ending
  NotStarted, // no event to record so far
  On,
};

TP_HOT Recording recording() noexcept {
  return static_cast<Recording>(__atomic_load_n(&tp_recording, __ATOMIC_RELAXED));
}
void set_recording(Recording state) noexcept;

extern std::atomic<bool> recording_paused; // by tp::pause() or TP_PAUSED
extern std::atomic<std::uint32_t> current_generation;

TP_HOT bool paused() noexcept {
  return recording_paused.load(std::memory_order_relaxed);
}
// Incremented in each fork()ed child: state with another generation belongs to a parent's
// recording.
TP_HOT std::uint32_t session_generation() noexcept {
  return current_generation.load(std::memory_order_relaxed);
}

} // namespace tp::rt
