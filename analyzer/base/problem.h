// SPDX-License-Identifier: Apache-2.0
// Every way in which a data directory can be wrong, with one enumerator and one sentence each.
// Everything that reads input reports problems by this table; the command-line tools turn an Error
// into exit status 2.
//
// Two severities. An *error* means that bytes are damaged, foreign or contradict each other within
// one stream: nothing is reported. An *inconsistency* means that streams do not fit together (a
// task begins, but its spawn is missing): normal in an incomplete trace, a warning in one that
// claims to be complete, never a hang.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tp::analysis {

enum class Problem : std::uint8_t {
  // Files
  NoData,
  Unreadable,
  MissingRunJson,
  MissingStream,
  NoStreams,
  BadStreamName,
  BadJson,
  BadField,
  UnknownSchema,
  UnknownVersion,
  ForeignByteOrder,
  DuplicateId,
  Unwritable,
  // Chunks
  WrongMagic,
  SwappedMagic,
  ChunkVersion,
  HeaderBytes,
  HeaderCheck,
  ForeignSession,
  WrongStream,
  MissingChunk,
  ChunkBytes,
  UsedBytes,
  CutChunk,
  CutStream,
  Checksum,
  FirstSpawn,
  // Records
  UnknownOp,
  TornRecord,
  ZeroInside,
  BadPayload,
  // Records in their order
  StepWithoutFrame,
  StepInWait,
  EndWithoutFrame,
  WaitEndWithoutWait,
  ThreadNotOver,
  NoContextYet,
  NoSiteYet,
  UnknownTask,
  TaskTwice,
  IdOutOfRange,
  BadSite,
  BadRegion,
  NoLockYet,
  BadLockPlace,
  LoopEndWithoutBegin,
  JoinWithoutNode,
  Overflow,
  // Inconsistencies between streams
  NeverSpawned,
  NeverEnded,
  NeverJoined,
  NeverReleased,
  NeverCreated,
  NeverPutAside,
  ContextReused,
  RegionExceedsStep,
  TimeBackwards,
  Conservation,
  // What the user asked for
  NoSuchSite,
  NoSuchRegion,
  NoSuchWrapper,
  Count
};

struct ProblemText {
  const char* name;     // stable identifier, as in JSON and --dump
  const char* sentence; // what is wrong
};
const ProblemText& text_of(Problem problem);

// Where in the input: a file, and in streams also a byte offset and the ordinal of the record
// (1-based).
struct Place {
  std::string file;
  std::optional<std::uint64_t> offset = {};
  std::uint64_t record = 0;
};

// One line: where, what is wrong, and, unless `expected` is empty, the expected and the found
// value.
std::string line_of(Problem problem, const Place& place, std::string_view expected,
                    std::string_view got);

// `what()` is the complete line without its `tp: error: ` prefix.
class Error : public std::runtime_error {
public:
  Error(Problem problem, const Place& place, std::string_view expected, std::string_view got,
        std::string hint = {});
  Problem problem() const { return problem_; }
  const std::string& hint() const { return hint_; }

private:
  Problem problem_;
  std::string hint_;
};

[[noreturn]] void fail(Problem problem, const Place& place, std::string_view expected,
                       std::string_view got, std::string hint = {});

} // namespace tp::analysis
