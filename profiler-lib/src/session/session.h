// SESSION: one data directory of one process, from the first event to the end of the process. Owns
// the directory, its run.json and end.json, the streams and the thread states. Cold: a lock, once
// per thread.
//
// The library's constructor only reads settings and takes the start times. The directory is made
// when the first thread has an event to record, so a process that merely loads the library leaves
// no trace. A fork()ed child that goes on using the library opens a session of its own.
#pragma once

#include "base/attributes.h"

namespace tp::rt {

struct ThreadState;

// Makes a state for the calling thread and gives it a stream; the first call starts the session.
// Null when nothing is to be recorded, and after the thread's end has begun. The root frame has no
// open step yet.
TP_COLD ThreadState* enter_thread(bool is_worker) noexcept;

// TP_AS_IF_CORES, 0: not set, or the library is disabled. The same from start to end.
int as_if_cores() noexcept;

} // namespace tp::rt
