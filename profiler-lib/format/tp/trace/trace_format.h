// SPDX-License-Identifier: Apache-2.0
// TRACE FORMAT: every byte that a stream file can contain. The writer (profiler-lib, inside the
// user's process) and the reader (analyzer) both include this file; nothing else defines the bytes.
// docs/reference/trace-format.md explains what the records mean; trace_codec.h encodes and decodes
// them. Depends only on the C++ standard library.
//
// A data directory contains
//
//   File         Content                                                      Written
//   run.json     who, when, which clock, in which unit (taskpath.run/1)       at the start
//   sites.jsonl  modules, spawn sites, causal regions: one JSON object each   as each first appears
//   NNNNNN.tps   stream NNNNNN of one thread: chunks of records (this file)   all the time
//   end.json     totals (taskpath.end/1)                                      at a clean end
//
// The absence of end.json means `incomplete`.
//
// Two ideas keep a step near eight bytes. The record that closes a step contains the figures of
// that step, so there is no separate step record. And a 16-bit tag contains, in addition to the
// operation, the width of each field, so that fields are as wide as their values and are still read
// and written without a loop.
//
// Ids. The n-th Spawn or SpawnWait of stream s creates task (s, n); its n-th new context is context
// (s, n); its n-th Release is edge (s, n); its n-th StackOut is stack (s, n); all are counted from
// 0. So ids take no bytes where they are created, and threads do not share a counter. Packed into
// 64 bits, an id is stream << 44 | ordinal.
//
// All numbers are unsigned (except EdgeUsesPayload::change) and in the byte order of the machine
// that wrote them. Fields are not aligned.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tp::trace {

inline constexpr std::uint32_t kChunkMagic = 0x4b435054; // "TPCK" on a little-endian machine
inline constexpr std::uint16_t kFormatVersion = 2;
// A reader accepts every version from this one on: records are only added, never changed.
inline constexpr std::uint16_t kOldestVersion = 1;
inline constexpr const char* kStreamSuffix = ".tps";

inline constexpr unsigned kOrdinalBits = 44;
inline constexpr std::uint64_t kOrdinalMask = (std::uint64_t{1} << kOrdinalBits) - 1;
inline constexpr std::uint32_t kMaxStreams = 1u << (64 - kOrdinalBits);

// Site 0 is the code outside every task: that of the program's external threads ("main").
inline constexpr std::uint32_t kMainSite = 0;
// A call of oneTBB is a site for each path that leads to it: so many return addresses at most,
// innermost first, without those inside libtbb. Calls further out make no difference, so a wrapper
// may be that many calls away, those inside oneTBB's headers included if they are not inlined. A call
// by a function that is found by its frame pointer counts half: compilers keep one where they do not
// optimize, and then up to seven functions of oneTBB's headers come before the user's.
inline constexpr unsigned kMaxPathCalls = 6;
inline constexpr unsigned kMostPathCalls = 2 * kMaxPathCalls; // if all count half

constexpr std::uint64_t pack_id(std::uint32_t stream, std::uint64_t ordinal) {
  return std::uint64_t{stream} << kOrdinalBits | ordinal;
}
constexpr std::uint32_t id_stream(std::uint64_t id) {
  return static_cast<std::uint32_t>(id >> kOrdinalBits);
}
constexpr std::uint64_t id_ordinal(std::uint64_t id) {
  return id & kOrdinalMask;
}

// ---- Chunks -------------------------------------------------------------------------------------

enum ChunkFlags : std::uint32_t {
  kChunkClosed = 1,    // used_bytes and checksum are valid
  kChunkTruncated = 2, // recording stopped here (disk full, size limit): what follows is lost
};

