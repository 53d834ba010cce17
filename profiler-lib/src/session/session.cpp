// SPDX-License-Identifier: Apache-2.0
// Start and end of a recording, and of each thread in it. See session.h.
//
// The end of a thread is noticed by the destructor of a pthread key. The end of the process is
// noticed by the library's destructor, which runs after those of the program; worker threads are
// still alive then (oneTBB never joins them), so their last chunks are closed on their behalf, when
// they are idle. Nothing is freed that a late thread might access.
#include "session/session.h"

#include "base/json_writer.h"
#include "base/messages.h"
#include "base/no_cancel.h"
#include "base/recording_state.h"
#include "builder/dpst_builder.h"
#include "builder/lock_records.h"
#include "output/run_metadata.h"
#include "sampling/sample_timer.h"
#include "sampling/sampler.h"
#include "session/control.h"
#include "session/fork.h"
#include "session/openmp_use.h"
#include "session/session_state.h"
#include "sites/site_registry.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tp::rt {

namespace {

// How long the end of the process waits for workers to finish their last task: the task's record is
// written after the thread that waits for it was released.
constexpr int kWorkerWaitTries = 200;
constexpr long kWorkerWaitNapNs = 500'000;
// From here on a reading is announced while recording.
constexpr std::uint64_t kDearReadingNs = 200;

thread_local bool thread_has_ended TP_TLS = false;

std::uint64_t random_id(const Session& s) {
  std::uint64_t id =
      s.start.time.time ^ static_cast<std::uint64_t>(getpid()) << 40 ^ read_posix(CLOCK_REALTIME);
  id = (id ^ id >> 31) * 0x9e3779b97f4a7c15ull;
  return id ^ id >> 29;
}

RunStart run_start(const Session& s) {
  return {s.id,
          s.start.time,
          s.start.unix_ns,
          s.start.cpu_ns,
          s.settings.run,
          s.settings.event,
          s.settings.as_if_cores,
          s.settings.divide,
          s.settings.max_size,
          paused(),
          s.threads_seen,
          kLocksNames[static_cast<unsigned>(s.settings.locks)],
          s.c_locks_seen && s.settings.locks != Locks::Off,
          s.settings.wake_latency_ns,
          s.settings.wake_call_ns,
          s.settings.wake_sampled_ns,
          s.settings.wake_sparse_ns,
          s.settings.openmp_replaced,
          s.settings.openmp_runtime,
          kOpenMpNames[static_cast<unsigned>(s.settings.openmp)],
          s.settings.openmp_reason};
}

// Of events that the user named: what `auto` chooses, the report explains.
void warn_if_dear(const Settings& settings) {
  const std::uint64_t each = std::max(clock_config.step_cost_ns, clock_config.gap_cost_ns);
  if (each > kDearReadingNs && settings.event != "auto")
    warn("TP_EVENT=" + settings.event,
         "reading these events takes " + std::to_string(each) +
             " ns at each step: programs with short tasks run slower and look different");
}

// Chooses and calibrates the clock. Called by the first thread that has an event to record.
void choose_clock(Session& s) {
  choose_other_clock(s.settings.event, s.start.time);
  s.clock_chosen = true;
  if (s.start_clock.groups.kinds > 0) {
    calibrate_step_cost(s.start_clock);
  } else {
    ThreadClock clock;
    open_clock(clock);
    calibrate_step_cost(clock);
    close_clock(clock);
  }
  warn_if_dear(s.settings);
}

void end_files(Session& s, bool unfinished);

// Makes the data directory and its files. Under the lock. False: recording is off from here on, and
// stderr says why.
bool start_session(Session& s) {
  if (!begin_windows(s)) {
    set_recording(Recording::Off);
    return false;
  }
  if (!s.clock_chosen)
    choose_clock(s);
  s.id = random_id(s);
  std::string error;
  if (!s.directory.create(s.settings.data, s.settings.run, error) ||
      !s.directory.write_file("run.json", run_json(run_start(s)), error) ||
      !open_site_table(s.directory.file("sites.jsonl").c_str())) {
    if (error.empty())
      error = std::strerror(errno);
    warn(s.settings.data, "nothing is recorded: " + error);
    set_recording(Recording::Off);
    return false;
  }
  s.machine_start = read_machine_time();
  s.machine_start_cpu_ns = read_posix(CLOCK_PROCESS_CPUTIME_ID);
  set_size_limit(s.settings.max_size);
  note(1, "recording to " + s.directory.path() + " (" + clock_config.event + ", " +
              clock_config.name + ")");
  publish_control(s);
  sample_short_sections(s.settings.locks == Locks::Auto);
  sample_nodes();
  const unsigned char counted = locks_may_count() ? TP_LOCKS_ARE_COUNTED : 0;
  __atomic_store_n(&tp_locks_are_on, s.settings.locks != Locks::Off ? 1 | counted : 0,
                   __ATOMIC_RELAXED);
  set_recording(Recording::On);
  // With the virtual clock steps are not made of time.
  SamplingPlan sampling = s.settings.sampling;
  if (clock_config.kind == ClockKind::Virtual)
    sampling.rate = 0;
  note_waits(sampling.rate != 0);
  begin_sampling(sampling, s.id, s.directory.file(trace::kSamplesFile));
  if (follow_times(s))
    return true;
  if (!tp_control_page.end_by(ControlPage::kProcess)) {
    set_recording(Recording::Off);
    return false;
  }
  end_files(s, /*unfinished=*/false);
  return false;
}

// A writer for a new thread: that of a thread that has ended, else of a new stream. Null: no file
// can be made for it; the profile will report that.
TraceWriter* take_writer(Session& s) {
  if (!s.idle_writers.empty()) {
    TraceWriter* const writer = s.idle_writers.back();
    s.idle_writers.pop_back();
    return writer;
  }
  const auto number = static_cast<std::uint32_t>(s.writers.size());
  const std::string name = stream_file_name(number);
  auto writer = std::make_unique<TraceWriter>(s.id, number);
  const bool is_first = !any_truncated();
  if (!writer->open(s.directory.file(name.c_str()))) {
    if (is_first)
      warn(name, std::string("threads are not recorded: ") + std::strerror(errno));
    return nullptr;
  }
  s.writers.push_back(writer.get());
  return writer.release();
}

std::uint64_t thread_cpu_ns(std::uint64_t os_thread) {
  // The kernel's encoding of "CPU time of thread T". Unlike pthread_getcpuclockid, it is safe if
  // the thread has ended.
  return read_posix(static_cast<clockid_t>(~static_cast<unsigned>(os_thread) << 3 | 6));
}

// The work of a thread before its first event: as counted, or its CPU time since it was created.
// Neither includes what was before the library was loaded (or the process forked), since the
// process's CPU time does not include it either.
struct PriorWork {
  std::uint64_t counted;
  std::uint64_t cpu_ns;
  std::uint64_t slept_ns; // of the thread that loaded the library; 0 if that is not known
};

// Neither on a CPU nor waiting for one. Not for other threads of the program: recording begins with the
// first that it creates.
std::uint64_t read_prior_sleep(const StartPoint& start, std::uint64_t cpu_ns) {
  const RunDelay delay = read_run_delay();
  if (!delay.known || !start.thread_delay.known)
    return 0;
  return elapsed_since(start.time.mono_ns + cpu_ns + elapsed_since(start.thread_delay.ns, delay.ns),
                       read_posix(CLOCK_MONOTONIC));
}

PriorWork read_prior_work(Session& s, bool loaded_library, bool counts_already) {
  if (counts_already)
    return {read_clock(s.start_clock).work, 0, 0};
  const std::uint64_t cpu_ns = read_posix(CLOCK_THREAD_CPUTIME_ID);
  if (!loaded_library)
    return {0, cpu_ns, 0};
  const std::uint64_t since_start = cpu_ns - s.start.thread_cpu_ns;
  return {0, since_start, read_prior_sleep(s.start, since_start)};
}

// Adds a thread whose recording ends to the session's totals. `cpu_ns` is the thread's CPU time.
void add_totals(Session& s, const ThreadState& thread, std::uint64_t cpu_ns) {
  s.virtual_work += thread.clock.virtual_work;
  s.not_counted_ns += not_counted_ns(thread.clock, cpu_ns);
  const RunDelay delay = read_run_delay_of(thread.os_thread);
  s.run_delay.known |= delay.known;
  s.run_delay.ns += delay.ns;
  for (unsigned kind = 0; kind < kKindsBetweenSteps; ++kind)
    s.between_steps[kind] += thread.between_steps[kind];
  // What a thread that waits has used since its last step.
  if (thread.frame.load(std::memory_order_acquire) == &thread.root && !thread.root.step_open)
    s.between_steps[thread.between] += elapsed_since(thread.close_work, cpu_ns_to_work(cpu_ns));
}

// A thread that the program created is a task, which ends with the thread.
void end_created(ThreadState& thread) {
  if (thread.frame.load(std::memory_order_relaxed) == &thread.created)
    end_task(thread, thread.created, /*by_exception=*/false);
}

// Ends the recording of the calling thread: the destructor of the pthread key.
void leave_thread(void* state) {
  ThreadState& thread = *static_cast<ThreadState*>(state);
  thread_has_ended = true;
  if (&thread != this_thread)
    return; // of the parent process
  this_thread = nullptr;
  forget_counted_locks();
  Session& s = session();
  const std::lock_guard lock(s.mutex);
  if (recording() != Recording::On)
    return;
  end_created(thread);
  end_sampled_thread(static_cast<std::uint32_t>(thread.os_thread));
  const bool clean = thread.frame.load(std::memory_order_relaxed) == &thread.root;
  const std::uint64_t cpu_ns = read_posix(CLOCK_THREAD_CPUTIME_ID);
  end_thread(thread, cpu_ns);
  thread.writer.finish();
  add_totals(s, thread, cpu_ns);
  close_clock(thread.clock);
  std::erase(s.threads, &thread);
  thread.writer.ordinals = thread.ordinals;
  if (clean)
    s.idle_writers.push_back(&thread.writer); // else its stream ends with open frames
  delete &thread;
}

// Gives workers that are at the end of a task the time to write its record.
void wait_for_workers(Session& s) {
  for (int attempt = 0; attempt < kWorkerWaitTries; ++attempt) {
    const bool busy = std::any_of(s.threads.begin(), s.threads.end(), [](ThreadState* thread) {
      return thread != this_thread && thread->is_worker &&
             thread->frame.load(std::memory_order_acquire) != &thread->root;
    });
    if (!busy)
      return;
    const timespec nap{0, kWorkerWaitNapNs};
    nanosleep(&nap, nullptr);
  }
}

std::string sampling_json(const SamplingTotals& totals) {
  if (!totals.asked)
    return {};
  JsonObject json;
  json.text("method", totals.works
                          ? trace::kSampleMethodNames[static_cast<unsigned>(totals.source.method)]
                          : "")
      .number("period_ns", totals.source.period_ns)
      .number("precise", totals.source.precise)
      .boolean("in_kernel", totals.source.in_kernel)
      .number("samples", totals.samples)
      .number("lost", totals.lost)
      .number("sparse_ns", totals.sparse_ns)
      .number("unsampled_threads", totals.unsampled)
      .number("cpu_ns", totals.cpu_ns)
      .number("system_ns", totals.system_ns)
      .text("reason", totals.reason)
      .text("command", totals.command);
  return json.str();
}

std::string between_steps_json(const Session& s) {
  static constexpr const char* kNames[] = {
#define TP_NAME(enumerator, number, name) name,
      TP_CONSTRUCTS(TP_NAME)
#undef TP_NAME
          "events",
      "outside_of_tasks", "lock_waits"};
  static_assert(std::size(kNames) == kKindsBetweenSteps);
  JsonObject json;
  for (unsigned kind = 0; kind < kKindsBetweenSteps; ++kind)
    if (s.between_steps[kind] != 0)
      json.number(kNames[kind],
                  static_cast<std::uint64_t>(static_cast<double>(s.between_steps[kind]) /
                                             clock_config.ticks_per_ns));
  return json.str();
}

// CPU time that the process did not have, since recording began: of all other programs, and a hypervisor.
MachineTime time_of_others(const Session& s) {
  const MachineTime now = read_machine_time();
  const std::uint64_t own =
      elapsed_since(s.machine_start_cpu_ns, read_posix(CLOCK_PROCESS_CPUTIME_ID));
  const std::uint64_t all = elapsed_since(s.machine_start.busy_ns, now.busy_ns);
  // Less than half of what it has to be: the file is not what it is elsewhere.
  const bool is_known = s.machine_start.known && now.known && all >= own / 2;
  return {is_known, elapsed_since(own, all)};
}

// The totals of the run, with those of the threads that are alive.
RunEnd run_end(Session& s, bool unfinished, const SamplingTotals& sampling) {
  RunEnd end;
  end.sampling = sampling_json(sampling);
  // Without the sampler's thread.
  end.cpu_ns =
      elapsed_since(s.start.cpu_ns + sampling.cpu_ns, read_posix(CLOCK_PROCESS_CPUTIME_ID));
  end.start_mono_ns = s.start.time.mono_ns;
  end.truncated = any_truncated();
  end.unfinished = unfinished;
  for (const ThreadState* thread : s.threads) {
    const std::uint64_t cpu_ns = thread_cpu_ns(thread->os_thread);
    add_totals(s, *thread, cpu_ns);
    end.threads.push_back(
        {thread->writer.stream(), thread->os_thread, cpu_ns, thread->paused_work});
  }
  end.virtual_work = s.virtual_work;
  if (clock_config.same_as_time)
    end.between_steps = between_steps_json(s);
  end.not_counted_ns = s.not_counted_ns;
  end.run_delay = s.run_delay;
  end.others = time_of_others(s);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  end.voluntary_switches = static_cast<std::uint64_t>(usage.ru_nvcsw);
  const ControlPage& page = tp_control_page;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(page.begun, kMostWindows); ++i) {
    const Window& window = page.windows[i];
    end.windows.push_back({elapsed_since(page.start_ns, window.begin_ns),
                           elapsed_since(page.start_ns, window.end_ns),
                           elapsed_since(window.cpu_begin_ns, window.cpu_end_ns)});
  }
  end.window_count = page.begun;
  end.recorded_ns = page.recorded_ns;
  end.recorded_cpu_ns = elapsed_since(sampling.cpu_ns, page.recorded_cpu_ns);
  OpenMpUse openmp = openmp_use();
  end.openmp_runtime = std::move(openmp.runtime);
  end.unrecorded_openmp_threads = openmp.threads;
  for (const TraceWriter* writer : s.writers) // a late worker may still add chunks
    end.chunks.push_back(writer->chunks());
  return end;
}

