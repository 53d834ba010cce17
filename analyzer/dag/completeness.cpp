// SPDX-License-Identifier: Apache-2.0
// What the streams add up to after all have been read, and whether anything is missing. Part of
// DagReader.
#include "dag/dag_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace tp::analysis {
namespace {

// A report names the directory already.
Place place_in_report(Place place) {
  place.file = std::filesystem::path(place.file).filename().string();
  return place;
}

} // namespace

void DagReader::note_missing(Problem problem, const Stream& stream) {
  note(problem);
  if (missing_++ == 0)
    first_missing_ = {problem, place_in_report(stream.cursor.place())};
}

void DagReader::measure_streams() {
  for (const Stream& stream : streams_) {
    summary_.records += stream.cursor.record_count();
    const std::uint64_t in_use =
        stream.cursor.last_time() - std::min(stream.first_time, stream.cursor.last_time());
    summary_.thread_time += in_use - std::min(stream.without_thread, in_use);
    summary_.last_time = std::max(summary_.last_time, stream.cursor.last_time());
    note(Problem::TimeBackwards, stream.cursor.overlaps());
  }
  if (info_.end)
    for (const LiveThread& thread : info_.end->threads) {
      summary_.threads.cpu_ns += thread.cpu_ns;
      summary_.threads.paused_work += thread.paused_work;
    }
}

// Compares the counts of end.json with the streams. All other checks see a stream that was cut
// between two chunks as a whole stream.
void DagReader::find_losses() {
  if (!info_.end)
    return;
  auto& reasons = summary_.incomplete_reasons;
  for (const Stream& stream : streams_)
    if (stream.cursor.chunks() < stream.expected_chunks)
      reasons.push_back(line_of(Problem::CutStream, place_in_report(stream.cursor.end()),
                                fmt::format("{} chunks", stream.expected_chunks),
                                std::to_string(stream.cursor.chunks())));
  // Without these counts, only missing tasks, edges or contexts show a loss.
  const EndInfo& end = *info_.end;
  if (reasons.empty() && end.chunks.empty() && !end.truncated && end.all_ended &&
      summary_.unfinished == 0 && missing_ > 0)
    reasons.push_back(line_of(first_missing_.first, first_missing_.second, "whole streams",
                              fmt::format("{} such records", missing_)));
  summary_.lost = !reasons.empty();
}

void DagReader::judge_completeness() {
  find_losses();
  auto& reasons = summary_.incomplete_reasons;
  if (!info_.end)
    reasons.emplace_back(
        "the end of the program is not recorded (no end.json): it was killed, crashed, still runs, "
        "or could not write to its recording then, as after setuid()");
  std::uint64_t truncated = 0, cut = 0;
  for (const Stream& stream : streams_) {
    truncated += stream.cursor.truncated();
    cut += stream.cursor.cut();
  }
  if (truncated > 0)
    reasons.push_back(
        fmt::format("recording stopped early in {} of {} streams (disk full or size limit)",
                    truncated, streams_.size()));
  else if (info_.end && info_.end->truncated)
    reasons.emplace_back("recording stopped early (disk full or size limit)");
  if (cut > 0)
    reasons.push_back(fmt::format("{} stream files are cut off", cut));
  if (info_.sites.torn)
    reasons.emplace_back("the last line of sites.jsonl is cut off");
  summary_.complete = reasons.empty();
}

// The rate in run.json was measured in a short moment; the chunks' pairs of times cover the whole
// run.
void DagReader::refine_time_rate() {
  constexpr std::uint64_t kLongEnoughNs = 100'000'000;
  summary_.time_hz = static_cast<double>(info_.run.time.hz);
  if (info_.run.time.unit == "ns")
    return;
  StreamCursor::TimePair first{~std::uint64_t{0}, ~std::uint64_t{0}}, last;
  for (const Stream& stream : streams_) {
    if (!stream.cursor.has_time_pairs())
      continue;
    if (stream.cursor.first_pair().mono_ns < first.mono_ns)
      first = stream.cursor.first_pair();
    if (stream.cursor.last_pair().mono_ns > last.mono_ns)
      last = stream.cursor.last_pair();
  }
  if (info_.run.mono_start_ns > 0 && info_.run.mono_start_ns < first.mono_ns)
    first = {info_.run.time_start, info_.run.mono_start_ns};
  if (info_.end && info_.end->mono_end_ns > last.mono_ns)
    last = {info_.end->time_end, info_.end->mono_end_ns};
  if (last.mono_ns <= first.mono_ns || last.ticks <= first.ticks ||
      last.mono_ns - first.mono_ns < kLongEnoughNs)
    return;
  const double refined = static_cast<double>(last.ticks - first.ticks) * 1e9 /
                         static_cast<double>(last.mono_ns - first.mono_ns);
  // A pair that is far off is worse than none.
  if (refined > 0.9 * summary_.time_hz && refined < 1.1 * summary_.time_hz)
    summary_.time_hz = refined;
}

} // namespace tp::analysis