// The first bytes of each chunk. The fields up to first_spawn are set when the chunk is opened, and
// header_check protects them; the others are set when it is closed. A chunk that was never closed
// (the process was killed) is zero after its last record, and a zero tag means "no more records".
struct ChunkHeader {
  std::uint32_t magic;        // kChunkMagic; byte-swapped: from a machine of other byte order
  std::uint16_t version;      // kFormatVersion of the writer
  std::uint16_t header_bytes; // sizeof(ChunkHeader): the records start here
  std::uint64_t session;      // equal to "session" of run.json
  std::uint32_t stream;       // number of this stream, equal to that in the file's name
  std::uint32_t sequence;     // of this chunk: 0, 1, 2, ... within the stream
  std::uint32_t chunk_bytes;  // size of the chunk with this header; the next chunk follows
  std::uint32_t header_check; // header_check() over the fields set at opening
  std::uint64_t base_time;    // in ticks (run.json "time"): record times count from here
  std::uint64_t base_mono_ns; // CLOCK_MONOTONIC then: two chunks give the tick rate
  std::uint64_t first_spawn;  // ordinal of the stream's next task
  std::uint32_t used_bytes;   // bytes of records after the header
  std::uint32_t flags;        // ChunkFlags
  std::uint64_t checksum;     // checksum() of the used_bytes
};
static_assert(sizeof(ChunkHeader) == 72 && alignof(ChunkHeader) == 8);

// ---- Records: the tag ---------------------------------------------------------------------------
//
//   bits    of the tag (u16)
//    0-4    Op
//    5-6    width code of lead
//    7-8    width code of work
//    9-10   width code of wall
//   11-15   flags of the operation
//
// These fields follow the tag, in this order:
//
//   lead      as wide as its width code says. Ticks between the thread's previous step (or its
//             begin) and this step, without the idle ticks that Begin, WaitEnd and StackIn report
//             in between: time inside the runtime and the profiler ("tasking overhead").
//             Of Begin, WaitEnd and StackIn: these idle ticks. Of Section, Take and Give: the work of the
//             step before the lock was acquired (Section, Take) or released (Give). Of SectionAgain: what
//             of that is after the end of the section before.
//   work      likewise. Work of the closed step, in the unit of run.json "work".
//             Of Region: work of the part that is in the region. Of Section and
//             SectionAgain: work of the section.
//   wall      likewise. The step's wall time in ticks; if run.json work.same_as_time is true, its
//             wall time minus its work. Of Section and Take: the ticks that the thread waited for the
//             lock before; they are part of the step's wall time, but neither of its work nor of
//             AsleepPayload.
//   extra     only if the run has extra events and the record closes a step: u16 of width codes,
//             two bits per event, first event lowest; then the values, as wide as their codes say
//   operands  in the order of the table of operations
//
// A field of 0 bytes is 0.
//
// SectionNear, SectionTurn and SectionOfUse have neither codes nor flags: what follows the Op, from bit 5 on, is
//
//   SectionNear   lead in 9 bits, work in 10
//   SectionTurn   lead + kTurnLead in 13 bits, work in 14. The section may begin before the end of the
//                 one that it follows: then its lead is negative.
//   SectionOfUse  number of a LockUse in 6 bits, lead + kTurnLead in 13, work in 16

inline constexpr unsigned kLeadShift = 5, kWorkShift = 7, kWallShift = 9, kFlagShift = 11;
inline constexpr unsigned kWidthBytes[4] = {0, 2, 4, 8}; // by width code
inline constexpr unsigned kNearLeadBits = 9, kNearWorkBits = 10;
inline constexpr unsigned kTurnLeadBits = 13, kTurnWorkBits = 14;
inline constexpr unsigned kTurnLead = 1u << (kTurnLeadBits - 1);
inline constexpr unsigned kLockUseBits = 6, kUseWorkBits = 16;

