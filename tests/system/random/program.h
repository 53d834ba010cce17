// SPDX-License-Identifier: Apache-2.0
// The specification of a random task program: what it spends, spawns and waits for. generator.h
// makes one from a seed, interpreter.h runs it on oneTBB, oracle.h computes the expected profile
// from it. These three share nothing else.
//
// A program is one block per thread. A block that is a task's body, or runs inside an arena or an
// isolated region, may own task groups and contexts; a statement names these by number, which
// refers to those of the innermost running block that owns them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace random_program {

using Units = std::uint64_t;

inline constexpr unsigned kSites = 8;
inline constexpr unsigned kRegions = 3;
inline constexpr unsigned kArenas = 3;
inline constexpr unsigned kLocks = 7; // global objects; the last one is not shared
constexpr bool may_be_shared(unsigned lock) {
  return lock % 2 == 1;
}
inline constexpr const char* kFile = "random.plan";
// Sites and regions by line of that file. Line 0 is main.
constexpr unsigned site_line(unsigned site) {
  return 10 + site;
}
constexpr unsigned region_line(unsigned region) {
  return 100 + region;
}

enum class Kind : std::uint8_t {
  Spend,      // `units` of work, then `sleep` of sleep
  Region,     // blocks[0] inside causal region `region`
  Throw,      // leaves the task, or reaches the innermost Try
  Try,        // blocks[0]; an exception out of it is caught
  Run,        // blocks[0] as a task of `group`
  RunAndWait, // the same, and waits for the group
  Wait,       // for `group`
  Cancel,     // `group`
  Invoke,     // parallel_invoke of the blocks
  Loop,       // parallel_for: iteration i runs blocks[i % blocks]
  Reduce,     // the same with a reduction; `join` runs after both halves
  ForEach,    // parallel_for_each over `iterations` items; item i runs blocks[i % blocks]
  Feed,       // inside an item of ForEach: blocks[0] as one more item
  Arena,      // blocks[0] inside arena `arena`, by the same task
  Isolate,    // blocks[0] inside this_task_arena::isolate
  Sort,       // parallel_sort of something, without work
  Pipeline,   // parallel_pipeline of the blocks, for `iterations` items
  Suspend,    // until the task blocks[0] of `group` resumes it; that continues with blocks[1]
  Scan,       // parallel_scan: the final pass of iteration i runs blocks[i % blocks]
  Graph,      // `iterations` messages through a flow graph of `nodes`; `join` before each is put
  FullArena,  // blocks[0] inside an arena with room for one thread
  Standard,   // an algorithm of the standard library: element i runs blocks[i % blocks]
  Threads, // `iterations` threads, one after the other: thread i runs blocks[i % blocks] and ends
  Lock,    // blocks[0] while lock `lock` is held: for reading if `shared`
};
inline constexpr unsigned kKinds = 24;
const char* name_of(Kind kind);

// A node of a flow graph. Every message passes every node once and runs its block, if it has one.
// Graphs of other nodes than Continue begin with a node of one of the first three kinds, or
// Continue.
enum class NodeKind : std::uint8_t {
  Function, // function_node, unlimited
  Serial,   // function_node, one body at a time
  Limited,  // the same, or as many as there are, by a limiter_node, which node `until` decrements
  Light, // function_node, lightweight: part of the task of the node before, which has no other successor
  Index,     // indexer_node, function_node
  KeyJoin,   // join_node of two, by keys, and a function_node
  QueueJoin, // by order of arrival: for one message
  HoldJoin,  // reserving, from two queues: for one message
  Queue,     // queue_node; from here on without block
  Priority,  // priority_queue_node
  Sequence,  // sequencer_node
  Overwrite, // overwrite_node
  Continue, // continue_node: a graph of nothing else, each after all in `from`; the graph is waited for each time
};
inline constexpr unsigned kNodeKinds = 13;
constexpr bool has_block(NodeKind kind) {
  return kind < NodeKind::Queue || kind == NodeKind::Continue;
}

struct GraphNode {
  NodeKind kind = NodeKind::Function;
  std::vector<unsigned> from; // earlier nodes; none: the message is put by the statement
  bool has_priority = false;  // Function, Continue
  unsigned until = 0;         // Limited
  unsigned slots = 1;         // Limited: at most the number of messages
};

enum class Partitioner : std::uint8_t { Simple, Auto, Static, Affinity };

// Which of the equivalent forms of the code is used.
enum class Form : std::uint8_t {
  // group.run(f), parallel_for(range), functional reduction, random access iterators, RAII region
  Plain,
  // group.run(defer(f)), parallel_for(index), reduction by a body, forward iterators, begin and end
  Alternative,
  // enqueue(group.defer(f)), parallel_for(range of two dimensions)
  Third,
  // parallel_for(range of three dimensions)
  Fourth
};

