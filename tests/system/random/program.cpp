// SPDX-License-Identifier: Apache-2.0
// Numbers, names and text of programs.
#include "program.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace random_program {
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
                                        "parallel_sort",
                                        "parallel_pipeline",
                                        "task::suspend",
                                        "parallel_scan",
                                        "flow::graph",
                                        "execute in a full arena",
                                        "std::execution::par",
                                        "std::thread",
                                        "lock"};
// As in the marks of interpreter.cpp.
constexpr const char* kCallNames[kCalls] = {"run",
                                            "run_handle",
                                            "run_enqueued",
                                            "run_and_wait",
                                            "run_and_wait_handle",
                                            "invoke",
                                            "invoke_in_context",
                                            "cancelled_loop",
                                            "cancelled_reduce",
                                            "loop_range",
                                            "loop_index",
                                            "loop_rectangle",
                                            "loop_box",
                                            "deterministic_reduce_body",
                                            "deterministic_reduce",
                                            "reduce_body",
                                            "reduce",
                                            "for_each",
                                            "for_each_in_context",
                                            "feed",
                                            "pipeline",
                                            "scan_body",
                                            "scan",
                                            "graph",
                                            "suspend",
                                            "sort",
                                            "thread",
                                            "thread_in_turn",
                                            "std_for_each",
                                            "std_transform",
                                            "std_reduce"};
constexpr const char* kNodeNames[kNodeKinds] = {
    "function",          "serial",    "limited",        "light", "indexer",
    "key_matching join", "join",      "reserving join", "queue", "priority_queue",
    "sequencer",         "overwrite", "continue"};

// Waits and cancellations determine a program's figures, and a Try needs its throw. Number 0: a
// group's first use.
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

// A group without tasks has nothing to wait for.
void drop_groups(Block& block, const std::set<unsigned>& used) {
  std::erase_if(block.groups,
                [&](const GroupDeclaration& group) { return !used.count(group.number); });
  std::erase_if(block.statements, [&](const Statement& statement) {
    const bool names_group = statement.kind == Kind::Wait || statement.kind == Kind::Cancel ||
                             statement.kind == Kind::RunAndWait;
    return names_group && !used.count(statement.group);
  });
  for (Statement& statement : block.statements)
    for (Block& inner : statement.blocks)
      drop_groups(inner, used);
}

std::string context_of(const Statement& s) {
  return s.context == 0 ? "" : fmt::format(", context c{}", s.context);
}