// ---- Records: operations ------------------------------------------------------------------------
//
// "Closes": the record ends the step that is open in the frame on top of the thread's frame stack,
// and contains its figures. "Opens": the next step of that frame starts after the record.
//
//   Op          Closes  Opens  Operands           Flags
//   Spawn         x       x    site, context      SiteCode, ContextCode, kSpawnSplit
//   SpawnWait     x            site, context      SiteCode, ContextCode, kWaitAlone
//   Wait          x            context            ContextCode
//   WaitEnd               x                       kWaitEndByException
//   Begin                 x    task               TaskCode, kTaskCancelled
//   End           x                               kEndByException
//   Task          x            task               TaskCode, kTaskCancelled, kTaskByException
//   LoopBegin     x       x
//   LoopEnd       x       x    iterations, grain  CountCode of each, kPartsJoin
//   PortionEnd      x       x    iterations, grain  CountCode of each, kPartsJoin
//   PortionJoin     x       x
//   Join          x       x                       kJoinRuns, kJoinSkipped
//   Release       x       x                       kReleaseKept
//   Acquire       x       x    edge               kAcquireAlone
//   Region                     region             kRegionWide
//   ContextEnd                 context            ContextCode
//   Cut           x       x
//   Section                    slot, place, many  kLockShared, kLockPlaceWide, kLockContended, kLockMany
//   Take                       slot, place        kLockShared, kLockPlaceWide, kLockContended
//   Give                       slot               kLockShared
//   SectionAgain                                  kLockShared, kLockContended
//   SectionNear                                   none: below
//   SectionTurn                                   none: below
//   SectionOfUse                                  none: below
//   Extended                   extended
//
//   Operand     Bytes
//   site        0, 2 or 4 by SiteCode: a "site" of sites.jsonl
//   context     0, 1 (traits) or 8 (packed id) by ContextCode
//   task        0, 2, 4 or 8 (packed id) by TaskCode
//   iterations  0, 2, 4 or 8 by CountCode: of the body call, or of the portion of it; 0: the range is
//               divisible, but its size is not known
//   grain       likewise: the grain size of the loop
//   edge        8: packed id
//   region      2, or 4 with kRegionWide: a "region" of sites.jsonl
//   slot        2: the lock of the stream's last LockObject with that slot
//   place       2, or 4 with kLockPlaceWide: a "lock_place" of sites.jsonl
//   many        only with kLockMany: 4 number of sections, 4 standard error of their work
//   extended    1 ExtendedKind, 1 reserved, 2 number of payload bytes, payload

enum class Op : std::uint8_t {
  None = 0,        // end of data
  Spawn = 1,       // the frame creates a task
  SpawnWait = 2,   // the frame creates a task and then waits on its context
  Wait = 3,        // the frame waits on a context
  WaitEnd = 4,     // the innermost wait of the thread is over: the frame joins what it waited for
  Begin = 5,       // the thread starts a task: a new frame is pushed
  End = 6,         // the task on top of the stack is over: its frame is popped
  Task = 7,        // Begin and End in one: a task without events inside
  LoopBegin = 8,   // a body call of a loop (a divisible leaf) starts
  LoopEnd = 9,     // that body call is over
  Join = 10,       // the frame passes a fold node whose other side has ended
  Release = 11,    // the frame publishes its path so far as edge (stream, ordinal of Release)
  Acquire = 12,    // the frame's path continues after that edge as well
  Region = 13,     // part of the next closed step is in a causal region
  ContextEnd = 14, // the context is destroyed; its id is never used again
  Cut = 15,        // a step ends and the next begins (for example where recording is paused)
  // Since version 2.
  PortionEnd =
      16, // a portion of the body call in progress is over: a part that could have been a leaf
          // of its own, or several such parts
  PortionJoin =
      17,       // the frame has joined the results of the last two portions that wait for a join
  Section = 18, // of the step that the stream's next closing record closes, as Region: a critical
                // section that began and ended in it
  Take = 19,    // likewise: a lock was acquired in it, and is held at its end
  Give = 20,    // likewise: a lock was released in it of which the stream has a Take
  SectionAgain =
      21, // a Section that directly follows another section record (Section, SectionAgain,
          // SectionNear, SectionTurn) in the same chunk: of the same lock and place; SectionOfUse
          // records may lie between. `lead` is the work since the last section record
  SectionNear = 22, // the same in 3 bytes, with the same flags
  SectionTurn =
      23, // the same in 4 bytes, of other lock, place and flags: those that the last Section
          // replaced, which directly followed a section record. Exchanges the two, so that
          // a further one goes back
  SectionOfUse = 24, // a Section in 5 bytes, directly after another section record: of lock, place
                     // and flags of the chunk's last LockUse with that number. What SectionAgain,
                     // SectionNear and SectionTurn mean does not change
  Extended = 31,     // for rare events; a reader skips the kinds that it does not know
};

// ---- Flags and operands -------------------------------------------------------------------------

// Spawn and SpawnWait, bits 0-1.
enum class SiteCode : std::uint8_t {
  Inherit = 0, // the site of the spawning frame: an algorithm splits its own work (never a call of
               // the user's, even one at the same site)
  Last = 1,    // the site last named in this stream
  U16 = 2,     // operand of 2 bytes
  U32 = 3,     // operand of 4 bytes
};