// The calls of the interpreter that spawn, each on a line of its own: its spawn sites, if statements
// do not name one.
enum class Call : std::uint8_t {
  Run,
  RunHandle,
  RunEnqueued,
  RunAndWait,
  RunAndWaitHandle,
  Invoke,
  InvokeInContext,
  CancelledLoop,
  CancelledReduce,
  LoopRange,
  LoopIndex,
  LoopRectangle,
  LoopBox,
  DeterministicReduceBody,
  DeterministicReduce,
  ReduceBody,
  Reduce,
  ForEach,
  ForEachInContext,
  Feed,
  Pipeline,
  ScanBody,
  Scan,
  Graph,
  Suspend,
  Sort,
  Thread, // those that run at the same time as main()
  ThreadInTurn,
  StdForEach,
  StdTransform,
  StdReduce,
};
inline constexpr unsigned kCalls = 31;
inline constexpr unsigned kMostFilters = 4; // of a pipeline
const char* name_of(Call call);

// What the sites of a program are in the profile.
enum class Sites : std::uint8_t {
  Explicit,  // by the sites of the statements; algorithms of the standard library by their calls
  Calls,     // by the calls of the interpreter
  StockCalls // the same; what a feeder adds may belong to its parallel_for_each. tp-run is there and
             // sees threads
};

struct Statement;

struct GroupDeclaration {
  unsigned number = 0;
  bool isolated = false; // isolated_task_group
};

struct Block {
  std::vector<GroupDeclaration> groups;
  std::vector<unsigned> contexts; // the user's task_group_contexts, by number
  std::vector<Statement> statements;
};

struct Statement {
  Kind kind = Kind::Spend;
  unsigned number = 0; // to name it; 0: it cannot be left out
  Form form = Form::Plain;
  Partitioner partitioner = Partitioner::Simple;
  bool deterministic = false; // Reduce
  unsigned context = 0;       // Invoke, Loop, Reduce, ForEach: a user's context
  unsigned site = 0;
  unsigned group = 0;
  unsigned region = 0;
  unsigned arena = 0;
  unsigned lock = 0;
  bool shared = false; // Lock
  unsigned iterations = 0, grain = 1, stride = 1;
  unsigned tokens = 1;                    // Pipeline
  std::vector<bool> serial;               // Pipeline: by filter
  std::vector<bool> unordered;            // Pipeline: serial filters that are serial_out_of_order
  bool cancelled = false;                 // Loop, Reduce: in a context that was cancelled before
  std::vector<GraphNode> nodes;           // Graph: blocks[n] is that of node n
  unsigned columns = 1, column_grain = 1; // two dimensions: `iterations` is rows times columns
  unsigned pages = 1, page_grain = 1;     // three: and times pages
  std::optional<unsigned> outlier;        // the iteration that runs the last block; no other does
  Units units = 0, sleep = 0;
  std::vector<Block> blocks;
  Block join;
};

// The block that an iteration runs.
inline const Block& block_of(const Statement& s, unsigned iteration) {
  if (!s.outlier)
    return s.blocks[iteration % s.blocks.size()];
  return iteration == *s.outlier ? s.blocks.back() : s.blocks[iteration % (s.blocks.size() - 1)];
}
// Joins of a reduction run only where the schedule has made two parts.
bool has_loose_joins(const Statement& s);
// The call of a statement that spawns.
Call call_of(const Statement& s);

struct Program {
  Block prologue;             // main's, before the other threads start; owns what all threads share
  std::vector<Block> threads; // [0]: main
  Block epilogue;             // main's, after it has joined the other threads
  // Every partitioner is simple: work, span and everything else are the same in every run.
  // Otherwise the span of this run depends on the schedule; the schedule-independent span does not.
  bool exact = true;
  // False if items of a pipeline may overtake each other, or a scan has more or fewer parts: then
  // the schedule-independent span is not determined either.
  bool divisible_exact = true;
  // False if it is known only with tp-run --divide: iterations of a loop that is split less far than it
  // could be do not cost the same.
  bool parts_alike = true;
  // False if it need not be above the schedule-independent span, unless known: splits in proportion, at
  // other places than halving, group iterations in another way, or join results in another tree.
  bool splits_alike = true;
  // Has nodes with priorities: the task that runs such a node's body need not be the one that was
  // spawned for it.
  bool has_priorities = false;
  // Has nodes that take some messages at a time, more than one: which of them lets the next one in is the
  // schedule's, and where order is not seen, it is that of this run.
  bool has_windows = false;
  // False if the number of tasks depends on that as well.
  bool tasks_exact = true;
  // Contexts may be cancelled.
  bool failures = false;
  bool has_locks = false;
  // Tasks may change stacks, which sanitizers do not follow.
  bool suspends = false;
};

// Leaves out the statements with these numbers. The program stays valid: statements that others
// need are kept.
void drop(Program& program, const std::vector<unsigned>& numbers);
// The numbers that drop() can leave out.
std::vector<unsigned> droppable(const Program& program);
// A text for human readers.
std::string describe(const Program& program);

} // namespace random_program
