// Start and end of a recording, and of each thread in it. See session.h.
//
// Ends. A thread's end is seen by a pthread key destructor. The process's end is seen by the
// library's destructor, which runs after those of the program; worker threads are still alive then
// (oneTBB never joins them), so their last chunks are closed for them, once they are idle. Nothing
// is freed that a late thread might touch.
#include "session/session.h"

#include "base/json_writer.h"
#include "base/messages.h"
#include "base/no_cancel.h"
#include "base/recording_state.h"
#include "builder/dpst_builder.h"
#include "builder/edge_table.h"
#include "clock/clock_report.h"
#include "output/data_directory.h"
#include "session/settings.h"
#include "tp/hooks.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#ifndef TP_TBB_VERSION
#define TP_TBB_VERSION "none"
#endif
#ifndef TP_VERSION
#define TP_VERSION "0.1.0"
#endif

namespace tp::rt {

namespace {

// How long the end of the process waits for workers to come out of their last task: the task's
// record is written after its waiter was released.
constexpr int kFarewellTries = 200;
constexpr long kFarewellNapNs = 500'000;

thread_local bool thread_has_ended TP_TLS = false;

struct Session {
  Settings settings;
  TimePair start{};
  std::uint64_t start_cpu_ns = 0;        // of the process
  std::uint64_t start_thread_cpu_ns = 0; // of the thread that loaded the library
  pid_t start_thread = 0;
  std::uint64_t start_unix_ns = 0;
  ThreadClock start_clock;   // of that thread, if an event was opened early
  bool clock_chosen = false; // stands in fork()ed children too
  pthread_key_t key{};
  std::mutex mutex; // guards what follows
  DataDirectory directory;
  std::uint64_t id = 0;
  std::vector<TraceWriter*> idle_writers; // of threads that have ended
  std::vector<ThreadState*> threads;      // alive
  std::vector<TraceWriter*> writers;      // of all streams, by number
  std::uint64_t virtual_work = 0;         // of threads that have ended
  std::uint64_t not_counted_ns = 0;       // of them: CPU time during which no events were counted
};

// Never destroyed: threads outlive the library's destructor.
Session& session() {
  static Session* const instance = new Session;
  return *instance;
}

std::uint64_t unix_ns() {
  return read_posix(CLOCK_REALTIME);
}

std::uint64_t random_id(const Session& s) {
  std::uint64_t id = s.start.time ^ static_cast<std::uint64_t>(getpid()) << 40 ^ unix_ns();
  id = (id ^ id >> 31) * 0x9e3779b97f4a7c15ull;
  return id ^ id >> 29;
}

std::string hex(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4)
    text[i] = "0123456789abcdef"[value & 15];
  return text;
}

std::string read_link(const char* path) {
  char target[4096];
  const ssize_t length = readlink(path, target, sizeof target);
  return length > 0 ? std::string(target, static_cast<std::size_t>(length)) : std::string();
}

// The arguments as a JSON array; long command lines are cut.
std::string arguments_json() {
  std::string text;
  const int fd = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  char buffer[16384];
  const ssize_t length = fd >= 0 ? ::read(fd, buffer, sizeof buffer) : 0;
  if (fd >= 0)
    ::close(fd);
  std::string array = "[";
  for (ssize_t at = 0; at < length;) {
    const std::string argument(buffer + at,
                               strnlen(buffer + at, static_cast<std::size_t>(length - at)));
    if (array.size() > 1)
      array += ',';
    array += JsonObject::quoted(argument);
    at += static_cast<ssize_t>(argument.size()) + 1;
  }
  return array + "]";
}

std::string extra_events_json() {
  std::string array = "[";
  for (unsigned i = 0; i < clock_config.extra_count; ++i) {
    const CountedEvent& event = clock_config.extra_events()[i];
    JsonObject object;
    object.text("event", event.name).boolean("kernel_included", !event.exclude_kernel);
    array += (i > 0 ? "," : "") + object.str();
  }
  return array + "]";
}

// The CPUs that the process may use: fewer than the machine has in a container, in a job of a cluster, or under taskset.
std::uint64_t usable_cpus() {
  cpu_set_t set;
  const int known = sched_getaffinity(getpid(), sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
  if (known > 0)
    return static_cast<std::uint64_t>(known);
  return static_cast<std::uint64_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

std::string run_json(const Session& s) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const ClockConfig& clock = clock_config;
#if defined(__x86_64__)
  const char* const time_source = "tsc";
#elif defined(__aarch64__)
  const char* const time_source = "cntvct";
#else
  const char* const time_source = "monotonic";
#endif
  JsonObject time;
  time.text("source", time_source)
      .text("unit", "ticks")
      .number("hz", static_cast<std::uint64_t>(clock.ticks_per_ns * 1e9 + 0.5));
  JsonObject work;
  work.text("requested", s.settings.event)
      .text("clock", clock.name)
      .text("event", clock.event)
      .text("unit", clock.unit)
      .number("hz", clock.unit_hz)
      .boolean("kernel_included", clock.kernel_included)
      .boolean("same_as_time", clock.same_as_time)
      .number("step_cost", clock.step_cost)
      .number("step_cost_ns", clock.step_cost_ns)
      .text("reason", clock.reason);
  const std::uint32_t order = 1;
  const bool little = *reinterpret_cast<const char*>(&order) == 1;
  JsonObject run;
  run.text("schema", "taskpath.run/1")
      .number("format_version", trace::kFormatVersion)
      .text("session", hex(s.id))
      .text("byte_order", little ? "little" : "big")
      .number("pid", static_cast<std::uint64_t>(getpid()))
      .text("host", host)
      .number("cpus", usable_cpus())
      .text("program", read_link("/proc/self/exe"))
      .raw("arguments", arguments_json())
      .text("working_directory", read_link("/proc/self/cwd"))
      .number("start_time_unix_ns", s.start_unix_ns)
      .text("taskpath", TP_VERSION)
      .text("libtbb", TP_TBB_VERSION)
      .raw("time", time.str())
      .raw("work", work.str())
      .raw("extra_events", extra_events_json())
      .number("as_if_cores", static_cast<std::uint64_t>(s.settings.as_if_cores))
      .number("max_size", s.settings.max_size)
      .boolean("paused_at_start", s.settings.paused)
      .number("time_start", s.start.time)
      .number("mono_start_ns", s.start.mono_ns)
      .number("cpu_ns_at_start", s.start_cpu_ns);
  return run.str() + "\n";
}

// Called by the first thread that has an event to record.
void choose_clock(Session& s) {
  choose_other_clock(s.settings.event, s.start);
  s.clock_chosen = true;
  if (s.start_clock.groups.kinds > 0)
    return calibrate_step_cost(s.start_clock);
  ThreadClock clock;
  open_clock(clock);
  calibrate_step_cost(clock);
  close_clock(clock);
}

// Under the lock. False: recording is off from here on, and stderr says why.
bool start_session(Session& s) {
  if (!s.clock_chosen)
    choose_clock(s);
  s.id = random_id(s);
  std::string error;
  if (!s.directory.create(s.settings.data, error) ||
      !s.directory.write_file("run.json", run_json(s), error) ||
      !open_site_table(s.directory.file("sites.jsonl").c_str())) {
    if (error.empty())
      error = std::strerror(errno);
    warn(s.settings.data, "nothing is recorded: " + error);
    set_recording(Recording::Off);
    return false;
  }
  set_size_limit(s.settings.max_size);
  note(1, "recording to " + s.directory.path() + " (" + clock_config.event + ", " +
              clock_config.name + ")");
  set_recording(Recording::On);
  return true;
}

// Null: there is no file for it; the profile will say so.
TraceWriter* take_writer(Session& s) {
  if (!s.idle_writers.empty()) {
    TraceWriter* const writer = s.idle_writers.back();
    s.idle_writers.pop_back();
    return writer;
  }
  char name[32];
  const auto number = static_cast<std::uint32_t>(s.writers.size());
  snprintf(name, sizeof name, "%06u%s", number, trace::kStreamSuffix);
  auto writer = std::make_unique<TraceWriter>(s.id, number);
  const bool is_first = !any_truncated();
  if (!writer->open(s.directory.file(name))) {
    if (is_first)
      warn(name, std::string("threads are not recorded: ") + std::strerror(errno));
    return nullptr;
  }
  s.writers.push_back(writer.get());
  return writer.release();
}

std::uint64_t thread_cpu_ns(std::uint64_t os_thread) {
  // The kernel's encoding of "CPU time of thread T"; unlike pthread_getcpuclockid it is safe for a
  // thread that is gone.
  return read_posix(static_cast<clockid_t>(~static_cast<unsigned>(os_thread) << 3 | 6));
}

// What a thread did before its first event: counted, or its CPU time since it was created. What came
// before the library was loaded (or the process forked) is in neither, as it is not in the process's
// sum.
struct Before {
  std::uint64_t counted;
  std::uint64_t cpu_ns;
};

// What is known of a thread whose recording ends.
void sum_up(Session& s, const ThreadState& thread, std::uint64_t cpu_ns) {
  s.virtual_work += thread.clock.virtual_work;
  s.not_counted_ns += not_counted_ns(thread.clock, cpu_ns);
}

void leave_thread(void* state) {
  ThreadState& thread = *static_cast<ThreadState*>(state);
  thread_has_ended = true;
  if (&thread != this_thread)
    return; // of the parent process
  this_thread = nullptr;
  Session& s = session();
  const std::lock_guard lock(s.mutex);
  if (recording() != Recording::On)
    return;
  const bool clean = thread.frame.load(std::memory_order_relaxed) == &thread.root;
  const std::uint64_t cpu_ns = read_posix(CLOCK_THREAD_CPUTIME_ID);
  end_thread(thread, cpu_ns);
  thread.writer.finish();
  sum_up(s, thread, cpu_ns);
  close_clock(thread.clock);
  std::erase(s.threads, &thread);
  thread.writer.ordinals = thread.ordinals;
  if (clean)
    s.idle_writers.push_back(&thread.writer); // else its stream ends with open frames
  delete &thread;
}

// Gives workers that are inside the end of a task the time to write its record.
void wait_for_workers(Session& s) {
  for (int attempt = 0; attempt < kFarewellTries; ++attempt) {
    const bool busy = std::any_of(s.threads.begin(), s.threads.end(), [](ThreadState* thread) {
      return thread != this_thread && thread->is_worker &&
             thread->frame.load(std::memory_order_acquire) != &thread->root;
    });
    if (!busy)
      return;
    const timespec nap{0, kFarewellNapNs};
    nanosleep(&nap, nullptr);
  }
}

// How many chunks each stream has, by which a reader sees that a file lost its end. A late worker may add to them.
std::string chunks_json(const Session& s) {
  std::string array = "[";
  for (const TraceWriter* writer : s.writers) {
    if (array.size() > 1)
      array += ',';
    array += std::to_string(writer->chunks());
  }
  return array + "]";
}

std::string end_json(Session& s, std::uint64_t cpu_ns, bool unfinished) {
  std::string threads = "[";
  for (const ThreadState* thread : s.threads) {
    const std::uint64_t thread_ns = thread_cpu_ns(thread->os_thread);
    sum_up(s, *thread, thread_ns);
    JsonObject object;
    object.number("stream", thread->writer.stream())
        .number("os_thread", thread->os_thread)
        .number("cpu_ns", thread_ns)
        .number("paused_work", thread->paused_work);
    if (threads.size() > 1)
      threads += ',';
    threads += object.str();
  }
  threads += "]";
  const std::uint64_t mono = read_posix(CLOCK_MONOTONIC);
  JsonObject end;
  end.text("schema", "taskpath.end/1")
      .text("end", "exit")
      .number("time_end", read_time())
      .number("mono_end_ns", mono)
      .number("cpu_ns", elapsed_since(s.start_cpu_ns, cpu_ns))
      .number("wall_ns", elapsed_since(s.start.mono_ns, mono))
      .boolean("truncated", any_truncated())
      .boolean("unfinished_tasks", unfinished)
      .number("streams", s.writers.size())
      .raw("chunks", chunks_json(s))
      .number("virtual_work", s.virtual_work)
      .number("not_counted_ns", s.not_counted_ns)
      .raw("threads", threads);
  return end.str() + "\n";
}

void finish_session() {
  const NoCancel no_cancel;
  Session& s = session();
  if (recording() != Recording::On) {
    set_recording(Recording::Off);
    return;
  }
  const std::lock_guard lock(s.mutex);
  wait_for_workers(s);
  ThreadState* const self = this_thread;
  bool unfinished = false;
  if (self != nullptr) {
    unfinished = self->frame.load(std::memory_order_relaxed) != &self->root;
    const std::uint64_t cpu_ns = read_posix(CLOCK_THREAD_CPUTIME_ID);
    end_thread(*self, cpu_ns);
    self->writer.finish();
    sum_up(s, *self, cpu_ns);
    std::erase(s.threads, self);
    this_thread = nullptr;
    thread_has_ended = true;
  }
  set_recording(Recording::Off);
  for (ThreadState* thread : s.threads) {
    unfinished |=
        thread->is_worker && thread->frame.load(std::memory_order_acquire) != &thread->root;
    thread->writer.finish_foreign();
  }
  std::string error;
  if (!s.directory.write_file("end.json",
                              end_json(s, read_posix(CLOCK_PROCESS_CPUTIME_ID), unfinished), error))
    warn("end.json", error);
}

// ---- fork: the child has one thread, the same memory, and none of the file mappings is its own
// any more ----

void before_fork() {
  session().mutex.lock();
}
void after_fork_in_parent() {
  session().mutex.unlock();
}

void after_fork_in_child() {
  Session& s = session();
  s.directory.forget();
  for (ThreadState* thread : s.threads)
    forget_clock(thread->clock);
  forget_clock(s.start_clock);
  s.threads.clear();
  s.idle_writers.clear();
  s.writers.clear();
  s.virtual_work = 0;
  s.not_counted_ns = 0;
  // The states of the parent's threads stay allocated: the frames on this thread's stack point to
  // one of them.
  this_thread = nullptr;
  clear_edges();
  session_number.fetch_add(1);
  if (recording() == Recording::On)
    set_recording(Recording::NotStarted);
  s.start = read_time_pair();
  s.start_unix_ns = unix_ns();
  s.start_cpu_ns = read_posix(CLOCK_PROCESS_CPUTIME_ID);
  s.start_thread_cpu_ns = read_posix(CLOCK_THREAD_CPUTIME_ID);
  s.start_thread = static_cast<pid_t>(syscall(SYS_gettid));
  s.start_clock = ThreadClock{};
  pthread_setspecific(s.key, nullptr);
  s.mutex.unlock();
}

[[gnu::constructor]] void load_library() {
  Session& s = session();
  s.start = read_time_pair();
  s.start_cpu_ns = read_posix(CLOCK_PROCESS_CPUTIME_ID);
  s.start_thread_cpu_ns = read_posix(CLOCK_THREAD_CPUTIME_ID);
  s.start_thread = static_cast<pid_t>(syscall(SYS_gettid));
  s.start_unix_ns = unix_ns();
  s.settings = read_settings();
  if (s.settings.disabled || pthread_key_create(&s.key, leave_thread) != 0) {
    set_recording(Recording::Off);
    return;
  }
  recording_paused = s.settings.paused;
  if (choose_counting_clock(s.settings.event) && !open_clock(s.start_clock))
    close_clock(s.start_clock);
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

[[gnu::destructor]] void unload_library() {
  finish_session();
}

} // namespace

ThreadState* enter_thread(bool is_worker) noexcept try {
  const NoCancel no_cancel;
  if (recording() == Recording::Off || thread_has_ended)
    return nullptr;
  Session& s = session();
  const std::lock_guard lock(s.mutex);
  if (recording() == Recording::Off)
    return nullptr;
  const auto os_thread = static_cast<std::uint64_t>(syscall(SYS_gettid));
  const bool loaded_library = static_cast<pid_t>(os_thread) == s.start_thread;
  const bool counts_already = loaded_library && s.start_clock.groups.kinds > 0;
  // Read first of all: to start a session takes milliseconds.
  const Before before = counts_already ? Before{read_clock(s.start_clock).work, 0}
                        : loaded_library
                            ? Before{0, read_posix(CLOCK_THREAD_CPUTIME_ID) - s.start_thread_cpu_ns}
                            : Before{0, read_posix(CLOCK_THREAD_CPUTIME_ID)};
  if (recording() == Recording::NotStarted && !start_session(s))
    return nullptr;

  TraceWriter* const writer = take_writer(s);
  if (writer == nullptr) {
    thread_has_ended = true; // for the recording
    return nullptr;
  }
  auto* const thread = new ThreadState(*writer, session_generation());
  thread->os_thread = os_thread;
  thread->is_worker = is_worker;
  if (counts_already) {
    thread->clock = s.start_clock;
    s.start_clock = ThreadClock{};
  } else if (!open_clock(thread->clock)) {
    note(1, "the events of thread " + std::to_string(os_thread) + " cannot be counted");
  }
  std::uint64_t prior = before.counted + cpu_ns_to_work(before.cpu_ns);
  if (is_worker)
    prior = 0;
  if (paused()) {
    thread->paused_work = prior;
    prior = 0;
  }
  // The stream continues where its last thread left off.
  this_thread = thread;
  const auto role = is_worker ? trace::ThreadRole::Worker
                    : static_cast<pid_t>(thread->os_thread) == getpid()
                        ? trace::ThreadRole::Main
                        : trace::ThreadRole::External;
  s.threads.push_back(thread);
  begin_thread(*thread, role, prior);
  pthread_setspecific(s.key, thread);
  return thread;
} catch (...) {
  // Out of memory: this thread is not recorded.
  return nullptr;
}

// As much of the text as fits, and a zero.
static void copy_out(const std::string& text, char* to, unsigned long size) {
  if (size == 0)
    return;
  const std::size_t length = std::min<std::size_t>(text.size(), size - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

int as_if_cores() noexcept {
  const Settings& settings = session().settings;
  return settings.disabled ? 0 : settings.as_if_cores;
}

} // namespace tp::rt

extern "C" {

[[gnu::visibility("default")]] const char* tp_version(void) noexcept {
  return TP_VERSION;
}

[[gnu::visibility("default")]] int tp_probe_event(const char* event, char* message,
                                                  unsigned long size) noexcept {
  tp::rt::Problem problem;
  const bool works = tp::rt::probe_events(event, problem);
  tp::rt::JsonObject answer;
  answer.boolean("works", works).text("reason", problem.cause).text("command", problem.command);
  tp::rt::copy_out(answer.str(), message, size);
  return works ? 0 : 1;
}

[[gnu::visibility("default")]] int tp_report_clocks(char* json, unsigned long size) noexcept {
  const std::string text = tp::rt::clock_report();
  tp::rt::copy_out(text, json, size);
  return text.size() < size ? 0 : 1;
}

} // extern "C"
