// SPDX-License-Identifier: Apache-2.0
// The DAG in memory and its simulation: random programs against the figures of the oracle and
// against the bounds that hold for every schedule, and small cases by hand.
#include "dag/dag_reader.h"
#include "fork_join.h"
#include "oracle_runs.h"
#include "random_program.h"
#include "row_maps.h"
#include "simulate/dag_recorder.h"
#include "simulate/simulation.h"
#include "trace/metadata_reader.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tp::analysis {
namespace {

constexpr std::uint64_t kMany = std::uint64_t{1} << 20; // worker threads: more than tasks

Dag dag_of(const TraceSource& source, const StepCosts& costs = {}) {
  const TraceInfo info = read_info(source);
  const RowMaps rows = test::row_maps_of(info.sites);
  DagRecorder recorder(costs);
  DagReader(source, info, rows, recorder).run();
  EXPECT_TRUE(recorder.fits());
  return std::move(recorder.dag());
}

void expect_bounds(const Dag& dag, std::uint64_t work, std::uint64_t span) {
  EXPECT_EQ(work, simulate_greedy(dag, 1).time);
  EXPECT_EQ(span, simulate_greedy(dag, kMany).time);
  EXPECT_EQ(work, simulate_work_stealing(dag, 1, 7).time);
  for (const std::uint64_t procs : {2, 3, 8, 64}) {
    const std::uint64_t least = std::max((work + procs - 1) / procs, span);
    const std::uint64_t greedy = simulate_greedy(dag, procs).time;
    EXPECT_GE(greedy, least) << procs;
    // Graham's bound, which is tighter than Brent's.
    EXPECT_LE(greedy * procs, work + span * (procs - 1)) << procs;
    const std::uint64_t stealing = simulate_work_stealing(dag, procs, 0).time;
    EXPECT_GE(stealing, least) << procs;
    EXPECT_LE(stealing, work) << procs;
    const Simulated burdened = simulate_work_stealing(dag, procs, 5);
    EXPECT_GE(burdened.time, least) << procs;
    EXPECT_EQ(burdened.time, simulate_work_stealing(dag, procs, 5).time) << procs;
  }
}

// With TP_ORACLE_RUNS=10000: 20,000 programs of each kind.
TEST(Simulation, RandomProgramsStayWithinBounds) {
  unsigned compared = 0;
  for (std::uint64_t seed = 1; compared < 2 * test::oracle_runs(); ++seed) {
    const auto program =
        test::make_random_program({.seed = seed,
                                   .late = seed % 2 == 0,
                                   .most_tasks = 1 + static_cast<unsigned>(seed % 60),
                                   .restarts = false});
    ASSERT_LT(seed, 40u * test::oracle_runs() + 100) << "too few programs end";
    if (!program.valid)
      continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_bounds(dag_of(program.trace.source()), program.expected.work, program.expected.span);
    if (::testing::Test::HasFailure())
      return;
  }
}

TEST(Simulation, ForkJoinProgramsStayWithinBounds) {
  for (std::uint64_t seed = 1; seed <= 2 * test::oracle_runs(); ++seed) {
    const test::ForkJoinProgram program = test::make_fork_join(seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_bounds(dag_of(program.trace().source()), program.work, program.span);
    if (::testing::Test::HasFailure())
      return;
  }
}

// Frames that continue after an edge alone leave ends behind that the span does not count: here the
// span is only a lower bound.
TEST(Simulation, RestartedFramesKeepTheirWork) {
  unsigned compared = 0, longer = 0;
  for (std::uint64_t seed = 1; compared < 200; ++seed) {
    const auto program = test::make_random_program({.seed = seed, .late = true});
    if (!program.valid)
      continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Dag dag = dag_of(program.trace.source());
    const std::uint64_t span = simulate_greedy(dag, kMany).time;
    EXPECT_GE(span, program.expected.span);
    longer += span > program.expected.span;
    expect_bounds(dag, program.expected.work, span);
  }
  EXPECT_LT(longer, compared / 4);
}

// ---- by hand

Dag parsed(const std::string& script, const StepCosts& costs = {}) {
  return dag_of(test::parse_trace_script("site 1 a.cpp 1\nsite 2 a.cpp 2\n" + script).source(),
                costs);
}

Dag two_children(const StepCosts& costs = {}) {
  return dag_of(test::parse_trace_script(test::kTwoChildren).source(), costs);
}

TEST(Simulation, TwoChildren) {
  const Dag dag = two_children();
  EXPECT_EQ(6u, dag.nodes.size()); // four steps of main and two tasks
  EXPECT_EQ(1u, dag.joins.size());
  EXPECT_EQ(41u, simulate_greedy(dag, 1).time);
  // The other worker thread runs A from 10 to 15 and then B from 15 to 35. (If main took B, when
  // its step ends at 14, it would run B from 14 to 34.)
  EXPECT_EQ(36u, simulate_greedy(dag, 2).time);
  EXPECT_EQ(35u, simulate_greedy(dag, 3).time); // B from 13 to 33
  // The thief runs A from 10 + 4 = 14 to 19; main has B, takes it back when it waits at 14, and
  // runs it until 34.
  const Simulated stealing = simulate_work_stealing(dag, 2, 4);
  EXPECT_EQ(36u, stealing.time);
  EXPECT_EQ(1u, stealing.steals);
  // A thief that takes longer than A and B comes too late: main runs everything itself.
  EXPECT_EQ(41u, simulate_work_stealing(dag, 2, 100).time);
  EXPECT_EQ(0u, simulate_work_stealing(dag, 2, 100).steals);
}

TEST(Simulation, StepsCostTheirOverheadAndNotTheRecording) {
  StepCosts costs;
  costs.recording = 2;
  costs.overhead[static_cast<std::size_t>(BoundaryKind::Begin)] = 100;
  costs.overhead[static_cast<std::size_t>(BoundaryKind::Spawn)] = 1000;
  // main 8, 1, 0, 0; B 18, A 3; A and B begin, two steps of main begin with a spawn.
  EXPECT_EQ(8u + 1 + 18 + 3 + 2 * 100 + 2 * 1000, simulate_greedy(two_children(costs), 1).time);
}

// A task that blocks keeps its worker thread: what it waits for is below the tasks that the worker
// thread has begun since.
TEST(Simulation, WaitingWorkersRunOtherTasks) {
  // main: spawn X(10: spawn Y(100), wait), spawn Z(50), wait. One stream: Z, then X with Y inside.
  const Dag dag = parsed("stream 0\n"
                         "thread role=main\n"
                         "spawn work=0 site=1 ctx=new-exclusive\n"
                         "spawn work=0 site=2 ctx=last\n"
                         "wait work=0 ctx=last\n"
                         "task work=50\n"
                         "begin task=-1\n"
                         "spawn work=10 site=1 ctx=new-exclusive\n"
                         "wait work=0 ctx=last\n"
                         "task work=100\n"
                         "wait-end\n"
                         "end work=0\n"
                         "wait-end\n"
                         "end work=1\n"
                         "thread-end\n");
  EXPECT_EQ(161u, simulate_work_stealing(dag, 1, 0).time);
  EXPECT_EQ(111u, simulate_work_stealing(dag, 2, 0).time); // Z in parallel with X and Y
  EXPECT_EQ(111u, simulate_greedy(dag, 2).time);
}

// Who waits at a barrier keeps no worker: each of a team has a thread of its own, which goes on where there is a CPU.
TEST(Simulation, TasksGoOnAfterABarrierOnAnyWorker) {
  // Of two tasks, the one that the waiting worker begins first arrives at once, before the other one has been stolen.
  const auto task = [](int ordinal, int before) {
    return "stream " + std::to_string(ordinal + 1) + "\nthread role=worker\nbegin task=0." +
           std::to_string(ordinal) + "\nbarrier threads=2\nwait work=" + std::to_string(before) +
           " ctx=" + (ordinal == 0 ? "new-gathering construct=omp_barrier" : "1.0") +
           "\nwait-end\nend work=50\nthread-end\n";
  };
  const Dag dag = parsed("stream 0\nthread role=main\n"
                         "spawn site=1 ctx=new-gathering construct=omp_parallel\n"
                         "spawn ctx=last\n"
                         "wait ctx=last\nwait-end\nend\nthread-end\n" +
                         task(0, 100) + task(1, 0));
  EXPECT_EQ(200u, simulate_work_stealing(dag, 1, 4).time);
  EXPECT_EQ(150u, simulate_greedy(dag, 2).time);
  // Main takes both before the other worker comes, which has one of them from 104 on.
  EXPECT_EQ(154u, simulate_work_stealing(dag, 2, 4).time);
}

// A flat loop of body calls: one node per task, and one join for all.
TEST(Simulation, BodyCallsAreNoNodesOfTheirOwn) {
  std::string script = "stream 0\nthread role=main\n";
  for (int i = 0; i < 8; ++i)
    script += i == 0 ? "spawn site=1 ctx=new-exclusive\n" : "spawn site=last ctx=last\n";
  script += "wait ctx=last\n";
  for (int i = 0; i < 8; ++i)
    script += "begin task=-" + std::to_string(i) +
              "\nloop-begin work=1\nloop-end work=3 n=4 grain=1\nend work=1\n";
  const Dag dag = parsed(script + "wait-end\nend\nthread-end\n");
  EXPECT_EQ(8u + 8 + 2, dag.nodes.size());
  EXPECT_EQ(1u, dag.joins.size());
  EXPECT_EQ(40u, simulate_greedy(dag, 1).time);
  EXPECT_EQ(10u, simulate_greedy(dag, 4).time);
  EXPECT_EQ(10u, simulate_work_stealing(dag, 4, 0).time);
}

} // namespace
} // namespace tp::analysis