// Spawn, SpawnWait, Wait and ContextEnd, bits 2-3.
enum class ContextCode : std::uint8_t {
  Own = 0,  // the context of the task that the frame runs
  Last = 1, // the context last named by a record of this frame with New or Id
  New = 2,  // a context without an id so far: it gets the stream's next; operand: u8 traits
  Id = 3,   // operand: packed id, 8 bytes
};
inline constexpr unsigned kContextShift = 2;

// Begin and Task, bits 0-1.
enum class TaskCode : std::uint8_t {
  Newest = 0, // the task that this stream spawned last
  Back16 = 1, // operand of 2 bytes: how many spawns of this stream before the newest
  Back32 = 2, // operand of 4 bytes: the same
  Id = 3,     // operand: packed id, 8 bytes (a task of another stream: stolen)
};

// LoopEnd and PortionEnd, bits 0-1: of iterations; bits 2-3: of grain.
enum class CountCode : std::uint8_t {
  One = 0, // no operand: 1
  U16 = 1, // operand of 2 bytes
  U32 = 2, // operand of 4 bytes
  U64 = 3, // operand of 8 bytes
};

// One bit each.
inline constexpr unsigned kPartsJoin =
    16; // LoopEnd, PortionEnd: parts of the loop have to be joined
inline constexpr unsigned kSpawnSplit = 16;        // Spawn: makes a fold node, which Join passes
inline constexpr unsigned kWaitAlone = 16;         // SpawnWait: for its task and descendants only
inline constexpr unsigned kTaskCancelled = 4;      // Begin, Task: cancel() ran, not execute()
inline constexpr unsigned kTaskByException = 8;    // Task: it threw
inline constexpr unsigned kEndByException = 1;     // End: the task threw
inline constexpr unsigned kWaitEndByException = 1; // WaitEnd: the wait rethrew
// Join, neither: not known. Since version 2.
inline constexpr unsigned kJoinRuns = 1;    // two results are joined in the step that follows
inline constexpr unsigned kJoinSkipped = 2; // there is one result only: the other part continued it
inline constexpr unsigned kReleaseKept = 1; // Release: any number of Acquires may name it
inline constexpr unsigned kAcquireAlone = 1; // Acquire: the path continues only there
inline constexpr unsigned kRegionWide = 1;   // Region: an operand of 4 bytes
// Section, Take, Give. Since version 2.
inline constexpr unsigned kLockShared = 1;    // acquired by a reader
inline constexpr unsigned kLockPlaceWide = 2; // a place of 4 bytes
inline constexpr unsigned kLockContended = 4; // the first attempt to acquire it failed
// Section: represents many of the step, none of them contended, which are spread evenly over it
// (lead is 0); their work is an estimate from a sample.
inline constexpr unsigned kLockMany = 8;

// The traits of a new context: which construct created it, and how its waits join.
//   bits 0-5   Construct
//   bit 6      kContextExclusive
//   bit 7      kContextGathers
// A wait on an exclusive context (an algorithm's own, or that of a task_group) joins every ended
// task of it. A wait of frame F on any other context joins those of its tasks that descend from F.
inline constexpr unsigned kContextExclusive = 64;
// Of an exclusive context: as long as something in it has not ended, a wait also joins what enters it
// during the wait. Since version 2.
inline constexpr unsigned kContextGathers = 128;

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
  UserContext = 9, // a task_group_context of the user
  FlowGraph = 10,
  TaskArena = 11,
  Default = 12, // the default context of an arena: enqueued tasks and the like
  Thread =
      13, // of a thread that the program creates, which is a task of its creator's. Since version 2
  // Of OpenMP. Since version 2.
  OmpParallel = 14, // implicit tasks of a region
  OmpTask = 15,
  OmpTaskloop = 16,
  OmpFor = 17,      // what one thread runs of a loop
  OmpSections = 18, // the same of sections
  OmpBarrier = 19,  // what comes before a barrier
  OmpParallelGcc =
      20, // as OmpParallel, by GCC: static loops are part of the implicit tasks, and nothing shows
          // where they are
  OmpReduction = 21,  // what threads combine of a reduction in its barrier
  OmpTeams = 22,      // of teams: what each runs outside of its regions
  OmpDistribute = 23, // what one team runs of a loop that distribute deals out
  OmpTeamsGcc = 24,   // as OmpTeams, by GCC: loops that distribute deals out are part of the teams
};

