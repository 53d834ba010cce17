// SPDX-License-Identifier: Apache-2.0
// Loops whose chunks the threads of a team take while they run them: random programs, recorded with any assignment of
// chunks to threads, against an array of threads of which the one that is free first takes the next chunk, and against
// a second simulator; small cases by hand.
#include "dag/dag_reader.h"
#include "oracle_runs.h"
#include "plain_list_scheduler.h"
#include "row_maps.h"
#include "simulate/dag_recorder.h"
#include "simulate/simulation.h"
#include "trace/metadata_reader.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace tp::analysis {
namespace {

using Costs = std::vector<std::uint64_t>;

struct Chunk {
  std::size_t thread; // that ran it in the recorded run
  std::uint64_t cost;
};
// Each thread of the team: its own work, then the first loop; then the same with the second, and so on, without barriers.
struct Team {
  std::vector<std::uint64_t> late; // of each thread: how long it had nothing to run at first
  std::vector<Costs> before;       // of each loop: each thread's own work before it
  std::vector<std::vector<Chunk>> loops;
  bool is_shared = true;
};

Dag dag_of(const std::string& script) {
  const test::TraceBuilder trace =
      test::parse_trace_script("site 1 a.cpp 1\nsite 2 a.cpp 2\n" + script);
  const TraceSource source = trace.source();
  const TraceInfo info = read_info(source);
  const RowMaps rows = test::row_maps_of(info.sites);
  DagRecorder recorder(StepCosts{});
  DagReader(source, info, rows, recorder).run();
  EXPECT_TRUE(recorder.fits());
  return std::move(recorder.dag());
}

std::string work_of(std::uint64_t work) {
  return " work=" + std::to_string(work);
}

// Stream 0 is main, which begins the region and runs none of it.
std::string script_of(const Team& team) {
  const std::size_t threads = team.late.size();
  std::string script = "stream 0\nthread role=main\n";
  for (std::size_t thread = 0; thread < threads; ++thread)
    script += std::string("spawn site=1 ctx=") +
              (thread == 0 ? "new-gathering construct=omp_parallel" : "last") + "\n";
  script += "wait ctx=last\nwait-end\nend\nthread-end\n";
  for (std::size_t thread = 0; thread < threads; ++thread) {
    script += "stream " + std::to_string(thread + 1) + "\nthread role=worker\nbegin task=0." +
              std::to_string(thread) + " idle=" + std::to_string(team.late[thread]) + "\n";
    for (std::size_t loop = 0; loop < team.loops.size(); ++loop) {
      script += "spawn-wait site=2" + work_of(team.before[loop][thread]) +
                " construct=omp_for ctx=" + (team.is_shared ? "new-gathering" : "new-exclusive") +
                "\nbegin\n";
      for (const Chunk& chunk : team.loops[loop])
        if (chunk.thread == thread)
          script += "loop-begin\nloop-end" + work_of(chunk.cost) + "\n";
      script += "end\nwait-end\n";
    }
    script += "end\nthread-end\n";
  }
  return script;
}

// The chunks of each loop in the order in which they began; empty: two began at the same time.
std::vector<Costs> chunks_in_order(const Team& team) {
  std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> begun(team.loops.size());
  for (std::size_t thread = 0; thread < team.late.size(); ++thread) {
    std::uint64_t now = team.late[thread];
    for (std::size_t loop = 0; loop < team.loops.size(); ++loop) {
      now += team.before[loop][thread];
      for (const Chunk& chunk : team.loops[loop])
        if (chunk.thread == thread) {
          begun[loop].emplace_back(now, chunk.cost);
          now += chunk.cost;
        }
    }
  }
  std::vector<Costs> chunks(begun.size());
  for (std::size_t loop = 0; loop < begun.size(); ++loop) {
    std::ranges::sort(begun[loop]);
    for (std::size_t i = 0; i < begun[loop].size(); ++i) {
      if (i > 0 && begun[loop][i].first == begun[loop][i - 1].first)
        return {};
      chunks[loop].push_back(begun[loop][i].second);
    }
  }
  return chunks;
}

// On as many CPUs as there are threads.
std::uint64_t time_of(const Team& team, const std::vector<Costs>& loops) {
  Costs free(team.late.size());
  for (std::size_t loop = 0; loop < loops.size(); ++loop) {
    for (std::size_t thread = 0; thread < free.size(); ++thread)
      free[thread] += team.before[loop][thread];
    for (const std::uint64_t cost : loops[loop])
      *std::ranges::min_element(free) += cost;
  }
  return std::ranges::max(free);
}

std::uint64_t work_of(const Team& team) {
  std::uint64_t work = 0;
  for (const Costs& each : team.before)
    work = std::accumulate(each.begin(), each.end(), work);
  for (const std::vector<Chunk>& loop : team.loops)
    for (const Chunk& chunk : loop)
      work += chunk.cost;
  return work;
}

Team random_team(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::size_t threads = random() % 4 + 1;
  Team team{.late = Costs(threads), .before = {}, .loops = {}};
  for (std::uint64_t& each : team.late)
    each = random() % 2 * (random() % 100000);
  for (std::uint64_t loops = random() % 3 + 1; loops > 0; --loops) {
    Costs& before = team.before.emplace_back(threads);
    for (std::uint64_t& each : before)
      each = random() % 50000;
    std::vector<Chunk>& chunks = team.loops.emplace_back(random() % 20);
    for (Chunk& chunk : chunks)
      chunk = {random() % threads, random() % 5 == 0 ? random() % 100000 + 1 : random() % 1000 + 1};
  }
  return team;
}

void expect_right(const Team& team, const std::vector<Costs>& loops) {
  const Dag dag = dag_of(script_of(team));
  const std::uint64_t work = work_of(team), threads = team.late.size();
  EXPECT_EQ(work, simulate_greedy(dag, 1).time);
  EXPECT_EQ(work, simulate_work_stealing(dag, 1, 7).time);
  // A thread that has finished a loop begins the next one: at different times, others are in the one before.
  for (const std::uint64_t procs : {threads, threads + 1, std::uint64_t{64}})
    if (loops.size() == 1) {
      EXPECT_EQ(time_of(team, loops), simulate_greedy(dag, procs).time) << procs;
      EXPECT_EQ(time_of(team, loops), simulate_work_stealing(dag, procs, 0).time) << procs;
    }
  const DagLimits none;
  for (const std::uint64_t procs : {1, 2, 3, 64}) {
    PlainListScheduler plain(dag, procs, none);
    EXPECT_EQ(plain.time(), simulate_greedy(dag, procs).time) << procs;
    EXPECT_EQ(dag.nodes.size(), plain.ended()) << procs;
    const Simulated stealing = simulate_work_stealing(dag, procs, 3);
    EXPECT_EQ(dag.nodes.size(), stealing.nodes) << procs;
    EXPECT_GE(stealing.time * std::min(procs, threads), work) << procs;
  }
}

TEST(SharedLoops, RandomTeamsAsByAnArrayOfThreadsAndAPlainSimulator) {
  unsigned compared = 0;
  for (std::uint64_t seed = 1; compared < test::oracle_runs(500); ++seed) {
    const Team team = random_team(seed);
    const std::vector<Costs> loops = chunks_in_order(team);
    if (loops.empty())
      continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_right(team, loops);
    if (::testing::Test::HasFailure())
      return;
  }
}

// One thread was late, so that the other ran all chunks: predicted is that both do.
TEST(SharedLoops, ThreadThatWasLate) {
  Team team{.late = {0, 1000}, .before = {{0, 0}}, .loops = {{{0, 10}, {0, 40}, {0, 20}, {0, 30}}}};
  EXPECT_EQ(60u, simulate_work_stealing(dag_of(script_of(team)), 2, 0).time); // 10 20 30, 40
  EXPECT_EQ(60u, simulate_greedy(dag_of(script_of(team)), 2).time);
  EXPECT_EQ(100u, simulate_work_stealing(dag_of(script_of(team)), 1, 0).time);
  EXPECT_EQ(60u, simulate_work_stealing(dag_of(script_of(team)), 8, 0).time); // the team has two
  team.is_shared = false; // a static loop: each thread has its own
  EXPECT_EQ(100u, simulate_work_stealing(dag_of(script_of(team)), 2, 0).time);
  EXPECT_EQ(100u, simulate_greedy(dag_of(script_of(team)), 2).time);
}

// A thread that has more to do before the loop takes fewer chunks of it.
TEST(SharedLoops, ThreadWithWorkBefore) {
  const Team team{.late = {0, 0},
                  .before = {{35, 0}},
                  .loops = {{{0, 11}, {1, 10}, {0, 10}, {1, 10}, {0, 10}, {1, 10}}}};
  // The order in which they began: 10 10 10 of thread 1 at 0, 10, 20, then 11 at 35.
  EXPECT_EQ(51u, simulate_work_stealing(dag_of(script_of(team)), 2, 0).time);
}

} // namespace
} // namespace tp::analysis
