// SPDX-License-Identifier: Apache-2.0
// See clock_report.h. Each source is tried in turn, and the time of a reading measured.
#include "clock/clock_report.h"

#include "base/json_writer.h"
#include "clock/work_clock.h"

#include <algorithm>

namespace tp::rt {
namespace {

constexpr int kBatches = 9;
constexpr int kReadsPerBatch = 400;

struct Source {
  const char* name; // as ClockConfig::name
  const char* event;
  bool (*use)(Problem&);
};

bool use_counted(const char* event, bool user_read, Problem& problem) {
  EventList list;
  find_event(event, list.counted);
  return use_counted_work(list, user_read, problem);
}

const Source kSources[] = {
    {"perf-user", "instructions", [](Problem& p) { return use_counted("instructions", true, p); }},
    {"perf-user", "cycles", [](Problem& p) { return use_counted("cycles", true, p); }},
    {"perf-read", "instructions", [](Problem& p) { return use_counted("instructions", false, p); }},
    {"perf-read", "cycles", [](Problem& p) { return use_counted("cycles", false, p); }},
    {"tsc-rseq", "tsc", use_tsc_by_rseq},
    {"tsc-perf-page", "tsc", use_tsc_by_perf_page},
    {"perf-read", "task-clock", [](Problem& p) { return use_counted("task-clock", false, p); }},
    {"thread-cpu", "task-clock",
     [](Problem&) {
       use_thread_cpu_time();
       return true;
     }},
    {"virtual", "virtual",
     [](Problem&) {
       use_virtual_clock();
       return true;
     }},
};

// The time of one reading in tenths of a ns: the median of a few batches.
std::uint64_t tenth_ns_per_read() {
  ThreadClock clock;
  open_clock(clock);
  std::uint64_t batches[kBatches];
  for (std::uint64_t& batch : batches) {
    const std::uint64_t start = read_posix(CLOCK_MONOTONIC);
    for (int i = 0; i < kReadsPerBatch; ++i)
      read_clock(clock);
    batch = (read_posix(CLOCK_MONOTONIC) - start) * 10 / kReadsPerBatch;
  }
  close_clock(clock);
  std::sort(batches, batches + kBatches);
  return batches[kBatches / 2];
}

void reset(double ticks_per_ns) {
  clock_config = ClockConfig{};
  clock_config.ticks_per_ns = ticks_per_ns;
}

std::string source_json(const Source& source, double ticks_per_ns) {
  reset(ticks_per_ns);
  Problem problem;
  const bool works = source.use(problem);
  JsonObject json;
  json.text("clock", source.name).text("event", source.event).boolean("works", works);
  if (!works)
    return json.text("reason", problem.cause).text("command", problem.command).str();
  const std::uint64_t cost = tenth_ns_per_read();
  return json.text("unit", clock_config.unit)
      .boolean("kernel_included", clock_config.kernel_included)
      .raw("ns_per_read", std::to_string(cost / 10) + "." + std::to_string(cost % 10))
      .str();
}

} // namespace

std::string clock_report(const std::string& sampling) {
  const TimePair start = read_time_pair();
  choose_counting_clock("auto");
  choose_other_clock("auto", start);
  const double ticks_per_ns = clock_config.ticks_per_ns;
  JsonObject automatic;
  automatic.text("clock", clock_config.name)
      .text("event", clock_config.event)
      .text("reason", clock_config.reason);
  std::string sources = "[";
  for (const Source& source : kSources)
    sources += (sources.size() > 1 ? "," : "") + source_json(source, ticks_per_ns);
  JsonObject report;
  return report.text("schema", "taskpath.doctor/1")
      .raw("auto", automatic.str())
      .raw("sources", sources + "]")
      .raw("sampling", sampling)
      .str();
}

} // namespace tp::rt
