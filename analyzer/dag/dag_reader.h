// SPDX-License-Identifier: Apache-2.0
// DAG READER: turns the streams of a data directory into one stream of DAG events (dag_visitor.h).
// All checks of what streams contain are here and in trace/stream_cursor; the passes after it only
// assert.
//
// Streams are merged by time, causality first, as docs/reference/trace-format.md "Order" says.
// Memory is proportional to what is alive: frames, contexts, fold nodes, unused edges, and one
// cursor per stream.
#pragma once

#include "base/id_table.h"
#include "base/paged_table.h"
#include "dag/dag_visitor.h"
#include "dag/joins.h"
#include "dag/pools.h"
#include "dag/stream_queue.h"
#include "model/read_summary.h"
#include "model/row_maps.h"
#include "model/run_info.h"
#include "trace/stream_cursor.h"
#include "trace/trace_source.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tp::analysis {

class DagReader {
public:
  // `from_first_use`: what threads did before their first oneTBB call counts as no work.
  DagReader(const TraceSource& source, const TraceInfo& info, const RowMaps& rows,
            DagVisitor& visitor, bool from_first_use = false);
  ReadSummary run();

private:
  struct Stream {
    StreamCursor cursor;
    std::uint64_t expected_chunks = 0; // by end.json
    Frame* top = nullptr;
    std::uint32_t last_site = 0;
    bool any_site = false;
    bool feed_next = false;                  // a Feed record precedes the next spawn
    std::uint32_t barrier_threads = 0;       // of the BarrierWait record before the next Wait
    std::uint64_t largest_leaf = 0;          // of the LoopWhole record before the next SpawnWait
    std::vector<trace::LoopDimension> shape; // of the LoopShape record before the next body's end
    bool used_tbb = false;                   // by the thread, unless it is a worker thread
    bool paused = false;                     // its steps do not count
    Row last_row = kMainRow;
    std::uint64_t first_time = 0;
    std::uint64_t thread_ended_at = 0; // of the last thread that gave the stream back; 0: none
    std::uint64_t without_thread = 0;  // ticks between threads that had the stream
    std::uint64_t contexts = 0;
    std::uint64_t releases = 0;
    std::uint64_t stacks = 0;
    std::vector<RegionWork> regions;         // of the next closed step
    std::vector<LockUse> locks;              // likewise
    std::vector<LockBlame> blames;           // likewise
    std::vector<LockHandedOver> handed_over; // of the next closed step
    std::vector<LockCall> lock_calls;
    std::vector<LockTries> lock_tries;
    std::vector<LockUntimed> untimed;
    struct SleptInside {
      LockObjectId object{};
      std::uint64_t time = 0;
      bool is_inner = false;
    };
    std::vector<SleptInside> slept_inside;          // of the next Section, Take or Give of the lock
    std::vector<std::optional<LockObjectId>> slots; // which lock a slot is
    trace::AsleepPayload asleep{};                  // likewise
    SleepTimes slept_in;                            // of it
    bool knows_sleep = false;                       // there is any in slept_in
    std::uint64_t latency_before = 0;               // of it, before the next of `moves`
    std::uint32_t arena = 0; // in which the thread executes, where the open step began; an index
    struct Move {            // from `work` on, after `latency`; an index
      std::uint64_t work, latency;
      std::uint32_t to;
      bool is_arena;      // else what is allowed
      std::uint32_t from; // what was allowed before; of an arena: 0
    };
    std::vector<Move> moves;                 // before the end of the next closed step
    std::vector<PoolChange> changes;         // the same, as visitors see it
    std::vector<WaitPoint> waits;            // of the next closed step
    std::vector<TimeSpan> waited;            // likewise
    bool is_worker = false, is_main = false; // the thread is one of oneTBB's; runs main()
    bool runs_tasks = false;                 // it has created one, or waited for one
    std::vector<Context*> ending;            // contexts that end before the next record with a time
    Waiters spawn_waiters, context_waiters, release_waiters, stack_waiters;
  };

  struct Edge {
    Path* path;
    std::int64_t uses;          // acquires still to come
    std::uint64_t spent_at = 0; // time of the last use
  };

