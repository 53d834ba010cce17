// SPDX-License-Identifier: Apache-2.0
// The contents of run.json and end.json. See run_metadata.h.
#include "output/run_metadata.h"

#include "base/json_writer.h"
#include "tp/trace/trace_format.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#ifndef TP_TBB_VERSION
#define TP_TBB_VERSION "none"
#endif

namespace tp::rt {
namespace {

#if defined(__x86_64__)
constexpr const char* kTimeSource = "tsc";
#elif defined(__aarch64__)
constexpr const char* kTimeSource = "cntvct";
#else
constexpr const char* kTimeSource = "monotonic";
#endif

std::string hex(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4)
    text[i] = "0123456789abcdef"[value & 15];
  return text;
}

std::string host_name() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return host;
}

std::string read_link(const char* path) {
  char target[4096];
  const ssize_t length = readlink(path, target, sizeof target);
  return length > 0 ? std::string(target, static_cast<std::size_t>(length)) : std::string();
}

// A JSON array of `json(element)` for each element.
template <typename Elements, typename Json>
std::string array_json(const Elements& elements, Json json) {
  std::string array = "[";
  for (const auto& element : elements) {
    if (array.size() > 1)
      array += ',';
    array += json(element);
  }
  return array + "]";
}

// The program's arguments. Command lines longer than the buffer are cut.
std::vector<std::string> arguments() {
  const int fd = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  char buffer[16384];
  const ssize_t length = fd >= 0 ? ::read(fd, buffer, sizeof buffer) : 0;
  if (fd >= 0)
    ::close(fd);
  std::vector<std::string> list;
  for (ssize_t at = 0; at < length;) {
    list.emplace_back(buffer + at, strnlen(buffer + at, static_cast<std::size_t>(length - at)));
    at += static_cast<ssize_t>(list.back().size()) + 1;
  }
  return list;
}

std::vector<CountedEvent> extra_events() {
  const CountedEvent* const first = clock_config.extra_events();
  return {first, first + clock_config.extra_count};
}

