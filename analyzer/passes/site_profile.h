// SPDX-License-Identifier: Apache-2.0
// SITE PROFILE after Cilkprof (section 6): count, work and span of the invocations of each row, *on
// work* (all invocations) and *on span* (those on the program's critical path), under three rules
// that keep recursion from counting anything twice:
//
//   top-call-site  outermost invocations: below no other of the same row
//   top-caller     invocations below none of any row in the same function
//   local          every invocation, but only what its own steps contribute
//
// An invocation is a task. It is on the critical path if one of its steps is: the path goes through
// its spawn, or enters it at a join, by an edge or from tasks that others spawned.
//
// The span of an invocation is the latest end in its subtree minus its start, and at most its work
// (it starts after the edges that it acquires before its first work or spawn):
// an edge from outside of the subtree (Acquire) can delay an end that way, but cannot lengthen the
// longest path within the subtree, for which the span is then an upper bound. Its local span is the
// work of its own steps on the longest path to its end. So local work adds up to T1 over all rows
// and main, and local span on span, which is the composition of the critical path, to Tinf.
//
// The LONGEST CHAIN of a row answers how parallel its work is: the most work of its invocations that
// lies on one path through the program, whatever else is on that path. It is a longest path of its
// own, in which a step has its work if it is in an invocation of the row or below, and 0 otherwise:
// exact for every DAG, edges included, and recursion counts nothing twice, since a step either is
// below an invocation or is not. Each path has one such length per row (PathStore::chain()); a step
// is added to the rows of the top-call-site invocations around it. So a chain is at most the work of
// the row and at most the span of the program. Invocations that run in parallel lengthen the sum of
// spans above, but not the chain.
//
// Memory is bounded by what is alive. An Invocation is freed when three things are true: its task
// has ended; everything below it has ended (top-call-site only); no path waits for its figures.
//
// WHAT IS ON A PATH (OnSpan). Which path is the critical one is known only at the end, so every
// path has to remember what *on span* would be if it were the critical one. A path is a chain of
// segments (path_composition.h), shared with the other paths that begin the same way. Each segment
// has, in addition to its map of work, an OnSpan with three kinds of data:
//
//   open   the invocations that the path enters in the segment and whose figures are not final yet
//   rows   the sums of those whose figures are final (settle() moves them from `open`)
//   marks  for each point where another path branched off: the invocation whose task was
//          extending the path, and its local span up to there
//
// Marks answer one question: a task takes over another path, because that path is the longer one at
// a join; how much work of the task's own steps is on the new path? Task A spawns task C, and waits
// for it at w. The numbers are work:
//
//               s: spawn, A has worked 5          w: wait
//    A  ----5----+---------------2----------------+----4----
//                 \                              /
//    C             +--------------9-------------+
//
//    segments       [1: A 5, mark A=5] <---- [2: C 9, open C]        the path of C
//                           ^--------------- [3: A 2]                the path of A
//
//    at w           C's path (14) is longer than A's (7): A continues on segment 2
//
// The local span of A on its new path is not 7, but what it was where the path left A: the mark A=5
// in segment 1. With the four units after w it ends at 9, and the path has length 18 = 9 of A + 9
// of C. The invocation C is on that path, because segment 2 lists it in `open`; had A's path won,
// segment 2 would have been dropped with C's path.
//
// The search goes from the end of the path to its beginning, and the first mark of A found is the
// right one: it is the last point at which the path left A. If there is none, the path contains no
// step of A, and A's local span on it is 0. Three rules keep marks cheap:
//
//   * PathStore::copy() sets a mark each time a running task's path is copied: a copy is a branch.
//   * The common case needs no search: FoldPath::spawner_span has the answer (work_span.h).
//   * `newest_marked_` ends a search early: serials grow, so a task that began after all marks
//     from here back were set has none of them. Marks of ended tasks are dropped.
#pragma once

#include "base/pool.h"
#include "dag/dag_visitor.h"
#include "model/site_measures.h"
#include "model/sleep.h"
#include "passes/path_composition.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tp::analysis {

