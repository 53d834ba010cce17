// SESSION: one data directory of one process, from the first event to the end of the process. Owns
// the directory, its run.json and end.json, the streams and the thread states. Cold: a lock, once
// per thread; the flags are hot to read.
//
// The library's constructor only reads settings and takes the start times. The directory is made
// when the first thread has an event to record, so a process that merely loads the library leaves
// no trace. A fork()ed child that goes on using the library opens a session of its own.
#pragma once

#include "base/attributes.h"
#include "tp/hooks.h"

#include <atomic>
#include <cstdint>

namespace tp::rt {

struct ThreadState;

enum class Recording : int {
  Off,        // disabled, failed, or the process is ending
  NotStarted, // no event yet
  On,
};

TP_HOT Recording recording() noexcept {
  return static_cast<Recording>(__atomic_load_n(&tp_recording, __ATOMIC_RELAXED));
}
extern std::atomic<bool> recording_paused;
extern std::atomic<std::uint32_t> session_number; // grows by one in a fork()ed child

TP_HOT bool paused() noexcept {
  return recording_paused.load(std::memory_order_relaxed);
}
TP_HOT std::uint32_t session_generation() noexcept {
  return session_number.load(std::memory_order_relaxed);
}

// Makes a state for the calling thread and gives it a stream; the first call starts the session.
// Null when nothing is to be recorded, and after the thread's end has begun. The root frame has no
// open step yet.
TP_COLD ThreadState* enter_thread(bool is_worker) noexcept;

// TP_AS_IF_CORES, 0: not set, or the library is disabled. The same from start to end.
int as_if_cores() noexcept;

} // namespace tp::rt