inline constexpr const char* kConstructNames[] = {
    "task",
    "parallel_for",
    "parallel_for_each",
    "parallel_invoke",
    "parallel_reduce",
    "parallel_scan",
    "parallel_sort",
    "parallel_pipeline",
    "task_group",
    "task_group_context",
    "flow_graph",
    "task_arena",
    "enqueue",
    "thread",
    "omp_parallel",
    "omp_task",
    "omp_taskloop",
    "omp_for",
    "omp_sections",
    "omp_barrier",
    "omp_parallel_gcc",
    "omp_reduction",
    "omp_teams",
    "omp_distribute",
    "omp_teams_gcc",
};

// What a LockObject is.
enum class LockKind : std::uint8_t {
  Unknown = 0,
  SpinMutex = 1,
  SpinRwMutex = 2,
  QueuingMutex = 3,
  QueuingRwMutex = 4,
  Mutex = 5,
  RwMutex = 6,
  SpeculativeSpinMutex = 7, // only where the lock is really taken
  SpeculativeSpinRwMutex = 8,
  Accessor = 9, // of an element of a concurrent_hash_map
  PthreadMutex = 10,
  PthreadRwlock = 11,
  PthreadSpinlock = 12,
  User = 13, // announced by <tp/lock.h>
  Itt = 14,  // announced by __itt_sync_*
  OmpCritical = 15,
  OmpLock = 16,
  OmpNestLock = 17,
  OmpOrdered = 18,    // ordered blocks of loops, in the order of the iterations
  HashMapBucket = 19, // of a concurrent_hash_map: what each of its calls acquires first
  OmpAtomic = 20,     // of atomic constructs and reductions that need a lock
  OmpMutexInOutSet =
      21, // tasks with depend(mutexinoutset: ...): from begin to end. The address is a number
  Semaphore = 22, // sem_t: shared sections without work, one for each time that it was passed
  // A section without work is an operation that another thread has done in its own, or that did nothing.
  ConcurrentPriorityQueue = 23,
  FlowGraphNode = 24,      // the same of a node of a flow graph, or of one of its ports
  ConcurrentLruCache = 25, // the same
};

inline constexpr const char* kLockKindNames[] = {
    "lock",
    "spin_mutex",
    "spin_rw_mutex",
    "queuing_mutex",
    "queuing_rw_mutex",
    "mutex",
    "rw_mutex",
    "speculative_spin_mutex",
    "speculative_spin_rw_mutex",
    "accessor",
    "pthread_mutex",
    "pthread_rwlock",
    "pthread_spinlock",
    "user_lock",
    "itt_lock",
    "omp_critical",
    "omp_lock",
    "omp_nest_lock",
    "omp_ordered",
    "hash_map_bucket",
    "omp_atomic",
    "omp_mutexinoutset",
    "semaphore",
    "concurrent_priority_queue",
    "flow_graph_node",
    "concurrent_lru_cache",
};

// ---- Extended records ---------------------------------------------------------------------------

