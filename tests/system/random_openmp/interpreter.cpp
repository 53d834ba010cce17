// SPDX-License-Identifier: Apache-2.0
// Runs a program with OpenMP, with the virtual clock.
#include "program.h"

#include <tp/virtual_clock.h>

#include <algorithm>
#include <omp.h>

namespace random_openmp {
namespace {

void run(const Block& block);

// Of depend clauses. What a task does not name is an object without writers.
char objects[kObjects];
char never_written;

#define DO(text) _Pragma(#text)

#define CASE(number, MACRO, ...)                                                                   \
  case number: {                                                                                   \
    MACRO(__VA_ARGS__);                                                                            \
    break;                                                                                         \
  }
// Their objects and accesses. Of one only, the second is of nothing that is written.
#define NAME_DEPENDS(s)                                                                            \
  char* const x = &objects[(s).depends[0].object];                                                 \
  const bool has_two = (s).depends.size() > 1;                                                     \
  char* const y = has_two ? &objects[(s).depends[1].object] : &never_written;                      \
  const unsigned first = static_cast<unsigned>((s).depends[0].access);                             \
  const unsigned second = has_two ? static_cast<unsigned>((s).depends[1].access) : 0;
// Calls MACRO(clauses) with the depend clauses of a statement.
#define WITH_DEPENDS(s, MACRO)                                                                     \
  do {                                                                                             \
    NAME_DEPENDS(s)                                                                                \
    switch (3 * first + second) {                                                                  \
      CASE(0, MACRO, depend(in : *x, *y))                                                          \
      CASE(1, MACRO, depend(in : *x) depend(out : *y))                                             \
      CASE(2, MACRO, depend(in : *x) depend(inout : *y))                                           \
      CASE(3, MACRO, depend(out : *x) depend(in : *y))                                             \
      CASE(4, MACRO, depend(out : *x, *y))                                                         \
      CASE(5, MACRO, depend(out : *x) depend(inout : *y))                                          \
      CASE(6, MACRO, depend(inout : *x) depend(in : *y))                                           \
      CASE(7, MACRO, depend(inout : *x) depend(out : *y))                                          \
      CASE(8, MACRO, depend(inout : *x, *y))                                                       \
    }                                                                                              \
  } while (false)

// The same of tasks only, of which some exclude each other.
#define EACH_SECOND(first, clause, MACRO)                                                          \
  CASE(kAccesses* first + 0, MACRO, clause depend(in : *y))                                        \
  CASE(kAccesses* first + 1, MACRO, clause depend(out : *y))                                       \
  CASE(kAccesses* first + 2, MACRO, clause depend(inout : *y))                                     \
  CASE(kAccesses* first + 3, MACRO, clause depend(mutexinoutset : *y))
#define WITH_SETS(s, MACRO)                                                                        \
  do {                                                                                             \
    NAME_DEPENDS(s)                                                                                \
    switch (kAccesses * first + second) {                                                          \
      EACH_SECOND(0, depend(in : *x), MACRO)                                                       \
      EACH_SECOND(1, depend(out : *x), MACRO)                                                      \
      EACH_SECOND(2, depend(inout : *x), MACRO)                                                    \
      EACH_SECOND(3, depend(mutexinoutset : *x), MACRO)                                            \
    }                                                                                              \
  } while (false)

// Data of tasks whose copy takes `units`.
struct Costly {
  explicit Costly(Units units) : units_(units) {}
  Costly(const Costly& other) : units_(other.units_) { tp::spend(units_); }
  Costly& operator=(const Costly&) = delete;

private:
  Units units_;
};

void create_with_copy(const Statement& s) {
  const Block* const block = s.blocks.data();
  const Costly costly(s.copy);
  const bool is_final = s.mark == Mark::Final;
#define TIED_COPY(...)                                                                             \
  DO(omp task firstprivate(block, costly) final(is_final) __VA_ARGS__)                             \
  run(*block)
#define UNTIED_COPY(...)                                                                           \
  DO(omp task firstprivate(block, costly) untied __VA_ARGS__)                                      \
  run(*block)
#define MERGEABLE_COPY(...)                                                                        \
  DO(omp task firstprivate(block, costly) mergeable __VA_ARGS__)                                   \
  run(*block)
  if (s.depends.empty()) {
    if (s.mark == Mark::Untied) {
      UNTIED_COPY();
    } else if (s.mark == Mark::Mergeable) {
      MERGEABLE_COPY();
    } else {
      TIED_COPY();
    }
  } else if (s.mark == Mark::Untied) {
    WITH_DEPENDS(s, UNTIED_COPY);
  } else if (s.mark == Mark::Mergeable) {
    WITH_DEPENDS(s, MERGEABLE_COPY);
  } else {
    WITH_DEPENDS(s, TIED_COPY);
  }
}

bool has_sets(const Statement& s) {
  return std::any_of(s.depends.begin(), s.depends.end(),
                     [](const Depend& each) { return each.access == Access::Mutex; });
}

void create(const Statement& s) {
  if (s.copy != 0)
    return create_with_copy(s);
  const Block* const block = s.blocks.data();
  const bool is_deferred = s.mark != Mark::If0, is_final = s.mark == Mark::Final;
#define TIED(...)                                                                                  \
  DO(omp task firstprivate(block) if (is_deferred) final(is_final) __VA_ARGS__)                    \
  run(*block)
#define UNTIED(...)                                                                                \
  DO(omp task firstprivate(block) untied __VA_ARGS__)                                              \
  run(*block)
#define MERGEABLE(...)                                                                             \
  DO(omp task firstprivate(block) mergeable __VA_ARGS__)                                           \
  run(*block)
  if (has_sets(s)) {
    WITH_SETS(s, TIED);
  } else if (s.depends.empty()) {
    if (s.mark == Mark::Untied) {
      UNTIED();
    } else if (s.mark == Mark::Mergeable) {
      MERGEABLE();
    } else {
      TIED();
    }
  } else if (s.mark == Mark::Untied) {
    WITH_DEPENDS(s, UNTIED);
  } else if (s.mark == Mark::Mergeable) {
    WITH_DEPENDS(s, MERGEABLE);
  } else {
    WITH_DEPENDS(s, TIED);
  }
}

void wait(const Statement& s) {
  if (s.depends.empty()) {
#pragma omp taskwait
    return;
  }
#define WAIT(...) DO(omp taskwait __VA_ARGS__)
  WITH_DEPENDS(s, WAIT);
}

void taskloop(const Statement& s) {
  const std::vector<Block>& blocks = s.blocks;
#define EACH_ITERATION                                                                             \
  for (unsigned i = 0; i < s.iterations; ++i)                                                      \
  run(blocks[i % blocks.size()])
  if (s.copy != 0) {
    const Costly costly(s.copy);
    if (s.nogroup)
#pragma omp taskloop nogroup shared(s, blocks) num_tasks(s.tasks) firstprivate(costly)
      EACH_ITERATION;
    else
#pragma omp taskloop shared(s, blocks) num_tasks(s.tasks) firstprivate(costly)
      EACH_ITERATION;
    return;
  }
  const bool is_deferred = !s.is_if0;
  if (s.nogroup) {
    if (s.grain != 0)
#pragma omp taskloop nogroup shared(s, blocks) if (is_deferred) grainsize(s.grain)
      EACH_ITERATION;
    else if (s.tasks != 0)
#pragma omp taskloop nogroup shared(s, blocks) if (is_deferred) num_tasks(s.tasks)
      EACH_ITERATION;
    else
#pragma omp taskloop nogroup shared(s, blocks) if (is_deferred)
      EACH_ITERATION;
  } else {
    if (s.grain != 0)
#pragma omp taskloop shared(s, blocks) if (is_deferred) grainsize(s.grain)
      EACH_ITERATION;
    else if (s.tasks != 0)
#pragma omp taskloop shared(s, blocks) if (is_deferred) num_tasks(s.tasks)
      EACH_ITERATION;
    else
#pragma omp taskloop shared(s, blocks) if (is_deferred)
      EACH_ITERATION;
  }
}

void loop(const Phase& p) {
  const std::vector<Block>& blocks = p.blocks;
  const unsigned chunk = p.chunk;
#define EACH(iteration)                                                                            \
  for (unsigned i = 0; i < p.iterations; ++i)                                                      \
  run(blocks[i % blocks.size()])
  switch (p.schedule) {
  case Schedule::Static:
    if (p.nowait)
#pragma omp for schedule(static) nowait
      EACH(i);
    else
#pragma omp for schedule(static)
      EACH(i);
    break;
  case Schedule::StaticChunks:
    if (p.nowait)
#pragma omp for schedule(static, chunk) nowait
      EACH(i);
    else
#pragma omp for schedule(static, chunk)
      EACH(i);
    break;
  case Schedule::Dynamic:
#pragma omp for schedule(dynamic, chunk)
    EACH(i);
    break;
  case Schedule::Guided:
#pragma omp for schedule(guided, chunk)
    EACH(i);
  }
}

void ordered(const Phase& p) {
  const std::vector<Block>& blocks = p.blocks;
  const unsigned chunk = p.chunk;
#define EACH_IN_ORDER                                                                              \
  for (unsigned i = 0; i < p.iterations; ++i) {                                                    \
    run(blocks[i % blocks.size()]);                                                                \
    DO(omp ordered)                                                                                \
    tp::spend(p.units);                                                                            \
  }
  switch (p.schedule) {
  case Schedule::Static:
#pragma omp for ordered schedule(static)
    EACH_IN_ORDER break;
  case Schedule::StaticChunks:
#pragma omp for ordered schedule(static, chunk)
    EACH_IN_ORDER break;
  case Schedule::Dynamic:
#pragma omp for ordered schedule(dynamic, chunk)
    EACH_IN_ORDER break;
  case Schedule::Guided:
#pragma omp for ordered schedule(guided, chunk)
    EACH_IN_ORDER
  }
}

void doacross(const Phase& p) {
  const std::vector<Block>& blocks = p.blocks;
  const int chunk = static_cast<int>(p.chunk), iterations = static_cast<int>(p.iterations);
#define EACH_ACROSS                                                                                \
  for (int i = 0; i < iterations; ++i) {                                                           \
    run(blocks[static_cast<unsigned>(i) % blocks.size()]);                                         \
    DO(omp ordered depend(sink : i - 2) depend(sink : i - 3))                                      \
    tp::spend(p.units);                                                                            \
    DO(omp ordered depend(source))                                                                 \
  }
  switch (p.schedule) {
  case Schedule::Static:
#pragma omp for ordered(1) schedule(static)
    EACH_ACROSS break;
  case Schedule::StaticChunks:
#pragma omp for ordered(1) schedule(static, chunk)
    EACH_ACROSS break;
  case Schedule::Dynamic:
#pragma omp for ordered(1) schedule(dynamic, chunk)
    EACH_ACROSS break;
  case Schedule::Guided:
#pragma omp for ordered(1) schedule(guided, chunk)
    EACH_ACROSS
  }
}

// A value of a reduction, which the thread takes part in.
thread_local const Phase* reduced = nullptr;
struct Sum {
  unsigned values = 1;
};
void start(Sum*) {
  tp::spend(reduced->start);
}
void add(Sum& to, const Sum& other) {
  to.values += other.values;
  tp::spend(reduced->units);
}
// Without omp_orig, for which g++ has a barrier after all have started.
#pragma omp declare reduction(add:Sum : add(omp_out, omp_in)) initializer(start(&omp_priv))

void run(const Phase& p) {
  switch (p.kind) {
  case PhaseKind::Each:
    run(p.blocks[static_cast<unsigned>(omp_get_thread_num()) % p.blocks.size()]);
    break;
  case PhaseKind::Single:
#pragma omp single
    run(p.blocks[0]);
    return;
  case PhaseKind::Masked:
#pragma omp masked
    run(p.blocks[0]);
    break;
  case PhaseKind::Loop:
    return loop(p);
  case PhaseKind::Ordered:
    return ordered(p);
  case PhaseKind::Doacross:
    return doacross(p);
  case PhaseKind::Sections:
#pragma omp sections
  {
#pragma omp section
    run(p.blocks[0]);
#pragma omp section
    run(p.blocks[1]);
#pragma omp section
    run(p.blocks[2]);
  }
    return;
  case PhaseKind::Reduction:
    return; // parallel() has it
  }
  if (!p.nowait) {
#pragma omp barrier
  }
}

void parallel(const Statement& s) {
  const int threads = s.threads != 0 ? static_cast<int>(s.threads) : omp_get_max_threads();
  [[maybe_unused]] Sum sum; // g++ does not see that it is used
#pragma omp parallel num_threads(threads) if (!s.is_if0)
  for (const Phase& p : s.phases) {
    if (p.kind != PhaseKind::Reduction) {
      run(p);
      continue;
    }
    const std::vector<Block>& blocks = p.blocks;
    reduced = &p;
    if (p.nowait)
#pragma omp for schedule(static) reduction(add : sum) nowait
      EACH(i);
    else
#pragma omp for schedule(static) reduction(add : sum)
      EACH(i);
  }
}

void teams(const Statement& s) {
  const int count = static_cast<int>(s.threads);
#pragma omp teams num_teams(count) thread_limit(64) shared(s)
  run(s.blocks[static_cast<unsigned>(omp_get_team_num()) % s.blocks.size()]);
}

void cancelled(const Statement& s) {
  const Block* const first = s.blocks.data();
#pragma omp taskgroup
  {
#pragma omp task firstprivate(first)
    {
      run(*first);
#pragma omp cancel taskgroup
      tp::spend(1'000'000);
    }
#pragma omp taskwait
    for (std::size_t i = 1; i < s.blocks.size(); ++i) {
      const Block* const block = &s.blocks[i];
#pragma omp task firstprivate(block)
      run(*block);
    }
  }
}

void run(const Statement& s) {
  switch (s.kind) {
  case Kind::Spend:
    return tp::spend(s.units);
  case Kind::Task:
    return create(s);
  case Kind::Taskwait:
    return wait(s);
  case Kind::Taskgroup:
#pragma omp taskgroup
    run(s.blocks[0]);
    return;
  case Kind::Taskloop:
    return taskloop(s);
  case Kind::Taskyield: {
#pragma omp taskyield
    return;
  }
  case Kind::Critical:
#pragma omp critical(random_openmp)
    run(s.blocks[0]);
    return;
  case Kind::Parallel:
    return parallel(s);
  case Kind::Teams:
    return teams(s);
  case Kind::Cancelled:
    return cancelled(s);
  }
}

void run(const Block& block) {
  for (const Statement& s : block)
    run(s);
}

} // namespace

#if defined(__clang__)
const bool interpreter_is_of_gcc = false;
#else
const bool interpreter_is_of_gcc = true;
#endif
const bool interpreter_is_of_tbb = false;

void run(const Program& program, const Settings& settings) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(static_cast<int>(program.levels));
  omp_set_num_threads(static_cast<int>(settings.threads));
  run(program.main);
}

} // namespace random_openmp
