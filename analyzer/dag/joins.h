// What is alive of the program's synchronization: frames, contexts, scopes and fold nodes, and the
// rules by which waits and fold nodes join paths. Used by dpst_reader, which owns the order of
// events; docs/trace-format.md, "Waits" and "Fold nodes", is the definition.
//
// A *scope* is a set of tasks that waits join together. An exclusive context has one scope that
// grows; when a wait has to be held back for tasks that are still outstanding, the scope is closed
// and a newer one takes the tasks created later, so that the wait does not join what came after it
// in time. What a frame has joined it does not join again at its next wait: that would be no longer
// than its path, but for loop bodies that were scaled down since. Any other context has one scope
// per frame that spawns into it.
#pragma once

#include "base/pool.h"
#include "dag/dag_visitor.h"
#include "dag/stream_queue.h"

#include <cstdint>

namespace tp::analysis {

struct Frame;
struct Context;

struct Scope {
  Path* best = nullptr;          // longest end of the tasks that no wait has joined yet
  Path* joined = nullptr;        // longest end of the others; exclusive only
  std::uint64_t joined_by = 0;   // serial of the frame that joined them last
  std::uint64_t closed_by = 0;   // serial of the frame whose wait closed the scope
  std::uint64_t outstanding = 0; // tasks that have not ended
  std::uint32_t refs = 0;        // outstanding tasks, waiting frames, links
  Scope* older = nullptr;        // exclusive: what was closed before and has outstanding tasks
  Scope* newer = nullptr;
  // Not exclusive: the scope of the frame's own task, if that has the same context: whoever waits
  // for it waits for these tasks as well, so it counts this scope as outstanding. Once no wait can
  // find this scope any more (its frame has ended), it is merged: an alias of the outer one, so
  // that a chain of tasks that spawn each other needs no memory. Of a wait for one task alone: the
  // scope of the frame that waits, which counts nothing of it.
  Scope* outer = nullptr;
  bool merged = false;
  // What is fed to a parallel_for_each belongs here: the wait for the whole of it joins this scope.
  bool takes_fed = false;
  Scope* next_feed = nullptr; // Context::feeds
  // Not exclusive: links in the lists of its frame and its context.
  Frame* frame = nullptr;
  Context* context = nullptr;
  Scope *next_of_frame = nullptr, *previous_of_frame = nullptr;
  Scope *next_of_context = nullptr, *previous_of_context = nullptr;
  Waiters waiters;

  bool complete() const { return outstanding == 0 && older == nullptr; }
};

struct Context {
  std::uint32_t refs = 0; // id table until the context's end; frames; linked scopes
  bool exclusive = false;
  std::uint8_t construct = 0;
  std::uint64_t id = 0;     // packed
  Scope* current = nullptr; // exclusive
  Scope* scopes = nullptr;  // not exclusive
  // The scopes that take what is fed, the newest first, while they are waited for or linked.
  Scope* feeds = nullptr;
};

// Two sides meet here: 0 the rest of the spawning frame, 1 the child. A trace may say that a side
// came through twice (a reduction whose join threw is folded again), so a node lives as long as
// anything points to it.
struct FoldNode {
  FoldNode* outer = nullptr;
  std::uint8_t outer_side = 0;
  bool joined = false;    // a Join record passed it
  bool settled = false;   // both sides have come through
  bool gone[2] = {};      // came through by a Join
  Path* ends[2] = {};     // came through by an end
  std::uint32_t refs = 0; // frames on it, nodes inside it
  Waiters waiters;

  bool through(unsigned side) const { return gone[side] || ends[side] != nullptr; }
};

// A wait of a frame that is not over. Waits of one frame can nest where the library waits for its
// own purposes.
struct Wait {
  Wait* outer = nullptr;
  Context* context = nullptr;
  Scope* scope = nullptr; // set once the WaitEnd was looked at; alone: from the start
  bool alone = false;     // for what descends from one task, whatever else is in the context
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
  bool is_lost = false; // stands in for all frames of a stack that was put aside unseen
  Wait* wait = nullptr; // innermost open wait
  std::uint64_t serial = 0;
  std::uint64_t spawn_time = 0; // ticks
  Scope* scopes = nullptr;
  std::uint32_t open_loops = 0;
};

class Joins {
public:
  Joins(DagVisitor& visitor, StreamQueue& queue) : visitor_(visitor), queue_(queue) {}

  Frame* make_frame() {
    Frame* const frame = frames_.make();
    frame->serial = ++serials_;
    return frame;
  }
  // With one reference, the id table's.
  Context* make_context(std::uint64_t id, bool exclusive, std::uint8_t construct);
  void set_context(Context*& slot, Context* context); // counts references
  void release(Context* context);
  // The context is gone for its waits: its scopes end with their tasks.
  void end_context(Context* context);

  // `child`, with path and rank set, becomes a task of `context`, spawned by `parent`; `is_split`:
  // not by the user's code, but by an algorithm that divides its own work.
  void enter_scope(Frame& child, Frame& parent, Context* context, bool is_split);
  // As enter_scope, but `child` is an item that was fed to a parallel_for_each in a context of the
  // user's: whoever waits for that waits for it, and nobody inside.
  void enter_feed(Frame& child, Frame& parent, Context* context);
  // The frame waits for `child` alone, which becomes a task of `context`, and what descends from it;
  // `takes_fed`: it is a parallel_for_each, and waits for what is fed to it.
  void begin_wait_alone(Frame& frame, Frame& child, Context* context, bool takes_fed);
  void begin_wait(Frame& frame, Context* context);
  // The frame has an open wait. Returns the list to wait in while joined tasks are outstanding,
  // else joins and returns null. `force`: joins what is there.
  Waiters* end_wait(Frame& frame, bool force);

  void split(Frame& parent, Frame& child);
  // As end_wait. The frame has a node.
  Waiters* pass_node(Frame& frame, bool force);

  // The frame is over: tells its node, its scope and the visitor, and frees it.
  void finish(Frame* frame);
  // A task that never began.
  void abandon(Frame* frame);

  std::size_t live_frames() const { return frames_.live(); }
  std::size_t live_contexts() const { return contexts_.live(); }
  std::size_t live_nodes() const { return nodes_.live(); }

private:
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
  void absorb(Path*& into, Path*& from);
  void leave_scope(Frame& frame);
  void depart(FoldNode* node, std::uint8_t side, const Path& path);
  void release(FoldNode* node);
  void free_frame(Frame* frame);
  void close_wait(Frame& frame);

  DagVisitor& visitor_;
  StreamQueue& queue_;
  Pool<Frame> frames_;
  Pool<Context> contexts_;
  Pool<Scope> scopes_;
  Pool<FoldNode> nodes_;
  Pool<Wait> waits_;
  std::uint64_t serials_ = 0;
};

} // namespace tp::analysis
