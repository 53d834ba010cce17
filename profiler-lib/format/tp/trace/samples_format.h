// SPDX-License-Identifier: Apache-2.0
// SAMPLES FORMAT: every byte of the file of samples, which a recording has if stacks were sampled. The
// runtime (profiler-lib/src/sampling) writes it and the analyzer (analyzer/trace/samples_reader) reads
// it. docs/reference/trace-format.md explains what it means.
//
// A header; then blocks, each with a checksum; in each block records, whose sizes are multiples of 8. A
// block that is torn, or that does not have its checksum, ends the file: what was lost is behind it.
//
// A sample says where a thread was. Its time is CLOCK_MONOTONIC_RAW, since the kernel cannot read the
// clock of the streams; each block has a pair of both clocks, read at the same moment. Both count the
// same oscillator, so that the line through two pairs is straight.
//
// All numbers are unsigned and in the byte order of the machine that wrote them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tp::trace {

inline constexpr const char* kSamplesFile = "samples.bin";
inline constexpr std::uint32_t kSamplesMagic = 0x46535054;     // "TPSF" on a little-endian machine
inline constexpr std::uint32_t kSampleBlockMagic = 0x42535054; // "TPSB"
inline constexpr std::uint16_t kSamplesVersion =
    2; // 1: the same, but no sample shares words of its stack

// What takes the samples.
enum class SampleMethod : std::uint32_t {
  SoftwareClock = 1, // a perf event: the kernel's timer for the CPU time of each thread
  Cycles = 2,        // a perf event: the hardware counter
  Timer = 3,         // POSIX timers and a signal: the rate is that of the kernel's tick at most
};
// In JSON: stable.
inline constexpr const char* kSampleMethodNames[] = {"", "cpu-clock", "cycles", "timer"};

// What a sample knows of the stack.
enum class CallGraph : std::uint32_t {
  None = 0,          // the instruction only
  FramePointers = 1, // the return addresses that a chain of frame pointers leads to
  Dwarf = 2,         // a copy of the registers and of the innermost bytes of the stack
};
inline constexpr const char* kCallGraphNames[] = {"none", "fp", "dwarf"};

// Registers are numbered as in DWARF call frame information of the machine; one more is the instruction.
enum class SampleMachine : std::uint32_t { Other = 0, X86_64 = 1, Aarch64 = 2 };
inline constexpr std::uint32_t kSampleRegistersX86 =
    17; // rax rdx rcx rbx rsi rdi rbp rsp r8-r15 rip
inline constexpr std::uint32_t kSampleRegistersArm64 = 33; // x0-x30 sp pc

struct SamplesHeader {
  std::uint32_t magic;        // kSamplesMagic
  std::uint16_t version;      // kSamplesVersion
  std::uint16_t header_bytes; // sizeof(SamplesHeader)
  std::uint64_t session;      // equal to "session" of run.json
  std::uint32_t method;       // SampleMethod
  std::uint32_t call_graph;   // CallGraph
  std::uint32_t machine;      // SampleMachine
  std::uint32_t registers;    // of a sample with a copy of the stack; 0: none
  std::uint32_t stack_bytes;  // that a sample contains at most
  std::uint32_t rate;         // samples per second of CPU time, as asked for
  std::uint64_t period_ns;    // mean CPU time from sample to sample; 0: not known (cycles)
  std::uint32_t precise;      // Cycles: perf_event_attr::precise_ip
  std::uint32_t check;        // the lower half of checksum() of what is above
};
static_assert(sizeof(SamplesHeader) == 56);

struct SampleBlockHeader {
  std::uint32_t magic; // kSampleBlockMagic
  std::uint32_t bytes; // of records after this header, a multiple of 8
  // checksum() of what follows in the header and of the records
  std::uint64_t checksum;
  std::uint64_t time;   // as the base time of a chunk
  std::uint64_t raw_ns; // CLOCK_MONOTONIC_RAW at that moment
};
static_assert(sizeof(SampleBlockHeader) == 32);
inline constexpr std::uint32_t kMostSampleBlockBytes = 1u << 24;

enum class SampleRecordKind : std::uint16_t {
  Module = 1, // SampleModule; follows: path, build id (hexadecimal), zeros
  Thread = 2, // SampleThread: samples of the stream are those of this thread from here on
  Sample = 3, // SampleStack; follows: the stack's addresses, or registers and bytes of the stack
  Lost = 4,   // SampleLoss
  // SampleRecord; follows: a part of the text of /tmp/perf-PID.map, in which compilers at run time name their
  // code ("BEGIN BYTES NAME" in hexadecimal, a line each), and zeros
  Map = 5,
};
inline constexpr std::size_t kMostMapBytes = std::size_t{32} << 20;
// SampleRecord::flags of a sample.
inline constexpr std::uint16_t kSampleHasStack = 1;    // registers and bytes of the stack follow
inline constexpr std::uint16_t kSampleHasChain = 2;    // addresses follow, the instruction first
inline constexpr std::uint16_t kSampleTimeIsTicks = 4; // `raw_ns` is a time of the streams already
// With kSampleHasStack: what follows the registers is not the stack, but the number of its words; for each a bit, the
// lowest first, in as many words as are needed; and those words whose bits are set. The others are those that the last
// sample before with a stack, in the same block and of the same thread, has at the same addresses.
inline constexpr std::uint16_t kSampleSharesStack = 8;
// The upper half of `flags`: how many periods of the header passed per sample when it was taken; 0: one.
inline constexpr unsigned kSamplePeriodsShift = 8;
inline constexpr std::uint16_t kMostSamplePeriods = 255;

struct SampleRecord {
  std::uint16_t kind; // SampleRecordKind; a reader skips those that it does not know
  std::uint16_t flags;
  std::uint32_t bytes; // with this head and what follows the fields, a multiple of 8
};

struct SampleModule {
  SampleRecord head;
  std::uint64_t base;       // what to add to an address of the file
  std::uint64_t begin, end; // of its code in memory
  std::uint32_t path_bytes, build_id_bytes;
};
static_assert(sizeof(SampleModule) == 40);

struct SampleThread {
  SampleRecord head;
  std::uint32_t stream, os_thread;
  std::uint64_t time; // when the stream has begun to record the thread, as the base time of a chunk
};
static_assert(sizeof(SampleThread) == 24);

struct SampleStack {
  SampleRecord head;
  std::uint32_t stream, os_thread;
  std::uint64_t raw_ns;
  std::uint64_t instruction;
};
static_assert(sizeof(SampleStack) == 32);

struct SampleLoss {
  SampleRecord head;
  std::uint32_t stream, os_thread;
  std::uint64_t count;
};
static_assert(sizeof(SampleLoss) == 24);

} // namespace tp::trace
