// SPDX-License-Identifier: Apache-2.0
// One function per construct. A comment `call: NAME` precedes each call that spawns (Call): what
// follows it, up to the next, is that site for run.py. Between spends threads are delayed at random, so
// that small tasks are stolen as well.
#define TBB_PREVIEW_ISOLATED_TASK_GROUP 1
#define TBB_PREVIEW_RESUMABLE_TASKS 1

#include "interpreter.h"
#include "graph_interpreter.h"
#include "plan_sites.h"

#include <tp/causal.h>
#include <tp/virtual_clock.h>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/blocked_range3d.h>
#include <oneapi/tbb/concurrent_priority_queue.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/queuing_rw_mutex.h>
#include <oneapi/tbb/rw_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <execution>
#include <forward_list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <thread>
#include <utility>

namespace random_program {
namespace {

struct Thrown {};

std::atomic<bool> all_right{true};

void require(bool right, const char* what) {
  if (right)
    return;
  std::fprintf(stderr, "random program: wrong result of %s\n", what);
  all_right = false;
}

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
  Scope* scope;               // where it was called
  const Statement& statement; // that called it
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
      // call: run
      each.run([part] { part(); } TP_AT(s));
    else if (s.form == Form::Alternative)
      // call: run_handle
      each.run(each.defer([part] { part(); }) TP_AT(s));
    else
      // call: run_enqueued
      tbb::this_task_arena::enqueue(each.defer([part] { part(); }) TP_AT(s));
  });
}

void run_and_wait(const Statement& s, Scope* scope) {
  auto [group, owner] = find(s.group, scope);
  const Part part{&s.blocks[0], owner};
  if (s.form == Form::Plain)
    group.call([&](auto& each) {
      // call: run_and_wait
      each.run_and_wait([part] { part(); } TP_AT(s));
    });
  else
    // call: run_and_wait_handle
    group.group->run_and_wait(group.group->defer([part] { part(); }) TP_AT(s));
}

// A type of its own: in an unmodified binary the calls with a context are another site.
struct InContext {
  const Part& part;
  void operator()() const { part(); }
};

