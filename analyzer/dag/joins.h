// SPDX-License-Identifier: Apache-2.0
// The rules by which waits and fold nodes join paths, and the objects that they need: frames,
// contexts, scopes and fold nodes. All of them are dropped as soon as no later event can need them.
// DagReader owns the order of events; docs/reference/trace-format.md, "Waits" and "Fold nodes", is
// the definition. One thread only.
//
// A *scope* is a set of tasks that a wait joins together. There are three kinds:
//
//   exclusive  An exclusive context (an algorithm's own, or that of a task_group) has one open
//              scope, Context::current. If a wait has to be held back because tasks are
//              outstanding, it closes the scope and opens a newer one for the tasks created later,
//              so that the wait does not join what came after it in time. Not if the context gathers:
//              its one scope is complete when all is there that a wait joins.
//   per frame  Any other context has one scope per frame that spawns into it.
//   alone      A wait for one task and its descendants (Wait::alone) has a scope of its own,
//              whatever else the context contains.
//
// A frame that waits twice does not join the same tasks twice. A second join could not make its
// path longer, except for loop bodies that were scaled down in between.
#pragma once

#include "base/pool.h"
#include "dag/dag_visitor.h"
#include "dag/stream_queue.h"
#include "dag/tree_order.h"

#include "tp/trace/trace_format.h"

#include <cstdint>

namespace tp::analysis {

struct Frame;
struct Context;

inline constexpr auto kFlowGraph = static_cast<std::uint8_t>(trace::Construct::FlowGraph);

// The end of a task, as others join it: its path, and where the task is in the tree. Both are owned,
// and both null if there is none.
struct End {
  Path* path = nullptr;
  TreePlace* place = nullptr;
};

// The fields by kind of scope ("-": unused, keeps its initial value). "Own task" is the task of the
// frame that spawned into the scope (per frame) or that waits (alone):
//
//   field             exclusive             per frame                    alone
//   best              yes                   yes                          yes
//   joined,           what earlier waits    unused: the wait that sets   unused: as per frame
//     joined_by         have joined           them releases the scope
//   closed_by         yes                   -                            -
//   outstanding       tasks                 tasks + scopes whose         tasks + scopes whose
//                                             `outer` this is              `outer` this is
//   refs: held by     Context::current or   its lists (one for both)     its Wait
//                       `newer`
//     and by          Frame::scope of its   the same, and scopes whose   the same, and scopes whose
//                       tasks, open waits     `outer` this is              `outer` this is
//   older, newer      yes                   -                            -
//   outer             -                     own task's scope, if that    own task's scope, if that
//                                             task is of this context;     task is of this context;
//                                             counts this scope            does not count it
//   merged            handed over: `outer`  yes, if `outer` is set       -
//                       is where
//   takes_fed,        -                     parallel_for_each in its     parallel_for_each in a
//     next_feed                               own context: outermost       context of the user
//   frame, context,   -                     until it is unlinked         -
//     next_*,
//     previous_*
//   waiters           yes                   yes                          yes
//
// *Per frame, with `outer`*: every wait that waits for the frame's own task also waits for the
// tasks that this frame spawned. So `outer` counts this scope as one outstanding task. The scope is
// unlinked when its frame or its context ends: no wait can find it any more. It then adds its tasks
// to `outer` and becomes an alias of it (`merged`; Joins::live() follows aliases), so that a chain
// of tasks that spawn each other needs no memory. In a parallel_for_each `outer` skips one level:
// the block that a task is in does not wait for what the task adds.
//
// *Alone*: `outer` only leads Joins::feed_of() to the parallel_for_each around the wait.
struct Scope {
  End best;                      // longest end of the tasks that no wait has joined yet
  End joined;                    // longest end of the tasks that a wait has joined
  std::uint64_t joined_by = 0;   // serial of the frame that joined them last
  std::uint64_t closed_by = 0;   // serial of the frame whose wait closed the scope
  std::uint64_t outstanding = 0; // the scope is complete at 0, unless it has an `older` one
  std::uint32_t threads = 0;     // of a barrier: how many frames arrive; counted by `outstanding`
  std::uint32_t arrived = 0;     // of them
  std::uint32_t refs = 0;        // the scope is freed at 0
  Scope* older = nullptr;        // closed before this one, and still incomplete; owned
  Scope* newer = nullptr;
  // Owned; null: none. See above.
  Scope* outer = nullptr;
  bool merged = false;
  // The items fed to a parallel_for_each enter this scope: the wait for the whole loop joins it.
  bool takes_fed = false;
  Scope* next_feed = nullptr; // link of Context::feeds
  // Links in the lists of its frame and of its context; `context` counts a reference.
  Frame* frame = nullptr;
  Context* context = nullptr;
  Scope *next_of_frame = nullptr, *previous_of_frame = nullptr;
  Scope *next_of_context = nullptr, *previous_of_context = nullptr;
  Waiters waiters;

