// SPDX-License-Identifier: Apache-2.0
// SESSION: one recording of one process, from its first event to the end of the process. Owns the
// data directory, the streams and the states of the threads. Cold: takes a lock, once per thread.
//
// The library's constructor only reads the settings and takes the start times. The directory is
// made when the first thread has an event to record, so a process that only loads the library
// leaves no files. A fork()ed child that continues to use the library starts a session of its own
// (fork.h).
#pragma once

#include "base/attributes.h"
#include "tp/trace/trace_format.h"

namespace tp::rt {

struct ThreadState;

// Makes the state of the calling thread and gives it a stream; the first call starts the session.
// The root frame has no open step yet. Null if nothing is to be recorded, if there is no file for
// the stream, and once the thread's end has begun. The session owns the state until the thread
// ends. `role`: External also for the thread that runs main().
TP_COLD ThreadState* enter_thread(trace::ThreadRole role) noexcept;

// Does a library of the process, or its executable, need libtbb? Cold: takes the loader's lock.
TP_COLD bool needs_onetbb() noexcept;

// Threads of the program are seen from here on.
void set_threads_seen() noexcept;
// So are the locks of the C library.
void set_c_locks_seen() noexcept;

// Ends the recording of the process, as the end of the process does.
TP_COLD void end_session() noexcept;
// Whether there is one, of this very process: a vfork()ed child shares its parent's memory.
bool is_recorded_here() noexcept;

// TP_AS_IF_CORES; 0: not set, or the library is disabled. Constant. By any thread.
int as_if_cores() noexcept;
// TP_DIVIDE. Constant. By any thread.
bool divides() noexcept;

} // namespace tp::rt
