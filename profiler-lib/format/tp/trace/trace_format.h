// The trace format: every byte that a stream file can hold. Writer (profiler-lib, inside the user's
// process) and reader (analyzer) both include this file and nothing else describes the bytes;
// docs/trace-format.md tells the same story to people. No dependency beyond the C++ standard
// library.
//
// A data directory holds
//   run.json          who, when, which clock, in which unit; written at start         (schema
//   taskpath.run/1) sites.jsonl       one JSON object per line: modules, spawn sites, causal
//   regions; appended as they appear NNNNNN.tps        one stream per thread: a chain of chunks of
//   records             (this file) end.json          totals; written at a clean end, so its
//   absence means `incomplete` (schema taskpath.end/1)
//
// Two ideas keep a step near eight bytes. A record that closes a step carries that step's figures,
// so there is no separate step record. And a 16-bit tag names, besides the operation, the width of
// each field, so that fields are as wide as their values and are still read and written without a
// loop.
//
// Ids. The n-th SPAWN record of stream s is task (s, n), the n-th new context of stream s is
// context (s, n), the n-th RELEASE is edge (s, n), all counted from 0: ids cost nothing and are
// shared by nobody. Packed in 64 bits they read stream << 44 | ordinal.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tp::trace {

inline constexpr std::uint32_t kChunkMagic =
    0x4b435054; // "TPCK" in the byte order of the writing machine
inline constexpr std::uint16_t kFormatVersion = 1;
inline constexpr const char* kStreamSuffix = ".tps";
inline constexpr unsigned kOrdinalBits = 44;
inline constexpr std::uint64_t kOrdinalMask = (std::uint64_t{1} << kOrdinalBits) - 1;
inline constexpr std::uint32_t kMaxStreams = 1u << (64 - kOrdinalBits);

// Site 0 is the code that no task runs: the program's external threads outside every task ("main").
inline constexpr std::uint32_t kMainSite = 0;

constexpr std::uint64_t pack_id(std::uint32_t stream, std::uint64_t ordinal) {
  return std::uint64_t{stream} << kOrdinalBits | ordinal;
}
constexpr std::uint32_t id_stream(std::uint64_t id) {
  return static_cast<std::uint32_t>(id >> kOrdinalBits);
}
constexpr std::uint64_t id_ordinal(std::uint64_t id) {
  return id & kOrdinalMask;
}

enum ChunkFlags : std::uint32_t {
  kChunkClosed = 1, // used_bytes and checksum are valid
  kChunkTruncated =
      2, // recording stopped here (disk full, size limit): later events of this thread are lost
};

// First bytes of each chunk. Fields up to first_spawn are fixed when the chunk is opened and
// guarded by header_check; the others are written when it is closed. A chunk that was never closed
// (the process was killed) is zero behind its last record, and a zero tag means "no more records".
struct ChunkHeader {
  std::uint32_t magic;   // kChunkMagic; the same number byte-swapped: a machine of other byte order
  std::uint16_t version; // kFormatVersion
  std::uint16_t header_bytes; // sizeof(ChunkHeader): records start here
  std::uint64_t session;      // equal to "session" of run.json
  std::uint32_t stream;       // number of this stream; equal to the file name
  std::uint32_t sequence;     // 0, 1, 2, ... within the stream
  std::uint32_t
      chunk_bytes; // size of the whole chunk, this header included; the next chunk follows
  std::uint32_t header_check; // header_check() over the fields fixed at opening
  std::uint64_t
      base_time; // time stamp (ticks of run.json "time") from which the chunk's records count on
  std::uint64_t base_mono_ns; // CLOCK_MONOTONIC at the same moment: two chunks give the tick rate
  std::uint64_t first_spawn;  // ordinal of the next SPAWN of this stream
  std::uint32_t used_bytes;   // bytes of records behind the header
  std::uint32_t flags;        // ChunkFlags
  std::uint64_t checksum;     // checksum() of the used_bytes
};
static_assert(sizeof(ChunkHeader) == 72 && alignof(ChunkHeader) == 8);

