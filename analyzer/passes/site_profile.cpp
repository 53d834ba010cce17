// SPDX-License-Identifier: Apache-2.0
// The beginning and end of invocations, and what paths remember of them.
#include "passes/site_profile.h"

#include <algorithm>
#include <utility>

namespace tp::analysis {

// ---- OnSpan

OnSpan::More* OnSpan::Owner::take() {
  if (spare_.empty()) {
    all_.push_back(std::make_unique<More>());
    return all_.back().get();
  }
  More* const more = spare_.back();
  spare_.pop_back();
  return more;
}

void OnSpan::Owner::give(More* more) {
  more->open.clear(); // all keep their storage for the next user
  more->marks.clear();
  more->rows.clear();
  more->next_prune = 8;
  spare_.push_back(more);
}

void OnSpan::mark_again(Owner& owner, Invocation& by, std::uint64_t local_span) {
  newest_marked_ = std::max(newest_marked_, by.serial);
  auto& marks = more(owner).marks;
  for (Mark& each : marks)
    if (each.by == &by) {
      each.local_span = local_span;
      return;
    }
  ++by.refs;
  marks.push_back({&by, local_span});
}

const std::uint64_t* OnSpan::find(const Invocation& by) const {
  if (mark_.by == &by)
    return &mark_.local_span;
  if (more_)
    for (const Mark& each : more_->marks)
      if (each.by == &by)
        return &each.local_span;
  return nullptr;
}

SiteMeasures& OnSpan::of(Owner& owner, Row row) {
  auto& rows = more(owner).rows;
  const auto at = std::lower_bound(rows.begin(), rows.end(), row,
                                   [](const Of& of, Row wanted) { return of.row < wanted; });
  if (at != rows.end() && at->row == row)
    return at->measures;
  return rows.insert(at, {row, {}})->measures;
}

bool OnSpan::settle(Owner& owner, const Invocation& invocation) {
  if (!invocation.is_final())
    return false;
  SiteMeasures& measures = of(owner, invocation.row);
  if (invocation.counts)
    measures.local.add(invocation.local_work, 0);
  else
    measures.local.work += invocation.local_work;
  if (invocation.top_call_site)
    measures.top_call_site.add(invocation.work, invocation.span());
  if (invocation.top_caller)
    measures.top_caller.add(invocation.work, invocation.span());
  return true;
}

void OnSpan::settle(Owner& owner) {
  if (open_ && settle(owner, *open_)) {
    release(owner, open_);
    open_ = nullptr;
  }
  if (!more_)
    return;
  auto& open = more_->open;
  std::size_t kept = 0;
  for (Invocation* const each : open)
    if (settle(owner, *each))
      release(owner, each);
    else
      open[kept++] = each;
  open.resize(kept);
}

void OnSpan::take_open(Owner& owner, Invocation* invocation) {
  if (!open_)
    open_ = invocation;
  else
    more(owner).open.push_back(invocation);
}

// A mark of the newer segment wins: it is nearer to the end of the path. Marks of an ended task go:
// no join will ask for them.
void OnSpan::take_mark(Owner& owner, const Mark& mark) {
  if (!mark.by->running || find(*mark.by))
    release(owner, mark.by);
  else if (!mark_.by)
    mark_ = mark;
  else
    more(owner).marks.push_back(mark);
}

void OnSpan::absorb(Owner& owner, OnSpan& older) {
  newest_marked_ = std::max(newest_marked_, older.newest_marked_);
  if (mark_.by && !mark_.by->running)
    release(owner, std::exchange(mark_, {}).by);
  if (!more_)
    std::swap(more_, older.more_);
  if (older.open_)
    take_open(owner, std::exchange(older.open_, nullptr));
  if (older.mark_.by)
    take_mark(owner, std::exchange(older.mark_, {}));
  if (!more_)
    return;
  if (older.more_) {
    More& from = *older.more_;
    for (Invocation* const each : from.open)
      take_open(owner, each);
    from.open.clear();
    for (const Mark& each : from.marks)
      take_mark(owner, each);
    from.marks.clear();
    for (const Of& each : from.rows)
      of(owner, each.row).add(each.measures);
    from.rows.clear();
  }
  settle(owner);
  if (more_->marks.size() >= more_->next_prune)
    prune_marks(owner);
}

// Called each time the number of marks has doubled: constant cost per mark.
void OnSpan::prune_marks(Owner& owner) {
  auto& marks = more_->marks;
  std::size_t kept = 0;
  for (const Mark& each : marks)
    if (each.by->running)
      marks[kept++] = each;
    else
      release(owner, each.by);
  marks.resize(kept);
  more_->next_prune = 2 * kept + 8;
}

void OnSpan::clear_more(Owner& owner) {
  for (Invocation* const each : more_->open)
    release(owner, each);
  for (const Mark& each : more_->marks)
    release(owner, each.by);
  owner.give(more_);
  more_ = nullptr;
}

// ---- SiteProfile

SiteProfile::SiteProfile(const IdVector<Row, std::uint32_t>& callers, std::span<const Row> chains)
    : callers_(callers), chains_(callers.size(), static_cast<std::uint32_t>(chains.size())),
      rows_(callers.size()) {
  for (std::uint32_t chain = 0; chain < chains.size(); ++chain)
    chains_[chains[chain]] = chain;
}

void SiteProfile::root_begun(SiteFrame& frame) {
  frame.task = pool_.make();
  frame.task->serial = ++serials_;
}

void SiteProfile::spawned(const SiteFrame& parent, SiteFrame& child, bool is_stage) {
  if (parent.task) // a lost spawn has none
    parent.task->has_spawned = true;
  const bool is_outermost = parent.task && parent.invocation == parent.task;
  child.invocation = is_stage && is_outermost ? parent.task->outer : parent.invocation;
  if (child.invocation)
    ++child.invocation->live;
}

void SiteProfile::make_invocation(SiteFrame& frame, Row row, std::uint64_t start) {
  Invocation* const outer = frame.invocation;
  Invocation* const invocation = frame.task = pool_.make();
  invocation->row = row;
  invocation->serial = ++serials_;
  invocation->outer = outer;
  invocation->top_call_site = invocation->top_caller = true;
  // Every invocation in the chain has another row, so the walk is at most as long as sites nest.
  for (const Invocation* each = outer; each; each = each->outer) {
    invocation->top_call_site &= each->row != row;
    invocation->top_caller &= callers_[each->row] != callers_[row];
  }
  if (!invocation->top_call_site)
    return;
  ++invocation->refs;
  invocation->chain = chains_[row];
  invocation->live = 1;
  invocation->start = invocation->latest_end = start;
  frame.invocation = invocation;
}

void SiteProfile::not_of_program(SiteFrame& frame, const FrameState& of) {
  Invocation& invocation = *frame.task;
  invocation.counts = invocation.top_caller = false;
  if (!of.is_left_out)
    --rows_[of.row].on_work.local.count;
  if (!std::exchange(invocation.top_call_site, false))
    return;
  // The frame has the place in it that the invocation had.
  frame.invocation = invocation.outer;
  if (invocation.outer) {
    invocation.outer->work += invocation.work;
    invocation.outer->latest_end = std::max(invocation.outer->latest_end, invocation.latest_end);
  }
  release(pool_, &invocation);
}

void SiteProfile::add_extra(RowTotals& row, const Step& step) {
  row.extra.resize(step.extra.size());
  for (std::size_t event = 0; event < step.extra.size(); ++event)
    row.extra[event] += step.extra[event];
}

void SiteProfile::restarted(const SiteFrame& frame, std::uint64_t start) {
  Invocation& invocation = *frame.task;
  if (frame.invocation == &invocation && !invocation.has_spawned && invocation.work == 0)
    invocation.start = invocation.latest_end = start;
}

void SiteProfile::ended(SiteFrame& frame, Row row, std::uint64_t end, std::uint64_t local_span) {
  rows_[row].on_work.local.span += local_span;
  if (frame.invocation)
    frame.invocation->latest_end = std::max(frame.invocation->latest_end, end);
  drop(frame);
}

void SiteProfile::drop(SiteFrame& frame) {
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