enum class ExtendedKind : std::uint8_t {
  ThreadBegin = 1, // ThreadBeginPayload. A thread takes the stream; an external thread gets a
                   // root frame, with an open step
  ThreadEnd = 2,   // ThreadEndPayload. The thread gives the stream back; its frame stack is empty
  Pause = 3,       // recording is paused: work is zero on purpose until Resume
  Resume = 4,      // recording goes on
  Forked = 5,      // after the first ThreadBegin of a process, once for each fork() between the
                   // process in which the library was loaded and this one
  StackOut = 6,    // the stream's frame stack is suspended as stack (stream, ordinal of StackOut);
                   // the stream has no frames then
  StackIn = 7,     // StackInPayload; lead: idle ticks. The frames of a suspended stack (of any
                   // stream) are the frames of this stream from here on
  EdgeUses = 8,    // EdgeUsesPayload. An edge will be acquired more often than once, or never
  Feed = 9,        // on the stream's next spawn, in a context of the user's. Spawn: the task is an
                   // item that was fed to a parallel_for_each. SpawnWait: the wait is for a
                   // parallel_for_each, and joins what is fed to it
  LoopShape = 10, // of the next LoopEnd or PortionEnd of the stream, if its range has more than one
                  // dimension: one LoopDimension each. Since version 2
  LoopWhole = 11, // of the loop whose first task the stream's next SpawnWait creates: its whole
                  // range, one LoopDimension for each dimension. Only where the loop does not halve
  // its range but divides it in proportion to the number of threads. Since version 2
  Asleep =
      12, // AsleepPayload: the thread slept in the step that the stream's next record closes: it
          // gave up the CPU itself. Since version 2, if run.json "sleep_seen" is true
  StepsPaused = 13, // the steps that records of the stream close from here on began while recording
                    // was paused: they have no work; until StepsResumed. Since version 2
  StepsResumed = 14,
  InArena =
      15, // InArenaPayload. From a point of the open step on, or without one from here on, the
          // thread executes in an arena; until the next one, or ThreadEnd. Since version 2
  Enqueued = 16,       // EnqueuedPayload. Since version 2
  AllowedThreads = 17, // AllowedThreadsPayload: of the process, by global_control. Since version 2
  LockObject =
      20,        // LockObjectPayload: from here on, what its slot means in this stream. Before the
                 // first Section, Take or Give that names it. Since version 2
  LockWait = 21, // LockWaitPayload: of the Section or Take of the same slot that follows, who held
                 // the lock. Since version 2
  HandOver =
      26, // HandOverPayload: what no wait has joined of a context belongs to another one. Since
          // version 2
  BarrierWait = 27,  // BarrierWaitPayload: the stream's next Wait is an arrival at a barrier, whose
                     // context it names. Since version 2
  AsleepBefore = 50, // AsleepPayload: of the open step, before the point of the stream's next
                     // InArena or AllowedThreads. Since version 2
  Tokens =
      51, // TokensPayload: of the parallel_pipeline whose input filter the stream's running task
          // calls, as the first one that does. Since version 2
  AsleepIn = 52, // AsleepInPayload: of what the stream's next Asleep says, what the thread slept in
                 // calls of one kind. Since version 2
  LockHandedOver = 54, // LockHandedOverPayload: of the Section or Take of the same slot that
                       // follows, when the lock was released before. Since version 2
  LockCall = 55, // LockCallPayload: the call by which the lock of the stream's last Section or
                 // Give of that slot was released. Since version 2
  WaitedAt =
      56, // WaitedAtPayload: where in the open step a long wait for another thread ended. Since
          // version 2
  SleptInSection = 57, // SleptInSectionPayload: of the Section, Take or Give of the same slot that
                       // follows, what the thread slept inside. Since version 2
  LockTries = 58, // LockTriesPayload: in the open step, failed attempts to acquire a lock. Since
                  // version 2
  Waited = 59, // WaitedPayload: in the open step the thread waited for a lock, or in a loop of its
               // own that it announced. Only while stacks are sampled. Since version 2
  LockUntimed = 60, // LockUntimedPayload: sections of a lock that were not timed, in whatever steps
                    // of whatever threads. Since version 2
  LockUse = 61,     // LockUsePayload: from here on in its chunk, what a SectionOfUse means. Since
                    // version 2
};

enum class ThreadRole : std::uint32_t {
  Worker = 0,   // of oneTBB; its root frame has no step of its own
  External = 1, // made by the program
  Main = 2,     // the thread that runs main()
  Created = 3, // made by the program, as was seen: it runs one task, which its creator spawned; its
               // root frame has no step of its own. Since version 2
};

struct AsleepPayload { // in the unit of work
  std::uint64_t time;
  std::uint64_t waited; // of it, for other threads of the program, if run.json "waits_seen" is true
};
static_assert(sizeof(AsleepPayload) == 16);

struct WaitedAtPayload {
  std::uint64_t work;   // of the open step before that
  AsleepPayload asleep; // likewise, with the wait
};
static_assert(sizeof(WaitedAtPayload) == 24);

// No work, as the lock's record says; here, when that was. Short waits have none.
struct WaitedPayload {
  std::uint64_t until; // ticks from the time that the stream has reached
  std::uint64_t ticks; // up to there
};
static_assert(sizeof(WaitedPayload) == 16);