// Operations: the low five bits of a tag. "Closes" means: ends the step that is open in the frame
// on top of the thread's frame stack, and carries its figures. "Opens" means: the next step starts
// after it.
enum class Op : std::uint8_t {
  None = 0,      // end of data
  Spawn = 1,     // closes; creates a task [site, context]; opens
  SpawnWait = 2, // closes; creates a task [site, context]; the frame then waits on that context
  Wait = 3,      // closes; the frame waits on a context [context]
  WaitEnd =
      4,     // the wait on top of the stack is over: joins; opens.                     lead = idle
  Begin = 5, // the thread starts a task [task]: pushes a frame, opens.                 lead = idle
  End = 6,   // closes; the task on top of the stack is over: pops its frame
  Task = 7,  // Begin and End in one: a task without events inside [task]
  LoopBegin = 8, // closes; a loop body call (divisible leaf) starts; opens
  LoopEnd = 9,   // closes; the loop body call is over [iterations, grain]; opens
  Join = 10,     // closes; the frame passes a fold node whose other side has ended; opens
  Release = 11,  // closes; publishes the path so far as edge (stream, ordinal of Release); opens
  Acquire = 12,  // closes; the path continues after the named edge as well [edge]; opens
  Region = 13,   // part of the next closed step lies in a causal region [region]; work = that part
  ContextEnd = 14, // a context is destroyed and its id never used again [context]; closes nothing
  Cut = 15,        // closes; opens (for example where recording is paused or resumed)
  Extended = 31, // u8 ExtendedKind, u8 reserved, u16 payload bytes, payload: rare things; skip what
                 // you do not know
};

enum class ExtendedKind : std::uint8_t {
  ThreadBegin = 1, // ThreadBeginPayload: a thread takes the stream. External threads get a root
                   // frame, step open
  ThreadEnd = 2,   // ThreadEndPayload: the thread gives the stream back; its frame stack is empty
  Pause = 3,       // tp::pause(): work recorded until Resume is zero on purpose
  Resume = 4,
  Forked = 5,   // the first record of a stream of a fork()ed child
  StackOut = 6, // the stream's frame stack is put aside as stack (stream, ordinal of StackOut);
                // none remains
  StackIn = 7,  // StackInPayload: the frames of a stack put aside (by any stream) are the stream's
                // frames now; lead = idle
  EdgeUses = 8, // EdgeUsesPayload: an edge will be acquired more often than once, or not at all
  // Of the stream's next Spawn or SpawnWait, in a context of the user's. Spawn: the task is an item
  // that was fed to a parallel_for_each. SpawnWait: the wait is for a parallel_for_each, and joins
  // what is fed to it.
  Feed = 9,
};

enum class ThreadRole : std::uint32_t { Worker = 0, External = 1, Main = 2 };

struct ThreadBeginPayload {
  std::uint64_t os_thread; // gettid()
  std::uint64_t
      prior_work;     // work of this thread before the profiler saw it; belongs to the root frame
  std::uint32_t role; // ThreadRole
  std::uint32_t reserved;
};
static_assert(sizeof(ThreadBeginPayload) == 24);

struct ThreadEndPayload {
  std::uint64_t cpu_ns;      // CPU time of the thread, kernel included, since it was created
  std::uint64_t paused_work; // work dropped because recording was paused
};
static_assert(sizeof(ThreadEndPayload) == 16);

struct StackInPayload {
  std::uint64_t stack; // packed id
};
static_assert(sizeof(StackInPayload) == 8);

struct EdgeUsesPayload {
  std::uint64_t edge;  // packed id
  std::int32_t change; // of the number of Acquires still to come, which is 1 after the Release
  std::uint32_t reserved;
};
static_assert(sizeof(EdgeUsesPayload) == 16);

// Tag layout (16 bits): op 0-4, width code of lead 5-6, of work 7-8, of wall 9-10, five flags
// 11-15. A width code selects 0, 2, 4 or 8 bytes. Fields follow the tag in this order: lead, work,
// wall, then, if the run has extra events and the record closes a step, one u16 of width codes (two
// bits per event, first event lowest) and the events' values, then the operands in the order listed
// at each Op.
//   lead  ticks between the previous step (or thread begin) of this thread and this step, without
//   the idle ticks
//         told by Begin, WaitEnd and StackIn in between: time inside the runtime and the profiler ("tasking
//         overhead")
//   work  of the closed step, in the unit of run.json "work"
//   wall  run.json work.same_as_time: wall time of the step minus its work, in ticks; else: its
//   wall time in ticks
inline constexpr unsigned kLeadShift = 5, kWorkShift = 7, kWallShift = 9, kFlagShift = 11;
inline constexpr unsigned kWidthBytes[4] = {0, 2, 4, 8};

