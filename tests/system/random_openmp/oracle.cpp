// SPDX-License-Identifier: Apache-2.0
// What the profile of a program has to be, from OpenMP's rules for who waits for whom. Every task is walked where it is
// created, to its end, with the length of the longest path to its present point; so is every thread of a team, phase
// by phase. That is one of the orders in which the program can run, and all of them have the same DAG; but for chunks
// that are dealt out as threads come for them: then there are bounds, each iteration on a thread of its own, and all
// on one.
#include "program.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace random_openmp {
namespace {

enum class Mode : std::uint8_t { Least, Most, Divisible };

// Accesses to an object that are not ordered among themselves, and those before.
struct Object {
  Units before = 0, last = 0;  // ends
  Access access = Access::Out; // of the last ones
};

struct Task {
  Units at = 0;       // longest path to here
  Units children = 0; // their latest end
  bool is_final = false;
  Units* below =
      nullptr; // the latest end of all that the group around, or else the barrier, waits for
  std::array<Object, kObjects> objects{};
};

class Walk {
public:
  Walk(const Program& program, const Settings& settings, Mode mode)
      : program_(program), settings_(settings), mode_(mode) {
    expected_.executed.resize(kKinds);
    expected_.phases.resize(kPhaseKinds);
    Task main;
    Units below = 0;
    main.below = &below;
    run(program.main, main);
    span = std::max(main.at, below);
  }

  Units span = 0;
  bool is_loose = false, is_divisible = true;
  const Expected& expected() const { return expected_; }

private:
  static void raise(Units& value, Units to) { value = std::max(value, to); }

  void spend(Task& task, Units units) {
    task.at += units;
    expected_.work += units;
  }

  void run(const Block& block, Task& task) {
    for (const Statement& s : block)
      run(s, task);
  }

  void run(const Statement& s, Task& task) {
    ++expected_.executed[static_cast<std::size_t>(s.kind)];
    switch (s.kind) {
    case Kind::Spend:
      return spend(task, s.units);
    case Kind::Task:
      return create(s, task);
    case Kind::Taskwait:
      return raise(task.at, s.depends.empty() ? task.children : ready(s, task));
    case Kind::Taskgroup:
      return group(task, [&] { run(s.blocks[0], task); });
    case Kind::Taskloop:
      if (s.nogroup)
        return taskloop(s, task);
      return group(task, [&] { taskloop(s, task); });
    case Kind::Taskyield:
      return;
    case Kind::Critical:
      return run(s.blocks[0], task);
    case Kind::Parallel:
      return parallel(s, task);
    case Kind::Teams:
      return teams(s, task);
    case Kind::Cancelled:
      return group(task, [&] {
        child(task, 0, false, false, [&](Task& inner) { run(s.blocks[0], inner); });
        raise(task.at, task.children);
      });
    }
  }

  template <typename Code>
  void group(Task& task, Code code) {
    Units below = 0;
    Units* const outer = task.below;
    task.below = &below;
    code();
    task.below = outer;
    raise(task.at, below);
  }

  // ---- tasks

  // libomp has an undeferred task exclude no other one: it orders it with the others.
  static Access access_of(const Statement& s, const Depend& depend) {
    const bool is_mutex = depend.access == Access::Mutex;
    return is_mutex && s.mark == Mark::If0 ? Access::InOut : depend.access;
  }
  // Is it not ordered with the last ones?
  static bool is_alike(Access access, const Object& object) {
    return access == object.access && access != Access::Out && access != Access::InOut;
  }

  // When all that it depends on has ended.
  static Units ready(const Statement& s, const Task& task) {
    Units at = 0;
    for (const Depend& each : s.depends) {
      const Object& object = task.objects[each.object];
      raise(at, object.before);
      if (!is_alike(access_of(s, each), object))
        raise(at, object.last);
    }
    return at;
  }
  static void note(const Statement& s, Task& task, Units end) {
    for (const Depend& each : s.depends) {
      Object& object = task.objects[each.object];
      if (!is_alike(access_of(s, each), object)) {
        raise(object.before, object.last);
        object.last = 0;
        object.access = access_of(s, each);
      }
      raise(object.last, end);
    }
  }