// What a thread slept in. New ones are added at the end.
enum class SleepKind : std::uint32_t {
  Unknown = 0,
  ReadFile = 1, // or waiting for what belongs to it; likewise with the others
  WriteFile = 2,
  ReadPipe = 3,
  WritePipe = 4,
  ReadSocket = 5,
  WriteSocket = 6,
  ReadDevice = 7, // a terminal, for example
  WriteDevice = 8,
  Clock = 9,         // until a time
  ChildProcess = 10, // until one had ended
  PageFault = 11,    // a page was read from disk
};
inline constexpr std::uint32_t kSleepKinds = 12;

struct AsleepInPayload {
  std::uint64_t time; // in the unit of work
  std::uint32_t kind; // SleepKind
  std::uint32_t reserved;
};
static_assert(sizeof(AsleepInPayload) == 16);

struct TokensPayload {
  std::uint64_t tokens; // items that may be inside at a time
};
static_assert(sizeof(TokensPayload) == 8);

struct InArenaPayload {
  std::uint64_t work;     // of the open step, before that point
  std::uint32_t arena;    // 0: one with as many slots as the machine has CPUs, without having asked
  std::uint32_t asked;    // what follows is 0 for that. Concurrency that the program asked for
  std::uint32_t reserved; // slots for external threads only
  std::uint32_t slots;    // threads that can be inside at a time
  std::uint32_t flags;    // InArenaFlags
  std::uint32_t padding;
};
static_assert(sizeof(InArenaPayload) == 32);
enum InArenaFlags : std::uint32_t {
  kArenaEntered = 1,     // by a call of the frame. Else: by a worker thread, or again
  kArenaLikeMachine = 2, // `asked` is the number of CPUs that oneTBB uses without being asked
};

struct
    EnqueuedPayload { // a task was enqueued in the arena: one worker thread can enter, even if asked == reserved
  std::uint32_t arena;
  std::uint32_t padding;
};
static_assert(sizeof(EnqueuedPayload) == 8);

struct AllowedThreadsPayload {
  std::uint64_t time;    // ticks, as the base_time of chunks
  std::uint64_t work;    // of the open step, before that
  std::uint32_t threads; // that may run tasks, other external threads not included; 0: no limit
  std::uint32_t flags;   // AllowedThreadsFlags
};
static_assert(sizeof(AllowedThreadsPayload) == 24);
enum AllowedThreadsFlags : std::uint32_t {
  kAllowedLikeMachine = 1, // `threads` is the number of CPUs that oneTBB uses without being asked
};

struct ThreadBeginPayload {
  std::uint64_t os_thread;  // gettid()
  std::uint64_t prior_work; // work of this thread before its first event; of the root frame
  std::uint32_t role;       // ThreadRole
  std::uint32_t reserved;
};
static_assert(sizeof(ThreadBeginPayload) == 24);

struct ThreadEndPayload {
  std::uint64_t cpu_ns;      // CPU time of the thread, kernel included, since it was created
  std::uint64_t paused_work; // work that was dropped because recording was paused
};
static_assert(sizeof(ThreadEndPayload) == 16);

struct LoopDimension {
  std::uint64_t iterations;
  std::uint64_t grain;
};
static_assert(sizeof(LoopDimension) == 16);
inline constexpr std::size_t kMaxDimensions = 3;

struct StackInPayload {
  std::uint64_t stack; // packed id
};
static_assert(sizeof(StackInPayload) == 8);

// A lock is an address and a generation: the same address with another generation is another lock.
struct LockObjectPayload {
  std::uint64_t address;
  std::uint32_t generation;
  std::uint16_t slot;
  std::uint8_t kind;  // LockKind
  std::uint8_t flags; // kLockMayBeReused, kLocksNotApart
};
static_assert(sizeof(LockObjectPayload) == 16);
// After it, except in older recordings: ticks of the lead of the next record that closes a step, which it took
// to name the lock (std::uint32_t).
// When the lock is made or destroyed is not announced, and it is in no module's static data: one that
// is made later at the same address cannot be distinguished from it.
inline constexpr unsigned kLockMayBeReused = 1;
// It represents locks of a kind that the thread does not keep apart: only Sections with kLockMany are of it. The address is
// that of none.
inline constexpr unsigned kLocksNotApart = 2;

