// SPDX-License-Identifier: Apache-2.0
// One function per construct. Sites are explicit: the argument of the patched headers. Between
// spends threads are delayed at random, so that small tasks are stolen as well.
#define TBB_PREVIEW_ISOLATED_TASK_GROUP 1
#define TBB_PREVIEW_RESUMABLE_TASKS 1

#include "interpreter.h"
#include "graph_interpreter.h"

#include <tp/causal.h>
#include <tp/virtual_clock.h>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <forward_list>
#include <map>
#include <memory>
#include <thread>
#include <utility>

namespace tp::random {
namespace {

struct Thrown {};

std::atomic<bool> all_right{true};

void require(bool right, const char* what) {
  if (right)
    return;
  std::fprintf(stderr, "random program: wrong result of %s\n", what);
  all_right = false;
}

template <std::size_t... index>
constexpr std::array<tp_spawn_site, sizeof...(index)> make_sites(std::index_sequence<index...>) {
  return {tp_spawn_site{kFile, "plan", site_line(index), 1 | TP_SITE_EXPLICIT, "random",
                        site_line(index)}...};
}
constexpr std::array<tp_spawn_site, kSites> sites = make_sites(std::make_index_sequence<kSites>());

tp_region regions[kRegions] = {{"r0", kFile, region_line(0), 0, 0},
                               {"r1", kFile, region_line(1), 0, 0},
                               {"r2", kFile, region_line(2), 0, 0}};

class Region {
public:
  explicit Region(unsigned region) : region_(regions[region]) { tp_region_begin(&region_); }
  ~Region() { tp_region_end(&region_); }

private:
  tp_region& region_;
};

tp::site site_of(const Statement& s) {
  return tp::site(sites[s.site]);
}

// ---- the environment of a block ----

struct Group {
  unsigned number = 0;
  bool isolated = false;
  std::unique_ptr<tbb::task_group> group;

  // Calls functions that isolated_task_group redefines.
  template <typename Call>
  void call(const Call& call) {
    if (isolated)
      call(static_cast<tbb::isolated_task_group&>(*group));
    else
      call(*group);
  }
};

struct Part;
using Feeder = tbb::feeder<Part>;
struct Items;

struct Scope {
  Scope* outer = nullptr;
  const Items* items = nullptr; // of the innermost parallel_for_each
  std::vector<Group> groups;
  std::map<unsigned, tbb::task_group_context> contexts;

