// SPDX-License-Identifier: Apache-2.0
// For tests of the runtime without oneTBB: records in a process of its own, and converts the
// streams to readable lines.
#pragma once

#include "temporary_folder.h"
#include "tp/trace/trace_codec.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tp::test {

struct Stream {
  std::vector<trace::ChunkHeader> chunks;
  std::vector<std::string> lines;     // one per record
  std::vector<trace::Record> records; // payloads point into `bytes`
  std::string bytes;
};

inline std::string line_of(const trace::Record& record) {
  static const char* const kNames[] = {
      "None",       "Spawn",     "SpawnWait",  "Wait",        "WaitEnd", "Begin",   "End",
      "Task",       "LoopBegin", "LoopEnd",    "Join",        "Release", "Acquire", "Region",
      "ContextEnd", "Cut",       "PortionEnd", "PortionJoin", "Section", "Take",    "Give"};
  if (record.op == trace::Op::Extended)
    return "Extended " + std::to_string(static_cast<int>(record.extended_kind));
  std::string line = kNames[static_cast<int>(record.op)];
  if (record.op == trace::Op::Section || record.op == trace::Op::Take ||
      record.op == trace::Op::Give) {
    line += " at " + std::to_string(record.lead);
    if (record.op == trace::Op::Section)
      line += " work " + std::to_string(record.work);
    if (record.flags & trace::kLockShared)
      line += " shared";
    if (record.flags & trace::kLockContended && record.op != trace::Op::Give)
      line += " contended";
    return line;
  }
  if (trace::closes_step(record.op) || record.op == trace::Op::Region)
    line += " " + std::to_string(record.work);
  if (trace::has_context(record.op)) {
    static const char* const kCodes[] = {" own", " last", " new", " id"};
    line += kCodes[record.flags >> trace::kContextShift & 3];
  }
  if (record.op == trace::Op::Spawn && (record.flags & trace::kSpawnSplit) != 0)
    line += " split";
  if (record.op == trace::Op::Begin || record.op == trace::Op::Task) {
    static const char* const kCodes[] = {" newest", " back", " back", " id"};
    line += kCodes[record.flags & 3];
    if ((record.flags & 3) != 0)
      line += " " + std::to_string(record.id);
    if (record.flags & trace::kTaskCancelled)
      line += " cancelled";
  }
  if (record.op == trace::Op::LoopEnd)
    line += " " + std::to_string(record.iterations) + "/" + std::to_string(record.grain);
  return line;
}

// Of a LockTries, without its slot.
inline std::string tries_of(const trace::Record& record) {
  trace::LockTriesPayload payload;
  std::memcpy(&payload, record.payload, sizeof payload);
  return " of " + std::to_string(payload.tries) + " at place " + std::to_string(payload.place) +
         " with work " + std::to_string(payload.work);
}

// Reads a stream file and checks the invariants of every file: magic, sequence, checksum, nothing
// after the last record.
inline Stream read_stream(const std::string& path) {
  Stream stream;
  stream.bytes = content_of(path);
  const auto* at = reinterpret_cast<const std::byte*>(stream.bytes.data());
  const std::byte* const end = at + stream.bytes.size();
  while (at < end) {
    trace::ChunkHeader header;
    if (end - at < static_cast<std::ptrdiff_t>(sizeof header)) {
      ADD_FAILURE() << "an incomplete chunk at the end of " << path;
      break;
    }
    std::memcpy(&header, at, sizeof header);
    EXPECT_EQ(header.magic, trace::kChunkMagic);
    EXPECT_EQ(header.header_check, trace::header_check(header));
    EXPECT_EQ(header.sequence, stream.chunks.size());
    EXPECT_LE(at + header.chunk_bytes, end);
    if (header.chunk_bytes < sizeof header || at + header.chunk_bytes > end)
      break;
    const std::byte* record_at = at + header.header_bytes;
    const std::byte* records_end = at + header.chunk_bytes;
    if (header.flags & trace::kChunkClosed) {
      EXPECT_EQ(header.checksum, trace::checksum(record_at, header.used_bytes));
      records_end = record_at + header.used_bytes;
    }
    trace::Record record;
    trace::DecodeStatus status;
    while ((status = trace::decode(record_at, records_end, 0, record)) == trace::DecodeStatus::Ok) {
      stream.lines.push_back(line_of(record));
      stream.records.push_back(record);
    }
    EXPECT_EQ(status, trace::DecodeStatus::EndOfData);
    stream.chunks.push_back(header);
    at += header.chunk_bytes;
  }
  return stream;
}

// Runs `program` in a process of its own, which ends by exit(), and returns its data directory. What `program` expects
// is part of the test.
// The runtime of this executable uses the virtual clock and the folder in $TP_TEST_DATA
// (hooks/hooks_test.cpp).
inline std::string record(const std::function<void()>& program) {
  const pid_t child = fork();
  if (child == 0) {
    program();
    std::exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return std::string(std::getenv("TP_TEST_DATA")) + "/" + std::to_string(child);
}

} // namespace tp::test