struct LockWaitPayload {
  std::uint64_t ticks; // waited, as in the Section or Take
  std::uint32_t place; // a "lock_place": where who released the lock had acquired it
  std::uint16_t slot;
  std::uint16_t reserved;
};
static_assert(sizeof(LockWaitPayload) == 16);

// In ticks up to the moment at which the thread had the lock that it had waited for.
struct LockHandedOverPayload {
  std::uint64_t since_release; // since the last release that others stated meanwhile
  std::uint64_t
      since_wake; // since the last of them whose call woke a thread; 0: none did, or it is
                  // not known
  std::uint16_t slot;
  std::uint16_t reserved;
  std::uint32_t releases; // notes of them, of the last 16: some share one (lock_posts.h)
};
static_assert(sizeof(LockHandedOverPayload) == 24);

// The call that releases a lock for which others wait, if it is the runtime's that wakes them: part of
// the lead of the next record that closes a step. Without kLockCallWakes: all those in the step that have woken no
// thread, of any locks, and what it took to record them.
struct LockCallPayload {
  std::uint64_t ticks;
  std::uint16_t slot;
  std::uint16_t flags; // kLockCallWakes
  std::uint32_t reserved;
};
static_assert(sizeof(LockCallPayload) == 16);
inline constexpr unsigned kLockCallWakes = 1; // it took so long that it has woken a thread

// Of a Section all of it; of a Take what comes after it in its step, of a Give what comes before it. Like
// AsleepIn, only what is known to be no wait for other threads.
struct SleptInSectionPayload {
  std::uint64_t time; // in the unit of work
  std::uint16_t slot;
  std::uint16_t flags; // kSectionIsInner
  std::uint32_t reserved;
};
static_assert(sizeof(SleptInSectionPayload) == 16);
inline constexpr unsigned kSectionIsInner = 1; // the thread held the lock when it acquired it

// The slot means what it means at the SectionOfUse.
struct LockUsePayload {
  std::uint32_t place; // a "lock_place"
  std::uint16_t slot;
  std::uint8_t number; // below 2^kLockUseBits
  std::uint8_t flags;  // kLockShared
};
static_assert(sizeof(LockUsePayload) == 8);

// Attempts that do not wait. What the thread does between a failed one and its next attempt to acquire the lock is
// work of the step, whether it waits there or not.
struct LockTriesPayload {
  std::uint64_t work;  // from each of them up to that next attempt, if that is in the same step
  std::uint64_t tries; // that failed
  std::uint32_t place; // a "lock_place"
  std::uint16_t slot;
  std::uint16_t reserved;
};
static_assert(sizeof(LockTriesPayload) == 24);

// Since the last such record of the lock. None was contended; their work is an estimate from those that were timed.
struct LockUntimedPayload {
  std::uint64_t work;  // of all of them, exclusive
  std::uint64_t error; // its standard error at most
  std::uint32_t count;
  std::uint32_t place; // a "lock_place"
  std::uint16_t slot;
  std::uint16_t reserved;
  std::uint32_t reserved_too;
};
static_assert(sizeof(LockUntimedPayload) == 32);

// `from` and `to` are exclusive, `to` gathers. `from` has ended.
struct HandOverPayload {
  std::uint64_t from;   // packed id
  std::uint64_t to;     // packed id; with kHandOverNew: the stream's next new context
  std::uint32_t flags;  // HandOverFlags
  std::uint32_t traits; // of the new context
};
static_assert(sizeof(HandOverPayload) == 24);
enum HandOverFlags : std::uint32_t { kHandOverNew = 1 };

// The path of the frame that waits enters the context, which gathers, as that of an ended task does. Its waits
// are over when so many frames have arrived, and all tasks in it have ended.
struct BarrierWaitPayload {
  std::uint32_t threads; // the same in all arrivals; not 0
  std::uint32_t reserved;
};
static_assert(sizeof(BarrierWaitPayload) == 8);

struct EdgeUsesPayload {
  std::uint64_t edge;  // packed id
  std::int32_t change; // of the number of Acquires still to come, which is 1 after the Release
  std::uint32_t reserved;
};
static_assert(sizeof(EdgeUsesPayload) == 16);

} // namespace tp::trace