  Scope(const Block& block, Scope* outer_scope, const Items* own_items)
      : outer(outer_scope), items(own_items || !outer ? own_items : outer->items) {
    for (const GroupDeclaration& declared : block.groups)
      groups.push_back({declared.number, declared.isolated,
                        declared.isolated ? std::make_unique<tbb::isolated_task_group>()
                                          : std::make_unique<tbb::task_group>()});
    for (const unsigned number : block.contexts)
      contexts[number];
  }
};

// The group with that number, and the scope that owns it.
std::pair<Group&, Scope*> find(unsigned number, Scope* scope) {
  for (;; scope = scope->outer)
    for (Group& group : scope->groups)
      if (group.number == number)
        return {group, scope};
}

// A running parallel_for_each, for the statements inside it that add items.
struct Items {
  Feeder& feeder;
  Scope* scope; // where it was called
  tp::site site;
};

tbb::task_group_context& find_context(unsigned number, Scope* scope) {
  while (!scope->contexts.count(number))
    scope = scope->outer;
  return scope->contexts.at(number);
}

void run_block(const Block& block, Scope* outer, const Items* items = nullptr);

// A block as a function object.
struct Part {
  const Block* block;
  Scope* outer;
  void operator()() const { run_block(*block, outer); }
};

// ---- statements ----

void delay() {
  thread_local std::uint32_t state = static_cast<std::uint32_t>(
      std::chrono::steady_clock::now().time_since_epoch().count() ^
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(&state)));
  state = state * 1664525u + 1013904223u;
  const std::uint32_t dice = state >> 24;
  if (dice < 6)
    std::this_thread::sleep_for(std::chrono::microseconds(10 * dice));
  else if (dice < 60)
    std::this_thread::yield();
}

// In two halves: what happens between them must not matter.
void spend(Units units) {
  tp::spend(units / 2);
  delay();
  tp::spend(units - units / 2);
}

void run(const Statement& s, Scope* scope) {
  auto [group, owner] = find(s.group, scope);
  const Part part{&s.blocks[0], owner};
  group.call([&](auto& each) {
    if (s.form == Form::Plain)
      each.run(part, site_of(s));
    else if (s.form == Form::Alternative)
      each.run(each.defer(part), site_of(s));
    else
      tbb::this_task_arena::enqueue(each.defer(part), site_of(s));
  });
}

void run_and_wait(const Statement& s, Scope* scope) {
  auto [group, owner] = find(s.group, scope);
  const Part part{&s.blocks[0], owner};
  if (s.form == Form::Plain)
    group.call([&](auto& each) { each.run_and_wait(part, site_of(s)); });
  else
    group.group->run_and_wait(group.group->defer(part), site_of(s));
}

template <std::size_t... index>
void invoke_parts(const Statement& s, Scope* scope, const std::vector<Part>& parts,
                  std::index_sequence<index...>) {
  if (s.context == 0)
    tbb::parallel_invoke(site_of(s), parts[index]...);
  else
    tbb::parallel_invoke(site_of(s), parts[index]..., find_context(s.context, scope));
}
void invoke(const Statement& s, Scope* scope) {
  std::vector<Part> parts;
  for (const Block& block : s.blocks)
    parts.push_back({&block, scope});
  switch (parts.size()) {
#define CASE(n)                                                                                    \
  case n:                                                                                          \
    return invoke_parts(s, scope, parts, std::make_index_sequence<n>())
    CASE(2);
    CASE(3);
    CASE(4);
    CASE(5);
    CASE(6);
    CASE(7);
    CASE(8);
    CASE(9);
    CASE(10);
#undef CASE
  }
}

// Calls `algorithm` with the partitioner, and with the statement's context if it has one.
template <typename Algorithm, typename AnyPartitioner>
void with_context(const Statement& s, Scope* scope, const Algorithm& algorithm,
                  AnyPartitioner&& partitioner) {
  if (s.context == 0)
    algorithm(partitioner);
  else
    algorithm(partitioner, find_context(s.context, scope));
}
template <typename Algorithm>
void with_partitioner(const Statement& s, Scope* scope, const Algorithm& algorithm) {
  switch (s.partitioner) {
  case Partitioner::Simple:
    return with_context(s, scope, algorithm, tbb::simple_partitioner());
  case Partitioner::Auto:
    return with_context(s, scope, algorithm, tbb::auto_partitioner());
  case Partitioner::Static:
    return with_context(s, scope, algorithm, tbb::static_partitioner());
  case Partitioner::Affinity:
    return with_context(s, scope, algorithm, tbb::affinity_partitioner());
  }
}

using Indices = tbb::blocked_range<unsigned>;
using Rectangle = tbb::blocked_range2d<unsigned>;

// The body of loops and of functional reductions.
struct Iterations {
  const Statement& s;
  Scope* scope;

