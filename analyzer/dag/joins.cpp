// SPDX-License-Identifier: Apache-2.0
// The rules of waits and fold nodes. Nothing here recurses: the program decides how long chains of
// scopes and of nodes are.
#include "dag/joins.h"

#include "tp/trace/trace_format.h"

#include <utility>

namespace tp::analysis {

Frame* Joins::make_root(bool is_main) {
  return make_frame(is_main ? order_.first() : order_.last());
}

Context* Joins::make_context(std::uint64_t id, bool exclusive, std::uint8_t construct,
                             bool gathers) {
  Context* const context = contexts_.make();
  context->refs = 1;
  context->id = id;
  context->exclusive = exclusive;
  context->gathers = exclusive && gathers;
  context->construct = construct;
  return context;
}

void Joins::set_context(Context*& slot, Context* context) {
  if (context)
    ++context->refs;
  Context* const old = slot;
  slot = context;
  if (old)
    release(old);
}

void Joins::release(Context* context) {
  if (--context->refs > 0)
    return;
  if (context->current)
    release(context->current);
  contexts_.free(context);
}

void Joins::end_context(Context* context) {
  ++context->refs; // unlinking may release the last reference
  while (context->scopes)
    unlink(context->scopes);
  release(context);
}

Scope* Joins::make_scope() {
  Scope* const scope = scopes_.make();
  scope->refs = 1;
  return scope;
}

void Joins::release(Scope* scope) {
  while (scope && --scope->refs == 0) {
    Scope* const older = scope->older ? scope->older : scope->outer;
    if (scope->older)
      older->newer = nullptr;
    if (scope->newer)
      scope->newer->older = nullptr;
    if (scope->best.path)
      visitor_.left_unjoined(*scope->best.path);
    drop(scope->best);
    drop(scope->joined);
    scopes_.free(scope);
    scope = older;
  }
}

bool Joins::is_for_each(const Context& context) {
  return context.construct == static_cast<std::uint8_t>(trace::Construct::ParallelForEach);
}

Scope* Joins::scope_of(Frame& frame, Context* context, bool make) {
  if (context->exclusive) {
    if (!context->current && make)
      context->current = make_scope();
    return context->current;
  }
  for (Scope* scope = frame.scopes; scope; scope = scope->next_of_frame)
    if (scope->context == context)
      return scope;
  if (!make)
    return nullptr;
  Scope* const scope = make_scope();
  scope->frame = &frame;
  scope->next_of_frame = frame.scopes;
  if (frame.scopes)
    frame.scopes->previous_of_frame = scope;
  frame.scopes = scope;
  scope->next_of_context = context->scopes;
  if (context->scopes)
    context->scopes->previous_of_context = scope;
  context->scopes = scope;
  set_context(scope->context, context);
  if (Scope* const own = own_scope(frame, context)) {
    scope->outer = own;
    // parallel_for_each: the block that a task is in does not wait for what the task adds with the
    // feeder.
    if (is_for_each(*context) && scope->outer->outer)
      scope->outer = live(scope->outer->outer);
    ++scope->outer->refs;
    ++scope->outer->outstanding;
  } else if (is_for_each(*context)) {
    add_feed(*context, scope);
  }
  return scope;
}

void Joins::add_feed(Context& context, Scope* scope) {
  scope->takes_fed = true;
  scope->next_feed = context.feeds;
  context.feeds = scope;
}

void Joins::remove_feed(Context& context, Scope* scope) {
  Scope** link = &context.feeds;
  while (*link != scope)
    link = &(*link)->next_feed;
  *link = scope->next_feed;
  scope->next_feed = nullptr;
}

// The scope that items enter which `frame` feeds in `context`: that of the innermost
// parallel_for_each around the frame there. If the frame's task belongs to another context, the
// innermost one is unknown, and the newest is taken. Null: none is known.
Scope* Joins::feed_of(const Frame& frame, const Context* context) {
  for (Scope* scope = own_scope(frame, context); scope;
       scope = scope->outer ? live(scope->outer) : nullptr)
    if (scope->takes_fed)
      return scope;
  return context->feeds;
}

// The scope of the frame's task, if the task belongs to the context; else null.
Scope* Joins::own_scope(const Frame& frame, const Context* context) {
  return frame.is_task && frame.context == context && frame.scope ? live(frame.scope) : nullptr;
}

// The scope that `scope` is an alias of, or `scope` itself. Shortens chains of aliases on the way
// (each alias holds a reference to the next).
Scope* Joins::live(Scope* scope) {
  while (scope->merged) {
    Scope* const next = scope->outer;
    if (next->merged && next->refs > 1) {
      ++next->outer->refs;
      --next->refs;
      scope->outer = next->outer;
    }
    scope = next;
  }
  return scope;
}

// Removes a scope from the lists of its frame and its context: no later wait will find it.
void Joins::unlink(Scope* scope) {
  if (scope->previous_of_frame)
    scope->previous_of_frame->next_of_frame = scope->next_of_frame;
  else
    scope->frame->scopes = scope->next_of_frame;
  if (scope->next_of_frame)
    scope->next_of_frame->previous_of_frame = scope->previous_of_frame;
  if (scope->previous_of_context)
    scope->previous_of_context->next_of_context = scope->next_of_context;
  else
    scope->context->scopes = scope->next_of_context;
  if (scope->next_of_context)
    scope->next_of_context->previous_of_context = scope->previous_of_context;
  scope->next_of_frame = scope->previous_of_frame = nullptr;
  scope->next_of_context = scope->previous_of_context = nullptr;
  scope->frame = nullptr;
  if (scope->takes_fed)
    remove_feed(*scope->context, scope);
  set_context(scope->context, nullptr);
  if (scope->outer) {
    Scope* const outer = live(scope->outer);
    outer->outstanding += scope->outstanding;
    --outer->outstanding;
    absorb(outer->best, scope->best);
    scope->merged = true;
    settle(outer);
  }
  release(scope);
}

void Joins::enter_scope(Frame& child, Frame& parent, Context* context, bool is_split) {
  // A wait may have closed an exclusive context's scope since the parent was created: the parent's
  // tasks stay in the parent's scope.
  //
  // In a context of the user, a part that an algorithm splits off its own task is a sibling of the
  // parent: every wait that joins the parent joins it, and the parent's own waits do not.
  const bool is_piece =
      is_split && context->construct == static_cast<std::uint8_t>(trace::Construct::UserContext);
  Scope* const own = own_scope(parent, context);
  // The feeder of a parallel_for_each, called inside an item by a task of another algorithm.
  const bool feeds =
      !own && is_for_each(*context) && context->feeds && context->feeds->frame != &parent;
  enter(child, context,
        own && (context->exclusive || is_piece) ? own
        : feeds                                 ? context->feeds
                                                : scope_of(parent, context, true));
}

void Joins::enter_feed(Frame& child, Frame& parent, Context* context) {
  if (Scope* const scope = feed_of(parent, context))
    enter(child, context, scope);
  else
    enter_scope(child, parent, context, false);
}

void Joins::enter(Frame& child, Context* context, Scope* scope) {
  set_context(child.context, context);
  ++scope->refs;
  ++scope->outstanding;
  child.scope = scope;
}

void Joins::begin_wait_alone(Frame& frame, Frame& child, Context* context, bool takes_fed) {
  begin_wait(frame, context);
  Scope* const scope = frame.wait->scope = make_scope();
  frame.wait->alone = true;
  enter(child, context, scope);
  scope->outer = own_scope(frame, context);
  if (scope->outer)
    ++scope->outer->refs;
  if (takes_fed)
    add_feed(*context, scope);
}

void Joins::begin_wait(Frame& frame, Context* context) {
  Wait* const wait = waits_.make();
  wait->outer = frame.wait;
  set_context(wait->context, context);
  frame.wait = wait;
}

void Joins::close_wait(Frame& frame) {
  Wait* const wait = frame.wait;
  frame.wait = wait->outer;
  if (wait->scope && wait->alone && wait->scope->takes_fed)
    remove_feed(*wait->context, wait->scope);
  if (wait->scope)
    release(wait->scope);
  set_context(wait->context, nullptr);
  waits_.free(wait);
}

void Joins::drop(End& end) {
  if (!end.path)
    return;
  visitor_.drop_path(end.path);
  order_.release(end.place);
  end = {};
}

// `into` becomes the longer of both, at its place in the tree; `from` gets the place of the other.
// Which ends meet first does not matter: the longest one that comes first in the tree is left.
void Joins::join(End& into, End& from) {
  const bool precedes = TreeOrder::precedes(*from.place, *into.place);
  if (visitor_.join_path(*into.path, *from.path, precedes ? Tie::From : Tie::Into))
    std::swap(into.place, from.place);
}

// `into`, which may be none, becomes the longer of both; takes ownership of `from`.
void Joins::absorb(End& into, End& from) {
  if (into.path && from.path) {
    join(into, from);
    drop(from);
  } else if (from.path) {
    into = from;
    from = {};
  }
}

void Joins::join_scope(Frame& frame, Scope& scope) {
  if (scope.joined_by != frame.serial)
    absorb(scope.best, scope.joined);
  frame.state.at_barrier = scope.threads != 0;
  visitor_.wait_joined(frame.state, scope.best.path, scope.joined.path);
  absorb(scope.joined, scope.best);
  scope.joined_by = frame.serial;
}

Waiters* Joins::end_wait(Frame& frame, bool force) {
  Wait& wait = *frame.wait;
  if (!wait.scope) {
    Scope* const scope = scope_of(frame, wait.context, false);
    if (scope) {
      ++scope->refs;
      wait.scope = scope;
      if (!scope->complete() && wait.context->exclusive && !wait.context->gathers) {
        Scope* const newer = make_scope();
        newer->older = scope; // takes over the context's reference
        scope->newer = newer;
        scope->closed_by = frame.serial;
        wait.context->current = newer;
      }
    }
  }
  // One that was handed over is an alias.
  if (Scope* const scope = wait.scope && wait.context->exclusive ? live(wait.scope) : wait.scope) {
    if (!scope->complete() && !force)
      return &scope->waiters;
    for (Scope* each = scope; each; each = each->older)
      join_scope(frame, *each);
    // Everything in it was joined: a later wait of this frame starts with an empty scope.
    if (scope->frame == &frame && scope->complete())
      unlink(scope);
  }
  close_wait(frame);
  return nullptr;
}

// A task of `scope` has ended, or an older scope is complete: wakes what waits for the scope.
void Joins::settle(Scope* scope) {
  while (scope->complete()) {
    queue_.wake_all(scope->waiters);
    Scope* const newer = scope->newer;
    if (!newer)
      return;
    // Waits of other frames on the context will join these tasks as well.
    for (const End& end : {scope->best, scope->joined})
      if (end.path) {
        End copy{visitor_.copy_path(*end.path), end.place};
        order_.share(end.place);
        absorb(newer->joined, copy);
      }
    newer->joined_by = scope->closed_by;
    newer->older = nullptr;
    scope->newer = nullptr;
    release(scope);
    scope = newer;
  }
}

// Gives the frame's path to its scope.
void Joins::leave_scope(Frame& frame) {
  if (!frame.scope) {
    if (frame.is_task) // its spawn is lost
      visitor_.left_unjoined(*frame.state.path);
    return;
  }
  Scope* const scope = live(frame.scope);
  if (scope->best.path) {
    End end{frame.state.path, frame.place};
    join(scope->best, end);
    frame.place = end.place;
  } else {
    scope->best = {frame.state.path, std::exchange(frame.place, nullptr)};
    frame.state.path = nullptr;
  }
  --scope->outstanding;
  settle(scope);
  release(frame.scope);
  frame.scope = nullptr;
}

bool Joins::arrive(Frame& frame, Context* context, std::uint32_t threads) {
  Scope* const scope = scope_of(frame, context, true);
  if (scope->threads == 0) {
    scope->threads = threads;
    scope->outstanding += threads;
  }
  if (scope->threads != threads || scope->arrived == threads)
    return false;
  ++scope->arrived;
  order_.share(frame.place);
  End end{visitor_.copy_path(*frame.state.path), frame.place};
  absorb(scope->best, end);
  --scope->outstanding;
  settle(scope);
  return true;
}

void Joins::hand_over(Context* from, Context* to) {
  Scope* const scope = from->current;
  if (!scope)
    return;
  from->current = nullptr;
  if (!to->current)
    to->current = make_scope();
  Scope* const target = to->current;
  drop(scope->joined);
  if (Scope* const older = std::exchange(scope->older, nullptr)) { // an open wait has it
    older->newer = nullptr;
    release(older);
  }
  scope->outer = target;
  ++target->refs;
  target->outstanding += scope->outstanding;
  absorb(target->best, scope->best);
  scope->merged = true;
  queue_.wake_all(scope->waiters);
  release(scope);
  settle(target);
}

void Joins::split(Frame& parent, Frame& child) {
  FoldNode* const node = nodes_.make();
  node->outer = parent.node; // the parent's reference moves to the new node
  node->outer_side = parent.side;
  node->refs = 2;
  parent.node = child.node = node;
  parent.side = 0;
  child.side = 1;
}

Waiters* Joins::pass_node(Frame& frame, bool force) {
  FoldNode* const node = frame.node;
  const std::uint8_t other = 1 - frame.side;
  if (!node->through(other) && !force)
    return &node->waiters;
  if (node->ends[other])
    visitor_.join_path(*frame.state.path, *node->ends[other],
                       frame.side == 1 ? Tie::Into : Tie::From);
  node->joined = true;
  node->gone[frame.side] = true;
  node->settled |= node->through(other);
  frame.node = node->outer;
  frame.side = node->outer_side;
  if (frame.node)
    ++frame.node->refs;
  queue_.wake_all(node->waiters);
  release(node);
  return nullptr;
}

// A frame ends on `side` of `node`. If nothing joins at a node, both ends pass on to the outer one.
void Joins::depart(FoldNode* node, std::uint8_t side, const Path& path) {
  const Path* end = &path;
  while (node) {
    if (node->ends[side])
      visitor_.join_path(*node->ends[side], *end, Tie::Into);
    else
      node->ends[side] = visitor_.copy_path(*end);
    queue_.wake_all(node->waiters);
    if (node->settled || !node->through(1 - side))
      return;
    node->settled = true;
    if (node->joined)
      return;
    visitor_.join_path(*node->ends[0], *node->ends[1], Tie::From);
    end = node->ends[0];
    side = node->outer_side;
    node = node->outer;
  }
}

void Joins::release(FoldNode* node) {
  while (node && --node->refs == 0) {
    for (Path* end : node->ends)
      if (end)
        visitor_.drop_path(end);
    FoldNode* const outer = node->outer;
    nodes_.free(node);
    node = outer;
  }
}

// A task that was waited for is part of its root's path: if the ends are equal, the root's has the
// whole composition. Of roots main comes first, then the others in their order.
void Joins::note_end(Frame& frame) {
  const bool is_root = !frame.is_task;
  const bool precedes =
      !longest_ ||
      (is_root == longest_is_root_ ? TreeOrder::precedes(*frame.place, *longest_) : is_root);
  if (!visitor_.ended(frame.state, precedes ? Tie::From : Tie::Into))
    return;
  order_.share(frame.place);
  if (longest_)
    order_.release(longest_);
  longest_ = frame.place;
  longest_is_root_ = is_root;
}

void Joins::finish(Frame* frame) {
  note_end(*frame);
  if (frame->node)
    depart(frame->node, frame->side, *frame->state.path);
  while (frame->scopes)
    unlink(frame->scopes);
  leave_scope(*frame);
  free_frame(frame);
}

void Joins::abandon(Frame* frame) {
  visitor_.abandoned(frame->state);
  if (Scope* const scope = frame->scope)
    release(scope);
  frame->scope = nullptr;
  free_frame(frame);
}

void Joins::free_frame(Frame* frame) {
  release(frame->node);
  if (frame->state.path)
    visitor_.drop_path(frame->state.path);
  while (frame->scopes)
    unlink(frame->scopes);
  while (frame->wait)
    close_wait(*frame);
  set_context(frame->last_context, nullptr);
  set_context(frame->context, nullptr);
  if (frame->place)
    order_.release(frame->place);
  frames_.free(frame);
}

} // namespace tp::analysis
