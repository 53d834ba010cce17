// SPDX-License-Identifier: Apache-2.0
// One stream as a sequence of records with their times. Used by DagReader, StepSequence and
// trace_dump.
//
// Makes all checks that need one stream only: chunk headers, checksums, sequence, torn and unknown
// records. Never trusts a size in a file beyond the bytes that exist.
#pragma once

#include "base/problem.h"
#include "model/run_info.h"
#include "tp/trace/trace_codec.h"
#include "trace/trace_source.h"

#include <cstdint>
#include <span>

namespace tp::analysis {

// Times of one record, in ticks.
struct RecordTime {
  std::uint64_t begin = 0; // of the step that the record closes; else equal to `at`
  std::uint64_t at = 0;    // of the boundary that the record describes: the merge order
};

// The number of chunks of a stream, as far as its headers can be read.
std::uint64_t count_chunks(std::span<const std::byte> stream);

class StreamCursor {
public:
  StreamCursor(const TraceSource& source, std::uint32_t number, const RunInfo& run)
      : bytes_(source.streams[number].bytes()), file_(&source.streams[number].name()),
        number_(number), session_(run.session), bytes_taken_(source.bytes_taken),
        extra_events_(static_cast<unsigned>(run.extra_events.size())),
        same_as_time_(run.same_as_time) {}

  // Moves to the next record; false at the end of the stream. Throws Error.
  bool next() {
    if (static_cast<std::size_t>(end_ - at_) < trace::kMaxRecordBytes)
      return next_of_few();
    const std::byte* const start = at_;
    const auto status = trace::decode_as<true>(at_, end_, extra_events_, record_);
    if (status != trace::DecodeStatus::Ok) [[unlikely]]
      return next_of_few();
    record_at_ = start;
    ++record_count_;
    set_times();
    return true;
  }

  const trace::Record& record() const { return record_; }
  // Of the record after the current one in its chunk, if that is an Extended one.
  std::optional<trace::ExtendedKind> next_extended() const;
  const RecordTime& time() const { return time_; }
  std::uint32_t number() const { return number_; }
  Place place() const {
    return {*file_, static_cast<std::uint64_t>(record_at_ - bytes_.data()), record_count_};
  }
  std::uint64_t record_count() const { return record_count_; }

  // The reader counts spawns; each chunk states how many come before it.
  void count_spawn() { ++spawns_; }
  std::uint64_t spawns() const { return spawns_; }

  // For completeness and for the rate of the time source; final once next() has returned false.
  bool truncated() const { return truncated_; }
  bool cut() const { return cut_; } // the file ends inside an open chunk
  std::uint64_t chunks() const { return chunks_; }
  Place end() const { return {*file_, end_offset_, record_count_}; } // after the last chunk
  bool any_open_chunk() const { return any_open_chunk_; }
  std::uint64_t overlaps() const { return overlaps_; }
  struct TimePair {
    std::uint64_t ticks = 0, mono_ns = 0;
  };
  bool has_time_pairs() const { return chunks_ > 0; }
  TimePair first_pair() const { return first_pair_; }
  TimePair last_pair() const { return last_pair_; }
  std::uint64_t last_time() const { return now_; }
  const trace::ChunkHeader& chunk() const { return header_; }

private:
  bool next_of_few(); // at the end of a chunk, or of a stream
  bool end_stream();
  bool open_chunk();
  void check_header(std::size_t available) const;
  // The time of a record follows from the chunk's base time and the lengths before it: a record
  // that closes a step ends it at now + lead + length; Begin, WaitEnd and StackIn are at now +
  // idle.
  void set_times() {
    if (trace::closes_step(record_.op)) {
      time_.begin = now_ + record_.lead;
      now_ = time_.begin + (same_as_time_ ? record_.work + record_.wall : record_.wall);
    } else {
      if (record_.op == trace::Op::Begin || record_.op == trace::Op::WaitEnd ||
          record_.op == trace::Op::Extended)
        now_ += record_.lead;
      time_.begin = now_;
    }
    time_.at = now_;
  }
  [[noreturn]] void fail_chunk(Problem problem, std::uint64_t expected, std::uint64_t got) const;

  std::span<const std::byte> bytes_;
  const std::string* file_;
  std::uint32_t number_;
  std::uint64_t session_;
  std::atomic<std::uint64_t>* bytes_taken_;
  unsigned extra_events_;
  bool same_as_time_;

  std::size_t chunk_offset_ = 0; // of the current chunk
  std::size_t next_chunk_ = 0;
  std::size_t end_offset_ = 0; // where the stream ended, once it has
  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;
  trace::ChunkHeader header_{};
  trace::Record record_;
  RecordTime time_;
  std::uint64_t now_ = 0;
  const std::byte* record_at_ = bytes_.data();
  std::uint64_t record_count_ = 0;
  std::uint64_t spawns_ = 0;
  std::uint64_t overlaps_ = 0;
  std::uint32_t chunks_ = 0;
  TimePair first_pair_, last_pair_;
  bool truncated_ = false, cut_ = false, any_open_chunk_ = false, chunk_cut_ = false;
};

} // namespace tp::analysis