  void operator()(unsigned i) const { run_block(s.blocks[i % s.blocks.size()], scope); }
  std::uint64_t operator()(const Indices& range, std::uint64_t sum) const {
    for (unsigned i = range.begin(); i != range.end(); ++i) {
      (*this)(i);
      sum += i;
    }
    return sum;
  }
};

// The sum that a loop has to compute: 0 in a task whose group was cancelled.
std::uint64_t sum_of_iterations(const Statement& s) {
  return tbb::is_current_task_group_canceling()
             ? 0
             : std::uint64_t{s.iterations} * (s.iterations - 1) / 2;
}

// In a context without other users, in which nothing runs. Isolated: if it were bound, at its first
// use, it would take over the state of the enclosing context.
void cancelled_loop(const Statement& s) {
  tbb::task_group_context context(tbb::task_group_context::isolated);
  context.cancel_group_execution();
  const auto never = [](const Indices&) { require(false, "an algorithm in a cancelled context"); };
  const auto never_sum = [&](const Indices& range, std::uint64_t sum) {
    never(range);
    return sum;
  };
  const Indices range(0, s.iterations, s.grain);
  if (s.kind == Kind::Loop)
    tbb::parallel_for(range, never, tbb::simple_partitioner(), context, site_of(s));
  else
    tbb::parallel_reduce(range, std::uint64_t{0}, never_sum, std::plus<>(),
                         tbb::simple_partitioner(), context, site_of(s));
}

void loop(const Statement& s, Scope* scope) {
  std::atomic<std::uint64_t> sum{0};
  const Iterations iterations{s, scope};
  const auto each = [&](const Indices& range) { sum += iterations(range, 0); };
  const auto strided = [&](unsigned i) { each(Indices(i / s.stride, i / s.stride + 1)); };
  const auto rectangle = [&](const Rectangle& range) {
    for (unsigned row = range.rows().begin(); row != range.rows().end(); ++row)
      each(Indices(row * s.columns + range.cols().begin(), row * s.columns + range.cols().end()));
  };
  with_partitioner(s, scope, [&](auto&&... rest) {
    if (s.form == Form::Plain)
      tbb::parallel_for(Indices(0, s.iterations, s.grain), each, rest..., site_of(s));
    else if (s.form == Form::Alternative)
      tbb::parallel_for(0u, s.iterations * s.stride, s.stride, strided, rest..., site_of(s));
    else
      tbb::parallel_for(
          Rectangle(0, s.iterations / s.columns, s.grain, 0, s.columns, s.column_grain), rectangle,
          rest..., site_of(s));
  });
  require(sum == sum_of_iterations(s), "parallel_for");
}

// A body that is split and joined.
struct Summing {
  const Iterations iterations;
  std::uint64_t sum = 0;

  explicit Summing(const Iterations& each) : iterations(each) {}
  Summing(Summing& other, tbb::split) : iterations(other.iterations) {}
  void operator()(const Indices& range) { sum = iterations(range, sum); }
  void join(const Summing& right) {
    run_block(iterations.s.join, iterations.scope);
    sum += right.sum;
  }
};

void reduce(const Statement& s, Scope* scope) {
  const Iterations iterations{s, scope};
  const Indices range(0, s.iterations, s.grain);
  const auto join = [&](std::uint64_t left, std::uint64_t right) {
    run_block(s.join, scope);
    return left + right;
  };
  const std::uint64_t none = 0;
  std::uint64_t sum = 0;
  Summing body(iterations);
  const bool by_body = s.form == Form::Alternative;
  const auto deterministic = [&](auto&&... rest) {
    if (by_body)
      tbb::parallel_deterministic_reduce(range, body, rest..., site_of(s));
    else
      sum = tbb::parallel_deterministic_reduce(range, none, iterations, join, rest..., site_of(s));
  };
  const auto usual = [&](auto&&... rest) {
    if (by_body)
      tbb::parallel_reduce(range, body, rest..., site_of(s));
    else
      sum = tbb::parallel_reduce(range, none, iterations, join, rest..., site_of(s));
  };
  if (!s.deterministic)
    with_partitioner(s, scope, usual);
  else if (s.partitioner == Partitioner::Simple)
    with_context(s, scope, deterministic, tbb::simple_partitioner());
  else
    with_context(s, scope, deterministic, tbb::static_partitioner());
  require((by_body ? body.sum : sum) == sum_of_iterations(s), "parallel_reduce");
}

void for_each(const Statement& s, Scope* scope) {
  std::vector<Part> parts;
  for (unsigned i = 0; i < s.iterations; ++i)
    parts.push_back({&s.blocks[i % s.blocks.size()], scope});
  const auto run_part = [site = site_of(s)](const Part& part, Feeder& feeder) {
    const Items items{feeder, part.outer, site};
    run_block(*part.block, part.outer, &items);
  };
  const auto over = [&](const auto& range) {
    if (s.context == 0)
      tbb::parallel_for_each(range, run_part, site_of(s));
    else
      tbb::parallel_for_each(range, run_part, find_context(s.context, scope), site_of(s));
  };
  if (s.form == Form::Plain)
    over(parts);
  else
    over(std::forward_list<Part>(parts.begin(), parts.end()));
}

void pipeline(const Statement& s, Scope* scope) {
  const auto mode = [&](std::size_t filter) {
    return !s.serial[filter]     ? tbb::filter_mode::parallel
           : s.unordered[filter] ? tbb::filter_mode::serial_out_of_order
                                 : tbb::filter_mode::serial_in_order;
  };
  unsigned next = 0;
  std::atomic<unsigned> left{0};
  tbb::filter<void, unsigned> head =
      tbb::make_filter<void, unsigned>(mode(0), [&](tbb::flow_control& control) {
        if (next == s.iterations)
          control.stop();
        else
          run_block(s.blocks[0], scope);
        return next++;
      });
  for (std::size_t filter = 1; filter < s.blocks.size(); ++filter)
    head = head & tbb::make_filter<unsigned, unsigned>(mode(filter), [&, filter](unsigned item) {
             run_block(s.blocks[filter], scope);
             return item;
           });
  const tbb::filter<unsigned, void> tail =
      tbb::make_filter<unsigned, void>(mode(s.blocks.size() - 1), [&](unsigned) { ++left; });
  tbb::parallel_pipeline(std::size_t{s.tokens}, head & tail, site_of(s));
  require(left == s.iterations, "parallel_pipeline");
}

// Sums the numbers of iterations up to each; the first pass does nothing else.
struct Scanning {
  const Iterations iterations;
  std::uint64_t sum = 0;

