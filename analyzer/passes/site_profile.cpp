// When invocations begin and end.
#include "passes/site_profile.h"

#include <algorithm>

namespace tp::analysis {

void SiteProfile::spawned(const FrameState& parent, FrameState& child) {
  // Every invocation in the chain has another row, so the walk is as short as sites nest.
  for (Invocation* each = parent.invocation; each; each = each->parent)
    if (each->row == child.row) {
      child.invocation = parent.invocation;
      ++child.invocation->live;
      return;
    }
  Invocation* const invocation = invocations_.make();
  invocation->parent = parent.invocation;
  if (invocation->parent)
    ++invocation->parent->live;
  invocation->row = child.row;
  invocation->live = 1;
  invocation->start = invocation->latest_end = child.path->executed();
  child.invocation = invocation;
}

void SiteProfile::add_extra(RowTotals& row, const Step& step) {
  row.extra.resize(step.extra.size());
  for (std::size_t event = 0; event < step.extra.size(); ++event)
    row.extra[event] += step.extra[event];
}

void SiteProfile::ended(const FrameState& frame) {
  Invocation* const invocation = frame.invocation;
  if (!invocation)
    return;
  invocation->latest_end = std::max(invocation->latest_end, frame.path->executed());
  leave(invocation);
}

void SiteProfile::abandoned(const FrameState& frame) {
  if (frame.invocation)
    leave(frame.invocation);
}

void SiteProfile::leave(Invocation* invocation) {
  while (invocation && --invocation->live == 0) {
    RowTotals& row = rows_[invocation->row];
    row.work += invocation->work;
    row.span += invocation->latest_end - invocation->start;
    ++row.outermost;
    Invocation* const parent = invocation->parent;
    if (parent) {
      parent->work += invocation->work;
      parent->latest_end = std::max(parent->latest_end, invocation->latest_end);
    }
    invocations_.free(invocation);
    invocation = parent;
  }
}

} // namespace tp::analysis