struct Invocation {
  Invocation* outer = nullptr; // the innermost top-call-site invocation around it
  Row row = kMainRow;
  bool running = true; // its task has not ended
  bool has_spawned = false;
  bool top_call_site = false, top_caller = false;
  bool counts = true;       // not: its task is none of the program's
  bool complete = false;    // top-call-site: nothing below it is alive
  std::uint32_t chain = 0;  // top-call-site: the number of the row's chain
  std::uint32_t refs = 1;   // its task, paths, and itself while it is not complete
  std::uint64_t serial = 0; // grows in the order in which tasks begin; never reused, unlike the
                            // object's memory
  std::uint64_t local_work = 0;
  // Of the whole subtree; top-call-site only.
  std::uint64_t live = 0; // frames directly in it, invocations below it
  std::uint64_t start = 0;
  std::uint64_t work = 0;
  std::uint64_t latest_end = 0;

  std::uint64_t span() const { return std::min(latest_end - start, work); }
  bool is_final() const { return !running && (complete || !top_call_site); }
};

inline void release(Pool<Invocation>& pool, Invocation* invocation) {
  if (--invocation->refs == 0)
    pool.free(invocation);
}

// What is on a path, see above. The spans of `local` are kept elsewhere: they are the path's
// composition.
class OnSpan {
public:
  struct Of {
    Row row;
    SiteMeasures measures;
  };

private:
  struct Mark {
    Invocation* by = nullptr;
    std::uint64_t local_span = 0;
  };
  // Everything beyond the first `open` and the first mark.
  struct More {
    std::vector<Invocation*> open;
    std::vector<Mark> marks;
    std::vector<Of> rows;       // of the final ones, ordered by row
    std::size_t next_prune = 8; // number of marks at which those of ended tasks are dropped
  };

public:
  // The pool of invocations, and storage of OnSpans for reuse. Outlives them.
  class Owner {
  public:
    explicit Owner(Pool<Invocation>& invocations) : invocations_(invocations) {}

  private:
    friend OnSpan;
    More* take();
    void give(More* more);

    Pool<Invocation>& invocations_;
    std::vector<std::unique_ptr<More>> all_;
    std::vector<More*> spare_;
  };

  // The path enters `invocation` at the segment's beginning. Once per segment.
  void enter(Invocation& invocation) {
    ++invocation.refs;
    open_ = &invocation;
  }
  // Another path branches off here, where the local span of `by` is `local_span`.
  void mark(Owner& owner, Invocation& by, std::uint64_t local_span) {
    if (mark_.by == nullptr && !more_) {
      ++by.refs;
      mark_.by = &by;
      newest_marked_ = std::max(newest_marked_, by.serial);
    }
    if (mark_.by == &by) [[likely]]
      mark_.local_span = local_span;
    else
      mark_again(owner, by, local_span);
  }
  const std::uint64_t* find(const Invocation& by) const;
  // False: `by` began after the last mark was set here or further back on the path, so it has none.
  // (It can still mark an older segment after this one was begun, but that only repeats the mark
  // that it set when this segment's path branched off.)
  bool may_find(const Invocation& by) const { return by.serial <= newest_marked_; }
  // The segment begins where `older` ends.
  void follow(const OnSpan& older) { newest_marked_ = older.newest_marked_; }
  // Adds the figures that have become final to the rows.
  void settle(Owner& owner);

  void absorb(Owner& owner, OnSpan& older);
  void clear(Owner& owner) {
    if (open_)
      release(owner, open_);
    if (mark_.by)
      release(owner, mark_.by);
    if (more_)
      clear_more(owner);
    open_ = nullptr;
    mark_ = {};
    newest_marked_ = 0;
  }
  std::span<const Of> rows() const {
    return more_ ? std::span<const Of>(more_->rows) : std::span<const Of>();
  }

private:
  static void release(Owner& owner, Invocation* invocation) {
    analysis::release(owner.invocations_, invocation);
  }
  More& more(Owner& owner) {
    if (!more_)
      more_ = owner.take();
    return *more_;
  }
  void mark_again(Owner& owner, Invocation& by, std::uint64_t local_span);
  void clear_more(Owner& owner);
  void take_open(Owner& owner, Invocation* invocation);
  void take_mark(Owner& owner, const Mark& mark);
  bool settle(Owner& owner, const Invocation& invocation);
  SiteMeasures& of(Owner& owner, Row row);
  void prune_marks(Owner& owner);

