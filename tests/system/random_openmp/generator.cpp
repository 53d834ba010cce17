// SPDX-License-Identifier: Apache-2.0
// Makes a random program. Its work is determined, and so is its span unless chunks or sections are dealt out as
// threads come for them:
//  - what only one thread of a team runs (single) comes after a barrier, so that it does not matter which;
//  - a phase without a barrier at its end is followed by others that are bound to threads;
//  - bodies of loops create no tasks where the schedule decides which iterations come first.
#include "program.h"

#include <algorithm>
#include <random>
#include <utility>

namespace random_openmp {
namespace {

class Generator {
public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Program generate() {
    Program program;
    tasks_only_ = one_in(4);
    program.is_of_tasks = tasks_only_;
    program.levels = one_in(4) ? 1 : 3;
    program.main = spends();
    for (unsigned i = 0, count = tasks_only_ ? 1 : up_to(2); i < count; ++i) {
      program.main.push_back(tasks_only_ ? region_of_tasks() : one_in(5) ? teams() : region(0));
      append(program.main, spends());
    }
    return program;
  }

private:
  unsigned up_to(unsigned most) { return 1 + static_cast<unsigned>(random_() % most); } // from 1
  bool one_in(unsigned n) { return random_() % n == 0; }
  bool has_room() { return left_ > 0; }

  static void append(Block& to, const Block& more) {
    to.insert(to.end(), more.begin(), more.end());
  }
  Statement spend() {
    Statement s;
    s.units = up_to(100);
    return s;
  }
  Block spends() {
    Block block;
    while (one_in(2))
      block.push_back(spend());
    return block;
  }
  static Statement taskwait() {
    Statement s;
    s.kind = Kind::Taskwait;
    return s;
  }

  std::vector<Depend> depends() {
    std::vector<Depend> all;
    for (unsigned i = 0, count = up_to(2); i < count; ++i) {
      const unsigned object = up_to(kObjects) - 1;
      if (std::none_of(all.begin(), all.end(), [&](const Depend& d) { return d.object == object; }))
        all.push_back({object, static_cast<Access>(random_() % 3)});
    }
    return all;
  }

  Statement task(unsigned depth, bool in_final) {
    Statement s;
    s.kind = Kind::Task;
    --left_;
    if (one_in(4))
      s.mark = static_cast<Mark>(up_to(4));
    if (tasks_only_ && s.mark == Mark::Untied)
      s.mark = Mark::None;
    if (!tasks_only_ && one_in(4))
      s.depends = depends();
    // Where g++'s code says if(0), libomp does not copy.
    if (!tasks_only_ && s.mark != Mark::If0 && one_in(6))
      s.copy = up_to(20);
    // A thread that waits in an untied task may run any other: libomp's threads can wait for each other then, for ever.
    if (s.mark == Mark::Untied)
      s.blocks.push_back(code_without_waits(depth + 1, in_final));
    else
      s.blocks.push_back(code(depth + 1, in_final || s.mark == Mark::Final));
    if (tasks_only_)
      s.blocks[0].push_back(taskwait());
    return s;
  }

  Statement taskloop(unsigned depth, bool in_final) {
    Statement s;
    s.kind = Kind::Taskloop;
    s.iterations = up_to(20);
    if (one_in(8))
      s.iterations = 50 + up_to(200);
    if (one_in(3))
      s.grain = up_to(5);
    else if (!one_in(4) || tasks_only_)
      s.tasks = up_to(6);
    s.nogroup = !tasks_only_ && one_in(4);
    // If libomp creates the tasks by halving, the tasks that do so copy as well.
    if (!tasks_only_ && s.tasks != 0 && one_in(3))
      s.copy = up_to(20);
    s.is_if0 = s.copy == 0 && one_in(5); // tasks with if(0) have no copies either
    left_ -= 4;
    for (unsigned i = 0, count = one_in(3) ? up_to(3) : 1; i < count; ++i)
      s.blocks.push_back(s.iterations < 6 && !s.nogroup ? code(depth + 2, in_final)
                                                        : Block{spend()});
    if (tasks_only_)
      for (Block& block : s.blocks)
        block.push_back(taskwait());
    return s;
  }

  Statement statement(unsigned depth, bool in_final) {
    if (depth > 5 || !has_room())
      return spend();
    Statement s;
    switch (random_() % 12) {
    case 0:
    case 1:
      return spend();
    case 2:
      s.kind = Kind::Taskwait;
      if (!tasks_only_ && one_in(4))
        s.depends = depends();
      return s;
    case 3:
    case 4:
      s.kind = Kind::Taskgroup;
      s.blocks.push_back(code(depth + 1, in_final));
      return s;
    case 5:
      return taskloop(depth, in_final);
    case 6:
      if (tasks_only_)
        return spend();
      if (one_in(2) && depth < 4) {
        left_ -= 4;
        return region(depth + 2);
      }
      s.kind = one_in(2) ? Kind::Taskyield : Kind::Critical;
      if (s.kind == Kind::Critical)
        s.blocks.push_back({spend()});
      return s;
    default:
      return task(depth, in_final);
    }
  }

  Block code(unsigned depth, bool in_final) {
    Block block;
    for (unsigned i = 0, count = up_to(4); i < count; ++i)
      block.push_back(statement(depth, in_final));
    if (!tasks_only_ && has_room() && one_in(10))
      append(block, exclusive_tasks());
    // After a taskwait: libomp gives up also what it has still to create of a taskloop before such a group.
    if (!tasks_only_ && !in_final && has_room() && one_in(12)) {
      block.push_back(taskwait());
      block.push_back(cancelled());
    }
    return block;
  }

