// SPDX-License-Identifier: Apache-2.0
// SAMPLES: where threads were at random moments of their CPU time. As read from the file (SampleFile);
// and as code with names, in the order of each stream (SampledCode), which passes file under steps.
#pragma once

#include "base/ids.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tp::analysis {

// An executable or library, as it was loaded.
struct LoadedModule {
  std::uint64_t base = 0; // what to add to an address of its file
  std::uint64_t begin = 0, end = 0;
  std::string path, build_id;
};

struct RawSample {
  std::uint32_t stream = 0;
  std::uint32_t os_thread = 0;
  std::uint32_t modules = 0; // index into SampleFile::loaded
  std::uint32_t periods = 1; // of SampleFile::period_ns, it counts for so many
  std::uint64_t time = 0;    // ticks
  std::uint64_t instruction = 0;
  // Empty: not known. Registers in DWARF's order, the instruction last; the bytes of the stack are those
  // from the stack pointer on. Both are memory of the file, not aligned.
  std::span<const std::byte> registers, stack;
  // Of a stack that shares words with another one (sites/sample_stacks.h), where `stack` has the others: a bit for each
  // word, set for those of `stack`; and which sample. Else 0 and empty.
  std::span<const std::byte> own_words;
  std::uint32_t stack_words = 0;
  std::uint32_t other = 0;          // an index into SampleFile::samples, below that of this one
  std::span<const std::byte> chain; // addresses, the instruction first
};

// When a stream begins to record a thread; samples of the thread before that are of what it did before its
// first event.
struct SampledThread {
  std::uint32_t stream = 0, os_thread = 0;
  std::uint64_t time = 0;
};

// Code that a compiler made at run time, as it says itself.
struct NamedCode {
  std::uint64_t begin = 0, end = 0;
  std::string name;
};

struct SampleFile {
  std::string method;     // "cpu-clock", "cycles", "timer"
  std::string call_graph; // "dwarf", "fp", "none"
  std::uint32_t rate = 0; // as asked for
  std::uint64_t period_ns = 0;
  std::uint32_t machine = 0;     // trace::SampleMachine
  std::size_t stack_pointer = 7; // its number among the registers
  std::vector<LoadedModule> modules;
  std::vector<std::vector<std::uint32_t>> loaded; // which modules were there, by address
  std::vector<NamedCode> named_code;              // by begin; none within another
  std::vector<SampledThread> threads;
  std::vector<RawSample> samples; // in the order of the file
  std::uint64_t lost = 0;
  // Why the file was not read to its end; empty: it was.
  std::string damage;
};

// An index into SampledCode::functions, lines, stacks.
enum class FunctionId : std::uint32_t {};
enum class LineId : std::uint32_t {};
enum class StackId : std::uint32_t {};

// What a function is, for a reader who looks for code of the program's.
enum class FunctionKind : std::uint8_t {
  Known,       // with a name
  Stripped,    // without: by the range of its unwind information, "libx.so+0x4c10"
  Unknown,     // code of a module that is gone, or of none
  TaskLibrary, // oneTBB, in its headers or its library
  Profiler
};
struct SampledFunction {
  std::string name; // demangled
  std::string file; // where it is declared; empty: not known
  std::uint32_t line = 0;
  std::string module; // without its folder
  FunctionKind kind = FunctionKind::Known;
  bool of_library = false; // of the standard library, the C library, or OpenMP's runtime
};

struct SampledLine {
  std::string file;
  std::uint32_t line = 0;
  FunctionId function{}; // the innermost that is inlined there
};

struct SampledStack {
  // Innermost first, up to the beginning of the task; inlined calls as well. Never empty.
  std::vector<FunctionId> functions;
  std::uint32_t path = 0; // the same for stacks with the same functions
  LineId line{};          // innermost of the program's own code; else that of the instruction
  bool is_cut = false;    // calls further out are not known
  // The loop that it is in, if that only waits (sites/waiting_loops.h), by where it decides whether to go on.
  std::optional<LineId> waits_in;
};

struct TimedStack {
  std::uint64_t time = 0; // ticks
  StackId stack{};
  std::uint32_t periods = 1; // that it counts for
};

struct SampledCode {
  IdVector<FunctionId, SampledFunction> functions;
  IdVector<LineId, SampledLine> lines;
  IdVector<StackId, SampledStack> stacks;
  std::vector<std::vector<TimedStack>> of_stream; // by time
  // Of a stream's threads, by the time of their first record: earlier samples of the same thread are of
  // what it did before.
  std::vector<std::vector<TimedStack>> prior; // of each stream's first thread
};

} // namespace tp::analysis
