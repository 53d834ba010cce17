// SPDX-License-Identifier: Apache-2.0
// Whether events are recorded now. Written by the session, by tp::pause() and tp::resume() and by
// tp-run in another process (values/control_page.h), read by every hook, on any thread. Hot to read:
// one relaxed load each.
#pragma once

#include "base/attributes.h"
#include "tp/hooks.h"
#include "values/control_page.h"

#include <atomic>
#include <cstdint>

// The process's page. Of its `recording`, only the name tp_recording is used here.
extern "C" [[gnu::visibility("hidden")]] tp::ControlPage tp_control_page;

namespace tp::rt {

using tp::Recording;

TP_HOT Recording recording() noexcept {
  return static_cast<Recording>(__atomic_load_n(&tp_recording, __ATOMIC_RELAXED));
}
void set_recording(Recording state) noexcept;

extern std::atomic<std::uint32_t> current_generation;

TP_HOT Pause pause_state() noexcept {
  return tp_control_page.pause.load(std::memory_order_relaxed);
}
TP_HOT bool paused() noexcept {
  return pause_state() == Pause::Now;
}
// Incremented in each fork()ed child: state with another generation belongs to a parent's
// recording.
TP_HOT std::uint32_t session_generation() noexcept {
  return current_generation.load(std::memory_order_relaxed);
}

} // namespace tp::rt