std::string arguments_of(const Statement& s) {
  static constexpr const char* kPartitioners[] = {"simple", "auto", "static", "affinity"};
  static constexpr const char* kForms[] = {"", ", task_handle", ", enqueued"};
  switch (s.kind) {
  case Kind::Spend:
    return s.sleep == 0 ? fmt::format("{}", s.units)
                        : fmt::format("{}, sleep {}", s.units, s.sleep);
  case Kind::Region:
    return fmt::format("r{}{}", s.region, s.form == Form::Plain ? "" : " by begin and end");
  case Kind::Run:
  case Kind::RunAndWait:
    return fmt::format("g{}, line {}{}", s.group, site_line(s.site),
                       kForms[static_cast<unsigned>(s.form)]);
  case Kind::Pipeline: {
    std::string modes;
    for (std::size_t filter = 0; filter < s.serial.size(); ++filter)
      modes += !s.serial[filter] ? 'p' : s.unordered[filter] ? 'o' : 's';
    return fmt::format("line {}, {} items, {} tokens, filters {}", site_line(s.site), s.iterations,
                       s.tokens, modes);
  }
  case Kind::Wait:
  case Kind::Cancel:
  case Kind::Suspend:
    return fmt::format("g{}", s.group);
  case Kind::Loop:
  case Kind::Reduce:
    return fmt::format("line {}, {} iterations in {} columns, {} pages, grain {} {} {}, stride {}, "
                       "{}, form {}{}{}{}{}",
                       site_line(s.site), s.iterations, s.columns, s.pages, s.grain, s.column_grain,
                       s.page_grain, s.stride, kPartitioners[static_cast<unsigned>(s.partitioner)],
                       static_cast<unsigned>(s.form), s.deterministic ? ", deterministic" : "",
                       s.cancelled ? ", cancelled" : "",
                       s.outlier ? fmt::format(", {} runs the last block", *s.outlier) : "",
                       context_of(s));
  case Kind::Standard:
    return fmt::format("{}, {} elements", name_of(call_of(s)), s.iterations);
  case Kind::Threads:
    return fmt::format("{}", s.iterations);
  case Kind::ForEach:
    return fmt::format("line {}, {} items, {} iterators{}", site_line(s.site), s.iterations,
                       s.form == Form::Plain ? "random access" : "forward", context_of(s));
  case Kind::Lock:
    return fmt::format("l{}{}", s.lock, s.shared ? ", shared" : "");
  case Kind::Arena:
    return fmt::format("arena {}", s.arena);
  case Kind::Invoke:
    return fmt::format("line {}{}", site_line(s.site), context_of(s));
  case Kind::Scan:
    return fmt::format("line {}, {} iterations, grain {}, {}, form {}", site_line(s.site),
                       s.iterations, s.grain, kPartitioners[static_cast<unsigned>(s.partitioner)],
                       static_cast<unsigned>(s.form));
  case Kind::Graph: {
    std::string text = fmt::format("line {}, {} messages", site_line(s.site), s.iterations);
    for (const GraphNode& node : s.nodes)
      text += fmt::format(", {}({}){}{}", kNodeNames[static_cast<unsigned>(node.kind)],
                          fmt::join(node.from, " "), node.has_priority ? " first" : "",
                          node.kind == NodeKind::Limited
                              ? fmt::format(" {} until {}", node.slots, node.until)
                              : "");
    return text;
  }
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
  for (const unsigned context : block.contexts)
    text += fmt::format("{}task_group_context c{};\n", indent, context);
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
const char* name_of(Call call) {
  return kCallNames[static_cast<unsigned>(call)];
}

bool has_loose_joins(const Statement& s) {
  return s.kind == Kind::Reduce && !(s.deterministic && s.partitioner == Partitioner::Simple);
}

Call call_of(const Statement& s) {
  const bool plain = s.form == Form::Plain;
  switch (s.kind) {
  case Kind::Run:
    return plain ? Call::Run : s.form == Form::Alternative ? Call::RunHandle : Call::RunEnqueued;
  case Kind::RunAndWait:
    return plain ? Call::RunAndWait : Call::RunAndWaitHandle;
  case Kind::Invoke:
    return s.context == 0 ? Call::Invoke : Call::InvokeInContext;
  case Kind::Loop:
    return s.cancelled                   ? Call::CancelledLoop
           : plain                       ? Call::LoopRange
           : s.form == Form::Alternative ? Call::LoopIndex
           : s.form == Form::Third       ? Call::LoopRectangle
                                         : Call::LoopBox;
  case Kind::Reduce:
    if (s.cancelled)
      return Call::CancelledReduce;
    if (s.deterministic)
      return plain ? Call::DeterministicReduce : Call::DeterministicReduceBody;
    return plain ? Call::Reduce : Call::ReduceBody;
  case Kind::ForEach:
    return s.context == 0 ? Call::ForEach : Call::ForEachInContext;
  case Kind::Feed:
    return Call::Feed;
  case Kind::Sort:
    return Call::Sort;
  case Kind::Pipeline:
    return Call::Pipeline;
  case Kind::Suspend:
    return Call::Suspend;
  case Kind::Scan:
    return plain ? Call::Scan : Call::ScanBody;
  case Kind::Standard:
    return plain                         ? Call::StdForEach
           : s.form == Form::Alternative ? Call::StdTransform
                                         : Call::StdReduce;
  case Kind::Threads:
    return Call::ThreadInTurn;
  default:
    return Call::Graph;
  }
}

void drop(Program& program, const std::vector<unsigned>& numbers) {
  if (numbers.empty())
    return;
  std::vector<Block*> blocks = {&program.prologue, &program.epilogue};
  for (Block& thread : program.threads)
    blocks.push_back(&thread);
  std::set<unsigned> used;
  for (Block* block : blocks) {
    drop(*block, numbers);
    for_each_statement(*block, [&](const Statement& statement) {
      if (statement.number != 0 &&
          (statement.kind == Kind::Run || statement.kind == Kind::RunAndWait))
        used.insert(statement.group);
    });
  }
  for (Block* block : blocks)
    drop_groups(*block, used);
}

std::vector<unsigned> droppable(const Program& program) {
  std::vector<unsigned> numbers;
  const auto note = [&](const Statement& statement) {
    if (may_drop(statement))
      numbers.push_back(statement.number);
  };
  for (const Block& thread : program.threads)
    for_each_statement(thread, note);
  for_each_statement(program.epilogue, note);
  return numbers;
}

std::string describe(const Program& program) {
  std::string text;
  const auto add = [&](const char* title, const Block& block) {
    text += fmt::format("{} {{\n", title);
    describe(block, 1, text);
    text += "}\n";
  };
  add("main, at first", program.prologue);
  for (const Block& thread : program.threads)
    add(&thread == program.threads.data() ? "main" : "thread", thread);
  add("main, after the threads", program.epilogue);
  return text;
}

} // namespace random_program
