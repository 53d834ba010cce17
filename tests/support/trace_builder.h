// SPDX-License-Identifier: Apache-2.0
// Writes traces for tests: real bytes, encoded by trace_codec.h, in memory or as a data directory.
// A test lists the records of each thread in order; the builder chooses ids, widths and chunks.
#pragma once

#include "tp/trace/trace_codec.h"
#include "trace/trace_source.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace tp::test {

// Figures of the step that a record closes.
struct StepFigures {
  std::uint64_t work = 0;
  std::uint64_t lead = 0;
  std::uint64_t wall = 0; // as the record contains it
};

struct ContextOperand {
  trace::ContextCode code = trace::ContextCode::Own;
  bool exclusive = false; // New
  trace::Construct construct = trace::Construct::TaskGroup;
  std::uint64_t id = 0; // Id
  bool gathers = false; // New
  static ContextOperand own() { return {}; }
  static ContextOperand last() { return {trace::ContextCode::Last}; }
  static ContextOperand fresh(bool exclusive) { return {trace::ContextCode::New, exclusive}; }
  static ContextOperand of(std::uint64_t id) {
    return {trace::ContextCode::Id, false, trace::Construct::Unknown, id};
  }
};

struct SiteOperand {
  trace::SiteCode code = trace::SiteCode::Inherit;
  std::uint32_t site = 0;
  static SiteOperand inherit() { return {}; }
  static SiteOperand last() { return {trace::SiteCode::Last}; }
  static SiteOperand of(std::uint32_t site) {
    return {site < 65536 ? trace::SiteCode::U16 : trace::SiteCode::U32, site};
  }
};

struct TaskOperand {
  trace::TaskCode code = trace::TaskCode::Newest;
  std::uint64_t value = 0;
  static TaskOperand newest() { return {}; }
  static TaskOperand back(std::uint64_t distance) {
    return {distance < 65536 ? trace::TaskCode::Back16 : trace::TaskCode::Back32, distance};
  }
  static TaskOperand of(std::uint64_t id) { return {trace::TaskCode::Id, id}; }
};

class StreamBuilder {
public:
  StreamBuilder(std::uint32_t number, std::uint64_t session, std::uint64_t base_time)
      : number_(number), session_(session), base_time_(base_time) {}

  void thread_begin(trace::ThreadRole role, std::uint64_t prior_work = 0);
  void thread_end(std::uint64_t cpu_ns = 0, std::uint64_t paused_work = 0);
  void extended(trace::ExtendedKind kind, const void* payload, std::size_t bytes,
                std::uint64_t idle = 0);
  void stack_in(std::uint64_t stack, std::uint64_t idle = 0);
  // With `wait`, a SpawnWait; `split` is then its flag kWaitAlone, which is the same bit.
  void spawn(StepFigures step, SiteOperand site, ContextOperand context, bool split = false,
             bool wait = false);
  void wait(StepFigures step, ContextOperand context);
  void wait_end(std::uint64_t idle = 0);
  void begin(TaskOperand task, std::uint64_t idle = 0, unsigned flags = 0);
  void end(StepFigures step, unsigned flags = 0);
  void task(TaskOperand task, StepFigures step, unsigned flags = 0);
  void loop_begin(StepFigures step);
  // `joins`: results of parts have to be joined.
  void loop_end(StepFigures step, std::uint64_t iterations, std::uint64_t grain,
                bool joins = false);
  void portion_end(StepFigures step, std::uint64_t iterations, std::uint64_t grain,
                   bool joins = false);
  void portions_joined(StepFigures step);
  // A LoopShape or LoopWhole record.
  void loop_range(trace::ExtendedKind kind, std::vector<trace::LoopDimension> range);
  void join(StepFigures step, unsigned flags = 0);
  void release(StepFigures step, bool kept = false);
  void acquire(StepFigures step, std::uint64_t edge, bool alone = false);
  void region(std::uint32_t region, std::uint64_t work);
  // Section and Take: `step` has the offset as lead, the work inside, and as wall the time waited.
  // `sections`: how many it represents, if kLockMany is one of the flags.
  void section(StepFigures step, std::uint16_t slot, std::uint32_t place, unsigned flags = 0,
               std::uint32_t sections = 1, std::uint32_t work_error = 0);
  void take_lock(StepFigures step, std::uint16_t slot, std::uint32_t place, unsigned flags = 0);
  void give_lock(std::uint64_t offset, std::uint16_t slot, unsigned flags = 0);
  void lock(std::uint16_t slot, std::uint64_t address, trace::LockKind kind,
            std::uint32_t generation = 0, unsigned flags = 0);
  void lock_wait(std::uint16_t slot, std::uint32_t place, std::uint64_t ticks);
  void lock_tries(std::uint16_t slot, std::uint32_t place, std::uint64_t tries, std::uint64_t work);
  void lock_untimed(std::uint16_t slot, std::uint32_t place, std::uint32_t sections,
                    std::uint64_t work, std::uint64_t error);
  void lock_call(std::uint16_t slot, std::uint64_t ticks);
  void lock_handed_over(std::uint16_t slot, std::uint64_t since_release, std::uint64_t since_wake);
  void context_end(ContextOperand context);
  void cut(StepFigures step);

