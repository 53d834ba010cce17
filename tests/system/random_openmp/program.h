// SPDX-License-Identifier: Apache-2.0
// The specification of a random program of tasks, parallel regions, loops and barriers. generator.cpp makes one from
// a seed; interpreter.cpp runs it with OpenMP, and tasks_of_tbb.cpp with oneTBB if it has tasks only; oracle.cpp
// computes what its profile has to be. These share nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace random_openmp {

using Units = std::uint64_t;

inline constexpr unsigned kObjects =
    4; // of depend clauses, per task that creates tasks with such clauses

enum class Kind : std::uint8_t {
  Spend,    // `units` of work
  Task,     // blocks[0]
  Taskwait, // for the children; with depend clauses: for what those name
  Taskgroup,
  Taskloop,  // iteration i runs blocks[i % blocks]
  Taskyield, // no work, and no order
  Critical,  // blocks[0], which spends only
  Parallel,  // the phases, by a team of `threads`
  Teams,     // `threads` of them; team t runs blocks[t % blocks]
  // A taskgroup whose first task, which runs blocks[0], cancels it. After a taskwait the tasks of the other blocks are
  // created, which never begin.
  Cancelled,
};
inline constexpr unsigned kKinds = 10;
const char* name_of(Kind kind);

// The last one is of tasks that their parent waits for before it ends.
enum class Access : std::uint8_t { In, Out, InOut, Mutex };
inline constexpr unsigned kAccesses = 4;
struct Depend {
  unsigned object = 0;
  Access access = Access::In;
};

// What a task is marked with. One of them at a time.
enum class Mark : std::uint8_t { None, If0, Final, Untied, Mergeable };

enum class PhaseKind : std::uint8_t {
  Each, // thread t runs blocks[t % blocks]
  Single,
  Masked, // thread 0
  Loop,   // `iterations`, i runs blocks[i % blocks]
  Ordered, // the same; each iteration has a part, of `units`, that comes after that of the iteration before
  Doacross, // the same; after those of the iterations i - 1 and i - 3
  Sections, // of the blocks
  // The same as a static Loop, with a reduction: each thread starts a value, which takes `start`, and combines it with
  // another one or with the variable, which takes `units`.
  Reduction,
};
inline constexpr unsigned kPhaseKinds = 8;
const char* name_of(PhaseKind kind);
enum class Schedule : std::uint8_t { Static, StaticChunks, Dynamic, Guided };

struct Statement;
using Block = std::vector<Statement>;

struct Phase {
  PhaseKind kind = PhaseKind::Each;
  Schedule schedule = Schedule::Static;
  unsigned iterations = 0, chunk = 1;
  Units units = 0, start = 0;
  bool nowait = false; // no barrier after it, also not an explicit one
  std::vector<Block> blocks;
};

struct Statement {
  Kind kind = Kind::Spend;
  unsigned number = 0; // to name it, from 1
  Units units = 0;
  Mark mark = Mark::None;
  Units copy =
      0; // Task, Taskloop: what it takes to copy the data of a task; 0: it has none with a copy constructor
  std::vector<Depend> depends;                   // at most two
  unsigned iterations = 0, grain = 0, tasks = 0; // Taskloop: clauses, 0: not given
  bool nogroup = false;
  unsigned threads = 0;
  bool is_if0 = false; // Parallel, Taskloop
  std::vector<Block> blocks;
  std::vector<Phase> phases;
};

struct Program {
  Block main;
  unsigned levels = 1;      // of nested regions that are active
  bool is_of_tasks = false; // and oneTBB can run it: each task waits for its children
};

struct Settings {
  unsigned threads = 1;
  bool is_of_gcc = false; // the program's code: its static loops are not reported
};

Program generate(std::uint64_t seed);
// Numbers the statements; leaves out those with these numbers. What is left is a program like any other.
void number_statements(Program& program);
void drop(Program& program, const std::vector<unsigned>& numbers);
std::string describe(const Program& program);

struct Range {
  Units least = 0, most = 0;
};
struct Expected {
  Units work = 0;
  Range span;                          // of this run; one value unless it depends on the schedule
  std::optional<Units> divisible_span; // nothing: not determined
  Units tasks = 0;                     // explicit ones
  std::vector<Units> executed, phases; // by kind
};
Expected expect(const Program& program, const Settings& settings);

void run(const Program& program, const Settings& settings);
extern const bool interpreter_is_of_gcc, interpreter_is_of_tbb;

} // namespace random_openmp