  // Each returns false if the record has to wait; with force_ it never does.
  bool process(Stream& stream);
  bool process_record(Stream& stream);
  bool process_spawn(Stream& stream);
  void add_tokens(Row row, std::uint64_t tokens);
  bool process_wait(Stream& stream);
  bool process_wait_end(Stream& stream);
  bool process_begin(Stream& stream);
  bool process_join(Stream& stream);
  bool process_acquire(Stream& stream);
  void process_cut(Stream& stream);
  bool process_context_end(Stream& stream);
  void end_contexts(Stream& stream);
  void process_end(Stream& stream);
  void process_body_end(Stream& stream);
  LoopPart loop_part(Stream& stream, const Frame& frame);
  std::vector<trace::LoopDimension> dimensions(const Stream& stream) const;
  void process_release(Stream& stream);
  void process_region(Stream& stream);
  void process_lock(Stream& stream);
  std::map<Row, ThreadRange>& teams_of_kind(const Context* region); // of the summary
  void set_slot(Stream& stream, const trace::LockObjectPayload& payload);
  void settle_locks(Stream& stream, bool counts);
  static void settle_latencies(Stream& stream, std::uint64_t latency);
  void process_blame(Stream& stream, const trace::LockWaitPayload& payload);
  void process_tries(Stream& stream, const trace::LockTriesPayload& payload);
  void process_untimed(Stream& stream, const trace::LockUntimedPayload& payload);
  void settle_tries(Stream& stream, bool counts);
  const LockPlaceId* recorded_lock_place(const Stream& stream, std::uint32_t number) const;
  LockObjectId lock_in(const Stream& stream, std::uint16_t slot) const;
  LockPlaceId lock_place(LockPlaceId at, LockObjectId object);
  void note_external(Stream& stream);
  PoolId enter_pools(Stream& stream, const Frame& frame, std::uint64_t begin, std::uint64_t work,
                     std::uint64_t latency);
  bool process_extended(Stream& stream);
  bool process_edge_uses(Stream& stream, const trace::EdgeUsesPayload& payload);
  bool process_hand_over(Stream& stream, const trace::HandOverPayload& payload);
  Context* make_next_context(Stream& stream, unsigned traits);
  Context* find_context(Stream& stream, std::uint64_t id);
  // The edge. Null: the record has to wait; with force_: the edge does not exist.
  Edge* find_edge(Stream& stream, std::uint64_t id);
  void use_edge(const Stream& stream, std::uint64_t id, Edge& edge, std::int64_t change);
  void drop_spent_edges(std::uint64_t now);
  void suspend_stack(Stream& stream);
  bool resume_stack(Stream& stream, std::uint64_t id);

  // Context and task operands. False: the record has to wait.
  bool resolve_context(Stream& stream, Frame* frame, Context*& context);
  void note_steal(const Stream& stream, Frame& task);
  bool claim_task(Stream& stream, Frame*& task);
  Frame* placeholder_frame(std::uint64_t id);
  Row resolve_site(Stream& stream, const Frame& parent);

  Frame& running(Stream& stream);
  std::uint64_t latency_of(const trace::AsleepPayload& asleep) const;
  const SleepTimes* slept_in(Stream& stream, std::uint64_t latency);
  static std::span<const WaitPoint> wait_points(Stream& stream, std::uint64_t work,
                                                std::uint64_t asleep);
  void close_step(Stream& stream, Frame& frame, Boundary closed, bool counts = true);
  void add_idle(const Stream& stream);
  void push(Stream& stream, Frame* frame);
  void push_root(Stream& stream, bool is_main = false);
  void finish_top(Stream& stream);
  void finish_stack(Frame*& top);
  void begin_thread(Stream& stream, const trace::ThreadBeginPayload& payload);
  void note(Problem problem, std::uint64_t count = 1) {
    summary_.inconsistencies[static_cast<std::size_t>(problem)] += count;
  }
  // What the record of `stream` refers to was never read.
  void note_missing(Problem problem, const Stream& stream);
  // The stream of an id in a record; null if it does not exist (an error in a complete trace).
  Stream* stream_of(const Stream& reader, std::uint64_t id);
  bool block(Stream& stream, Waiters& waiters, std::uint64_t wanted = 0,
             bool perhaps_in_vain = false);

  void merge();
  void finish_all();
  void measure_streams();
  void find_losses();
  void judge_completeness();
  void refine_time_rate();

  const TraceSource& source_;
  const TraceInfo& info_;
  const RowMaps& rows_;
  DagVisitor& visitor_;
  StreamQueue queue_;
  Joins joins_;
  std::vector<Stream> streams_;
  PagedTable<Frame> tasks_;      // spawned, not begun
  PagedTable<Context> contexts_; // until ContextEnd
  Pools pools_;
  std::uint64_t externals_ = 0; // external threads that have run tasks
  IdTable<Edge> edges_;         // with uses left, or spent not long ago
  std::vector<std::uint64_t> spent_edges_;
  std::size_t next_drop_ = 1024; // at this number of spent edges
  IdTable<Frame*> stacks_;       // suspended stacks
  struct HashOfLock {
    std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& lock) const {
      return (lock.first ^ lock.second) * 0x9e3779b97f4a7c15 >> 16;
    }
  };
  // By address, and by generation and kind: memory that is used for a lock of another kind has another lock.
  std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, LockObjectId, HashOfLock>
      lock_objects_;
  // Of an object: its kind, and its variable. The first one at each place has the place's own number.
  using LockDeclaration = std::pair<std::uint8_t, std::uint32_t>;
  IdVector<LockObjectId, LockDeclaration> lock_declarations_;
  IdVector<LockPlaceId, std::optional<LockDeclaration>> first_at_;
  std::map<std::pair<LockPlaceId, LockDeclaration>, LockPlaceId> other_lock_places_;
  Waiters lost_; // waiters for streams that do not exist
  bool force_ = false;
  bool claims_complete_ = false;
  bool waits_for_messages_ = false; // this oneTBB has try_put_and_wait()
  bool waits_for_tasks_ = false;    // this oneTBB has task_group::wait_for_task()
  const bool from_first_use_;
  std::vector<std::uint64_t> no_extra_; // zeros, one per extra event
  std::uint64_t missing_ = 0;
  std::pair<Problem, Place> first_missing_;
  ReadSummary summary_;
};

} // namespace tp::analysis
