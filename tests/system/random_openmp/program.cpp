// SPDX-License-Identifier: Apache-2.0
// Programs as text for human readers.
#include "program.h"

#include <algorithm>

namespace random_openmp {
namespace {

constexpr const char* kNames[kKinds] = {"spend",    "task",      "taskwait", "taskgroup",
                                        "taskloop", "taskyield", "critical", "parallel",
                                        "teams",    "cancelled"};
constexpr const char* kPhaseNames[kPhaseKinds] = {"each",    "single",   "masked",   "for",
                                                  "ordered", "doacross", "sections", "reduction"};
constexpr const char* kMarks[] = {"", " if(0)", " final(1)", " untied", " mergeable"};
constexpr const char* kAccesses[] = {"in", "out", "inout", "mutexinoutset"};
constexpr const char* kSchedules[] = {"static", "static,", "dynamic,", "guided,"};

std::string number(Units value) {
  return std::to_string(value);
}

void describe(const Block& block, unsigned depth, std::string& text);

void describe_blocks(const std::vector<Block>& blocks, unsigned depth, std::string& text) {
  for (const Block& block : blocks) {
    text += " {\n";
    describe(block, depth + 1, text);
    text += std::string(2 * depth, ' ') + "}";
  }
  text += '\n';
}

void describe(const Phase& phase, unsigned depth, std::string& text) {
  text += std::string(2 * depth, ' ') + name_of(phase.kind);
  if (phase.iterations > 0)
    text += " " + number(phase.iterations) + " schedule(" +
            kSchedules[static_cast<unsigned>(phase.schedule)] + number(phase.chunk) + ") units " +
            number(phase.units);
  if (phase.start > 0)
    text += " start " + number(phase.start);
  text += phase.nowait ? " nowait" : "";
  describe_blocks(phase.blocks, depth, text);
}

void describe(const Block& block, unsigned depth, std::string& text) {
  for (const Statement& s : block) {
    text += std::string(2 * depth, ' ') + "#" + number(s.number) + " " + name_of(s.kind) +
            kMarks[static_cast<unsigned>(s.mark)];
    if (s.kind == Kind::Spend)
      text += " " + number(s.units);
    for (const Depend& each : s.depends)
      text += std::string(" depend(") + kAccesses[static_cast<unsigned>(each.access)] + ": x[" +
              number(each.object) + "])";
    if (s.copy > 0)
      text += " copy " + number(s.copy);
    if (s.kind == Kind::Taskloop)
      text += " " + number(s.iterations) + " grainsize " + number(s.grain) + " num_tasks " +
              number(s.tasks) + (s.nogroup ? " nogroup" : "") + (s.is_if0 ? " if(0)" : "");
    if (s.kind == Kind::Teams)
      text += " num_teams(" + number(s.threads) + ")";
    if (s.kind == Kind::Parallel)
      text += " num_threads(" + number(s.threads) + ")" + (s.is_if0 ? " if(0)" : "");
    describe_blocks(s.blocks, depth, text);
    for (const Phase& phase : s.phases)
      describe(phase, depth + 1, text);
  }
}

void number_statements(Block& block, unsigned& last) {
  for (Statement& s : block) {
    s.number = ++last;
    for (Block& inner : s.blocks)
      number_statements(inner, last);
    for (Phase& phase : s.phases)
      for (Block& inner : phase.blocks)
        number_statements(inner, last);
  }
}

// What a task of oneTBB waits for at its end stays.
void drop(Block& block, const std::vector<unsigned>& numbers, bool keeps_waits) {
  std::erase_if(block, [&](const Statement& s) {
    return !(keeps_waits && s.kind == Kind::Taskwait) &&
           std::find(numbers.begin(), numbers.end(), s.number) != numbers.end();
  });
  for (Statement& s : block) {
    for (Block& inner : s.blocks)
      drop(inner, numbers, keeps_waits);
    for (Phase& phase : s.phases)
      for (Block& inner : phase.blocks)
        drop(inner, numbers, keeps_waits);
  }
}

} // namespace

void number_statements(Program& program) {
  unsigned last = 0;
  number_statements(program.main, last);
}
void drop(Program& program, const std::vector<unsigned>& numbers) {
  drop(program.main, numbers, program.is_of_tasks);
}

const char* name_of(Kind kind) {
  return kNames[static_cast<unsigned>(kind)];
}
const char* name_of(PhaseKind kind) {
  return kPhaseNames[static_cast<unsigned>(kind)];
}

std::string describe(const Program& program) {
  std::string text =
      number(program.levels) + " active levels" + (program.is_of_tasks ? ", tasks only\n" : "\n");
  describe(program.main, 0, text);
  return text;
}

} // namespace random_openmp
