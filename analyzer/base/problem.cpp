// SPDX-License-Identifier: Apache-2.0
// The table of problems and the form of an error line.
#include "base/problem.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace tp::analysis {
namespace {

constexpr std::array<ProblemText, static_cast<std::size_t>(Problem::Count)> kTexts{{
    {"NoData", "no such data directory"},
    {"Unreadable", "cannot be read"},
    {"MissingRunJson", "run.json is missing"},
    {"MissingStream", "a stream is missing"},
    {"NoStreams", "the directory has no stream: nothing was recorded"},
    {"BadStreamName", "the name of a stream is not a stream number"},
    {"BadJson", "is not valid JSON"},
    {"BadField", "a field is missing or has a wrong value"},
    {"UnknownSchema", "has an unknown schema"},
    {"UnknownVersion", "has a format version that this tp-analyze does not know"},
    {"ForeignByteOrder", "was written on a machine of other byte order"},
    {"DuplicateId", "an id is defined twice"},
    {"Unwritable", "cannot be written"},
    {"WrongMagic", "a chunk does not begin with its magic number"},
    {"SwappedMagic", "was written on a machine of other byte order"},
    {"ChunkVersion", "a chunk has a format version that this tp-analyze does not know"},
    {"HeaderBytes", "a chunk header has the wrong size"},
    {"HeaderCheck", "a chunk header is damaged"},
    {"ForeignSession", "a chunk belongs to another session"},
    {"WrongStream", "a chunk belongs to another stream"},
    {"MissingChunk", "a chunk is missing or out of place"},
    {"ChunkBytes", "a chunk has an impossible size"},
    {"UsedBytes", "a chunk uses more bytes than it has"},
    {"CutChunk", "the file ends inside a closed chunk"},
    {"CutStream", "the end of the stream is lost"},
    {"Checksum", "the records of a chunk are damaged"},
    {"FirstSpawn", "a chunk does not continue the count of spawns"},
    {"UnknownOp", "a record has an unknown operation"},
    {"TornRecord", "a record reaches beyond its chunk"},
    {"ZeroInside", "the records of a closed chunk end early"},
    {"BadPayload", "an extended record is too short"},
    {"StepWithoutFrame", "a step is closed where no task and no thread is running"},
    {"StepInWait", "a task ends while it waits"},
    {"EndWithoutFrame", "a task ends where none is running"},
    {"WaitEndWithoutWait", "a wait ends where none is open"},
    {"ThreadNotOver", "a thread takes or leaves a stream while frames are open"},
    {"NoContextYet", "a record refers to a context that its frame does not have"},
    {"NoSiteYet", "a record refers to the last site before one was named"},
    {"UnknownTask", "a task begins that its stream never spawned"},
    {"TaskTwice", "a task begins twice"},
    {"IdOutOfRange", "an id names a stream that does not exist"},
    {"BadSite", "a site id is not in sites.jsonl"},
    {"BadRegion", "a region id is not in sites.jsonl"},
    {"NoLockYet", "a record refers to a slot before a lock was named for it"},
    {"BadLockPlace", "the place of a lock is not in sites.jsonl"},
    {"LoopEndWithoutBegin", "a loop body ends that never began"},
    {"JoinWithoutNode", "a frame passes a fold node that it does not have"},
    {"Overflow", "the work does not fit into 64 bits"},
    {"NeverSpawned", "tasks begin whose spawn was not recorded"},
    {"NeverEnded", "waits end before all tasks they join"},
    {"NeverJoined", "fold nodes are passed before their other side has ended"},
    {"NeverReleased", "edges are acquired that were never released"},
    {"NeverCreated", "contexts are used that were never created"},
    {"NeverPutAside", "stacks are resumed that were never suspended"},
    {"ContextReused", "contexts are used after their end"},
    {"RegionExceedsStep", "causal regions have more work than their step"},
    {"TimeBackwards", "steps of a thread overlap in time"},
    {"Conservation", "sums over sites and over the program differ"},
    {"NoSuchSite", "there is no such site"},
    {"NoSuchRegion", "there is no such causal region"},
    {"NoSuchWrapper", "there is no such function"},
}};

} // namespace

const ProblemText& text_of(Problem problem) {
  return kTexts[static_cast<std::size_t>(problem)];
}

std::string line_of(Problem problem, const Place& place, std::string_view expected,
                    std::string_view got) {
  std::string line = place.file;
  if (place.record > 0)
    line += fmt::format(" (byte {}, record {})", place.offset.value_or(0), place.record);
  else if (place.offset)
    line += fmt::format(" (byte {})", *place.offset);
  line += fmt::format(": {}", text_of(problem).sentence);
  return expected.empty() ? line : line + fmt::format(": expected {}, got {}", expected, got);
}

Error::Error(Problem problem, const Place& place, std::string_view expected, std::string_view got,
             std::string hint)
    : std::runtime_error(line_of(problem, place, expected, got)), problem_(problem),
      hint_(std::move(hint)) {}

void fail(Problem problem, const Place& place, std::string_view expected, std::string_view got,
          std::string hint) {
  throw Error(problem, place, expected, got, std::move(hint));
}

} // namespace tp::analysis
