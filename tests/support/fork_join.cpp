// SPDX-License-Identifier: Apache-2.0
// Written for clarity, not speed: profiles are maps, and the code follows the printed pseudocode
// step by step.
#include "fork_join.h"

#include <algorithm>
#include <optional>
#include <random>
#include <string>

namespace tp::test {
namespace {

void add(ForkJoinSums& to, const ForkJoinSums& from) {
  to.count += from.count;
  to.work += from.work;
  to.span += from.span;
}

void unite(ForkJoinProfile& to, const ForkJoinProfile& from) {
  for (const auto& [line, site] : from) {
    add(to[line].top_call_site, site.top_call_site);
    add(to[line].top_caller, site.top_caller);
    add(to[line].local, site.local);
  }
}

// A span variable of Figure 3 with its profile. `own` is the part of it that F's own instructions
// contribute.
struct Variable {
  std::uint64_t value = 0, own = 0;
  ForkJoinProfile prof;
  void operator+=(const Variable& other) {
    value += other.value;
    own += other.own;
    unite(prof, other.prof);
  }
};

struct Evaluated {
  std::uint64_t work = 0;
  ForkJoinProfile work_prof;
  Variable span;
};

class Evaluator {
public:
  explicit Evaluator(const ForkJoinProgram& program) : program_(program) {}
  Evaluated run(std::size_t index) {
    const ForkJoinTask& task = program_.tasks[index];
    Evaluated result;
    Variable p, c;
    std::optional<Variable> l; // none: no child since the last sync
    std::uint64_t local_work = 0;
    const auto execute = [&](std::uint64_t work) {
      local_work += work;
      c.value += work;
      c.own += work;
    };
    stack_.push_back(task.line);
    for (const auto& event : task.events) {
      execute(event.work);
      if (event.kind == ForkJoinTask::Event::Spawn) {
        Evaluated child = run(event.child);
        result.work += child.work;
        unite(result.work_prof, child.work_prof);
        if (!l || c.value + child.span.value > l->value) {
          l = child.span;
          l->own = 0;
          p += c;
          c = {};
        }
        continue;
      }
      if (!l || c.value > l->value)
        p += c;
      else
        p += *l;
      c = {};
      l.reset();
    }
    execute(task.last_work);
    p += c;
    stack_.pop_back();
    result.work += local_work;
    result.span = p;
    if (index > 0)
      record(task, local_work, result);
    return result;
  }

private:
  // UPDATE of the task's site, in the profiles of its work and of its span.
  void record(const ForkJoinTask& task, std::uint64_t local_work, Evaluated& result) {
    ForkJoinSite site;
    const ForkJoinSums whole{1, result.work, result.span.value};
    bool top_call_site = true, top_caller = true;
    for (std::size_t i = 1; i < stack_.size(); ++i) { // [0] is main
      top_call_site &= stack_[i] != task.line;
      top_caller &=
          program_.function_of_line.at(stack_[i]) != program_.function_of_line.at(task.line);
    }
    if (top_call_site)
      site.top_call_site = whole;
    if (top_caller)
      site.top_caller = whole;
    site.local = {1, local_work, result.span.own};
    unite(result.work_prof, {{task.line, site}});
    unite(result.span.prof, {{task.line, site}});
  }