  // With a taskwait: libomp can wait for ever where a task of such a set has not ended when its parent does.
  Block exclusive_tasks() {
    Block block;
    for (unsigned i = 0, count = 1 + up_to(5); i < count; ++i) {
      Statement s;
      s.kind = Kind::Task;
      if (one_in(6))
        s.mark = Mark::If0;
      s.depends = depends();
      for (Depend& each : s.depends)
        each.access = static_cast<Access>(random_() % kAccesses);
      s.blocks.push_back({spend()});
      block.push_back(s);
      append(block, spends());
      --left_;
    }
    block.push_back(taskwait());
    return block;
  }

  Statement cancelled() {
    Statement s;
    s.kind = Kind::Cancelled;
    for (unsigned i = 0, count = up_to(4); i < count; ++i)
      s.blocks.push_back({spend()});
    left_ -= 4;
    return s;
  }

  // Outside of all regions. The regions in it name their number of threads. Without an if clause: clang's, and libomp's
  // of g++, then differ in whether they are active, and in a league of one team libomp 19 ends programs of clang's.
  Statement teams() {
    Statement s;
    s.kind = Kind::Teams;
    s.threads = up_to(3);
    for (unsigned i = 0, count = up_to(3); i < count; ++i) {
      s.blocks.push_back(spends());
      if (one_in(2)) {
        s.blocks.back().push_back(region(2));
        s.blocks.back().back().is_if0 = false;
      }
      append(s.blocks.back(), spends());
    }
    return s;
  }

  Block code_without_waits(unsigned depth, bool in_final) {
    Block block;
    for (unsigned i = 0, count = up_to(3); i < count; ++i) {
      block.push_back(one_in(2) || depth > 5 || !has_room() ? spend() : task(depth, in_final));
      block.back().depends.clear();
      if (block.back().mark == Mark::If0)
        block.back().mark = Mark::None;
    }
    return block;
  }

  Phase phase(unsigned depth, bool after_barrier) {
    Phase p;
    const unsigned choice = static_cast<unsigned>(random_() % (after_barrier ? 11 : 6));
    const auto plain_blocks = [&] {
      for (unsigned i = 0, count = one_in(3) ? up_to(3) : 1; i < count; ++i)
        p.blocks.push_back({spend()});
    };
    p.iterations = 0;
    if (choice < 3) {
      p.kind = PhaseKind::Each;
      for (unsigned i = 0, count = up_to(3); i < count; ++i)
        p.blocks.push_back(code(depth + 1, false));
    } else if (choice < 6) {
      p.kind = PhaseKind::Loop;
      p.iterations = up_to(one_in(3) ? 100 : 12);
      p.schedule = one_in(2) ? Schedule::Static : Schedule::StaticChunks;
      p.chunk = up_to(4);
      if (one_in(4) && p.iterations <= 12)
        p.blocks.push_back(code(depth + 2, false));
      else
        plain_blocks();
    } else if (choice < 8) {
      p.kind = one_in(4) ? PhaseKind::Masked : PhaseKind::Single;
      p.blocks.push_back(code(depth, false));
    } else if (choice == 10) {
      p.kind = PhaseKind::Reduction;
      p.iterations = up_to(30);
      p.units = up_to(50);
      p.start = up_to(20);
      plain_blocks();
    } else {
      p.kind = static_cast<PhaseKind>(3 + random_() % 4);
      plain_blocks();
      if (p.kind == PhaseKind::Sections) {
        p.blocks.clear();
        for (unsigned i = 0; i < 3; ++i)
          p.blocks.push_back(code(depth + 2, false));
        return p;
      }
      p.iterations = up_to(30);
      p.chunk = up_to(3);
      p.units = up_to(50);
      p.schedule = static_cast<Schedule>(random_() % 4);
    }
    return p;
  }

  Phase uneven_arrival() {
    Phase p;
    p.nowait = true;
    for (unsigned i = 0, count = 1 + up_to(4); i < count; ++i)
      p.blocks.push_back({spend()});
    return p;
  }

  Statement region(unsigned depth) {
    Statement s;
    s.kind = Kind::Parallel;
    // 0: as many as there are.
    s.threads = depth == 0 ? (one_in(2) ? 0 : up_to(5)) : up_to(3);
    s.is_if0 = one_in(8);
    bool after_barrier = true;
    for (unsigned i = 0, count = up_to(4); i < count; ++i) {
      Phase next = phase(depth + 1, after_barrier);
      // Without tasks: libomp's threads run those of the team where they wait in a reduction.
      if (next.kind == PhaseKind::Reduction && one_in(2))
        s.phases.push_back(uneven_arrival());
      s.phases.push_back(std::move(next));
      Phase& p = s.phases.back();
      const bool is_bound = p.kind == PhaseKind::Each || p.kind == PhaseKind::Masked ||
                            p.kind == PhaseKind::Reduction ||
                            (p.kind == PhaseKind::Loop && p.schedule < Schedule::Dynamic);
      p.nowait = is_bound && one_in(3);
      after_barrier = !p.nowait;
    }
    return s;
  }

  Statement region_of_tasks() {
    Statement s;
    s.kind = Kind::Parallel;
    Phase p;
    p.kind = PhaseKind::Single;
    p.blocks.push_back(code(0, false));
    p.blocks[0].push_back(taskwait());
    s.phases.push_back(p);
    return s;
  }

  std::mt19937_64 random_;
  bool tasks_only_ = false;
  int left_ = 60; // statements that create tasks or teams
};

} // namespace

Program generate(std::uint64_t seed) {
  return Generator(seed).generate();
}

} // namespace random_openmp