  bool complete() const { return outstanding == 0 && older == nullptr; }
};

struct Context {
  std::uint32_t refs = 0; // id table until the context ends; frames; waits; linked scopes
  bool exclusive = false;
  bool gathers = false; // exclusive: no wait closes its scope
  std::uint8_t construct = 0;
  std::uint32_t team = 0;   // of a region: implicit tasks that have begun
  Row region = {};          // their row
  std::uint64_t id = 0;     // packed: stream and ordinal
  Scope* current = nullptr; // exclusive: the open scope; owned
  Scope* scopes = nullptr;  // not exclusive: the linked ones
  // The scopes that fed items enter, newest first, as long as they are waited for or linked.
  Scope* feeds = nullptr;
};

// A fold node has two sides: 0 is the rest of the spawning frame, 1 the child. A trace may report a
// side twice (a reduction whose join threw is folded again), so a node lives as long as anything
// points to it.
struct FoldNode {
  FoldNode* outer = nullptr;
  std::uint8_t outer_side = 0;
  bool joined = false;    // a Join record passed it
  bool settled = false;   // both sides have come through
  bool gone[2] = {};      // this side came through by a Join
  Path* ends[2] = {};     // this side came through by an end; owned
  std::uint32_t refs = 0; // frames whose current node it is, nodes inside it
  Waiters waiters;

  bool through(unsigned side) const { return gone[side] || ends[side] != nullptr; }
};

// An open wait of a frame. Waits of one frame can nest: the library also waits for its own
// purposes.
struct Wait {
  Wait* outer = nullptr;
  Context* context = nullptr;
  Scope* scope = nullptr; // owned; set when the WaitEnd is first processed; alone: from the start
  bool alone = false;     // for one task and its descendants, whatever else the context contains
};

struct Frame {
  FrameState state;
  Frame* below = nullptr; // on the thread's stack
  Context* context = nullptr;
  Scope* scope = nullptr;
  Context* last_context = nullptr;
  FoldNode* node = nullptr;
  std::uint8_t side = 0;
  bool is_task = false;
  bool has_bodies = false; // has called the body of a loop
  bool is_lost = false;    // represents all frames of a suspended stack whose StackOut was lost
  // Of a task of a loop that does not halve its range: iterations of the largest leaf that halving
  // the loop's whole range would leave; else 0.
  std::uint64_t largest_leaf = 0;
  Wait* wait = nullptr;       // innermost open wait
  TreePlace* place = nullptr; // owned, until the end moves to its scope
  std::uint64_t serial = 0;
  std::uint64_t spawn_time = 0; // ticks
  Scope* scopes = nullptr;
  std::uint32_t open_loops = 0;
  std::uint32_t shared_loops = 0; // that it has begun: DagVisitor::shares_loop()
};

class Joins {
public:
  Joins(DagVisitor& visitor, StreamQueue& queue) : visitor_(visitor), queue_(queue) {}

