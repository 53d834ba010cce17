// SPDX-License-Identifier: Apache-2.0
// How a cursor moves from chunk to chunk.
#include "trace/stream_cursor.h"

#include <fmt/format.h>

#include <algorithm>

namespace tp::analysis {

using trace::ChunkHeader;
using trace::Op;

namespace {

// Allocated space that was never used is zero: the end of the stream.
bool is_unused(std::span<const std::byte> space) {
  const auto head = space.first(std::min(space.size(), sizeof(ChunkHeader)));
  return std::all_of(head.begin(), head.end(), [](std::byte b) { return b == std::byte{0}; });
}

} // namespace

std::uint64_t count_chunks(std::span<const std::byte> stream) {
  std::uint64_t count = 0;
  ChunkHeader header{};
  while (stream.size() >= sizeof header && !is_unused(stream)) {
    std::memcpy(&header, stream.data(), sizeof header);
    ++count;
    if (header.chunk_bytes < sizeof header)
      break; // damaged: next() reports it
    stream = stream.subspan(std::min<std::size_t>(header.chunk_bytes, stream.size()));
  }
  return count;
}

void StreamCursor::fail_chunk(Problem problem, std::uint64_t expected, std::uint64_t got) const {
  fail(problem, {*file_, chunk_offset_}, std::to_string(expected), std::to_string(got));
}

void StreamCursor::check_header(std::size_t available) const {
  const Place place{*file_, chunk_offset_};
  if (header_.magic == __builtin_bswap32(trace::kChunkMagic))
    fail(Problem::SwappedMagic, place, fmt::format("magic {:#x}", trace::kChunkMagic),
         fmt::format("{:#x}", header_.magic), "analyze it on a machine of the same byte order");
  if (header_.magic != trace::kChunkMagic)
    fail(Problem::WrongMagic, place, fmt::format("magic {:#x}", trace::kChunkMagic),
         fmt::format("{:#x}", header_.magic));
  if (header_.version < trace::kOldestVersion || header_.version > trace::kFormatVersion)
    fail(Problem::ChunkVersion, place,
         fmt::format("{} to {}", trace::kOldestVersion, trace::kFormatVersion),
         std::to_string(header_.version), "use the tp-analyze of the tp-run that recorded it");
  if (header_.header_bytes != sizeof(ChunkHeader))
    fail_chunk(Problem::HeaderBytes, sizeof(ChunkHeader), header_.header_bytes);
  if (header_.header_check != trace::header_check(header_))
    fail(Problem::HeaderCheck, place, fmt::format("check {:#x}", trace::header_check(header_)),
         fmt::format("{:#x}", header_.header_check));
  if (header_.session != session_)
    fail(Problem::ForeignSession, place, fmt::format("session {:016x}", session_),
         fmt::format("{:016x}", header_.session));
  if (header_.stream != number_)
    fail_chunk(Problem::WrongStream, number_, header_.stream);
  if (header_.sequence != chunks_)
    fail_chunk(Problem::MissingChunk, chunks_, header_.sequence);
  if (header_.chunk_bytes < sizeof(ChunkHeader))
    fail(Problem::ChunkBytes, place, fmt::format("at least {}", sizeof(ChunkHeader)),
         std::to_string(header_.chunk_bytes));
  if (header_.first_spawn != spawns_)
    fail_chunk(Problem::FirstSpawn, spawns_, header_.first_spawn);
  if (!(header_.flags & trace::kChunkClosed))
    return;
  if (header_.used_bytes > header_.chunk_bytes - sizeof(ChunkHeader))
    fail(Problem::UsedBytes, place,
         fmt::format("at most {}", header_.chunk_bytes - sizeof(ChunkHeader)),
         std::to_string(header_.used_bytes));
  if (header_.used_bytes > available - sizeof(ChunkHeader))
    fail_chunk(Problem::CutChunk, sizeof(ChunkHeader) + header_.used_bytes, available);
}

// Makes the chunk at next_chunk_ current; false if the stream has ended.
bool StreamCursor::open_chunk() {
  chunk_offset_ = next_chunk_;
  const std::size_t available = bytes_.size() - chunk_offset_;
  const std::byte* const start = bytes_.data() + chunk_offset_;
  if (is_unused({start, available}))
    return false;
  if (available < sizeof(ChunkHeader)) {
    cut_ = true;
    return false;
  }
  std::memcpy(&header_, start, sizeof header_);
  check_header(available);

  const std::byte* const records = start + sizeof(ChunkHeader);
  const bool closed = header_.flags & trace::kChunkClosed;
  const std::size_t room =
      std::min<std::size_t>(header_.chunk_bytes, available) - sizeof(ChunkHeader);
  at_ = records;
  record_.begin_chunk();
  end_ = records + (closed ? header_.used_bytes : room);
  if (closed) {
    const std::uint64_t sum = trace::checksum(records, header_.used_bytes);
    if (sum != header_.checksum)
      fail(Problem::Checksum, {*file_, chunk_offset_},
           fmt::format("checksum {:016x}", header_.checksum), fmt::format("{:016x}", sum));
  } else {
    any_open_chunk_ = true;
  }
  // A closed last chunk may have lost its unused end; an open one that is short was cut by a copy.
  chunk_cut_ = !closed && available < header_.chunk_bytes;
  next_chunk_ = chunk_offset_ + std::min<std::size_t>(header_.chunk_bytes, available);
  truncated_ |= (header_.flags & trace::kChunkTruncated) != 0;
  // Times are sums of rounded differences (a step's work can exceed its wall-clock time slightly):
  // only an overlap that these do not explain counts.
  const std::uint64_t covered = now_ - last_pair_.ticks;
  if (chunks_ > 0 && header_.base_time < now_ && now_ - header_.base_time > covered / 16 + 1000)
    ++overlaps_;
  now_ = header_.base_time;
  last_pair_ = {header_.base_time, header_.base_mono_ns};
  if (chunks_ == 0)
    first_pair_ = last_pair_;
  ++chunks_;
  return true;
}

std::optional<trace::ExtendedKind> StreamCursor::next_extended() const {
  const std::byte* at = at_;
  trace::Record next;
  if (at == nullptr || trace::decode(at, end_, extra_events_, next) != trace::DecodeStatus::Ok ||
      next.op != Op::Extended)
    return std::nullopt;
  return next.extended_kind;
}

bool StreamCursor::end_stream() {
  end_offset_ = std::min(next_chunk_, bytes_.size());
  at_ = end_ = nullptr;
  next_chunk_ = bytes_.size();
  return false;
}

bool StreamCursor::next_of_few() {
  for (;;) {
    const std::byte* const start = at_;
    const auto status = at_ == nullptr ? trace::DecodeStatus::EndOfData
                                       : trace::decode(at_, end_, extra_events_, record_);
    if (status == trace::DecodeStatus::EndOfData) {
      if (at_ != nullptr && at_ != end_ && (header_.flags & trace::kChunkClosed)) {
        record_at_ = at_;
        fail(Problem::ZeroInside, place(), fmt::format("{} more bytes of records", end_ - at_),
             "a zero tag");
      }
      if (at_ != nullptr && at_ == end_ && chunk_cut_)
        cut_ = true;
      if (bytes_taken_)
        bytes_taken_->fetch_add(next_chunk_ - chunk_offset_, std::memory_order_relaxed);
      if (next_chunk_ >= bytes_.size() || !open_chunk())
        return end_stream();
      continue;
    }
    record_at_ = start;
    ++record_count_;
    if (status == trace::DecodeStatus::Torn) {
      if (chunk_cut_) {
        --record_count_;
        cut_ = true;
        return end_stream();
      }
      fail(Problem::TornRecord, place(), "a whole record", fmt::format("{} bytes", end_ - start));
    }
    // A tag of operation 0 that is not all zero decodes as None.
    if (status == trace::DecodeStatus::UnknownOp || record_.op == Op::None)
      fail(Problem::UnknownOp, place(), "an operation of this format version",
           std::to_string(static_cast<unsigned>(record_.op)));
    set_times();
    return true;
  }
}

} // namespace tp::analysis
