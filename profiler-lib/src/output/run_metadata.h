// SPDX-License-Identifier: Apache-2.0
// RUN METADATA: the two JSON files of a data directory that describe the run as a whole, run.json
// (written when the recording starts) and end.json (when the process ends). Their fields are listed
// in docs/reference/trace-format.md. Called by the session, under its lock. Cold.
#pragma once

#include "clock/machine_time.h"
#include "clock/work_clock.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tp::rt {

// What the session knows about the run when it starts. The clock is taken from clock_config.
struct RunStart {
  std::uint64_t session = 0; // id, also in the header of every chunk
  TimePair time{}; // when the library was loaded, in a fork()ed child: when the process forked
  std::uint64_t unix_ns = 0;  // the same moment, CLOCK_REALTIME
  std::uint64_t cpu_ns = 0;   // CPU time of the process at that moment
  std::string run;            // TP_RUN: the tp-run that started the process
  std::string event;          // as requested, TP_EVENT
  int as_if_cores = 0;        // TP_AS_IF_CORES, 0: not set
  bool divide = false;        // TP_DIVIDE
  std::uint64_t max_size = 0; // TP_MAX_SIZE in bytes, 0: no limit
  bool paused = false;        // TP_PAUSED
  bool threads_seen = false;  // that the program creates
  const char* locks = "off";  // TP_LOCKS
  bool c_locks_seen = false;  // those of the C library
  // TP_WAKE; 0: not measured.
  std::uint64_t wake_latency_ns = 0, wake_call_ns = 0, wake_sampled_ns = 0, wake_sparse_ns = 0;
  std::string openmp_replaced, openmp_runtime; // TP_OPENMP
  const char* openmp = "";                     // likewise: its state; empty: not known
  std::string openmp_reason;                   // likewise: why not
};

// A thread that is still alive when the process ends.
struct LiveThread {
  std::uint32_t stream;
  std::uint64_t os_thread;   // gettid()
  std::uint64_t cpu_ns;      // since the thread was created
  std::uint64_t paused_work; // work that was dropped because recording was paused
};

// A time in which recording was not paused, in ns since RunStart, and the CPU time of the process in
// it.
struct RecordedWindow {
  std::uint64_t begin_ns, end_ns, cpu_ns;
};

// What the session knows about the run when it ends.
struct RunEnd {
  std::uint64_t cpu_ns = 0;        // CPU time of the process since RunStart
  std::uint64_t start_mono_ns = 0; // RunStart::time.mono_ns
  bool truncated = false;          // a stream stopped early: disk full, size limit, no descriptor
  bool unfinished = false;         // tasks were still running
  std::uint64_t virtual_work = 0;  // of all threads
  std::string sampling;            // a JSON object; empty: no samples were asked for
  std::string between_steps;       // likewise; empty: not known
  std::string openmp_runtime;      // that is loaded; empty: none
  std::uint64_t unrecorded_openmp_threads = 0; // which a runtime that is not recorded created
  std::uint64_t not_counted_ns =
      0;              // CPU time of all threads during which their events were not counted
  RunDelay run_delay; // of all recorded threads
  MachineTime others; // that the CPUs were busy with something else
  std::uint64_t voluntary_switches = 0;
  std::vector<std::uint32_t>
      chunks; // of each stream, by number: a reader sees that a file lost its end
  std::vector<LiveThread> threads;
  std::vector<RecordedWindow> windows; // the first kMostWindows
  std::uint64_t window_count = 0;
  std::uint64_t recorded_ns = 0, recorded_cpu_ns = 0; // in all of them
};

// The whole text of each file. end_json takes the end's time stamps itself. Both may throw
// std::bad_alloc.
std::string run_json(const RunStart& run);
std::string end_json(const RunEnd& end);

} // namespace tp::rt