  Frame* make_root(bool is_main);
  Frame* make_task(Frame& spawner) { return make_frame(order_.spawned_by(*spawner.place)); }
  // A task whose spawn is lost.
  Frame* make_lost_task() { return make_frame(order_.last()); }
  // The caller, DagReader's id table, owns the one reference that the context has.
  Context* make_context(std::uint64_t id, bool exclusive, std::uint8_t construct,
                        bool gathers = false);
  void set_context(Context*& slot, Context* context); // counts references
  void release(Context* context);
  // No later wait can name the context: its scopes end with their tasks.
  void end_context(Context* context);

  // `child`, whose path is set, becomes a task of `context`, spawned by `parent`.
  // `is_split`: the spawn comes from an algorithm that divides its own work, not from the user's
  // code.
  void enter_scope(Frame& child, Frame& parent, Context* context, bool is_split);
  // As enter_scope, but `child` is an item fed to a parallel_for_each in a context of the user: the
  // wait for that parallel_for_each joins it, waits inside do not.
  void enter_feed(Frame& child, Frame& parent, Context* context);
  // The frame waits for `child` alone, which becomes a task of `context`, and for its descendants.
  // `takes_fed`: the wait is that of a parallel_for_each, and joins the items fed to it.
  void begin_wait_alone(Frame& frame, Frame& child, Context* context, bool takes_fed);
  void begin_wait(Frame& frame, Context* context);
  // The frame has an open wait. While joined tasks are outstanding, returns the list to wait in;
  // else joins, closes the wait and returns null. `force`: joins what has been recorded and never
  // waits.
  Waiters* end_wait(Frame& frame, bool force);

  // The frame, which is going to wait for the context, arrives at a barrier of so many threads. False: so
  // many have arrived there already, or another number was expected. The context gathers.
  bool arrive(Frame& frame, Context* context, std::uint32_t threads);
  // What no wait has joined of `from` belongs to `to`, which gathers. No wait for `from` is open, unless the
  // trace is wrong.
  void hand_over(Context* from, Context* to);

  void split(Frame& parent, Frame& child);
  // As end_wait, for the frame's fold node. The frame has one.
  Waiters* pass_node(Frame& frame, bool force);

  // The frame has ended: reports it to the visitor, its node and its scope, and frees it.
  void finish(Frame* frame);
  // Frees a task that never began.
  void abandon(Frame* frame);

  std::size_t live_places() const { return order_.live(); }
  std::size_t live_frames() const { return frames_.live(); }
  std::size_t live_contexts() const { return contexts_.live(); }
  std::size_t live_nodes() const { return nodes_.live(); }

private:
  Frame* make_frame(TreePlace* place) {
    Frame* const frame = frames_.make();
    frame->serial = ++serials_;
    frame->place = place;
    return frame;
  }
  Scope* make_scope();
  void release(Scope* scope);
  Scope* scope_of(Frame& frame, Context* context, bool make);
  static Scope* live(Scope* scope);
  void unlink(Scope* scope);
  static bool is_for_each(const Context& context);
  static void add_feed(Context& context, Scope* scope);
  static void remove_feed(Context& context, Scope* scope);
  static Scope* feed_of(const Frame& frame, const Context* context);
  static Scope* own_scope(const Frame& frame, const Context* context);
  void enter(Frame& child, Context* context, Scope* scope);
  void settle(Scope* scope);
  void join_scope(Frame& frame, Scope& scope);
  void absorb(End& into, End& from);
  void join(End& into, End& from);
  void drop(End& end);
  void note_end(Frame& frame);
  void leave_scope(Frame& frame);
  void depart(FoldNode* node, std::uint8_t side, const Path& path);
  void release(FoldNode* node);
  void free_frame(Frame* frame);
  void close_wait(Frame& frame);

  DagVisitor& visitor_;
  StreamQueue& queue_;
  TreeOrder order_;
  TreePlace* longest_ = nullptr; // of the longest end so far; owned
  bool longest_is_root_ = false;
  Pool<Frame> frames_;
  Pool<Context> contexts_;
  Pool<Scope> scopes_;
  Pool<FoldNode> nodes_;
  Pool<Wait> waits_;
  std::uint64_t serials_ = 0;
};

} // namespace tp::analysis