template <std::size_t... index>
void invoke_parts(const Statement& s, Scope* scope, const std::vector<Part>& parts,
                  std::index_sequence<index...>) {
  if (s.context == 0)
    // call: invoke
    tbb::parallel_invoke(TP_FIRST_AT(s) parts[index]...);
  else
    // call: invoke_in_context
    tbb::parallel_invoke(TP_FIRST_AT(s) InContext{parts[index]}..., find_context(s.context, scope));
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
using Box = tbb::blocked_range3d<unsigned>;

// The body of loops and of functional reductions.
struct Iterations {
  const Statement& s;
  Scope* scope;

  void operator()(unsigned i) const { run_block(block_of(s, i), scope); }
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
struct Cancelled : tbb::task_group_context {
  Cancelled() : tbb::task_group_context(tbb::task_group_context::isolated) {
    cancel_group_execution();
  }
};
constexpr auto never = [](const Indices&) {
  require(false, "an algorithm in a cancelled context");
};
// Not inlined: compilers let calls share what they do alike, and then both have the line of one.
[[gnu::noinline]] void cancelled_loop(const Statement& s) {
  Cancelled context;
  const Indices range(0, s.iterations, s.grain);
  // call: cancelled_loop
  tbb::parallel_for(range, never, tbb::simple_partitioner(), context TP_AT(s));
}
[[gnu::noinline]] void cancelled_reduce(const Statement& s) {
  Cancelled context;
  const Indices range(0, s.iterations, s.grain);
  const auto never_sum = [](const Indices& part, std::uint64_t sum) {
    never(part);
    return sum;
  };
  // call: cancelled_reduce
  tbb::parallel_reduce(range, std::uint64_t{0}, never_sum, std::plus<>(), tbb::simple_partitioner(),
                       context TP_AT(s));
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
  const unsigned rows = s.iterations / s.columns / s.pages;
  const auto box = [&](const Box& range) {
    for (unsigned page = range.pages().begin(); page != range.pages().end(); ++page)
      for (unsigned row = range.rows().begin(); row != range.rows().end(); ++row) {
        const unsigned from = (page * rows + row) * s.columns;
        each(Indices(from + range.cols().begin(), from + range.cols().end()));
      }
  };
  with_partitioner(s, scope, [&](auto&&... rest) {
    if (s.form == Form::Plain)
      // call: loop_range
      tbb::parallel_for(Indices(0, s.iterations, s.grain), each, rest... TP_AT(s));
    else if (s.form == Form::Alternative)
      // call: loop_index
      tbb::parallel_for(0u, s.iterations * s.stride, s.stride, strided, rest... TP_AT(s));
    else if (s.form == Form::Third) {
      const Rectangle range(0, rows, s.grain, 0, s.columns, s.column_grain);
      // call: loop_rectangle
      tbb::parallel_for(range, rectangle, rest... TP_AT(s));
    } else {
      const Box range(0, s.pages, s.page_grain, 0, rows, s.grain, 0, s.columns, s.column_grain);
      // call: loop_box
      tbb::parallel_for(range, box, rest... TP_AT(s));
    }
  });
  require(sum == sum_of_iterations(s), "parallel_for");
}

// How often joins ran, of reductions in which the schedule decides on them.
std::mutex joins_mutex;
JoinCounts join_counts;

void join_parts(const Statement& s, Scope* scope) {
  run_block(s.join, scope);
  if (!has_loose_joins(s) || s.join.statements.empty())
    return;
  const std::lock_guard lock(joins_mutex);
  ++join_counts[&s];
}

// A body that is split and joined.
struct Summing {
  const Iterations iterations;
  std::uint64_t sum = 0;

  explicit Summing(const Iterations& each) : iterations(each) {}
  Summing(Summing& other, tbb::split) : iterations(other.iterations) {}
  void operator()(const Indices& range) { sum = iterations(range, sum); }
  void join(const Summing& right) {
    join_parts(iterations.s, iterations.scope);
    sum += right.sum;
  }
};

void reduce(const Statement& s, Scope* scope) {
  const Iterations iterations{s, scope};
  const Indices range(0, s.iterations, s.grain);
  const auto join = [&](std::uint64_t left, std::uint64_t right) {
    join_parts(s, scope);
    return left + right;
  };
  const std::uint64_t none = 0;
  std::uint64_t sum = 0;
  Summing body(iterations);
  const bool by_body = s.form == Form::Alternative;
  const auto deterministic = [&](auto&&... rest) {
    if (by_body)
      // call: deterministic_reduce_body
      tbb::parallel_deterministic_reduce(range, body, rest... TP_AT(s));
    else
      // call: deterministic_reduce
      sum = tbb::parallel_deterministic_reduce(range, none, iterations, join, rest... TP_AT(s));
  };
  const auto usual = [&](auto&&... rest) {
    if (by_body)
      // call: reduce_body
      tbb::parallel_reduce(range, body, rest... TP_AT(s));
    else
      // call: reduce
      sum = tbb::parallel_reduce(range, none, iterations, join, rest... TP_AT(s));
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
    parts.push_back({&block_of(s, i), scope});
  const auto run_part = [&s](const Part& part, Feeder& feeder) {
    const Items items{feeder, part.outer, s};
    run_block(*part.block, part.outer, &items);
  };
  const auto run_in_context = [&](const Part& part, Feeder& feeder) { run_part(part, feeder); };
  const auto over = [&](const auto& range) {
    if (s.context == 0)
      // call: for_each
      tbb::parallel_for_each(range, run_part TP_AT(s));
    else
      // call: for_each_in_context
      tbb::parallel_for_each(range, run_in_context, find_context(s.context, scope) TP_AT(s));
  };
  if (s.form == Form::Plain)
    over(parts);
  else
    over(std::forward_list<Part>(parts.begin(), parts.end()));
}

// The new item outlives this block.
void feed(const Statement& s, const Items& items) {
  // call: feed
  items.feeder.add(Part{&s.blocks[0], items.scope} TP_AT(items.statement));
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
      // call: pipeline
      tbb::make_filter<void, unsigned>(mode(0), [&](tbb::flow_control& control) {
        if (next == s.iterations)
          control.stop();
        else
          run_block(s.blocks[0], scope);
        return next++;
      } TP_AT(s));
  for (std::size_t filter = 1; filter < s.blocks.size(); ++filter)
    // call: pipeline
    head = head & tbb::make_filter<unsigned, unsigned>(mode(filter), [&, filter](unsigned item) {
             run_block(s.blocks[filter], scope);
             return item;
           } TP_AT(s));
  const tbb::filter<unsigned, void> tail =
      // call: tail
      tbb::make_filter<unsigned, void>(mode(s.blocks.size() - 1),
                                       [&](unsigned) { ++left; } TP_AT(s));
  // call: pipeline
  tbb::parallel_pipeline(std::size_t{s.tokens}, head & tail TP_AT(s));
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
      // call: scan_body
      tbb::parallel_scan(range, body, partitioner TP_AT(s));
    else
      // call: scan
      body.sum = tbb::parallel_scan(
          range, std::uint64_t{0},
          [&](const Indices& part, std::uint64_t sum, bool is_final) {
            return Scanning::add(iterations, part, sum, is_final);
          },
          std::plus<>(), partitioner TP_AT(s));
  };
  if (s.partitioner == Partitioner::Simple)
    with(tbb::simple_partitioner());
  else
    with(tbb::auto_partitioner());
  require(body.sum == std::uint64_t{s.iterations} * (s.iterations - 1) / 2, "parallel_scan");
}

void graph(const Statement& s, Scope* scope) {
  require(run_graph(s, [&](const Block& block) { run_block(block, scope); }), "a flow graph");
}

void suspend(const Statement& s, Scope* scope) {
  auto [group, owner] = find(s.group, scope);
  // call: suspend
  tbb::task::suspend([&, owner = owner](tbb::task::suspend_point point) {
    group.group->run([&s, owner, point] {
      run_block(s.blocks[0], owner);
      tbb::task::resume(point);
      run_block(s.blocks[1], owner);
    } TP_AT(s));
  });
}

void sort(const Statement& s) {
  std::vector<unsigned> values(700);
  for (unsigned i = 0; i < values.size(); ++i)
    values[i] = (i * 7919 + s.number) % 701;
  // call: sort
  tbb::parallel_sort(values.begin(), values.end() TP_AT(s));
  require(std::is_sorted(values.begin(), values.end()), "parallel_sort");
}

void standard(const Statement& s, Scope* scope) {
  using std::execution::par;
  const Iterations iterations{s, scope};
  std::vector<unsigned> indices(s.iterations), copies(s.iterations);
  std::iota(indices.begin(), indices.end(), 0);
  std::atomic<std::uint64_t> sum{0};
  const auto each = [&](unsigned i) {
    iterations(i);
    sum += i;
  };
  const auto same = [&](unsigned i) {
    each(i);
    return i;
  };
  if (s.form == Form::Plain)
    // call: std_for_each
    std::for_each(par, indices.begin(), indices.end(), each);
  else if (s.form == Form::Alternative)
    // call: std_transform
    std::transform(par, indices.begin(), indices.end(), copies.begin(), same);
  else
    // call: std_reduce
    std::transform_reduce(par, indices.begin(), indices.end(), 0u, std::plus<>(), same);
  require(sum == sum_of_iterations(s), "an algorithm of the standard library");
}

// One after the other: each takes over what the one before has left in the recording.
void threads(const Statement& s, Scope* scope) {
  for (unsigned i = 0; i < s.iterations; ++i) {
    // call: thread_in_turn
    std::thread([&, i] { run_block(block_of(s, i), scope); }).join();
    if (i % 2 == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
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

// ---- locks ----

// While it waits, a thread that holds a lock runs no task that it does not wait for: that could need
// the same lock.
void run_inside(const Statement& s, Scope* scope) {
  delay();
  tbb::this_task_arena::isolate([&] { run_block(s.blocks[0], scope); });
}

// What each way to profile observes. A comment `lock: NUMBER` precedes each acquisition, and is for
// run.py what `call: NAME` is.
#if defined(TP_RANDOM_SITES) || defined(TP_SITE_PARAM)
[[gnu::noinline]] void lock_0(const Statement& s, Scope* scope) {
  static tbb::spin_mutex mutex;
  // lock: 0
  const tbb::spin_mutex::scoped_lock held(mutex);
  run_inside(s, scope);
}
[[gnu::noinline]] void lock_1(const Statement& s, Scope* scope) {
  static tbb::spin_rw_mutex mutex;
  // lock: 1
  const tbb::spin_rw_mutex::scoped_lock held(mutex, !s.shared);
  run_inside(s, scope);
}
[[gnu::noinline]] void lock_2(const Statement& s, Scope* scope) {
  static tbb::queuing_mutex mutex;
  // lock: 2
  const tbb::queuing_mutex::scoped_lock held(mutex);
  run_inside(s, scope);
}
[[gnu::noinline]] void lock_3(const Statement& s, Scope* scope) {
  static tbb::rw_mutex mutex;
  // lock: 3
  const tbb::rw_mutex::scoped_lock held(mutex, !s.shared);
  run_inside(s, scope);
}
[[gnu::noinline]] void lock_4(const Statement& s, Scope* scope) {
  static tbb::mutex mutex;
  // lock: 4
  const tbb::mutex::scoped_lock held(mutex);
  run_inside(s, scope);
}
// The operation of a queue that copies an element, which is the section. So that each thread does its own, as which step an
// operation is in is the schedule's otherwise, they come one at a time.
struct Element {
  const Statement* statement = nullptr;
  Scope* scope = nullptr;
  std::exception_ptr* thrown = nullptr;
  Element(const Statement& s, Scope* of, std::exception_ptr& to)
      : statement(&s), scope(of), thrown(&to) {}
  Element(Element&&) = default;
  Element& operator=(Element&&) = default;
  Element(const Element& other)
      : statement(other.statement), scope(other.scope), thrown(other.thrown) {
    try {
      run_inside(*statement, scope);
    } catch (...) {
      *thrown = std::current_exception();
    }
  }
  bool operator<(const Element&) const { return false; }
};
[[gnu::noinline]] void lock_6(const Statement& s, Scope* scope) {
  static tbb::concurrent_priority_queue<Element> queue;
  static std::atomic_flag is_used;
  while (is_used.test_and_set())
    std::this_thread::yield();
  std::exception_ptr thrown;
  const Element element(s, scope, thrown);
  // lock: 6
  queue.push(element);
  queue.clear();
  is_used.clear();
  if (thrown)
    std::rethrow_exception(thrown);
}
#else
[[gnu::noinline]] void lock_6(const Statement& s, Scope* scope) {
  static std::mutex mutex;
  // lock: 6
  const std::lock_guard held(mutex);
  run_inside(s, scope);
}
[[gnu::noinline]] void lock_0(const Statement& s, Scope* scope) {
  static std::mutex mutex;
  // lock: 0
  const std::lock_guard held(mutex);
  run_inside(s, scope);
}
[[gnu::noinline]] void lock_1(const Statement& s, Scope* scope) {
  static std::shared_mutex mutex;
  if (s.shared) {
    // lock: 1
    const std::shared_lock held(mutex);
    run_inside(s, scope);
  } else {
    // lock: 1
    const std::lock_guard held(mutex);
    run_inside(s, scope);
  }
}
[[gnu::noinline]] void lock_2(const Statement& s, Scope* scope) {
  static std::recursive_mutex mutex;
  // lock: 2
  const std::lock_guard held(mutex);
  run_inside(s, scope);
}
[[gnu::noinline]] void lock_3(const Statement& s, Scope* scope) {
  static std::shared_timed_mutex mutex;
  if (s.shared) {
    // lock: 3
    const std::shared_lock held(mutex);
    run_inside(s, scope);
  } else {
    // lock: 3
    const std::unique_lock held(mutex, std::chrono::hours(1));
    run_inside(s, scope);
  }
}
[[gnu::noinline]] void lock_4(const Statement& s, Scope* scope) {
  static std::timed_mutex mutex;
  // lock: 4
  const std::lock_guard held(mutex);
  run_inside(s, scope);
}
#endif
[[gnu::noinline]] void lock_5(const Statement& s, Scope* scope) {
  static tbb::queuing_rw_mutex mutex;
  // lock: 5
  const tbb::queuing_rw_mutex::scoped_lock held(mutex, !s.shared);
  run_inside(s, scope);
}

void lock(const Statement& s, Scope* scope) {
  static constexpr void (*kLock[kLocks])(const Statement&, Scope*) = {
      lock_0, lock_1, lock_2, lock_3, lock_4, lock_5, lock_6};
  // Without tp-run a thread is known from its first call of oneTBB on.
  tbb::this_task_arena::isolate([] {});
  kLock[s.lock](s, scope);
}

void run_statement(const Statement& s, Scope* scope) {
  switch (s.kind) {
  case Kind::Spend:
    spend(s.units);
    return tp::sleep(s.sleep);
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
    return s.cancelled ? cancelled_reduce(s) : reduce(s, scope);
  case Kind::ForEach:
    return for_each(s, scope);
  case Kind::Feed:
    return feed(s, *scope->items);
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
  case Kind::Standard:
    return standard(s, scope);
  case Kind::Threads:
    return threads(s, scope);
  case Kind::Lock:
    return lock(s, scope);
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

#if defined(TP_RANDOM_SITES)
const Sites sites_of_build = Sites::Explicit;
#elif defined(TP_SITE_PARAM)
const Sites sites_of_build = Sites::Calls;
#else
const Sites sites_of_build = Sites::StockCalls;
#endif

std::optional<JoinCounts> run(const Program& program, unsigned threads) {
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
      // call: thread
      others.emplace_back([&, i] { run_block(program.threads[i], &shared); });
    run_block(program.threads[0], &shared);
    for (std::thread& other : others)
      other.join();
    run_statements(program.epilogue, &shared);
  });
  if (!all_right)
    return std::nullopt;
  return join_counts;
}

} // namespace random_program