  explicit Scanning(const Iterations& each) : iterations(each) {}
  Scanning(Scanning& other, tbb::split) : iterations(other.iterations) {}
  template <typename Pass>
  void operator()(const Indices& range, Pass) {
    sum = add(iterations, range, sum, Pass::is_final_scan());
  }
  void reverse_join(const Scanning& left) { sum += left.sum; }
  void assign(const Scanning& other) { sum = other.sum; }

  static std::uint64_t add(const Iterations& iterations, const Indices& range, std::uint64_t sum,
                           bool is_final) {
    for (unsigned i = range.begin(); i != range.end(); ++i) {
      require(!is_final || sum == (i == 0 ? 0 : std::uint64_t{i} * (i - 1) / 2), "parallel_scan");
      if (is_final)
        iterations(i);
      sum += i;
    }
    return sum;
  }
};

void scan(const Statement& s, Scope* scope) {
  const Iterations iterations{s, scope};
  const Indices range(0, s.iterations, s.grain);
  Scanning body(iterations);
  const auto with = [&](const auto& partitioner) {
    if (s.form == Form::Alternative)
      tbb::parallel_scan(range, body, partitioner, site_of(s));
    else
      body.sum = tbb::parallel_scan(
          range, std::uint64_t{0},
          [&](const Indices& part, std::uint64_t sum, bool is_final) {
            return Scanning::add(iterations, part, sum, is_final);
          },
          std::plus<>(), partitioner, site_of(s));
  };
  if (s.partitioner == Partitioner::Simple)
    with(tbb::simple_partitioner());
  else
    with(tbb::auto_partitioner());
  require(body.sum == std::uint64_t{s.iterations} * (s.iterations - 1) / 2, "parallel_scan");
}

void graph(const Statement& s, Scope* scope) {
  require(run_graph(s, site_of(s), [&](const Block& block) { run_block(block, scope); }),
          "a flow graph");
}

void suspend(const Statement& s, Scope* scope) {
  auto [group, owner] = find(s.group, scope);
  tbb::task::suspend([&, owner = owner](tbb::task::suspend_point point) {
    group.group->run(
        [&s, owner, point] {
          run_block(s.blocks[0], owner);
          tbb::task::resume(point);
          run_block(s.blocks[1], owner);
        },
        site_of(s));
  });
}

void sort(const Statement& s) {
  std::vector<unsigned> values(700);
  for (unsigned i = 0; i < values.size(); ++i)
    values[i] = (i * 7919 + s.number) % 701;
  tbb::parallel_sort(values.begin(), values.end(), site_of(s));
  require(std::is_sorted(values.begin(), values.end()), "parallel_sort");
}

tbb::task_arena& arena(unsigned number) {
  // More slots than there are threads: entering never has to wait for one.
  static tbb::task_arena arenas[kArenas] = {tbb::task_arena(40), tbb::task_arena(40),
                                            tbb::task_arena(40)};
  return arenas[number];
}

// One thread at a time: the thread inside runs the work of others, or they wait until it has left.
tbb::task_arena& full_arena() {
  static tbb::task_arena arena(1);
  return arena;
}

void region(const Statement& s, Scope* scope) {
  if (s.form == Form::Plain) {
    const Region inside(s.region);
    run_block(s.blocks[0], scope);
  } else {
    tp_region_begin(&regions[s.region]);
    run_block(s.blocks[0], scope);
    tp_region_end(&regions[s.region]);
  }
}

void run_statement(const Statement& s, Scope* scope) {
  switch (s.kind) {
  case Kind::Spend:
    return spend(s.units);
  case Kind::Region:
    return region(s, scope);
  case Kind::Throw:
    throw Thrown();
  case Kind::Try:
    try {
      return run_block(s.blocks[0], scope);
    } catch (const Thrown&) {
      return;
    }
  case Kind::Run:
    return run(s, scope);
  case Kind::RunAndWait:
    return run_and_wait(s, scope);
  case Kind::Wait:
    return find(s.group, scope).first.call([](auto& group) { group.wait(); });
  case Kind::Cancel:
    return find(s.group, scope).first.group->cancel();
  case Kind::Invoke:
    return invoke(s, scope);
  case Kind::Loop:
    return s.cancelled ? cancelled_loop(s) : loop(s, scope);
  case Kind::Reduce:
    return s.cancelled ? cancelled_loop(s) : reduce(s, scope);
  case Kind::ForEach:
    return for_each(s, scope);
  case Kind::Feed:
    // The new item outlives this block.
    return scope->items->feeder.add(Part{&s.blocks[0], scope->items->scope}, scope->items->site);
  case Kind::Arena:
    return arena(s.arena).execute([&] { run_block(s.blocks[0], scope); });
  case Kind::Isolate:
    return tbb::this_task_arena::isolate([&] { run_block(s.blocks[0], scope); });
  case Kind::Sort:
    return sort(s);
  case Kind::Pipeline:
    return pipeline(s, scope);
  case Kind::Suspend:
    return suspend(s, scope);
  case Kind::Scan:
    return scan(s, scope);
  case Kind::Graph:
    return graph(s, scope);
  case Kind::FullArena:
    return full_arena().execute([&] { run_block(s.blocks[0], scope); });
  }
}

void run_statements(const Block& block, Scope* scope) {
  for (const Statement& s : block.statements)
    run_statement(s, scope);
}

void run_block(const Block& block, Scope* outer, const Items* items) {
  Scope scope(block, outer, items);
  run_statements(block, &scope);
}

} // namespace

bool run(const Program& program, unsigned threads) {
  // A task that a thread runs on another thread's group waits in its own arena for a worker thread.
  if (!program.prologue.groups.empty() && threads == 1)
    threads = 2;
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
  // An arena of its own: the default one has no more slots than the machine has CPUs.
  tbb::task_arena main_arena(static_cast<int>(threads));
  main_arena.execute([&] {
    Scope shared(program.prologue, nullptr, nullptr);
    run_statements(program.prologue, &shared);
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < program.threads.size(); ++i)
      others.emplace_back([&, i] { run_block(program.threads[i], &shared); });
    run_block(program.threads[0], &shared);
    for (std::thread& other : others)
      other.join();
    run_statements(program.epilogue, &shared);
  });
  return all_right;
}

} // namespace tp::random
