// SPDX-License-Identifier: Apache-2.0
// The checked content of the three JSON files of a data directory (trace/metadata_reader.h).
// docs/reference/trace-format.md has the schemas.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tp::analysis {

// A clock or event: `hz` is ticks per second, 0 if the unit is not time.
struct Clock {
  std::string name; // "tsc-rseq", "virtual", ...
  std::string unit; // "ticks", "ns", "instructions", "units"
  std::uint64_t hz = 0;
};

struct RunInfo {
  std::uint64_t session = 0;
  std::string program;
  std::vector<std::string> arguments;
  std::string host;
  std::string taskpath_version;
  std::string libtbb_version;
  std::uint64_t pid = 0;
  std::uint32_t cpus = 1;
  std::uint64_t start_time_unix_ns = 0;
  Clock time;
  Clock work;
  std::string work_requested;
  std::string work_event;
  std::string work_reason; // why no better clock was chosen
  bool kernel_included = false;
  bool same_as_time = false;
  std::uint64_t step_cost = 0; // what reading the clock adds to each step, in the unit of work
  std::uint64_t step_cost_ns = 0;
  std::uint64_t gap_cost_ns = 0; // what reading clock and events adds to the time between two steps
  std::vector<std::string> extra_events;
  std::uint64_t as_if_cores = 0;
  bool divide = false;             // tp-run --divide
  bool sleep_seen = false;         // in which steps the thread slept
  bool waits_seen = false;         // whether that was for another thread of the program
  bool section_sleep_seen = false; // what of the known sleep was in sections of locks
  std::string locks;               // tp-run --locks; empty: not recorded
  bool c_locks_seen = false;       // those of the C library
  // What waking a thread that sleeps takes on that machine, until it runs, and of the one that wakes it; 0:
  // not measured.
  std::uint64_t wake_latency_ns = 0, wake_call_ns = 0;
  // How much longer it takes since the thread is sampled, and while it is sampled less often; 0: not known.
  std::uint64_t wake_sampled_ns = 0, wake_sparse_ns = 0;
  bool threads_seen = false; // who creates and joins the program's threads
  // Of tp-run: the OpenMP runtime that the program was given, and what it replaced; empty: none.
  std::string openmp_runtime, openmp_replaced;
  std::uint64_t cpu_ns_at_start = 0;
  std::uint64_t time_start = 0, mono_start_ns = 0; // 0: not recorded
};

struct LiveThread {
  std::uint32_t stream = 0;
  std::uint64_t os_thread = 0;
  std::uint64_t cpu_ns = 0;
  std::uint64_t paused_work = 0;
};

// A time in which recording was not paused, since the start of the recording.
struct RecordedWindow {
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::uint64_t cpu_ns = 0; // of the process
};

// How samples were taken, as the recording says at its end.
struct SamplingInfo {
  std::string method; // empty: there are none
  std::string
      reason; // why there are none, or none of a part of the run, or not by events; else empty
  std::string command;         // that changes this; may be empty
  std::uint64_t system_ns = 0; // system time of the process
  std::uint64_t unsampled_threads = 0;
  bool in_kernel = false;      // samples were taken there, too
  std::uint64_t sparse_ns = 0; // CPU time in which it was sampled less often
};

struct EndInfo {
  std::string end;
  std::uint64_t time_end = 0, mono_end_ns = 0;
  std::uint64_t cpu_ns = 0;
  std::uint64_t wall_ns = 0;
  bool truncated = false;
  std::uint64_t streams = 0;
  std::vector<std::uint64_t> chunks; // of each stream; empty: not recorded (older traces)
  bool all_ended = false;            // the recording states that no task was running at the end
  std::uint64_t virtual_work = 0;
  std::optional<SamplingInfo> sampling; // null: samples were off, or the recording has no end
  std::uint64_t not_counted_ns = 0;     // CPU time during which no events could be counted
  // How long the recorded threads waited for a CPU since they were created, and how often threads slept. Null: not known.
  std::optional<std::uint64_t> run_delay_ns;
  // CPU time of other programs and a hypervisor, on all CPUs together. Null: not known.
  std::optional<std::uint64_t> others_cpu_ns;
  std::uint64_t voluntary_switches = 0;
  // CPU time of the threads between their steps, by what they did then. Null: not known.
  std::optional<std::map<std::string, std::uint64_t>> between_steps_ns;
  std::vector<LiveThread> threads;
  // Not recorded (older traces): no windows.
  std::uint64_t window_count = 0, recorded_ns = 0, recorded_cpu_ns = 0;
  std::vector<RecordedWindow> windows; // the first ones

  // Was a part of the run left out?
  bool has_pauses() const {
    return window_count != 1 ? !windows.empty() || paused_throughout
                             : !windows.empty() && windows.front().begin_ns > 0;
  }
  bool paused_throughout = false; // recorded, but in no window
};

struct Module {
  std::uint32_t id = 0;
  std::string path;
  std::string build_id;
};

// A return address: module and offset in the address space of its file.
struct CodeAddress {
  std::uint32_t module = 0;
  std::uint64_t offset = 0;
};

struct StaticSite {
  std::uint32_t id = 0;
  std::string tag; // "explicit", "header", "address", "filter"
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t end_line = 0;
  std::string function;
  std::string construct;
  std::string type;               // mangled name of the task's type, for address sites
  std::vector<CodeAddress> stack; // innermost first
  // Of a construct of OpenMP: its stack begins with the construct's code, as a return address, not with a call of it; the
  // site of the region whose code has led to the construct, 0: none.
  bool begins_with_code = false;
  std::uint32_t around = 0;
  // So many of them, without those in libtbb, distinguish the site from others of the same call.
  std::uint32_t path_calls = 6;
  std::vector<CodeAddress> starts; // of a thread: the function that it calls, as a return address
  bool has_other_callers = false;  // all that were too many for a site each
  // Of a pipeline's filter: the site where it was made or is called, that of the pipeline's call (0:
  // it is not tagged), its number from 1, and its mode.
  std::uint32_t of = 0, call = 0;
  std::uint32_t filter = 0;
  std::string mode;
};

struct StaticRegion {
  std::uint32_t id = 0;
  std::string name;
  std::string file;
  std::uint32_t line = 0;
  double factor = 0; // the speedup that the user expects; 0: none
};

// Where locks of one kind are acquired.
struct StaticLockPlace {
  StaticSite site; // id, file, line, stack
  std::string kind;
  std::string name; // that the program gives the lock; empty: none
};

// A lock in a module's static data.
struct StaticLock {
  std::uint64_t address = 0;
  CodeAddress at;
};

struct SiteFile {
  std::vector<Module> modules;
  // Loaded when the recording ended, and in no stack; numbered by their places here.
  std::vector<Module> others;
  // Paths of modules that called locks of the C library past tp-run's.
  std::vector<std::string> past_locks;
  std::vector<StaticSite> sites;
  std::vector<StaticLockPlace> lock_places;
  std::vector<StaticLock> locks;
  std::vector<StaticRegion> regions;
  bool torn = false; // the last line is incomplete: the program was killed while writing it
};

struct TraceInfo {
  RunInfo run;
  SiteFile sites;
  std::optional<EndInfo> end;
};

} // namespace tp::analysis