// The number of CPUs that the process may use: fewer than the machine has in a container, in a job
// of a cluster, or under taskset.
std::uint64_t usable_cpus() {
  cpu_set_t set;
  const int known = sched_getaffinity(getpid(), sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
  if (known > 0)
    return static_cast<std::uint64_t>(known);
  return static_cast<std::uint64_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

std::string time_json() {
  JsonObject time;
  time.text("source", kTimeSource)
      .text("unit", "ticks")
      .number("hz", static_cast<std::uint64_t>(clock_config.ticks_per_ns * 1e9 + 0.5));
  return time.str();
}

std::string work_json(const std::string& requested) {
  const ClockConfig& clock = clock_config;
  JsonObject work;
  work.text("requested", requested)
      .text("clock", clock.name)
      .text("event", clock.event)
      .text("unit", clock.unit)
      .number("hz", clock.unit_hz)
      .boolean("kernel_included", clock.kernel_included)
      .boolean("same_as_time", clock.same_as_time)
      .number("step_cost", clock.step_cost)
      .number("step_cost_ns", clock.step_cost_ns)
      .number("gap_cost_ns", clock.gap_cost_ns)
      .text("reason", clock.reason);
  return work.str();
}

std::string extra_event_json(const CountedEvent& event) {
  JsonObject object;
  object.text("event", event.name).boolean("kernel_included", !event.exclude_kernel);
  return object.str();
}

std::string thread_json(const LiveThread& thread) {
  JsonObject object;
  object.number("stream", thread.stream)
      .number("os_thread", thread.os_thread)
      .number("cpu_ns", thread.cpu_ns)
      .number("paused_work", thread.paused_work);
  return object.str();
}

std::string window_json(const RecordedWindow& window) {
  JsonObject object;
  object.number("begin_ns", window.begin_ns)
      .number("end_ns", window.end_ns)
      .number("cpu_ns", window.cpu_ns);
  return object.str();
}

} // namespace

std::string run_json(const RunStart& run) {
  const std::uint32_t order = 1;
  const bool little = *reinterpret_cast<const char*>(&order) == 1;
  const bool waits_seen = run.threads_seen || clock_config.kind == ClockKind::Virtual;
  JsonObject json;
  json.text("schema", "taskpath.run/1")
      .number("format_version", trace::kFormatVersion)
      .text("session", hex(run.session))
      .text("byte_order", little ? "little" : "big")
      .text("run", run.run)
      .number("pid", static_cast<std::uint64_t>(getpid()))
      .text("host", host_name())
      .number("cpus", usable_cpus())
      .text("program", read_link("/proc/self/exe"))
      .raw("arguments", array_json(arguments(), JsonObject::quoted))
      .text("working_directory", read_link("/proc/self/cwd"))
      .number("start_time_unix_ns", run.unix_ns)
      .text("taskpath", TP_VERSION)
      .text("libtbb", TP_TBB_VERSION)
      .raw("time", time_json())
      .raw("work", work_json(run.event))
      .raw("extra_events", array_json(extra_events(), extra_event_json))
      .number("as_if_cores", static_cast<std::uint64_t>(run.as_if_cores))
      .boolean("divide", run.divide)
      .number("max_size", run.max_size)
      .boolean("paused_at_start", run.paused)
      .boolean("threads_seen", run.threads_seen)
      .text("locks", run.locks)
      .boolean("c_locks_seen", run.c_locks_seen)
      .number("wake_latency_ns", run.wake_latency_ns)
      .number("wake_call_ns", run.wake_call_ns)
      .number("wake_sampled_ns", run.wake_sampled_ns)
      .number("wake_sparse_ns", run.wake_sparse_ns)
      .boolean("sleep_seen", clock_config.sees_sleep())
      .boolean("waits_seen", waits_seen)
      .boolean("section_sleep_seen", waits_seen)
      .number("time_start", run.time.time)
      .number("mono_start_ns", run.time.mono_ns)
      .number("cpu_ns_at_start", run.cpu_ns);
  if (*run.openmp != '\0') {
    JsonObject openmp;
    openmp.text("state", run.openmp)
        .text("reason", run.openmp_reason)
        .text("runtime", run.openmp_runtime)
        .text("replaced", run.openmp_replaced);
    json.raw("openmp", openmp.str());
  }
  return json.str() + "\n";
}

std::string end_json(const RunEnd& end) {
  const std::uint64_t mono_ns = read_posix(CLOCK_MONOTONIC);
  JsonObject json;
  json.text("schema", "taskpath.end/1")
      .text("end", "exit")
      .number("time_end", read_time())
      .number("mono_end_ns", mono_ns)
      .number("cpu_ns", end.cpu_ns)
      .number("wall_ns", elapsed_since(end.start_mono_ns, mono_ns))
      .boolean("truncated", end.truncated)
      .boolean("unfinished_tasks", end.unfinished)
      .number("streams", end.chunks.size())
      .raw("chunks",
           array_json(end.chunks, [](std::uint32_t count) { return std::to_string(count); }))
      .number("virtual_work", end.virtual_work)
      .number("not_counted_ns", end.not_counted_ns)
      .raw("threads", array_json(end.threads, thread_json))
      .number("recorded_ns", end.recorded_ns)
      .number("recorded_cpu_ns", end.recorded_cpu_ns)
      .number("window_count", end.window_count)
      .raw("windows", array_json(end.windows, window_json));
  if (end.run_delay.known)
    json.number("run_delay_ns", end.run_delay.ns)
        .number("voluntary_switches", end.voluntary_switches);
  if (end.others.known)
    json.number("others_cpu_ns", end.others.busy_ns);
  if (!end.openmp_runtime.empty() || end.unrecorded_openmp_threads > 0) {
    JsonObject openmp;
    openmp.text("runtime", end.openmp_runtime)
        .number("unrecorded_threads", end.unrecorded_openmp_threads);
    json.raw("openmp", openmp.str());
  }
  if (!end.between_steps.empty())
    json.raw("between_steps_ns", end.between_steps);
  if (!end.sampling.empty())
    json.raw("sampling", end.sampling);
  return json.str() + "\n";
}

} // namespace tp::rt