// Ends the window, and writes end.json. Under the lock. Afterwards nothing is recorded.
void end_files(Session& s, bool unfinished) {
  {
    const ControlLock lock(tp_control_page);
    end_window(tp_control_page, read_posix(CLOCK_MONOTONIC), read_posix(CLOCK_PROCESS_CPUTIME_ID));
    __atomic_store_n(&tp_locks_are_on, 0, __ATOMIC_RELAXED);
    set_recording(Recording::Off);
  }
  const SamplingTotals sampling = end_sampling();
  register_loaded_modules();
  for (ThreadState* thread : s.threads) {
    unfinished |=
        thread->is_worker && thread->frame.load(std::memory_order_acquire) != &thread->root;
    thread->writer.finish_foreign();
  }
  std::string error;
  if (!s.directory.write_file("end.json", end_json(run_end(s, unfinished, sampling)), error))
    warn("end.json", error);
  ::unlink(s.directory.file(kControlFile).c_str());
}

// Ends the recording of the process, if there is one. Called by the thread that runs the library's
// destructor.
void finish_session() {
  const NoCancel no_cancel;
  Session& s = session();
  if (recording() != Recording::On || !tp_control_page.end_by(ControlPage::kProcess)) {
    set_recording(Recording::Off);
    return;
  }
  const std::lock_guard lock(s.mutex);
  wait_for_workers(s);
  ThreadState* const self = this_thread;
  bool unfinished = false;
  if (self != nullptr) {
    this_thread = nullptr;
    thread_has_ended = true;
    end_created(*self);
    unfinished = self->frame.load(std::memory_order_relaxed) != &self->root;
    const std::uint64_t cpu_ns = read_posix(CLOCK_THREAD_CPUTIME_ID);
    end_thread(*self, cpu_ns);
    self->writer.finish();
    add_totals(s, *self, cpu_ns);
    std::erase(s.threads, self);
  }
  end_files(s, unfinished);
}