  // Returns the end of the new task.
  template <typename Code>
  Units child(Task& task, Units ready, bool is_final, bool is_at_once, Code code) {
    ++expected_.tasks;
    Task inner;
    inner.at = std::max(task.at, ready);
    inner.is_final = is_final || task.is_final;
    inner.below = task.below;
    code(inner);
    if (is_at_once || task.is_final)
      task.at = inner.at;
    raise(task.children, inner.at);
    raise(*task.below, inner.at);
    return inner.at;
  }

  void create(const Statement& s, Task& task) {
    spend(task, s.copy);
    const Units end = child(task, ready(s, task), s.mark == Mark::Final, s.mark == Mark::If0,
                            [&](Task& inner) { run(s.blocks[0], inner); });
    note(s, task, end);
  }

  // The largest part of `iterations` when halving stops at the grain size.
  static Units largest_part(Units iterations, Units grain) {
    while (iterations > grain)
      iterations = (iterations + 1) / 2;
    return iterations;
  }

  bool are_alike(const std::vector<Block>& blocks) const {
    return std::all_of(blocks.begin(), blocks.end(), [&](const Block& block) {
      return block.size() == 1 && block[0].kind == Kind::Spend && blocks[0].size() == 1 &&
             block[0].units == blocks[0][0].units;
    });
  }

  void taskloop(const Statement& s, Task& task) {
    unsigned count = s.tasks != 0 ? s.tasks : 10 * team_size_;
    if (s.grain != 0)
      count = std::max(1u, s.iterations / s.grain);
    count = std::min(count, s.iterations);
    // In a final task they run one after the other, however many there are.
    const bool may_scale = mode_ == Mode::Divisible && !task.is_final && !s.is_if0;
    const bool scales = may_scale && are_alike(s.blocks);
    // libomp creates so many tasks by halving, and reports no chunks of tasks that it does not defer.
    const bool is_unknown = count > 10 * team_size_ && team_size_ == 1;
    if (may_scale && (!scales || is_unknown))
      is_divisible = false;
    unsigned next = 0;
    // clang's code copies the data once more, for a task that libomp makes the others from.
    if (!settings_.is_of_gcc)
      spend(task, s.copy);
    for (unsigned i = 0; i < count; ++i) {
      spend(task, s.copy);
      const unsigned mine = s.iterations / count + (i < s.iterations % count ? 1 : 0);
      child(task, 0, false, s.is_if0, [&](Task& inner) {
        const Units begin = inner.at;
        for (unsigned k = 0; k < mine; ++k)
          run(s.blocks[next++ % s.blocks.size()], inner);
        if (scales)
          inner.at = begin + (inner.at - begin) / mine * largest_part(mine, std::max(1u, s.grain));
      });
    }
  }

  // ---- teams

  void teams(const Statement& s, Task& task) {
    Units latest = task.at;
    for (unsigned t = 0; t < s.threads; ++t) {
      Task team;
      Units below = 0;
      team.at = task.at;
      team.below = &below;
      is_in_league_ = true;
      run(s.blocks[t % s.blocks.size()], team);
      is_in_league_ = false;
      raise(latest, team.at);
    }
    task.at = latest;
  }

  void parallel(const Statement& s, Task& task) {
    unsigned size = s.threads != 0 ? s.threads : settings_.threads;
    if (s.is_if0 || level_ >= program_.levels)
      size = 1;
    const unsigned outer = team_size_;
    team_size_ = size;
    // To libomp a region in a league is an active one, also of one thread.
    const bool is_of_team = std::exchange(is_in_league_, false);
    const unsigned levels = size > 1 || is_of_team ? 1 : 0;
    level_ += levels;
    std::vector<Task> team(size);
    Units below = 0;
    for (Task& each : team) {
      each.at = task.at;
      each.below = &below;
    }
    const auto barrier = [&] {
      Units latest = below;
      for (const Task& each : team)
        raise(latest, each.at);
      for (Task& each : team)
        each.at = latest;
    };
    for (const Phase& phase : s.phases) {
      run(phase, team);
      if (!phase.nowait)
        barrier();
    }
    barrier();
    task.at = team[0].at;
    team_size_ = outer;
    level_ -= levels;
    is_in_league_ = is_of_team;
  }

