// SITE PROFILE after Cilkprof (section 6): count, work and span of the invocations of each row, on
// work (all of them) and on span (those on the program's critical path), under three rules that
// keep recursion from counting anything twice:
//   top-call-site  invocations below no other of the same row
//   top-caller     invocations below none of any row that stands in the same function
//   local          every invocation, only what its own steps make up
// An invocation is a task; it is on the critical path if the path goes through its spawn.
//
// Its span is the latest end in its subtree minus its start, and at most its work: an edge from
// outside of the subtree (Acquire) can make an end late that way, but not the longest path within
// the subtree, for which this is then an upper bound. Its local span, the work of its own
// steps on the longest path to its end. So local work over all rows and main is T1, and local span
// on span, which is the composition of the critical path, is Tinf.
//
// Memory is bounded by what is alive: an Invocation is dropped when its task has ended, everything
// below it has, if it is top-call-site, and no path waits for its figures any more. A path carries,
// beside its composition, what is on it (OnSpan): sums, the invocations whose figures are not final
// yet, and for each point where it branched off from a task's path the local span of that task up to
// there, which is the task's local span again when it joins the path.
#pragma once

#include "base/pool.h"
#include "dag/dag_visitor.h"
#include "model/site_measures.h"
#include "passes/path_composition.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tp::analysis {

struct Invocation {
  Invocation* outer = nullptr; // the innermost top-call-site invocation around it
  Row row = kMainRow;
  bool running = true; // its task has not ended
  bool has_spawned = false;
  bool top_call_site = false, top_caller = false;
  bool complete = false;    // top-call-site: nothing below it is alive
  std::uint32_t refs = 1;   // its task, paths, and itself while it is not complete
  std::uint64_t serial = 0; // tells it from those that had its place in memory before
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

// What is on a path. The spans of `local` are not kept here: they are the path's composition.
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
  // Beyond the first of each.
  struct More {
    std::vector<Invocation*> open;
    std::vector<Mark> marks;
    std::vector<Of> rows;       // of the final ones, ordered by row
    std::size_t next_prune = 8; // number of marks at which those of ended tasks are dropped
  };

public:
  // Where invocations come from and go to, and storage to be used again.
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

  // Once per segment.
  void enter(Invocation& invocation) {
    ++invocation.refs;
    open_ = &invocation;
  }
  // Another path branches off here, with `local_span` of `by` so far.
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
  // False: `by` was spawned too late to have a mark here or further back on the path. (A mark that
  // it makes further back after this segment was begun only repeats one that it made before.)
  bool may_find(const Invocation& by) const { return by.serial <= newest_marked_; }
  // The segment begins where `older` ends.
  void follow(const OnSpan& older) { newest_marked_ = older.newest_marked_; }
  // Adds up what has become final.
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

  Invocation* open_ = nullptr; // not added up yet
  Mark mark_;
  std::uint64_t newest_marked_ = 0; // serial, of all marks from here back
  More* more_ = nullptr;
};

struct RowTotals {
  SiteMeasures on_work, on_span;
  // Of its own steps, as is the work of on_work.local: DagFold adds up its classes.
  std::uint64_t overhead = 0; // before its own steps, in ticks
  std::uint64_t steps = 0;
  std::uint64_t steals = 0, steal_delay = 0; // of its tasks; ticks
  LoopCounts loops;
  std::vector<std::uint64_t> extra; // of its own steps, one per extra event
};

// A frame as this profile sees it.
struct SiteFrame {
  Invocation* task = nullptr;       // the frame itself; null before it begins
  Invocation* invocation = nullptr; // the innermost top-call-site invocation around it
};

class SiteProfile {
public:
  // `callers`: per row, a number of the function that it stands in.
  explicit SiteProfile(const IdVector<Row, std::uint32_t>& callers)
      : callers_(callers), rows_(callers.size()) {}

  void root_begun(SiteFrame& frame);
  void spawned(const SiteFrame& parent, SiteFrame& child);
  void begun(SiteFrame& frame, const FrameState& of, std::uint64_t start) {
    make_invocation(frame, of.row, start);
    RowTotals& row = rows_[of.row];
    ++row.on_work.local.count;
    row.steals += of.is_stolen;
    row.steal_delay += of.steal_delay;
  }
  void loop_end(Row row, std::uint64_t iterations, std::uint64_t grain) {
    rows_[row].loops.add(iterations, grain);
  }
  void step(const SiteFrame& frame, Row row, const Step& step) {
    if (!step.extra.empty()) [[unlikely]]
      add_extra(rows_[row], step);
    frame.task->local_work += step.work;
    if (frame.invocation)
      frame.invocation->work += step.work;
  }
  // An invocation that has neither worked nor spawned yet begins where its path does now.
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
  IdVector<Row, RowTotals> rows_;
  Pool<Invocation> pool_;
  std::uint64_t serials_ = 0;
};

} // namespace tp::analysis
