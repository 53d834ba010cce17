// Numbers, names and text of programs.
#include "program.h"

#include <algorithm>
#include <fmt/format.h>

namespace tp::random {
namespace {

constexpr const char* kNames[kKinds] = {"spend",
                                        "region",
                                        "throw",
                                        "try",
                                        "task_group::run",
                                        "task_group::run_and_wait",
                                        "task_group::wait",
                                        "task_group::cancel",
                                        "parallel_invoke",
                                        "parallel_for",
                                        "parallel_reduce",
                                        "parallel_for_each",
                                        "feeder::add",
                                        "task_arena::execute",
                                        "isolate",
                                        "parallel_sort"};

// Waits and cancellations are what makes a program determined, a throw is what its Try is for. Number 0: a group's first
// use.
bool may_drop(const Statement& statement) {
  return statement.number != 0 && statement.kind != Kind::Throw && statement.kind != Kind::Wait &&
         statement.kind != Kind::Cancel;
}

template <typename Visit>
void for_each_statement(const Block& block, const Visit& visit) {
  for (const Statement& statement : block.statements) {
    visit(statement);
    for (const Block& inner : statement.blocks)
      for_each_statement(inner, visit);
    for_each_statement(statement.join, visit);
  }
}

void drop(Block& block, const std::vector<unsigned>& numbers) {
  const auto unwanted = [&](const Statement& statement) {
    return may_drop(statement) &&
           std::find(numbers.begin(), numbers.end(), statement.number) != numbers.end();
  };
  for (Statement& statement : block.statements)
    if (statement.kind == Kind::RunAndWait && unwanted(statement)) {
      statement.kind = Kind::Wait;
      statement.blocks.clear();
    }
  std::erase_if(block.statements, unwanted);
  for (Statement& statement : block.statements) {
    for (Block& inner : statement.blocks)
      drop(inner, numbers);
    drop(statement.join, numbers);
  }
}

std::string arguments_of(const Statement& s) {
  static constexpr const char* kPartitioners[] = {"simple", "auto", "static", "affinity"};
  switch (s.kind) {
  case Kind::Spend:
    return fmt::format("{}", s.units);
  case Kind::Region:
    return fmt::format("r{}{}", s.region, s.form == Form::Plain ? "" : " by begin and end");
  case Kind::Run:
  case Kind::RunAndWait:
    return fmt::format("g{}, line {}{}", s.group, site_line(s.site),
                       s.form == Form::Plain ? "" : ", task_handle");
  case Kind::Wait:
  case Kind::Cancel:
    return fmt::format("g{}", s.group);
  case Kind::Loop:
  case Kind::Reduce:
    return fmt::format(
        "line {}, {} iterations, grain {}, stride {}, {}{}{}{}", site_line(s.site), s.iterations,
        s.grain, s.stride, kPartitioners[static_cast<unsigned>(s.partitioner)],
        s.form == Form::Plain ? "" : ", alternative form", s.deterministic ? ", deterministic" : "",
        s.own_context ? ", own context" : "");
  case Kind::ForEach:
    return fmt::format("line {}, {} items, {} iterators", site_line(s.site), s.iterations,
                       s.form == Form::Plain ? "random access" : "forward");
  case Kind::Arena:
    return fmt::format("arena {}", s.arena);
  case Kind::Invoke:
  case Kind::Sort:
    return fmt::format("line {}", site_line(s.site));
  default:
    return {};
  }
}

void describe(const Block& block, unsigned depth, std::string& text) {
  const std::string indent(2 * depth, ' ');
  for (const GroupDeclaration& group : block.groups)
    text += fmt::format("{}{} g{};\n", indent,
                        group.isolated ? "isolated_task_group" : "task_group", group.number);
  for (const Statement& statement : block.statements) {
    text += fmt::format("{}#{} {}({})", indent, statement.number, name_of(statement.kind),
                        arguments_of(statement));
    for (const Block& inner : statement.blocks) {
      text += " {\n";
      describe(inner, depth + 1, text);
      text += indent + "}";
    }
    if (!statement.join.statements.empty()) {
      text += " join {\n";
      describe(statement.join, depth + 1, text);
      text += indent + "}";
    }
    text += '\n';
  }
}

} // namespace

const char* name_of(Kind kind) {
  return kNames[static_cast<unsigned>(kind)];
}

void drop(Program& program, const std::vector<unsigned>& numbers) {
  for (Block& thread : program.threads)
    drop(thread, numbers);
}

std::vector<unsigned> droppable(const Program& program) {
  std::vector<unsigned> numbers;
  for (const Block& thread : program.threads)
    for_each_statement(thread, [&](const Statement& statement) {
      if (may_drop(statement))
        numbers.push_back(statement.number);
    });
  return numbers;
}

std::string describe(const Program& program) {
  std::string text;
  for (std::size_t i = 0; i < program.threads.size(); ++i) {
    text += i == 0 ? "main {\n" : "thread {\n";
    describe(program.threads[i], 1, text);
    text += "}\n";
  }
  return text;
}

} // namespace tp::random