  void run(const Phase& phase, std::vector<Task>& team) {
    ++expected_.phases[static_cast<std::size_t>(phase.kind)];
    switch (phase.kind) {
    case PhaseKind::Each:
      for (std::size_t i = 0; i < team.size(); ++i)
        run(phase.blocks[i % phase.blocks.size()], team[i]);
      return;
    case PhaseKind::Single:
    case PhaseKind::Masked:
      return run(phase.blocks[0], team[0]);
    case PhaseKind::Loop:
    case PhaseKind::Ordered:
    case PhaseKind::Doacross:
    case PhaseKind::Sections:
      return loop(phase, team);
    case PhaseKind::Reduction:
      for (Task& each : team)
        spend(each, phase.start);
      loop(phase, team);
      return combine(phase, team);
    }
  }

  // A thread that has another one's value goes on after both. Who comes first to what a lock protects is not in the DAG.
  void combine(const Phase& phase, std::vector<Task>& team) {
    if (settings_.is_of_gcc || team.size() <= 4) {
      for (Task& each : team)
        spend(each, phase.units);
      return;
    }
    // libomp's reduction barrier: a binomial tree, in which the team waits for the first thread.
    for (std::size_t distance = 1; distance < team.size(); distance *= 2)
      for (std::size_t t = 0; t + distance < team.size(); t += 2 * distance) {
        raise(team[t].at, team[t + distance].at);
        spend(team[t], phase.units);
      }
    for (Task& each : team)
      each.at = team[0].at;
    spend(team[0], phase.units); // with the variable
  }

  // The thread that runs an iteration.
  static unsigned owner(const Phase& phase, unsigned iterations, unsigned i, unsigned threads) {
    if (phase.schedule == Schedule::StaticChunks)
      return i / phase.chunk % threads;
    const unsigned each = iterations / threads, more = iterations % threads;
    return i < more * (each + 1) ? i / (each + 1) : more + (i - more * (each + 1)) / each;
  }

  void loop(const Phase& phase, std::vector<Task>& team) {
    const bool is_sections = phase.kind == PhaseKind::Sections;
    const bool has_order = phase.kind == PhaseKind::Ordered || phase.kind == PhaseKind::Doacross;
    const auto count = is_sections ? static_cast<unsigned>(phase.blocks.size()) : phase.iterations;
    // libomp deals out g++'s ordered loops, and all sections, in its own way.
    const bool is_bound =
        team.size() == 1 || (phase.schedule < Schedule::Dynamic &&
                             !(settings_.is_of_gcc && (has_order || is_sections)));
    is_loose |= !is_bound;
    if (mode_ == Mode::Divisible) {
      const bool is_hidden =
          settings_.is_of_gcc && !has_order && phase.schedule < Schedule::Dynamic;
      if (is_sections || has_order || is_hidden || !are_alike(phase.blocks))
        is_divisible = false;
    }
    std::vector<Task> apart; // an iteration of its own
    if (!is_bound && mode_ != Mode::Most)
      apart.assign(count, team[0]);
    std::vector<Units> begins(team.size());
    for (std::size_t t = 0; t < team.size(); ++t)
      begins[t] = team[t].at;
    std::vector<Units> done(count); // the parts that have an order
    for (unsigned i = 0; i < count; ++i) {
      const auto t = is_bound ? owner(phase, count, i, static_cast<unsigned>(team.size())) : 0;
      Task& task = !apart.empty() ? apart[i] : team[t];
      if (mode_ == Mode::Divisible)
        task.at = begins[t];
      run(phase.blocks[i % phase.blocks.size()], task);
      if (has_order) {
        const unsigned distance = phase.kind == PhaseKind::Ordered ? 1 : 2;
        for (unsigned back = distance; back <= (distance == 1 ? 1u : 3u); ++back)
          if (i >= back)
            raise(task.at, done[i - back]);
        spend(task, phase.units);
        done[i] = task.at;
      }
      if (!apart.empty())
        raise(team[0].at, task.at);
    }
  }

  const Program& program_;
  const Settings& settings_;
  const Mode mode_;
  unsigned team_size_ = 1, level_ = 0;
  bool is_in_league_ = false; // and in no region of it
  Expected expected_;
};

} // namespace

Expected expect(const Program& program, const Settings& settings) {
  const Walk least(program, settings, Mode::Least), most(program, settings, Mode::Most),
      divisible(program, settings, Mode::Divisible);
  Expected expected = least.expected();
  expected.span = {least.span, most.span};
  if (divisible.is_divisible)
    expected.divisible_span = divisible.span;
  return expected;
}

} // namespace random_openmp
