// SPDX-License-Identifier: Apache-2.0
// Runs a program of tasks only with oneTBB, with the virtual clock: its tasks, groups and waits are the same.
#include "program.h"

#include <tp/virtual_clock.h>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

namespace random_openmp {
namespace {

// Of one task: the groups of the children that it has created, innermost taskgroup first.
struct Groups {
  tbb::task_group group;
  Groups* outer = nullptr;
};

void run(const Block& block, Groups& groups, bool is_final);

// As a task of its own, which waits for its children before it ends.
void run_task(const Block& block, bool is_final) {
  Groups groups;
  run(block, groups, is_final);
  groups.group.wait();
}

template <typename Code>
void create(Groups& groups, bool is_at_once, const Code& code) {
  if (is_at_once)
    code();
  else
    groups.group.run(code);
}

void taskloop(const Statement& s, Groups& groups, bool is_final) {
  unsigned count = s.grain != 0 ? s.iterations / s.grain : s.tasks;
  count = count == 0 ? 1 : count < s.iterations ? count : s.iterations;
  unsigned next = 0;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned first = next;
    next += s.iterations / count + (i < s.iterations % count ? 1 : 0);
    create(groups, is_final || s.is_if0, [&s, first, last = next, is_final] {
      Groups inner;
      for (unsigned k = first; k < last; ++k)
        run(s.blocks[k % s.blocks.size()], inner, is_final);
      inner.group.wait();
    });
  }
}

void run(const Statement& s, Groups& groups, bool is_final) {
  switch (s.kind) {
  case Kind::Spend:
    return tp::spend(s.units);
  case Kind::Task: {
    const bool makes_final = is_final || s.mark == Mark::Final;
    return create(groups, is_final || s.mark == Mark::If0,
                  [&s, makes_final] { run_task(s.blocks[0], makes_final); });
  }
  case Kind::Taskwait:
    for (Groups* each = &groups; each != nullptr; each = each->outer)
      each->group.wait();
    return;
  case Kind::Taskgroup: {
    Groups inner;
    inner.outer = &groups;
    run(s.blocks[0], inner, is_final);
    inner.group.wait();
    return;
  }
  case Kind::Taskloop: {
    Groups inner;
    taskloop(s, inner, is_final);
    inner.group.wait();
    return;
  }
  case Kind::Taskyield:
  case Kind::Critical:
  case Kind::Teams:
  case Kind::Cancelled:
    return;
  case Kind::Parallel:
    return run_task(s.phases[0].blocks[0], is_final);
  }
}

void run(const Block& block, Groups& groups, bool is_final) {
  for (const Statement& s : block)
    run(s, groups, is_final);
}

} // namespace

const bool interpreter_is_of_gcc = false, interpreter_is_of_tbb = true;

void run(const Program& program, const Settings& settings) {
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, settings.threads);
  tbb::task_arena arena(static_cast<int>(settings.threads));
  arena.execute([&] { run_task(program.main, false); });
}

} // namespace random_openmp
