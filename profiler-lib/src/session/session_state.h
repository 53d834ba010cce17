// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share: the state of the session. See session.h.
#pragma once

#include "builder/thread_state.h"
#include "clock/machine_time.h"
#include "output/data_directory.h"
#include "session/settings.h"

#include <cstdint>
#include <mutex>
#include <pthread.h>
#include <sys/types.h>
#include <vector>

namespace tp::rt {

// Where this process begins, as far as the recording is concerned: the library was loaded, or the
// process forked. By the thread that did it.
struct StartPoint {
  TimePair time{};
  std::uint64_t unix_ns = 0;       // CLOCK_REALTIME
  std::uint64_t cpu_ns = 0;        // of the process
  std::uint64_t thread_cpu_ns = 0; // of the thread
  RunDelay thread_delay;           // of the thread
  pid_t thread = 0;                // gettid()
  pid_t process = 0;               // getpid()
};
StartPoint read_start_point();

struct Session {
  Settings settings;
  StartPoint start;
  MachineTime machine_start;              // when recording began,
  std::uint64_t machine_start_cpu_ns = 0; // and the CPU time of the process then
  ThreadClock start_clock;   // of that thread, if an event was opened when the library was loaded
  bool threads_seen = false; // that the program creates: by the library that tp-run preloads
  bool c_locks_seen = false; // likewise: those of the C library
  bool clock_chosen = false; // also valid in fork()ed children
  pthread_key_t key{};       // its destructor sees the end of a thread
  std::mutex mutex;          // guards what follows
  DataDirectory directory;
  std::uint64_t id = 0;
  std::vector<TraceWriter*> idle_writers;               // of threads that have ended
  std::vector<ThreadState*> threads;                    // that are alive
  std::vector<TraceWriter*> writers;                    // of all streams, by number
  std::uint64_t virtual_work = 0;                       // of threads that have ended
  std::uint64_t between_steps[kKindsBetweenSteps] = {}; // likewise
  std::uint64_t not_counted_ns = 0; // of them: CPU time during which no events were counted
  RunDelay run_delay;               // likewise: the sum of those that are known
};

// The session of the process. Never destroyed: threads outlive the library's destructor.
Session& session();

} // namespace tp::rt
