// SPDX-License-Identifier: Apache-2.0
// The plain steps write what dpst_builder.cpp writes: random sequences of events, with the same readings of the clock,
// once with them and once without, have to give the same bytes and the same state. The readings are given: the virtual
// clock, with ticks as its unit, set to times later than the machine's.
#include "oracle_runs.h"
#include "rt_support.h"

#include "base/recording_state.h"
#include "builder/dpst_builder.h"
#include "builder/plain_steps.h"

#include <cstring>
#include <deque>
#include <memory>
#include <random>

// Its name is that of an item that a parallel_for_each adds while it runs.
namespace tbb::detail::d1 {
struct feeder_item_task {
  virtual ~feeder_item_task() = default;
};
} // namespace tbb::detail::d1

namespace {

using namespace tp::rt;
namespace trace = tp::trace;
using tp::Pause;

// What a test sets for the whole process.
class ProcessSettings {
public:
  ProcessSettings() : clock_(clock_config) {}
  ~ProcessSettings() {
    clock_config = clock_;
    tp_control_page.pause = Pause::Never;
    set_size_limit(0);
  }
  ProcessSettings(const ProcessSettings&) = delete;
  ProcessSettings& operator=(const ProcessSettings&) = delete;

private:
  ClockConfig clock_;
};

struct SomeTask {
  virtual ~SomeTask() = default;
};
template <typename Task>
const void* type_of() {
  static const Task task;
  const void* type;
  std::memcpy(&type, &task, sizeof type);
  return type;
}

enum Plain { kCall, kSpawn, kBegin, kEnd, kPlainCount };

class EventSequence {
public:
  EventSequence(std::uint64_t seed, bool plain, const std::string& path)
      : random_(seed), plain_(plain), pauses_(seed % 4 == 3) {
    tp_control_page.pause = Pause::Never;
    clock_config.same_as_time =
        seed % 5 != 4; // as with a clock of time on a CPU; else as with a count
    set_size_limit(seed % 8 == 5 ? 150'000 : 0);
    EXPECT_TRUE(writer_.open(path));
    writer_.ordinals.spawns = kSpawnsBefore;
    for (OneContext& context : contexts_)
      context.traits = TP_CONSTRUCT_OMP_TASK | TP_CONTEXT_EXCLUSIVE;
    contexts_[0].traits = TP_CONSTRUCT_USER_CONTEXT;
    contexts_[1].traits = TP_CONSTRUCT_TASK_GROUP;
    begin_another_thread();
  }

  void run(unsigned events) {
    for (unsigned i = 0; i < events; ++i) {
      go_on();
      happen();
      note_state();
    }
    finish_thread();
  }

  std::vector<std::vector<std::uint64_t>> states; // after each event
  unsigned taken[kPlainCount] = {}, refused[kPlainCount] = {};
  bool truncated() const { return writer_.truncated(); }

private:
  static constexpr std::uint64_t kSpawnsBefore = 5'000'000'000; // ids of more than 32 bits
  static constexpr unsigned kDepth = 6, kContexts = 5;

  struct Spawned {
    std::uint64_t words[2];
    unsigned context;
  };
  struct OneContext {
    std::uint64_t word;
    unsigned traits;
  };

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool once_in(unsigned times) { return below(times) == 0; }
  template <std::size_t count>
  std::uint64_t one_of(const std::uint64_t (&values)[count]) {
    return values[below(count)];
  }

  // Time goes by: on the CPU, mostly.
  void go_on() {
    const std::uint64_t ticks = once_in(6) ? one_of({0, 1, 2, 0xfffe, 0xffff, 0x10000, 0x10001,
                                                     0xffff'ffff, 0x1'0000'0000, 0x100'0000'0000})
                                           : 1 + below(3000);
    std::uint64_t work = ticks;
    if (once_in(30))
      work = below(ticks + 1);
    else if (once_in(30))
      work += below(20); // a new anchor corrects the clock
    now_.time += ticks;
    now_.work += work;
    set_clock();
  }
  void set_clock() {
    thread_->clock.last_time = now_.time;
    thread_->clock.virtual_work = now_.work;
  }

  void begin_another_thread() {
    thread_ = std::make_unique<ThreadState>(writer_, 1);
    set_clock();
    const bool is_worker = once_in(2);
    thread_->has_root_steps = !is_worker;
    begin_thread(*thread_, is_worker ? trace::ThreadRole::Worker : trace::ThreadRole::External,
                 below(1000), once_in(3) ? below(500) : 0, {});
  }
  void finish_thread() {
    end_thread(*thread_, 1);
    writer_.finish();
    writer_.ordinals = thread_->ordinals;
  }

  Frame& top() { return *thread_->frame.load(); }
  tp_context context(unsigned i) { return {&contexts_[i].word, contexts_[i].traits}; }

  void happen() {
    Frame& frame = top();
    if (once_in(60))
      fill_chunk();
    if (pauses_ && once_in(100))
      tp_control_page.pause = paused() ? Pause::Over : Pause::Now;
    if (thread_->failed.failed)
      return begin();
    if (frame.step_open)
      return once_in(40) ? sleep_in_step() : happen_in_step(frame);
    if (depth_ == 0 && frame.waits == 0 && once_in(20)) {
      finish_thread();
      go_on();
      return begin_another_thread();
    }
    if (frame.waits > 0)
      return once_in(3) ? end_wait(*thread_, frame, once_in(9)) : begin();
    if (once_in(12))
      return spawn_in_call(frame); // nothing is divided
    if (!once_in(3) || (&frame == &thread_->root && !thread_->has_root_steps))
      return begin();
    resume(frame);
  }

  void sleep_in_step() {
    ThreadClock& clock = thread_->clock;
    clock.asleep += below(1000);
    clock.waited += below(1000);
    if (once_in(2))
      clock.known_sleep.add(trace::SleepKind::PageFault, below(1000));
  }

  void happen_in_step(Frame& frame) {
    if (once_in(30))
      return begin(); // no hook has interrupted the one around it
    if (thread_->begin_pending && depth_ > 0 && !once_in(4))
      return end(frame);
    switch (below(16)) {
    case 0:
      return spawn_somehow(frame);
    case 1:
      begin_call(frame);
      go_on();
      return end_runtime_call(*thread_, frame);
    case 2:
      frame.reopen = true;
      return cut(*thread_, frame);
    case 3:
      frame.split_next = once_in(3);
      return;
    case 4:
      return end_some_context(frame);
    case 5:
      return wait_for_tasks(frame);
    case 6:
    case 7:
    case 8:
    case 9:
      if (depth_ > 0)
        return end(frame);
      return wait_for_tasks(frame);
    default:
      spawn_in_call(frame);
      go_on();
      if (frame.reopen)
        resume(frame);
    }
  }

  void resume(Frame& frame) {
    if (plain_)
      open_plain_step(*thread_, frame);
    else
      open_step(*thread_, frame);
  }

  void wait_for_tasks(Frame& frame) {
    const unsigned which = static_cast<unsigned>(below(kContexts));
    const tp_context waited = context(which);
    std::uint64_t words[2] = {0, some_preset()};
    const tp_task task{words, type_of<SomeTask>(), nullptr};
    wait(*thread_, frame, once_in(4) ? &task : nullptr, &waited, waited);
  }

  void end_some_context(Frame& frame) {
    OneContext& ended = contexts_[below(kContexts)];
    if (ended.word == 0)
      return;
    end_context(*thread_, frame, ended.word);
    ended.word = 0;
  }

  // Mostly one that a call of OpenMP sets.
  std::uint64_t some_preset() {
    const std::uint64_t site =
        once_in(8) ? one_of({0, 0xfffe, 0xffff, 0x10000, 70'000}) : 1 + (once_in(4) ? below(4) : 0);
    return site | TP_TASK_SITE_PRESET | (once_in(30) ? TP_TASK_SITE_STAGE : 0) |
           (once_in(30) ? (1 + below(20)) << TP_TASK_REGION_SHIFT : 0);
  }

  // The end of a chunk comes within the next few records.
  void fill_chunk() {
    writer_.finish();
    const auto append = [this](std::uint16_t payload) {
      static const char bytes[52] = {};
      trace::RecordEncoder record(writer_.reserve(thread_->reader_time, thread_->ordinals.spawns));
      record.operand(std::uint8_t{99});
      record.operand(std::uint8_t{0});
      record.operand(payload);
      if (payload > 0)
        record.bytes(bytes, payload);
      writer_.advance(record.commit(trace::make_tag(trace::Op::Extended, 0, 0, 0, 0)));
    };
    append(0);
    while (writer_.has_room(4))
      append(48);
    for (std::uint64_t left = below(400); left >= 6 && writer_.has_room(1);) {
      const std::uint64_t payload = std::min<std::uint64_t>(left - 6, 52);
      append(static_cast<std::uint16_t>(payload));
      left -= payload + 6;
    }
  }

  // All that an event may change.
  std::string memory() const {
    std::string bytes;
    const auto add = [&](const auto& object) {
      bytes.append(reinterpret_cast<const char*>(&object), sizeof object);
    };
    add(*thread_);
    add(frames_);
    add(words_);
    add(spawned_);
    add(contexts_);
    std::byte* const cursor = writer_.cursor();
    add(cursor);
    return bytes;
  }

  // Lets `event` happen plainly, if it can. One that refuses has changed nothing.
  template <typename Event>
  bool happens_plainly(Plain kind, Event event) {
    const bool needs_anchor = once_in(15) && (kind == kCall || kind == kEnd);
    if (!plain_)
      return false;
    const std::string before = memory();
    if (needs_anchor)
      clock_config.kind = ClockKind::ThreadCpu; // whose readings are calls
    const bool happened = event();
    clock_config.kind = ClockKind::Virtual;
    EXPECT_FALSE(happened && needs_anchor);
    if (!happened) {
      EXPECT_TRUE(memory() == before) << "event " << states.size();
    }
    ++(happened ? taken : refused)[kind];
    return happened;
  }

  // As tp_on_runtime_call.
  void begin_call(Frame& frame) {
    if (!frame.step_open || !happens_plainly(kCall, [&] {
          return read_plainly(thread_->clock, thread_->runtime_call);
        }))
      return begin_runtime_call(*thread_, frame);
    thread_->in_runtime_call = kPlainCall;
  }

  // As tp_on_spawn_in_call, within a call.
  void spawn_in_call(Frame& frame) {
    begin_call(frame);
    go_on();
    const unsigned which = static_cast<unsigned>(once_in(3) ? below(kContexts) : 2);
    const tp_context entered = context(which);
    const std::uint64_t preset = some_preset();
    const bool has_tag = once_in(20);
    spawned_[0] = 0;
    spawned_[1] = has_tag ? preset & ~std::uint64_t{TP_TASK_SITE_PRESET} : preset;
    frame.call_site = has_tag ? 9 : 0;
    const tp_task task{
        spawned_, once_in(9) ? type_of<tbb::detail::d1::feeder_item_task>() : type_of<SomeTask>(),
        nullptr};
    if (!happens_plainly(
            kSpawn, [&] { return spawn_plainly(*thread_, frame, task, spawned_[1], entered); }))
      spawn_in_runtime_call(*thread_, frame, task, entered);
    keep_spawned(which);
  }
  void spawn_somehow(Frame& frame) {
    const unsigned which = static_cast<unsigned>(below(kContexts));
    spawned_[0] = 0;
    spawned_[1] = some_preset();
    spawn(*thread_, frame, {spawned_, type_of<SomeTask>(), nullptr}, context(which));
    keep_spawned(which);
    go_on();
    if (frame.reopen)
      resume(frame);
  }
  void keep_spawned(unsigned which) {
    ready_.push_back({{spawned_[0], spawned_[1]}, which});
    if (ready_.size() > 50)
      ready_.pop_front();
  }

  // As tp_on_task_begin, after tp_on_search.
  void begin() {
    if (depth_ == kDepth)
      return;
    const bool again = thread_->failed.failed;
    if (!again && !once_in(3)) {
      if (thread_->search_start == 0)
        thread_->search_start = read_own_time(thread_->clock);
      go_on();
    }
    Frame& frame = frames_[depth_];
    std::uint64_t* const words = words_[depth_];
    if (!again)
      choose_task(words);
    else if (once_in(4))
      words[0] = 1; // of a spawn
    ++depth_;
    const tp_task task{words, type_of<SomeTask>(), nullptr};
    const tp_context entered = context(chosen_context_);
    const bool cancelled = again || once_in(20);
    if (!happens_plainly(
            kBegin, [&] { return begin_plain_task(*thread_, frame, task, entered, cancelled); }))
      begin_task(*thread_, frame, task, entered, cancelled);
  }
  void choose_task(std::uint64_t* words) {
    chosen_context_ = static_cast<unsigned>(below(kContexts));
    words[1] = below(4) | TP_TASK_SITE_TAGGED;
    if (once_in(25)) {
      words[0] = 0; // no hook has seen its spawn
      words[1] = some_preset();
    } else if (once_in(8)) {
      words[0] = trace::pack_id(5, below(100'000)) + 1; // of another thread
    } else if (once_in(8) || ready_.empty()) {
      const std::uint64_t back = one_of({0, 1, 0xfffe, 0xffff, 0x10000, 0x10001, 0xffff'fffe,
                                         0xffff'ffff, 0x1'0000'0000, 0x1'0000'0001});
      words[0] = trace::pack_id(writer_.stream(), thread_->ordinals.spawns - 1 - back) + 1;
    } else {
      const std::size_t i = once_in(2) ? ready_.size() - 1 : below(ready_.size());
      words[0] = ready_[i].words[0];
      words[1] = ready_[i].words[1];
      chosen_context_ = ready_[i].context;
      ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  // As tp_on_task_end.
  void end(Frame& frame) {
    const bool by_exception = once_in(30);
    if (by_exception || !happens_plainly(kEnd, [&] {
          return is_plain_frame(frame) && end_plain_task(*thread_, frame);
        }))
      end_task(*thread_, frame, by_exception);
    --depth_;
  }

  void note_state() {
    const ThreadState& thread = *thread_;
    const Frame& frame = top();
    std::vector<std::uint64_t> state = {thread.step_work,
                                        thread.step_time,
                                        thread.close_time,
                                        thread.close_work,
                                        thread.idle_since_close,
                                        thread.reader_time,
                                        thread.search_start,
                                        thread.begin_pending,
                                        static_cast<std::uint64_t>(thread.step_pause),
                                        thread.pause_written,
                                        thread.extras,
                                        thread.begin.flags,
                                        thread.begin.bytes,
                                        thread.begin_id,
                                        thread.ordinals.spawns,
                                        thread.ordinals.contexts,
                                        thread.ordinals.last_site,
                                        thread.regions.size(),
                                        thread.paused_work,
                                        thread.in_runtime_call,
                                        thread.between,
                                        thread.clock.asleep,
                                        thread.clock.waited,
                                        thread.clock.known_sleep.total,
                                        thread.clock.last_time,
                                        writer_.chunks(),
                                        depth_,
                                        frame.own_context,
                                        frame.last_context,
                                        frame.site,
                                        frame.call_site,
                                        frame.site_tagged,
                                        frame.step_open,
                                        frame.split_next,
                                        frame.reopen,
                                        frame.failed,
                                        frame.threw,
                                        frame.between,
                                        frame.region,
                                        frame.region_depth,
                                        frame.region_mark,
                                        frame.waits,
                                        spawned_[0],
                                        spawned_[1]};
    state.insert(state.end(), std::begin(thread.between_steps), std::end(thread.between_steps));
    for (const OneContext& each : contexts_)
      state.push_back(each.word);
    states.push_back(std::move(state));
  }

  std::mt19937_64 random_;
  const bool plain_, pauses_;
  TraceWriter writer_{7, 3};
  std::unique_ptr<ThreadState> thread_;
  Reading now_{1000, std::uint64_t{1} << 62};
  Frame frames_[kDepth] = {};
  std::uint64_t words_[kDepth][2] = {};
  std::uint64_t spawned_[2] = {};
  OneContext contexts_[kContexts] = {};
  std::deque<Spawned> ready_;
  unsigned depth_ = 0, chosen_context_ = 0;
};

// The bytes of a stream, less what two recordings of one program differ in.
std::string comparable(tp::test::Stream& stream) {
  std::string bytes = std::move(stream.bytes);
  std::size_t at = 0;
  for (const trace::ChunkHeader& chunk : stream.chunks) {
    trace::ChunkHeader header = chunk;
    header.base_mono_ns = 0;
    header.header_check = 0;
    std::memcpy(&bytes[at], &header, sizeof header);
    at += header.chunk_bytes;
  }
  return bytes;
}

} // namespace

TEST(PlainSteps, WriteWhatTheBuilderWrites) {
  const ProcessSettings settings;
  clock_config.kind = ClockKind::Virtual;
  clock_config.same_as_time = true;
  unsigned taken[kPlainCount] = {}, refused[kPlainCount] = {};
  unsigned chunks = 0, short_tasks = 0, short_spawns = 0, truncated = 0;
  constexpr unsigned kSeeds = 24 / tp::test::kFewer;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    constexpr unsigned kEvents = 6000;
    tp::test::TemporaryFolder folder;
    EventSequence without(seed, false, folder.at("without"));
    without.run(kEvents);
    EventSequence with(seed, true, folder.at("with"));
    with.run(kEvents);
    for (unsigned i = 0; i < kEvents; ++i)
      ASSERT_EQ(without.states[i], with.states[i]) << "after event " << i;
    ASSERT_EQ(without.truncated(), with.truncated());
    tp::test::Stream expected = tp::test::read_stream(folder.at("without"));
    tp::test::Stream got = tp::test::read_stream(folder.at("with"));
    for (std::size_t i = 0; i < std::min(expected.lines.size(), got.lines.size()); ++i)
      ASSERT_EQ(expected.lines[i], got.lines[i]) << "record " << i;
    for (const trace::Record& record : got.records) {
      const bool is_short =
          record.lead - 1 < 0xffff && record.work - 1 < 0xffff && record.wall == 0;
      short_tasks += is_short && record.op == trace::Op::Task;
      short_spawns += is_short && record.op == trace::Op::Spawn;
    }
    chunks += static_cast<unsigned>(got.chunks.size());
    truncated += with.truncated();
    ASSERT_TRUE(comparable(expected) == comparable(got)) << "bytes differ";
    for (unsigned kind = 0; kind < kPlainCount; ++kind) {
      taken[kind] += with.taken[kind];
      refused[kind] += with.refused[kind];
    }
  }
  // Enough of everything happened.
  for (unsigned kind = 0; kind < kPlainCount; ++kind) {
    EXPECT_GT(taken[kind], 3000 / tp::test::kFewer) << kind;
    EXPECT_GT(refused[kind], 1000 / tp::test::kFewer) << kind;
  }
  EXPECT_GT(short_tasks, 2000 / tp::test::kFewer);
  EXPECT_GT(short_spawns, 2000 / tp::test::kFewer);
  EXPECT_GT(chunks, 1000 / tp::test::kFewer);
  EXPECT_EQ(truncated, (kSeeds + 3) / 8); // seed 5, 13, ...
}

// With the counter of the machine, by both of its proofs.
TEST(PlainSteps, ReadTheClockOnlyWithItsProof) {
  const ProcessSettings settings;
  for (const ClockKind kind : {ClockKind::TscRseq, ClockKind::TscPerfPage}) {
    SCOPED_TRACE(static_cast<int>(kind));
    clock_config.kind = kind;
    clock_config.same_as_time = true;
    clock_config.reanchor_ticks = std::uint64_t{1} << 40; // the test may be interrupted
    std::uint64_t slot = 0;
    ThreadClock clock;
    clock.rseq_slot = &slot;
    clock.lock_page = perf::placeholder_page();
    const bool is_rseq = kind == ClockKind::TscRseq;
    clock.proof = is_rseq ? &slot : perf::address_of_lock(clock.lock_page);
    const auto prove = [&](bool proved) {
      slot = proved ? 42 : 0;
      clock.proven = is_rseq ? 42 : perf::lock_of(clock.lock_page) + (proved ? 0 : 1);
    };
    const std::uint64_t start = read_time();
    clock.offset = 1000;
    clock.last_time = start;
    Reading now{};
    prove(true);
    ASSERT_TRUE(read_plainly(clock, now));
    EXPECT_GE(now.time, start);
    EXPECT_LE(now.time, read_time());
    EXPECT_EQ(now.work, now.time - 1000);
    EXPECT_EQ(clock.last_time, now.time);
    // It was switched out; the last reading is too old; this CPU's counter is behind that of the last one.
    const auto is_refused = [&](std::uint64_t last) {
      clock.last_time = last;
      Reading none{7, 8};
      return !read_plainly(clock, none) && none.work == 7 && none.time == 8 &&
             clock.last_time == last && clock.offset == 1000;
    };
    EXPECT_FALSE(is_refused(read_time()));
    prove(false);
    EXPECT_TRUE(is_refused(read_time()));
    prove(true);
    EXPECT_TRUE(is_refused(read_time() - clock_config.reanchor_ticks - 1));
    EXPECT_TRUE(is_refused(read_time() + (std::uint64_t{1} << 40)));
  }
}