  const ForkJoinProgram& program_;
  std::vector<std::uint32_t> stack_; // lines
};

class Writer {
public:
  Writer(const ForkJoinProgram& program, StreamBuilder& stream)
      : program_(program), stream_(stream) {}
  void run(std::size_t index) {
    const ForkJoinTask& task = program_.tasks[index];
    std::vector<std::pair<std::size_t, std::uint64_t>> spawned; // task, ordinal
    for (const auto& event : task.events) {
      const StepFigures step{event.work, 0, event.work};
      const ContextOperand context =
          spawned.empty() ? ContextOperand::fresh(true) : ContextOperand::last();
      if (event.kind == ForkJoinTask::Event::Wait) {
        stream_.wait(step, context);
        // The newest first, as a oneTBB thread does.
        for (; !spawned.empty(); spawned.pop_back())
          begin(spawned.back().first, spawned.back().second);
        stream_.wait_end();
        continue;
      }
      const std::uint32_t line = program_.tasks[event.child].line;
      spawned.emplace_back(event.child, stream_.spawns());
      stream_.spawn(step, SiteOperand::of(line), context);
    }
    stream_.end({task.last_work, 0, task.last_work});
  }

private:
  void begin(std::size_t index, std::uint64_t ordinal) {
    const std::uint64_t back = stream_.spawns() - 1 - ordinal;
    stream_.begin(back == 0 ? TaskOperand::newest() : TaskOperand::back(back));
    run(index);
  }
  const ForkJoinProgram& program_;
  StreamBuilder& stream_;
};

class Generator {
public:
  explicit Generator(std::uint64_t seed) : random_(seed), left_(1 + pick(60)) {}
  ForkJoinProgram run() {
    program_.function_of_line = {{10, 0}, {20, 0}, {30, 1}, {40, 2}};
    program_.tasks.emplace_back();
    fill(0, 0);
    program_.evaluate();
    return std::move(program_);
  }

private:
  std::uint64_t pick(std::uint64_t below) { return random_() % below; }
  std::uint64_t amount() { return pick(4) == 0 ? 0 : pick(9); }
  void fill(std::size_t index, unsigned depth) {
    const unsigned events = depth > 12 ? 0 : static_cast<unsigned>(pick(6));
    bool outstanding = false;
    for (unsigned i = 0; i < events; ++i) {
      if (left_ == 0 || (outstanding && pick(3) == 0)) {
        if (outstanding)
          program_.tasks[index].events.push_back({ForkJoinTask::Event::Wait, amount()});
        outstanding = false;
        continue;
      }
      --left_;
      const std::size_t child = program_.tasks.size();
      program_.tasks.emplace_back();
      program_.tasks[child].line = 10 * (1 + static_cast<std::uint32_t>(pick(4)));
      program_.tasks[index].events.push_back({ForkJoinTask::Event::Spawn, amount(), child});
      outstanding = true;
      fill(child, depth + 1);
    }
    if (outstanding)
      program_.tasks[index].events.push_back({ForkJoinTask::Event::Wait, amount()});
    program_.tasks[index].last_work = amount();
  }

  std::mt19937_64 random_;
  std::uint64_t left_; // tasks
  ForkJoinProgram program_;
};

std::size_t add_fib(ForkJoinProgram& program, unsigned n, std::uint32_t line) {
  const std::size_t index = program.tasks.size();
  program.tasks.emplace_back();
  program.tasks[index].line = line;
  program.tasks[index].last_work = 1;
  if (n < 2)
    return index;
  const std::size_t a = add_fib(program, n - 1, 10);
  const std::size_t b = add_fib(program, n - 2, 11);
  program.tasks[index].events = {{ForkJoinTask::Event::Spawn, 1, a},
                                 {ForkJoinTask::Event::Spawn, 1, b},
                                 {ForkJoinTask::Event::Wait, 1}};
  return index;
}

} // namespace

TraceBuilder ForkJoinProgram::trace() const {
  TraceBuilder trace;
  for (const auto& [line, function] : function_of_line) {
    const std::string number = std::to_string(line);
    trace.site_line("{\"site\":" + number + ",\"tag\":\"explicit\",\"file\":\"p.cpp\",\"line\":" +
                    number + ",\"column\":1,\"end_line\":" + number + ",\"function\":\"f" +
                    std::to_string(function) + "()\",\"construct\":\"task_group\"}");
  }
  StreamBuilder& stream = trace.stream();
  stream.thread_begin(trace::ThreadRole::Main);
  Writer(*this, stream).run(0);
  stream.thread_end();
  trace.virtual_work = work;
  return trace;
}

void ForkJoinProgram::evaluate() {
  const Evaluated whole = Evaluator(*this).run(0);
  work = whole.work;
  span = whole.span.value;
  on_work = whole.work_prof;
  on_span = whole.span.prof;
}

ForkJoinProgram make_fork_join(std::uint64_t seed) {
  return Generator(seed).run();
}

ForkJoinProgram make_fib(unsigned n) {
  ForkJoinProgram program;
  program.function_of_line = {{10, 0}, {11, 0}};
  add_fib(program, n, 0);
  program.evaluate();
  return program;
}

} // namespace tp::test