  Invocation* open_ = nullptr; // entered here, not in the rows yet
  Mark mark_;
  std::uint64_t newest_marked_ = 0; // serial, over all marks from here back
  More* more_ = nullptr;
};

struct RowTotals {
  SiteMeasures on_work, on_span;
  // Of its own steps, as is the work of on_work.local: DagFold adds up the totals of its step
  // classes.
  std::uint64_t overhead = 0; // before its own steps, in ticks
  std::uint64_t asleep = 0;   // of its own steps, in the unit of work
  std::uint64_t latency = 0;  // likewise
  SleepTimes slept_in;        // of its latency
  std::uint64_t steps = 0;
  std::uint64_t steals = 0, steal_delay = 0; // of its tasks; ticks
  LoopCounts loops;
  std::optional<std::uint64_t> longest_chain; // null: not asked for
  std::vector<std::uint64_t> extra;           // of its own steps, one per extra event
};

// A frame as this profile sees it.
struct SiteFrame {
  Invocation* task = nullptr;       // the frame itself; null before it begins
  Invocation* invocation = nullptr; // the innermost top-call-site invocation around it
};

class SiteProfile {
public:
  // `callers`: per row, a number of the function that contains it; referenced, has to outlive this.
  // `chains`: rows whose longest chains are asked for.
  SiteProfile(const IdVector<Row, std::uint32_t>& callers, std::span<const Row> chains);

  void root_begun(SiteFrame& frame);
  // `is_stage`: the child does not belong to its parent's invocation, it comes after it, as one of the
  // same pipeline's calls of its filters. They are invocations of what called the pipeline.
  void spawned(const SiteFrame& parent, SiteFrame& child, bool is_stage = false);
  void begun(SiteFrame& frame, const FrameState& of, std::uint64_t start) {
    make_invocation(frame, of.row, start);
    if (of.is_left_out)
      return;
    RowTotals& row = rows_[of.row];
    ++row.on_work.local.count;
    row.steals += of.is_stolen;
    row.steal_delay += of.steal_delay;
  }
  // The frame's task, which has begun and spawned nothing yet, is none of the program's: the runtime's own, or one that no
  // thread ran. What it spawns belongs to the invocation around it.
  void not_of_program(SiteFrame& frame, const FrameState& of);
  // A task that began in a pause has a step that counts.
  void entered(Row row) { ++rows_[row].on_work.local.count; }
  LoopCounts& loops(Row row) { return rows_[row].loops; }
  void step(const SiteFrame& frame, Row row, const Step& step) {
    if (!step.extra.empty()) [[unlikely]]
      add_extra(rows_[row], step);
    frame.task->local_work += step.work;
    if (frame.invocation)
      frame.invocation->work += step.work;
  }
  // An invocation without work or spawns so far begins where its path is now.
  void restarted(const SiteFrame& frame, std::uint64_t start);
  void ended(SiteFrame& frame, Row row, std::uint64_t end, std::uint64_t local_span);
  void abandoned(SiteFrame& frame) { drop(frame); }

  const IdVector<Row, RowTotals>& rows() const { return rows_; }
  std::size_t live() const { return pool_.live(); }
  Pool<Invocation>& pool() { return pool_; }

private:
  void add_extra(RowTotals& row, const Step& step);
  void make_invocation(SiteFrame& frame, Row row, std::uint64_t start);
  void leave(Invocation* invocation);
  void drop(SiteFrame& frame);

  const IdVector<Row, std::uint32_t>& callers_;
  IdVector<Row, std::uint32_t> chains_; // per row, its number; that after the last: not asked for
  IdVector<Row, RowTotals> rows_;
  Pool<Invocation> pool_;
  std::uint64_t serials_ = 0;
};

} // namespace tp::analysis