// Once, by the library's constructor, or before it by a thread that the constructor of another library
// created. Under the lock.
void load(Session& s) {
  if (s.start.thread != 0)
    return;
  s.start = read_start_point();
  s.settings = read_settings();
  if (s.settings.disabled || pthread_key_create(&s.key, leave_thread) != 0) {
    set_recording(Recording::Off);
    return;
  }
  if (s.settings.openmp == OpenMp::Refused && openmp_use().runtime.empty())
    expect_openmp_in_program();
  choose_first_pause(s);
  if (choose_counting_clock(s.settings.event) && !open_clock(s.start_clock))
    close_clock(s.start_clock);
  handle_forks();
  // A window, a pause or virtual work leaves out what comes before the first event.
  if (s.settings.sampling.rate > 0 && !s.settings.paused && s.settings.window_begin_ns == 0 &&
      !s.settings.event.starts_with("virtual") && needs_onetbb()) {
    sample_before_recording(s.settings.sampling, static_cast<std::uint32_t>(s.start.thread));
    // The first event of a machine takes the kernel 10 ms, in which the thread sleeps: not the program's.
    s.start = read_start_point();
  }
}

// tp-run chooses the runtime of OpenMP by the files that a program needs, before it runs. Said is what came later, or
// runs as well.
void warn_of_unseen_openmp(const Settings& settings) {
  const bool is_to_be_recorded =
      settings.openmp == OpenMp::Unused || settings.openmp == OpenMp::Recorded;
  if (settings.disabled || !is_to_be_recorded)
    return;
  const auto [runtime, threads] = openmp_use();
  if (threads == 0 || runtime.empty())
    return;
  if (settings.openmp == OpenMp::Recorded) {
    warn("OpenMP", "recorded in part: the program used another runtime of it as well as " +
                       settings.openmp_runtime);
    return;
  }
  const char* const preloaded = std::getenv("LD_PRELOAD");
  const bool is_preloaded =
      preloaded != nullptr &&
      std::strstr(preloaded, runtime.c_str() + runtime.rfind('/') + 1) != nullptr;
  warn("OpenMP",
       "not recorded: " + runtime +
           (is_preloaded ? " is in LD_PRELOAD, and tp-run chooses a runtime by what the program is "
                           "linked with"
                         : " was loaded while the program ran, and tp-run chooses a runtime "
                           "before") +
           "; to record it, link the program with -fopenmp -Wl,--no-as-needed");
}