  // The next record starts a new chunk, whose times count from `base_time`.
  void new_chunk(std::uint64_t base_time);
  // Tasks that this stream has spawned so far.
  std::uint64_t spawns() const { return spawns_; }
  std::size_t chunk_count() const { return done_.size() + 1; }

  // Extra events that each closing record carries.
  std::vector<std::uint64_t> extra;
  bool close_last = true; // false: as after the process was killed
  std::uint32_t last_flags = 0;
  std::uint32_t slack = 64; // unused bytes at the end of each chunk

  std::vector<std::byte> bytes() const;

private:
  void lock_record(trace::Op op, StepFigures step, std::uint16_t slot, std::uint32_t place,
                   unsigned flags, std::uint32_t sections, std::uint32_t work_error);
  void body_end(trace::Op op, StepFigures step, std::uint64_t iterations, std::uint64_t grain,
                bool joins);
  struct Chunk {
    std::uint64_t base_time = 0;
    std::uint64_t first_spawn = 0;
    std::vector<std::byte> records;
  };
  template <typename Operands>
  void emit(trace::Op op, unsigned flags, const StepFigures& step, Operands&& operands);
  void append(std::vector<std::byte>& out, const Chunk& chunk, std::uint32_t sequence, bool closed,
              std::uint32_t flags) const;
  Chunk current() const { return {base_time_, first_spawn_, records_}; }

  std::uint32_t number_;
  std::uint64_t session_;
  std::uint64_t base_time_;
  std::uint64_t first_spawn_ = 0;
  std::uint64_t spawns_ = 0;
  std::vector<std::byte> records_;
  std::vector<Chunk> done_;
};

class TraceBuilder {
public:
  explicit TraceBuilder(std::uint64_t session = 0x1234);

  StreamBuilder& stream(std::uint64_t base_time = 0); // the next stream
  StreamBuilder& at(std::uint32_t number) { return streams_[number]; }
  std::size_t stream_count() const { return streams_.size(); }
  void site(std::uint32_t id, const std::string& file, std::uint32_t line, std::uint32_t column = 1,
            const std::string& construct = "task_group", const std::string& tag = "explicit");
  void region(std::uint32_t id, const std::string& name, const std::string& file,
              std::uint32_t line);
  void lock_place(std::uint32_t id, trace::LockKind kind, const std::string& file,
                  std::uint32_t line, const std::string& name = "");
  void site_line(const std::string& json) { sites_ += json + "\n"; }

  // Fields of run.json and end.json.
  std::string unit = "units", clock = "virtual";
  std::uint64_t hz = 0;
  std::uint64_t time_hz = 1'000'000'000; // of the time stamps
  std::uint64_t step_cost = 0;           // of reading the clock, in units and ns
  std::uint64_t gap_cost_ns = 0;         // between two steps; 0: not stated
  bool same_as_time = false;
  bool sleep_seen = false, waits_seen = false, section_sleep_seen = false, threads_seen = false;
  std::uint32_t cpus = 2;
  std::vector<std::string> extra_events;
  bool complete = true;
  std::string locks = "all"; // or "auto", "off"; empty: not stated
  bool c_locks_seen = true;
  std::uint64_t wake_latency_ns = 0, wake_call_ns = 0, wake_sampled_ns = 0, wake_sparse_ns = 0;
  std::uint64_t sparse_ns = 0; // 0: end.json does not say how samples were taken
  std::uint64_t run_delay_ns = 0, voluntary_switches = 0; // 0: end.json does not say
  std::uint64_t others_cpu_ns = UINT64_MAX;               // UINT64_MAX: likewise
  bool truncated = false;                                 // by the limit of size, as end.json says
  std::uint64_t cpu_ns = 1000000, virtual_work = 0;
  std::uint64_t wall_ns = 1; // of the process
  // Work is CPU time.
  void count_ns() {
    unit = "ns";
    clock = "thread-cpu";
    hz = 1'000'000'000;
    same_as_time = true;
  }
  std::string run_json() const;
  std::string end_json() const;

  analysis::TraceSource source() const;
  void write(const std::string& directory) const;

private:
  std::uint64_t session_;
  std::string sites_;
  std::deque<StreamBuilder> streams_;
};

} // namespace tp::test
