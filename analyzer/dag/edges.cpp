// SPDX-License-Identifier: Apache-2.0
// Edges between tasks: released once, acquired by as many frames as their uses say, and dropped
// when no further use can come. Part of DagReader.
#include "dag/dag_reader.h"

namespace tp::analysis {
namespace {
constexpr std::int64_t kAnyNumber = INT64_MAX / 2; // uses of a kept edge
} // namespace

void DagReader::process_release(Stream& stream) {
  Frame& frame = running(stream);
  close_step(stream, frame, {BoundaryKind::Other});
  const std::uint64_t ordinal = stream.releases++;
  edges_.insert(trace::pack_id(stream.cursor.number(), ordinal),
                {visitor_.copy_path(*frame.state.path),
                 stream.cursor.record().flags & trace::kReleaseKept ? kAnyNumber : 1});
  queue_.wake_up_to(stream.release_waiters, ordinal);
}

// Null: not released yet, or used up long ago; in both cases the record can only wait.
DagReader::Edge* DagReader::find_edge(Stream& stream, std::uint64_t id) {
  Edge* const found = edges_.find(id);
  if (found)
    return found;
  if (force_) {
    note_missing(Problem::NeverReleased, stream);
  } else {
    Stream* const releaser = stream_of(stream, id);
    block(stream, releaser ? releaser->release_waiters : lost_, trace::id_ordinal(id));
  }
  return nullptr;
}

void DagReader::use_edge(const Stream& stream, std::uint64_t id, Edge& edge, std::int64_t change) {
  const bool was_spent = edge.uses <= 0;
  edge.uses += change;
  if (edge.uses > 0 || was_spent)
    return;
  edge.spent_at = stream.cursor.time().at;
  spent_edges_.push_back(id);
  if (spent_edges_.size() >= next_drop_)
    drop_spent_edges(edge.spent_at);
}

// The record that a message was copied is in another stream than its acquires, and that stream may
// be blocked. So an edge is dropped only when every stream is past the time of the edge's last
// known use: no further use can follow.
void DagReader::drop_spent_edges(std::uint64_t now) {
  const std::uint64_t earliest = queue_.earliest(now);
  std::erase_if(spent_edges_, [&](std::uint64_t id) {
    const Edge* const edge = edges_.find(id);
    if (!edge || edge->uses > 0)
      return true; // dropped already, or to be spent again
    if (edge->spent_at >= earliest)
      return false;
    visitor_.drop_path(edge->path);
    edges_.erase(id);
    return true;
  });
  next_drop_ = 2 * spent_edges_.size() + 1024;
}

bool DagReader::process_acquire(Stream& stream) {
  const std::uint64_t id = stream.cursor.record().id;
  Frame& frame = running(stream);
  Edge* const found = find_edge(stream, id);
  if (!found && !force_)
    return false;
  // The first record after the end of a wait: an edge to that end.
  summary_.graph_waits_seen += frame.state.opened.kind == BoundaryKind::Wait &&
                               frame.last_context && frame.last_context->construct == kFlowGraph;
  close_step(stream, frame, {BoundaryKind::Other});
  if (!found)
    return true;
  // Within a body call of a loop, lengths are counted from the beginning of the call.
  const bool starts_after = stream.cursor.record().flags & trace::kAcquireAlone;
  if (starts_after && frame.context && frame.context->construct == kFlowGraph)
    summary_.after_messages[frame.state.row] = 1;
  if (starts_after && frame.open_loops == 0) {
    visitor_.assign_path(*frame.state.path, *found->path);
    visitor_.restarted(frame.state);
  } else {
    visitor_.join_path(*frame.state.path, *found->path, Tie::Into);
    visitor_.delayed(frame.state);
  }
  use_edge(stream, id, *found, -1);
  return true;
}

bool DagReader::process_edge_uses(Stream& stream, const trace::EdgeUsesPayload& payload) {
  Edge* const found = find_edge(stream, payload.edge);
  if (found)
    use_edge(stream, payload.edge, *found, payload.change);
  return found || force_;
}

} // namespace tp::analysis
