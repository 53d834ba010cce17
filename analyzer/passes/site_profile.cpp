// When invocations begin and end, and what paths remember of them.
#include "passes/site_profile.h"

#include <algorithm>

namespace tp::analysis {

void release(Pool<Invocation>& pool, Invocation* invocation) {
  if (--invocation->refs == 0)
    pool.free(invocation);
}

// ---- OnSpan

void OnSpan::mark(Invocation& by, std::uint64_t local_span) {
  newest_marked_ = std::max(newest_marked_, by.serial);
  for (Mark& each : marks_)
    if (each.by == &by) {
      each.local_span = local_span;
      return;
    }
  ++by.refs;
  marks_.push_back({&by, local_span});
}

const std::uint64_t* OnSpan::find(const Invocation& by) const {
  for (const Mark& each : marks_)
    if (each.by == &by)
      return &each.local_span;
  return nullptr;
}

SiteMeasures& OnSpan::of(Row row) {
  if (!rows_)
    rows_ = std::make_unique<std::vector<Of>>();
  const auto at = std::lower_bound(rows_->begin(), rows_->end(), row,
                                   [](const Of& of, Row wanted) { return of.row < wanted; });
  if (at != rows_->end() && at->row == row)
    return at->measures;
  return rows_->insert(at, {row, {}})->measures;
}

void OnSpan::settle(Owner& pool) {
  std::size_t kept = 0;
  for (Invocation* const each : open_) {
    if (!each->is_final()) {
      open_[kept++] = each;
      continue;
    }
    SiteMeasures& measures = of(each->row);
    measures.local.add(each->local_work, 0);
    if (each->top_call_site)
      measures.top_call_site.add(each->work, each->span());
    if (each->top_caller)
      measures.top_caller.add(each->work, each->span());
    release(pool, each);
  }
  open_.resize(kept);
}

void OnSpan::absorb(Owner& pool, OnSpan& older) {
  older.settle(pool);
  if (rows().empty())
    rows_.swap(older.rows_);
  for (const Of& each : older.rows())
    of(each.row).add(each.measures);
  if (older.rows_)
    older.rows_->clear();
  open_.insert(open_.end(), older.open_.begin(), older.open_.end());
  older.open_.clear();
  // What stands in the newer segment is nearer to the end of the path, and nobody will ask for what
  // an ended task had.
  for (const Mark& each : older.marks_)
    if (each.by->running && !find(*each.by))
      marks_.push_back(each);
    else
      release(pool, each.by);
  older.marks_.clear();
  newest_marked_ = std::max(newest_marked_, older.newest_marked_);
  if (marks_.size() >= next_prune_)
    prune_marks(pool);
}

// Each time their number has doubled: constant cost per mark.
void OnSpan::prune_marks(Owner& pool) {
  std::size_t kept = 0;
  for (const Mark& each : marks_)
    if (each.by->running)
      marks_[kept++] = each;
    else
      release(pool, each.by);
  marks_.resize(kept);
  next_prune_ = 2 * kept + 8;
}

void OnSpan::clear(Owner& pool) {
  for (Invocation* const each : open_)
    release(pool, each);
  for (const Mark& each : marks_)
    release(pool, each.by);
  open_.clear(); // all keep their storage for the next user
  marks_.clear();
  if (rows_)
    rows_->clear();
  newest_marked_ = 0;
}

// ---- SiteProfile

void SiteProfile::root_begun(FrameState& frame) {
  frame.task = pool_.make();
  frame.task->serial = ++serials_;
}

void SiteProfile::spawned(const FrameState& parent, FrameState& child) {
  if (parent.task) // a lost spawn has none
    parent.task->has_spawned = true;
  child.invocation = parent.invocation;
  if (parent.invocation)
    ++parent.invocation->live;
}

void SiteProfile::make_invocation(FrameState& frame, std::uint64_t start) {
  Invocation* const outer = frame.invocation;
  Invocation* const invocation = frame.task = pool_.make();
  invocation->row = frame.row;
  invocation->serial = ++serials_;
  invocation->outer = outer;
  invocation->top_call_site = invocation->top_caller = true;
  // Every invocation in the chain has another row, so the walk is as short as sites nest.
  for (const Invocation* each = outer; each; each = each->outer) {
    invocation->top_call_site &= each->row != frame.row;
    invocation->top_caller &= callers_[each->row] != callers_[frame.row];
  }
  if (!invocation->top_call_site)
    return;
  ++invocation->refs;
  invocation->live = 1;
  invocation->start = invocation->latest_end = start;
  frame.invocation = invocation;
}

void SiteProfile::add_extra(RowTotals& row, const Step& step) {
  row.extra.resize(step.extra.size());
  for (std::size_t event = 0; event < step.extra.size(); ++event)
    row.extra[event] += step.extra[event];
}

void SiteProfile::restarted(const FrameState& frame, std::uint64_t start) {
  Invocation& invocation = *frame.task;
  if (frame.invocation == &invocation && !invocation.has_spawned && invocation.work == 0)
    invocation.start = invocation.latest_end = start;
}

void SiteProfile::ended(FrameState& frame, std::uint64_t end, std::uint64_t local_span) {
  rows_[frame.row].on_work.local.span += local_span;
  if (frame.invocation)
    frame.invocation->latest_end = std::max(frame.invocation->latest_end, end);
  drop(frame);
}

void SiteProfile::abandoned(FrameState& frame) {
  drop(frame);
}

void SiteProfile::drop(FrameState& frame) {
  if (frame.invocation)
    leave(frame.invocation);
  if (!frame.task)
    return; // it never began
  frame.task->running = false;
  release(pool_, frame.task);
  frame.task = nullptr;
}

void SiteProfile::leave(Invocation* invocation) {
  while (invocation && --invocation->live == 0) {
    SiteMeasures& measures = rows_[invocation->row].on_work;
    const std::uint64_t span = invocation->span();
    measures.top_call_site.add(invocation->work, span);
    if (invocation->top_caller)
      measures.top_caller.add(invocation->work, span);
    invocation->complete = true;
    Invocation* const outer = invocation->outer;
    if (outer) {
      outer->work += invocation->work;
      outer->latest_end = std::max(outer->latest_end, invocation->latest_end);
    }
    release(pool_, invocation);
    invocation = outer;
  }
}

} // namespace tp::analysis
