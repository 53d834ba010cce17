// SPDX-License-Identifier: Apache-2.0
// Simulations with limits of concurrency: random programs with random pools against a second
// simulator that looks at all nodes at each event, and against bounds; small cases by hand.
#include "dag/dag_reader.h"
#include "fork_join.h"
#include "oracle_runs.h"
#include "plain_list_scheduler.h"
#include "random_program.h"
#include "row_maps.h"
#include "simulate/dag_recorder.h"
#include "simulate/simulation.h"
#include "trace/metadata_reader.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

namespace tp::analysis {
namespace {

struct Recorded {
  Dag dag;
  ConcurrencyLimits limits;
};

Recorded recorded(const TraceSource& source) {
  const TraceInfo info = read_info(source);
  const RowMaps rows = test::row_maps_of(info.sites);
  DagRecorder recorder(StepCosts{});
  ReadSummary summary = DagReader(source, info, rows, recorder).run();
  EXPECT_TRUE(recorder.fits());
  return {std::move(recorder.dag()), summary.concurrency};
}

// Up to three resources; pools with none, one or two of them; nodes that follow each other are often
// in the same pool.
DagLimits random_limits(std::mt19937_64& random, Dag& dag) {
  DagLimits limits;
  for (std::uint64_t i = random() % 3 + 1; i > 0; --i)
    limits.widths.push_back(random() % 3 + 1);
  const auto resource = [&] { return static_cast<std::uint32_t>(random() % limits.widths.size()); };
  for (std::uint64_t i = random() % 4 + 1; i > 0; --i) {
    const std::uint32_t one = resource(), other = resource();
    limits.pools.push_back({one, other == one ? 0 : other});
    limits.pool_of.push_back(static_cast<DagPool>(limits.pool_of.size()));
  }
  std::uint16_t pool = 0;
  for (std::size_t i = 0; i < dag.nodes.size(); ++i) {
    if (random() % 3 == 0)
      pool = static_cast<std::uint16_t>(random() % limits.pools.size());
    dag.pool_of_node.push_back(pool);
  }
  return limits;
}

void expect_right(const Dag& dag, const DagLimits& limits) {
  std::uint64_t work = 0;
  std::vector<std::uint64_t> in_resource(limits.widths.size());
  for (DagNodeId node = 0; node < dag.nodes.size(); ++node) {
    work += dag.nodes[node].cost;
    for (const std::uint32_t resource : limits.pools[limits.pool_of[dag.pool_of(node)]])
      in_resource[resource] += dag.nodes[node].cost;
  }
  const std::uint64_t span = simulate_greedy(dag, std::uint64_t{1} << 20).time;
  EXPECT_EQ(work, simulate_greedy(dag, 1, limits).time);
  EXPECT_EQ(work, simulate_work_stealing(dag, 1, 3, limits).time);
  for (const std::uint64_t procs : {2, 3, 8}) {
    std::uint64_t least = std::max((work + procs - 1) / procs, span), most = work / procs + span;
    for (std::size_t i = 1; i < limits.widths.size(); ++i) {
      const std::uint64_t alone = (in_resource[i] + limits.widths[i] - 1) / limits.widths[i];
      least = std::max(least, alone);
      most += alone;
    }
    PlainListScheduler plain(dag, procs, limits);
    const std::uint64_t time = plain.time();
    EXPECT_EQ(dag.nodes.size(), plain.ended()) << procs;
    EXPECT_EQ(time, simulate_greedy(dag, procs, limits).time) << procs;
    EXPECT_GE(time, least) << procs;
    EXPECT_LE(time, most + 1) << procs; // a quotient was rounded down
    const Simulated stealing = simulate_work_stealing(dag, procs, 0, limits);
    EXPECT_EQ(dag.nodes.size(), stealing.nodes) << procs;
    EXPECT_LE(stealing.time, work) << procs;
    EXPECT_GE(stealing.time, std::max((work + procs - 1) / procs, span)) << procs;
    if (!stealing
             .forced) { // else more than the width were inside, as threads that wait there can be
      EXPECT_GE(stealing.time, least) << procs;
    }
    const Simulated burdened = simulate_work_stealing(dag, procs, 5, limits);
    EXPECT_EQ(dag.nodes.size(), burdened.nodes) << procs;
  }
}

// With TP_ORACLE_RUNS=10000: 20,000 programs.
TEST(Limits, RandomProgramsAsByAPlainSimulator) {
  unsigned compared = 0;
  for (std::uint64_t seed = 1; compared < test::oracle_runs(500); ++seed) {
    const auto program =
        test::make_random_program({.seed = seed,
                                   .late = seed % 2 == 0,
                                   .most_tasks = 1 + static_cast<unsigned>(seed % 40),
                                   .restarts = false});
    ASSERT_LT(seed, 40u * test::oracle_runs(500) + 100) << "too few programs end";
    if (!program.valid)
      continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed));
    Recorded found = recorded(program.trace.source());
    std::mt19937_64 random(seed);
    const DagLimits limits = random_limits(random, found.dag);
    expect_right(found.dag, limits);
    if (::testing::Test::HasFailure())
      return;
  }
}