[[gnu::constructor]] void load_library() {
  Session& s = session();
  const std::lock_guard lock(s.mutex);
  load(s);
}

[[gnu::destructor]] void unload_library() {
  finish_session();
  end_sampling(); // of a process that recorded nothing
  warn_of_unseen_openmp(session().settings);
  ignore_sample_signal();
}

} // namespace

Session& session() {
  static Session* const instance = new Session;
  return *instance;
}

StartPoint read_start_point() {
  return {read_time_pair(),
          read_posix(CLOCK_REALTIME),
          read_posix(CLOCK_PROCESS_CPUTIME_ID),
          read_posix(CLOCK_THREAD_CPUTIME_ID),
          read_run_delay(),
          static_cast<pid_t>(syscall(SYS_gettid)),
          getpid()};
}

ThreadState* enter_thread(trace::ThreadRole role) noexcept try {
  const NoCancel no_cancel;
  if (recording() == Recording::Off || thread_has_ended || is_forking())
    return nullptr;
  Session& s = session();
  const std::lock_guard lock(s.mutex);
  load(s);
  if (recording() == Recording::Off)
    return nullptr;
  const auto os_thread = static_cast<std::uint64_t>(syscall(SYS_gettid));
  const bool loaded_library = static_cast<pid_t>(os_thread) == s.start.thread;
  const bool counts_already = loaded_library && s.start_clock.groups.kinds > 0;
  // Read before anything else: starting a session takes milliseconds.
  const PriorWork before = read_prior_work(s, loaded_library, counts_already);
  const std::uint64_t entered = read_time();
  const bool is_first = recording() == Recording::NotStarted;
  if (is_first && !start_session(s))
    return nullptr;

  TraceWriter* const writer = take_writer(s);
  if (writer == nullptr) {
    thread_has_ended = true; // as far as the recording is concerned
    return nullptr;
  }
  auto* const thread = new ThreadState(*writer, session_generation());
  thread->os_thread = os_thread;
  thread->is_worker = role == trace::ThreadRole::Worker;
  thread->has_root_steps = role == trace::ThreadRole::External;
  if (counts_already) {
    thread->clock = s.start_clock;
    s.start_clock = ThreadClock{};
  } else if (!open_clock(thread->clock)) {
    note(1, "the events of thread " + std::to_string(os_thread) + " cannot be counted");
  }
  std::uint64_t prior = before.counted + cpu_ns_to_work(before.cpu_ns);
  if (!thread->has_root_steps)
    prior = 0;
  std::uint64_t slept = 0;
  if (thread->has_root_steps && clock_config.same_as_time)
    slept = cpu_ns_to_work(before.slept_ns);
  if (!recorded_throughout()) {
    thread->paused_work = prior;
    prior = slept = 0;
  }
  if (slept < clock_config.least_sleep)
    slept = 0;
  // The stream continues where its last thread left off.
  if (role == trace::ThreadRole::External && static_cast<pid_t>(os_thread) == getpid())
    role = trace::ThreadRole::Main;
  s.threads.push_back(thread);
  // Before its first step begins: it may take milliseconds.
  sample_thread(writer->stream(), static_cast<std::uint32_t>(os_thread), entered);
  begin_thread(*thread, role, prior, slept, early_sleep);
  if (is_first)
    record_forks(*thread, session_generation() - 1);
  // Not before: the program's malloc may wait for a lock, which the hooks would record.
  this_thread = thread;
  pthread_setspecific(s.key, thread);
  return thread;
} catch (...) {
  // Out of memory: this thread is not recorded.
  return nullptr;
}

namespace {

// What the preloaded library says when it is initialized. The constructor of another library may have
// begun to record before that.
void set_seen(bool Session::* seen) noexcept try {
  Session& s = session();
  const std::lock_guard guard(s.mutex);
  s.*seen = true;
  std::string error;
  if (recording() == Recording::On &&
      !s.directory.write_file("run.json", run_json(run_start(s)), error))
    warn("run.json", error);
} catch (...) {
  return; // Out of memory: the recording says that less is seen.
}

} // namespace

void set_c_locks_seen() noexcept {
  set_seen(&Session::c_locks_seen);
}

void set_threads_seen() noexcept {
  set_seen(&Session::threads_seen);
}

bool is_recorded_here() noexcept {
  return recording() == Recording::On && session().start.process == getpid();
}

void end_session() noexcept {
  if (is_recorded_here())
    finish_session();
}

int as_if_cores() noexcept {
  const Settings& settings = session().settings;
  return settings.disabled ? 0 : settings.as_if_cores;
}

bool divides() noexcept {
  const Settings& settings = session().settings;
  return !settings.disabled && settings.divide;
}

} // namespace tp::rt