// Flags of Spawn and SpawnWait (site), and of all records with a context operand.
//   bits 0-1: SiteCode    bits 2-3: ContextCode    bit 4: kSpawnSplit, kWaitAlone
enum class SiteCode : std::uint8_t {
  Inherit = 0, // the site of the spawning frame: an algorithm splits its own work (never a call of
               // the user's, even if that stands at the same site)
  Last = 1,    // the site last named in this stream
  U16 = 2,     // operand of 2 bytes
  U32 = 3,     // operand of 4 bytes
};
enum class ContextCode : std::uint8_t {
  Own = 0,  // the context of the task that the frame runs
  Last = 1, // the context last named by a record of this frame with New or Id
  New = 2,  // a context without id so far: it gets the stream's next ordinal; operand: u8
            // ContextTraits
  Id = 3,   // operand: packed id, 8 bytes
};
inline constexpr unsigned kContextShift = 2;
inline constexpr unsigned kSpawnSplit =
    16; // Spawn: the new task and the rest of its parent meet again at a fold node
inline constexpr unsigned kWaitAlone =
    16; // SpawnWait: waits for the new task and what descends from it, for nothing else

// Flags of Begin and Task.   bits 0-1: TaskCode    bit 2: kTaskCancelled
enum class TaskCode : std::uint8_t {
  Newest = 0, // the task this stream spawned last
  Back16 = 1, // operand of 2 bytes: how many spawns of this stream before the newest
  Back32 = 2, // operand of 4 bytes: the same
  Id = 3,     // operand: packed id, 8 bytes (a task of another stream: stolen)
};
inline constexpr unsigned kTaskCancelled = 4; // cancel() ran in place of execute()

inline constexpr unsigned kEndByException = 1;     // flag of End: the task threw
inline constexpr unsigned kTaskByException = 8;    // flag of Task: the same
inline constexpr unsigned kWaitEndByException = 1; // flag of WaitEnd: the wait rethrew
inline constexpr unsigned kAcquireAlone =
    1; // flag of Acquire: the path continues after the edge only
inline constexpr unsigned kReleaseKept = 1; // flag of Release: any number of Acquires may name it

// Flags of LoopEnd.   bits 0-1: width of iterations    bits 2-3: width of grain    (CountCode each)
enum class CountCode : std::uint8_t { One = 0, U16 = 1, U32 = 2, U64 = 3 };

// Flag of Region, bit 0: the region operand has 4 bytes in place of 2.
inline constexpr unsigned kRegionWide = 1;

// ContextTraits operand: who made the context and how its waits join.
//   bits 0-5: Construct    bit 6: kContextExclusive    bit 7: reserved
// A wait on an exclusive context (made by an algorithm for itself, or by a task_group) joins every
// ended task of it. A wait on any other context by frame F joins those of its tasks that descend
// from F.
inline constexpr unsigned kContextExclusive = 64;
enum class Construct : std::uint8_t {
  Unknown = 0,
  ParallelFor = 1,
  ParallelForEach = 2,
  ParallelInvoke = 3,
  ParallelReduce = 4,
  ParallelScan = 5,
  ParallelSort = 6,
  ParallelPipeline = 7,
  TaskGroup = 8,
  UserContext = 9,
  FlowGraph = 10,
  TaskArena = 11,
  Default = 12, // the arena's default context: enqueued tasks and the like
};

inline constexpr const char* kConstructNames[] = {
    "task",          "parallel_for",  "parallel_for_each", "parallel_invoke", "parallel_reduce",
    "parallel_scan", "parallel_sort", "parallel_pipeline", "task_group",      "task_group_context",
    "flow_graph",    "task_arena",    "enqueue",
};

} // namespace tp::trace