TEST(Limits, ForkJoinProgramsAsByAPlainSimulator) {
  for (std::uint64_t seed = 1; seed <= test::oracle_runs(500); ++seed) {
    const test::ForkJoinProgram program = test::make_fork_join(seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    Recorded found = recorded(program.trace().source());
    std::mt19937_64 random(seed);
    const DagLimits limits = random_limits(random, found.dag);
    expect_right(found.dag, limits);
    if (::testing::Test::HasFailure())
      return;
  }
}

// ---- by hand

// main: 10, then in an arena 4, two tasks of 20, a wait, 3; outside 2.
std::string two_tasks_in_arena(const std::string& arena, const std::string& more = "") {
  return "site 1 a.cpp 1\n"
         "stream 0\n"
         "thread role=main\n"
         "in-arena arena=1 work=10 entered=1 " +
         arena +
         "\n"
         "spawn work=14 site=1 ctx=new-exclusive\n" +
         more +
         "spawn work=0 site=1 ctx=last\n"
         "wait work=0 ctx=last\n"
         "task work=20\n"
         "task task=-1 work=20\n"
         "wait-end\n"
         "in-arena arena=0 work=3\n"
         "end work=5\n"
         "thread-end\n";
}

Simulated stealing(const std::string& script, std::uint64_t procs) {
  const Recorded found = recorded(test::parse_trace_script(script).source());
  return simulate_work_stealing(found.dag, procs, 0, dag_limits(found.limits, procs, {}));
}

TEST(Limits, ArenaOfOne) {
  // No worker thread comes: 10 + 4 + 20 + 20 + 3 + 2.
  EXPECT_EQ(59u, stealing(two_tasks_in_arena("asked=1"), 8).time);
  // One comes if a task is enqueued there.
  EXPECT_EQ(39u, stealing(two_tasks_in_arena("asked=1", "enqueued arena=1\n"), 8).time);
  EXPECT_EQ(39u, stealing(two_tasks_in_arena("asked=2"), 8).time);
  // All slots are for external threads.
  EXPECT_EQ(59u, stealing(two_tasks_in_arena("asked=2 reserved=2"), 8).time);
  // As many as the machine has: more, where there are more.
  EXPECT_EQ(39u, stealing(two_tasks_in_arena("asked=1 like_machine=1"), 8).time);
}

TEST(Limits, Widths) {
  const auto width = [](ArenaLimit arena) { return arena.width(); };
  EXPECT_EQ(1u, width({.asked = 1, .reserved = 1, .slots = 2, .entrants = 1}));
  EXPECT_EQ(2u, width({.asked = 1, .reserved = 1, .slots = 2, .entrants = 2}));
  EXPECT_EQ(2u, width({.asked = 1, .reserved = 1, .slots = 2, .entrants = 9}));
  EXPECT_EQ(2u, width({.asked = 1, .reserved = 1, .slots = 2, .enqueued = true, .entrants = 1}));
  EXPECT_EQ(1u, width({.asked = 1, .reserved = 1, .slots = 2, .enqueued = true}));
  EXPECT_EQ(2u, width({.asked = 1, .reserved = 0, .slots = 2, .entrants = 1}));
  EXPECT_EQ(1u, width({.asked = 1, .reserved = 0, .slots = 1, .entrants = 1}));
  EXPECT_EQ(4u, width({.asked = 4, .reserved = 1, .slots = 4, .entrants = 3}));
  EXPECT_EQ(3u, width({.asked = 4, .reserved = 1, .slots = 4}));
  EXPECT_EQ(1u, width({.asked = 3, .reserved = 3, .slots = 3, .enqueued = true, .entrants = 1}));
  const auto allowed = [](std::uint32_t threads, std::uint64_t externals) {
    return AllowedThreads{.threads = threads, .externals = externals}.width();
  };
  EXPECT_EQ(4u, allowed(4, 1));
  EXPECT_EQ(6u, allowed(4, 3));
  EXPECT_EQ(1u, allowed(1, 0));
}

// Under global_control, from the time at which it was made: other threads' later steps too.
TEST(Limits, AllowedThreads) {
  const auto script = [](const std::string& threads) {
    return "site 1 a.cpp 1\n"
           "stream 0\n"
           "thread role=main\n"
           "allowed work=10 time=10 threads=" +
           threads +
           "\n"
           "spawn work=14 site=1 ctx=new-exclusive\n"
           "spawn work=0 site=1 ctx=last\n"
           "wait work=0 ctx=last\n"
           "task work=20\n"
           "wait-end\n"
           "allowed work=3 time=37 threads=2 like_machine=1\n"
           "end work=5\n"
           "thread-end\n"
           "stream 1\n"
           "thread role=worker\n"
           "task task=0.0 lead=14 work=20\n"
           "thread-end\n";
  };
  EXPECT_EQ(59u, stealing(script("1"), 8).time);
  EXPECT_EQ(39u, stealing(script("2"), 8).time);
  EXPECT_EQ(39u, stealing(script("3"), 8).time);
}

// Three tasks call into an arena of one, which has two slots: two at a time are inside.
TEST(Limits, TasksEnterAnArena) {
  std::string script = "site 1 a.cpp 1\n"
                       "stream 0\n"
                       "thread role=main\n"
                       "spawn work=0 site=1 ctx=new-exclusive\n"
                       "spawn work=0 site=1 ctx=last\n"
                       "wait work=0 ctx=last\n";
  std::string last;
  for (const char* const task : {"newest", "-1"})
    last += std::string("begin task=") + task +
            "\n"
            "in-arena arena=1 work=1 entered=1 asked=1\n"
            "in-arena arena=0 work=11\n"
            "end work=12\n";
  script += last;
  script += "wait-end\n"
            "end work=0\n"
            "thread-end\n";
  EXPECT_EQ(12u, stealing(script, 2).time);
  EXPECT_EQ(24u, stealing(script, 1).time);
  const Recorded found = recorded(test::parse_trace_script(script).source());
  EXPECT_EQ(2u, found.limits.arenas[1].entrants);
  // With one slot, one of them sleeps outside: 1 + 10 + 10 + 1.
  DagLimits narrow = dag_limits(found.limits, 8, {});
  ASSERT_EQ(2u, narrow.widths.size());
  narrow.widths[1] = 1;
  EXPECT_EQ(22u, simulate_work_stealing(found.dag, 8, 0, narrow).time);
  EXPECT_EQ(22u, simulate_greedy(found.dag, 8, narrow).time);
}

} // namespace
} // namespace tp::analysis
