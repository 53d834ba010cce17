// SPDX-License-Identifier: Apache-2.0
// Limits of concurrency in a profile: bounds, predictions, verdict, findings, in hand-written cases.
#include "profile/concurrency_limits.h"
#include "profile/make_profile.h"
#include "report/changes.h"
#include "report/numbers.h"
#include "report/phrases.h"
#include "report/writers.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tp::analysis {
namespace {

// main: 10, then in an arena 4, eight tasks of 20, a wait, 3; outside 3: work 180, span 40.
std::string eight_tasks(const std::string& arena, const std::string& more = "") {
  std::string script = "site 1 linalg.cpp 36\n"
                       "stream 0\n"
                       "thread role=main\n" +
                       more + "in-arena arena=1 work=10 entered=1 " + arena +
                       "\n"
                       "spawn work=14 site=1 ctx=new-exclusive\n";
  for (int i = 1; i < 8; ++i)
    script += "spawn work=0 site=1 ctx=last\n";
  script += "wait work=0 ctx=last\n";
  for (int i = 0; i < 8; ++i)
    script += "task task=" + (i == 0 ? std::string("newest") : std::to_string(-i)) + " work=20\n";
  return script + "wait-end\n"
                  "in-arena arena=0 work=3\n"
                  "end work=6\n"
                  "thread-end\n";
}

Profile limited_profile_of(const std::string& script, Ask simulate = Ask::Always) {
  ProfileOptions options;
  options.procs = {1, 2, 8};
  options.burden_ns = 0;
  options.simulate = simulate;
  return make_profile(test::parse_trace_script(script).source(), options);
}

const Finding* few_threads(const Profile& profile) {
  const auto found = std::ranges::find(profile.findings, Shape::FewThreads, &Finding::shape);
  return found == profile.findings.end() ? nullptr : &*found;
}

// Of 100 of sleep in main's last step, 30 are inside the arena.
TEST(ConcurrencyLimits, SleepInsideOfAnArena) {
  std::string script = eight_tasks("asked=1");
  const std::string leaves = "in-arena arena=0 work=3\n";
  script.replace(script.find(leaves), leaves.size(),
                 "asleep-before time=30 waited=0\n" + leaves + "asleep time=100 waited=0\n");
  const Profile profile = limited_profile_of("run sleep_seen=1 waits_seen=1\n" + script);
  EXPECT_EQ(100u, profile.latency);
  ASSERT_EQ(1u, profile.limits.size());
  EXPECT_EQ(167u, profile.limits[0].work);
  EXPECT_EQ(30u, profile.limits[0].latency);
  EXPECT_EQ(210u, profile.limits[0].least_time()); // 10 before, 3 after
  EXPECT_EQ(280u, profile.prediction.runs.back().time);
}
// More than the step slept, and less than before: what the step slept is divided all the same.
TEST(ConcurrencyLimits, SleepThatCannotBe) {
  std::string script = eight_tasks("asked=1");
  const std::string leaves = "in-arena arena=0 work=3\n";
  script.replace(script.find(leaves), leaves.size(),
                 "asleep-before time=300 waited=0\n" + leaves +
                     "asleep-before time=20 waited=0\nin-arena arena=1 work=1 asked=1\n" +
                     "asleep time=100 waited=0\n");
  const Profile profile = limited_profile_of("run sleep_seen=1 waits_seen=1\n" + script);
  ASSERT_EQ(1u, profile.limits.size());
  EXPECT_EQ(170u, profile.limits[0].work);
  EXPECT_EQ(100u, profile.limits[0].latency);
}

TEST(ConcurrencyLimits, ArenaOfOneThread) {
  const Profile profile = limited_profile_of(eight_tasks("asked=1"));
  EXPECT_EQ(180u, profile.work);
  EXPECT_EQ(40u, profile.span);
  EXPECT_EQ("4.5", decimal2(profile.parallelism()));
  ASSERT_EQ(1u, profile.limits.size());
  const ConcurrencyLimit& limit = profile.limits[0];
  EXPECT_EQ(167u, limit.work);
  EXPECT_EQ(1u, limit.width);
  EXPECT_EQ(167u, limit.time_under());
  EXPECT_EQ(10u, limit.ends.before);
  EXPECT_EQ(3u, limit.ends.after);
  EXPECT_EQ(180u, limit.least_time());
  EXPECT_EQ("linalg.cpp:36 runs in an arena of 1 thread", limit_in_words(limit));
  EXPECT_EQ(&limit, profile.binding_limit());
  EXPECT_EQ(180u, profile.least_time());
  EXPECT_EQ("1.00", fixed2(profile.speedup_limit()));
  for (const PredictedRun& run : profile.prediction.runs) {
    EXPECT_EQ(180u, run.time) << run.procs;
    EXPECT_EQ(180u, run.greedy) << run.procs;
  }
  EXPECT_NE(Limiter::Concurrency, profile.prediction.runs[0].limiter);
  EXPECT_EQ(Limiter::Concurrency, profile.prediction.runs[1].limiter);
  EXPECT_EQ(Limiter::Concurrency, profile.prediction.runs[2].limiter);
  EXPECT_EQ("1", decimal2(profile.bounds[0].upper));
  EXPECT_EQ("1", decimal2(profile.bounds[2].upper));
  // 180 / (180 / 8 + 40 + 167)
  EXPECT_EQ("0.78", decimal2(profile.bounds[2].lower));
  EXPECT_EQ("Hardly faster on more CPUs: speedup at most 1.00 on any number of them.",
            profile.verdict.headline);
  EXPECT_EQ("linalg.cpp:36 runs in an arena of 1 thread.", profile.verdict.detail);
  EXPECT_EQ("linalg.cpp", profile.verdict.file);
  EXPECT_EQ(36u, profile.verdict.line);
  const Finding* const finding = few_threads(profile);
  ASSERT_TRUE(finding);
  EXPECT_EQ(&profile.findings.front(), finding); // it saves most
  EXPECT_EQ("linalg.cpp", finding->place.file);
  EXPECT_EQ(36u, finding->place.line);
  EXPECT_EQ(8u, finding->procs);
  EXPECT_EQ(180u, finding->time);
  EXPECT_EQ(40u, finding->least_time);
  EXPECT_EQ("linalg.cpp:36 runs in an arena of 1 thread (93 % of the work): a speedup of at most "
            "1.00 on any number of CPUs. Give the arena more threads, or no limit. On 8 CPUs that "
            "saves at most 140 units of 180 units.",
            finding->text);
  EXPECT_EQ(finding->text, profile.advice);
}

TEST(ConcurrencyLimits, ArenaOfTwoThreads) {
  const Profile profile = limited_profile_of(eight_tasks("asked=2"));
  EXPECT_EQ(97u, profile.least_time()); // 10 + 167 / 2 + 3
  EXPECT_EQ(180u, profile.prediction.runs[0].time);
  EXPECT_EQ(100u, profile.prediction.runs[1].time); // 10 + 4 + 80 + 3 + 3
  EXPECT_EQ(100u, profile.prediction.runs[2].time);
  EXPECT_EQ("Scales to 3 CPUs at an efficiency of at least 50 %; speedup at most 1.86 on any "
            "number of them.",
            profile.verdict.headline);
  EXPECT_EQ("linalg.cpp:36 runs in an arena of 2 threads.", profile.verdict.detail);
  const Profile by_bounds = limited_profile_of(eight_tasks("asked=2"), Ask::Never);
  EXPECT_EQ(97u, by_bounds.least_time());
  ASSERT_TRUE(few_threads(by_bounds));
  EXPECT_EQ("1.86", fixed2(by_bounds.speedup_limit()));
}

// Three tasks of 5 take 10 on two CPUs, since they cannot be divided, not since the arena has no more threads.
TEST(ConcurrencyLimits, ArenaOfAsManyThreadsAsCpus) {
  const Profile profile = limited_profile_of("site 1 linalg.cpp 36\n"
                                             "stream 0\n"
                                             "thread role=main\n"
                                             "in-arena arena=1 work=0 entered=1 asked=2\n"
                                             "spawn site=1 ctx=new-exclusive\n"
                                             "spawn site=1 ctx=last\n"
                                             "spawn site=1 ctx=last\n"
                                             "wait ctx=last\n"
                                             "task task=newest work=5\n"
                                             "task task=-1 work=5\n"
                                             "task task=-2 work=5\n"
                                             "wait-end\n"
                                             "in-arena arena=0 work=0\n"
                                             "end\n"
                                             "thread-end\n");
  EXPECT_EQ(8u, profile.limits.at(0).least_time());
  const PredictedRun& on_two = profile.prediction.runs.at(1);
  EXPECT_EQ(10u, on_two.time);
  EXPECT_NE(Limiter::Concurrency, on_two.limiter);
  EXPECT_EQ(Limiter::Concurrency, profile.prediction.runs.at(2).limiter);
}

TEST(ConcurrencyLimits, SlotsAreNotThreads) {
  const Profile profile = limited_profile_of(eight_tasks("asked=1", "enqueued arena=1\n"));
  EXPECT_EQ(2u, profile.limits.at(0).width);
  EXPECT_EQ("linalg.cpp:36 runs in an arena of 1 thread, with at most 2 at a time",
            limit_in_words(profile.limits[0]));
}

TEST(ConcurrencyLimits, WideArenaLimitsNothing) {
  const Profile profile = limited_profile_of(eight_tasks("asked=40"));
  ASSERT_EQ(1u, profile.limits.size());
  EXPECT_EQ(nullptr, profile.binding_limit());
  EXPECT_EQ(40u, profile.least_time());
  EXPECT_EQ(40u, profile.prediction.runs[2].time);
  EXPECT_EQ(nullptr, few_threads(profile));
  const Profile none = limited_profile_of(eight_tasks("arena=0"));
  EXPECT_TRUE(none.limits.empty());
  EXPECT_EQ(none.verdict.headline, profile.verdict.headline);
  EXPECT_EQ(none.advice, profile.advice);
}

TEST(ConcurrencyLimits, NumberOfTheMachineIsNamedAndLimitsNothing) {
  const Profile profile = limited_profile_of(eight_tasks("asked=2 like_machine=1"));
  EXPECT_EQ(nullptr, profile.binding_limit());
  EXPECT_EQ(40u, profile.least_time());
  EXPECT_EQ(40u, profile.prediction.runs[2].time);
  const auto warning = std::ranges::find(profile.warnings, "like_machine", &Warning::name);
  ASSERT_TRUE(warning != profile.warnings.end());
  EXPECT_EQ(
      "linalg.cpp:36 runs in an arena of 2 threads, as many as there are CPUs: predicted times "
      "for more CPUs take it to grow with them; if the program has a fixed number, the speedup "
      "is at most 2.14 (tp-run --as-if-cores 8 shows which)",
      warning->text);
}

TEST(ConcurrencyLimits, GlobalControl) {
  const Profile profile =
      limited_profile_of(eight_tasks("arena=0", "allowed work=10 time=10 threads=2\n"));
  ASSERT_EQ(1u, profile.limits.size());
  EXPECT_FALSE(profile.limits[0].is_arena);
  EXPECT_EQ(170u, profile.limits[0].work);
  EXPECT_EQ(95u, profile.least_time()); // 10 + 170 / 2
  EXPECT_EQ("The program allows oneTBB 2 threads (global_control).", profile.verdict.detail);
  EXPECT_EQ(100u, profile.prediction.runs[2].time);
}

// Threads outside of tasks run whatever is allowed.
TEST(ConcurrencyLimits, GlobalControlDoesNotKeepThreadsFromRunning) {
  const Profile profile =
      limited_profile_of(eight_tasks("arena=0", "allowed work=10 time=10 threads=2\n") +
                         "stream 7 base=20\nthread role=external\nend work=30\nthread-end\n");
  ASSERT_EQ(1u, profile.limits.size());
  EXPECT_EQ(170u, profile.limits[0].work);
}

// Nor does it keep one that the program creates: main creates it after 10, where two threads are allowed.
TEST(ConcurrencyLimits, GlobalControlDoesNotKeepCreatedThreadsFromRunning) {
  const Profile profile =
      limited_profile_of("site 1 linalg.cpp 36\n"
                         "site 2 main.cpp 7 construct=thread\n"
                         "stream 0\n"
                         "thread role=main\n"
                         "allowed work=10 time=10 threads=2\n"
                         "spawn work=14 site=2 ctx=new-exclusive construct=thread\n"
                         "wait work=6 ctx=last\n"
                         "wait-end\n"
                         "end work=5\n"
                         "thread-end\n"
                         "stream 1 base=20\n"
                         "thread role=created\n"
                         "task task=0.0 work=30\n"
                         "thread-end\n");
  EXPECT_EQ(55u, profile.work);
  ASSERT_EQ(1u, profile.limits.size());
  EXPECT_EQ(15u, profile.limits[0].work); // 4 + 6 + 5
}

// The record of a change has a time that is not as precise as its place in a step: what was before it in the
// step was under what was allowed then.
TEST(ConcurrencyLimits, BeforeAChangeInTheSameStep) {
  const Profile profile = limited_profile_of("site 1 linalg.cpp 36\n"
                                             "stream 0 base=100\n"
                                             "thread role=main\n"
                                             "allowed work=10 time=100 threads=2\n"
                                             "end work=30\n"
                                             "thread-end\n");
  ASSERT_EQ(1u, profile.limits.size());
  EXPECT_EQ(20u, profile.limits[0].work);
}

// Eight tasks in an arena.
std::string tasks_in(int arena, int threads, int work) {
  const std::string number = std::to_string(arena);
  std::string script = "in-arena arena=" + number +
                       " work=0 entered=1 asked=" + std::to_string(threads) +
                       "\nspawn site=" + number + " ctx=new-exclusive\n";
  for (int i = 1; i < 8; ++i)
    script += "spawn site=" + number + " ctx=last\n";
  script += "wait ctx=last\n";
  for (int i = 0; i < 8; ++i)
    script += "task task=" + (i == 0 ? std::string("newest") : std::to_string(-i)) +
              " work=" + std::to_string(work) + "\n";
  return script + "wait-end\nin-arena arena=0 work=0\n";
}

// With more threads in one arena, another one limits what comes after it.
TEST(ConcurrencyLimits, TheOtherArenaRemains) {
  ProfileOptions options;
  options.procs = {3};
  options.burden_ns = 0;
  options.simulate = Ask::Always;
  const Profile profile = make_profile(
      test::parse_trace_script("site 1 a.cpp 1\nsite 2 b.cpp 2\nstream 0\n"
                               "thread role=main\n" +
                               tasks_in(1, 1, 20) + tasks_in(2, 2, 60) + "end\nthread-end\n")
          .source(),
      options);
  EXPECT_EQ(640u, profile.work);
  const auto found = std::ranges::find_if(profile.findings, [](const Finding& finding) {
    return finding.shape == Shape::FewThreads && finding.place.line == 1;
  });
  ASSERT_NE(found, profile.findings.end());
  EXPECT_EQ(300u, found->least_time); // 8 * 20 on three, then 480 / 2
}

// Those that grow with the machine come last, however much work they have.
TEST(ConcurrencyLimits, LikeTheMachineComesLast) {
  std::string script = eight_tasks("asked=1 like_machine=1");
  const std::string leaves = "in-arena arena=0 work=3\n";
  script.replace(script.find(leaves), leaves.size(), "in-arena arena=2 work=3 asked=1\n");
  const Profile profile = limited_profile_of(script);
  ASSERT_EQ(2u, profile.limits.size());
  EXPECT_EQ(3u, profile.limits[0].work);
  EXPECT_FALSE(profile.limits[0].like_machine);
  EXPECT_TRUE(profile.limits[1].like_machine);
  EXPECT_EQ(&profile.limits[0], longest_limit(profile.limits));
}

// A thread that enters an arena twice is one.
TEST(ConcurrencyLimits, EntersTwice) {
  const std::string twice = "in-arena arena=1 work=1 entered=1 asked=2 reserved=1 slots=3\n"
                            "in-arena arena=0 work=2\n";
  const Profile profile =
      limited_profile_of(eight_tasks("asked=2 reserved=1 slots=3", twice + twice));
  ASSERT_EQ(1u, profile.limits.size());
  EXPECT_EQ(2u, profile.limits[0].width);
}

Profile searched_profile_of(const std::string& script, std::optional<std::uint64_t> target,
                            WhatIfMode mode = WhatIfMode::Parallelize) {
  ProfileOptions options;
  options.procs = {8};
  options.burden_ns = 0;
  options.factors = {2, 8};
  options.target = target;
  options.mode = mode;
  options.explore = Ask::Always;
  return make_profile(test::parse_trace_script(script).source(), options);
}

// The parallelism if all tasks of the place are improved.
Ratio with_tasks_improved(const Profile& profile, std::uint32_t line, std::uint64_t factor) {
  for (const WhatIfCandidate& each : profile.explored)
    for (const WhatIfPoint& point : each.points)
      if (each.kind == CandidateKind::Site && each.place.line == line && point.factor == factor)
        return point.parallelism;
  ADD_FAILURE() << "no site of line " << line;
  return {1, 1};
}

// Enough threads, and no more: 13 + 167 / 3 is less than 180 / 2, 13 + 167 / 2 is not; and 13 + 167 / 6 is less than
// 180 / 4.
TEST(ConcurrencyLimits, TargetsNeedThreads) {
  for (const auto& [target, threads, least] :
       {std::tuple{2u, 3u, 138u}, {4u, 6u, 164u}}) { // 2 * 13 + 2 * 167 / 3, 4 * 13 + 4 * 167 / 6
    const Profile profile = searched_profile_of(eight_tasks("asked=1"), target);
    ASSERT_TRUE(profile.search);
    ASSERT_EQ(1u, profile.search->steps.size()) << profile.search->outcome;
    const TargetSearch::Step& step = profile.search->steps[0];
    EXPECT_EQ(ChoiceKind::Threads, step.kind);
    EXPECT_EQ(0u, step.limit);
    EXPECT_EQ(threads, step.factor);
    EXPECT_EQ("give the arena of linalg.cpp:36 at least " + std::to_string(threads) + " threads",
              step.name);
    EXPECT_EQ(180 * target, step.after.numerator);
    EXPECT_EQ(least, step.after.denominator); // both sides times the target
    EXPECT_EQ("One change leaves room for parallelism " + std::to_string(target) + ".",
              profile.search->outcome);
  }
  // On no more than one thread there is room for parallelism 1.
  const Profile one = searched_profile_of(eight_tasks("asked=1"), 1);
  ASSERT_TRUE(one.search);
  EXPECT_EQ("Parallelism 1 is already reached.", one.search->outcome);
}

// The span of 40 is more than 180 / 8, too: the tasks have to be divided as well.
TEST(ConcurrencyLimits, TargetsNeedThreadsAndMoreTasks) {
  const Profile profile = searched_profile_of(eight_tasks("asked=1"), 8);
  ASSERT_TRUE(profile.search);
  EXPECT_TRUE(profile.search->reached) << profile.search->outcome;
  EXPECT_TRUE(profile.search->has_limits());
  EXPECT_GT(profile.search->steps.size(), 1u);
  EXPECT_LE(8.0, profile.search->steps.back().after.value());
}

// If it has some already, the same: 13 + 167 / 4 is less than 180 / 3, and 10 + 170 / 4.
TEST(ConcurrencyLimits, TargetsNeedMoreThreads) {
  const Profile profile = searched_profile_of(eight_tasks("asked=2"), 3);
  ASSERT_TRUE(profile.search);
  ASSERT_EQ(1u, profile.search->steps.size()) << profile.search->outcome;
  EXPECT_EQ("give the arena of linalg.cpp:36 at least 4 threads", profile.search->steps[0].name);
  const Profile allowed =
      searched_profile_of(eight_tasks("arena=0", "allowed work=10 time=10 threads=2\n"), 3);
  ASSERT_EQ(1u, allowed.search->steps.size()) << allowed.search->outcome;
  EXPECT_EQ("let oneTBB have at least 4 threads (global_control)", allowed.search->steps[0].name);
}

// Two arenas, one after the other: each leaves too little.
TEST(ConcurrencyLimits, TargetsNeedThreadsOfTwoArenas) {
  const Profile profile =
      searched_profile_of("site 1 a.cpp 1\nsite 2 b.cpp 2\nstream 0\nthread role=main\n" +
                              tasks_in(1, 1, 20) + tasks_in(2, 1, 30) + "end\nthread-end\n",
                          4);
  ASSERT_TRUE(profile.search);
  ASSERT_EQ(2u, profile.search->steps.size()) << profile.search->outcome;
  EXPECT_EQ("give the arena of b.cpp:2 at least 3 threads",
            profile.search->steps[0].name); // 20 + 240 / 3
  EXPECT_EQ("give the arena of a.cpp:1 at least 3 threads",
            profile.search->steps[1].name); // 160 / 3 + 30
  EXPECT_TRUE(profile.search->minimal);
  EXPECT_EQ("2 changes leave room for parallelism 4; fewer do not.", profile.search->outcome);
}

// Code that is divided among CPUs is in the arena as before; if it has less to do, the arena has less.
TEST(ConcurrencyLimits, WhatIfsStayWithinThem) {
  const Profile divided = searched_profile_of(eight_tasks("asked=1"), {});
  EXPECT_EQ(180u, divided.parallelism_now().denominator);
  const Ratio tasks = with_tasks_improved(divided, 36, 2);
  EXPECT_EQ(360u, tasks.numerator);
  EXPECT_EQ(360u, tasks.denominator);
  const Profile less = searched_profile_of(eight_tasks("asked=1"), {}, WhatIfMode::Optimize);
  const Ratio faster = with_tasks_improved(less, 36, 2);
  EXPECT_EQ(200u, faster.numerator);   // 2 * 20 + 160
  EXPECT_EQ(200u, faster.denominator); // 2 * (10 + 7 + 3) + 160
  // Without the limit the path would be the longer one: 2 * 20 + 20.
  const Profile none = searched_profile_of(eight_tasks("arena=0"), {});
  EXPECT_EQ(60u, with_tasks_improved(none, 36, 2).denominator);
}

// 10 before, eight tasks of 20 in an arena, then one of 70 and one of 50 anywhere: after the last of the eight, 70, and
// if that one is half as long, 50.
TEST(ConcurrencyLimits, WhatComesAfterThemMayBeTasks) {
  const auto script = [](int threads) {
    std::string arena = tasks_in(1, threads, 20);
    arena.replace(arena.find("work=0"), 6, "work=10");
    arena.insert(arena.find("spawn ") + 6, "work=10 ");
    return "site 1 a.cpp 1\nsite 2 b.cpp 2\nsite 3 b.cpp 3\nstream 0\nthread role=main\n" + arena +
           "spawn site=2 ctx=new-exclusive\nspawn site=3 ctx=last\nwait ctx=last\n"
           "task task=newest work=70\ntask task=-1 work=50\nwait-end\nend\nthread-end\n";
  };
  const Profile profile = searched_profile_of(script(1), {});
  EXPECT_EQ(290u, profile.work);
  EXPECT_EQ(100u, profile.span); // 10 + 20 + 70
  ASSERT_EQ(1u, profile.limits.size());
  EXPECT_EQ(10u, profile.limits[0].ends.before);
  EXPECT_EQ(70u, profile.limits[0].ends.after);
  EXPECT_EQ(240u, profile.least_time()); // 10 + 160 + 70
  EXPECT_EQ(440u,
            with_tasks_improved(profile, 3, 2).denominator); // 10 + 160 + 50, both sides times 2
  EXPECT_EQ(280u, with_tasks_improved(searched_profile_of(script(2), {}), 3, 2).denominator);
}

// The arena's row: 13 + 167 / 2, and with 8 times the threads the path of 40.
TEST(ConcurrencyLimits, MoreThreadsAreAChange) {
  const Profile profile = searched_profile_of(eight_tasks("asked=1"), {});
  ASSERT_EQ(2u, profile.limits.at(0).wider.size());
  EXPECT_EQ(193u, profile.limits[0].wider[0].parallelism.denominator); // both sides times 2
  EXPECT_EQ(360u, profile.limits[0].wider[0].parallelism.numerator);
  EXPECT_EQ(320u, profile.limits[0].wider[1].parallelism.denominator);
  const std::vector<Change> changes = changes_of(profile);
  ASSERT_FALSE(changes.empty());
  EXPECT_EQ("the threads of the arena of linalg.cpp:36", changes.front().name);
  EXPECT_EQ(ChangeKind::Threads, changes.front().kind);
  for (const Change& change : changes)
    if (change.name.find("main") == std::string::npos &&
        change.name.find("wait") == std::string::npos) {
      EXPECT_EQ(change.kind == ChangeKind::Threads, helps(change, profile)) << change.name;
    }
}

// A team has a part of its region for each thread: where the region is divided further, there are more threads.
TEST(ConcurrencyLimits, TeamsGrowWithTheirRegions) {
  const Profile profile = searched_profile_of(
      "site 1 a.cpp 3 construct=omp_parallel\nstream 0\nthread role=main\n"
      "in-arena arena=1 work=0 entered=1 asked=2 reserved=0 slots=2\n"
      "spawn site=1 ctx=new-exclusive construct=omp_parallel\nspawn site=1 ctx=last\n"
      "wait ctx=last\ntask task=newest work=50\ntask task=-1 work=50\nwait-end\n"
      "in-arena arena=0 work=0\nend\nthread-end\n",
      {});
  ASSERT_EQ(1u, profile.limits.size());
  EXPECT_TRUE(profile.limits[0].is_of_openmp);
  EXPECT_EQ(2u, profile.limits[0].width);
  EXPECT_EQ(50u, with_tasks_improved(profile, 3, 2).denominator); // 25, both sides times 2
}

// Half of the work comes before all tasks, half of it is one loop in an arena of one thread, of which the critical path
// has the one large task.
std::string start_and_arena(int threads) {
  std::string script = "site 1 a.cpp 1\nstream 0\nthread role=main\n"
                       "in-arena arena=1 work=400 entered=1 asked=" +
                       std::to_string(threads) + "\nspawn work=400 site=1 ctx=new-exclusive\n";
  for (int i = 1; i < 4; ++i)
    script += "spawn site=1 ctx=last\n";
  script += "wait ctx=last\n";
  for (int i = 0; i < 4; ++i)
    script += "task task=" + (i == 0 ? std::string("newest") : std::to_string(-i)) +
              " work=" + (i == 0 ? "310" : "30") + "\n";
  return script + "wait-end\nin-arena arena=0 work=0\nend\nthread-end\n";
}

// Dividing the tasks of an arena of one thread is in vain; among two threads it is not, but among no more than two.
TEST(ConcurrencyLimits, WhatTheyMakeVainSavesNothing) {
  const auto of_tasks = [](const Profile& profile) {
    const auto found = std::ranges::find_if(profile.findings, [](const Finding& each) {
      return each.place.line == 1 && each.row != kMainRow && each.shape != Shape::FewThreads;
    });
    EXPECT_NE(found, profile.findings.end());
    return found == profile.findings.end() ? 0 : found->saves_at_most();
  };
  for (const Ask simulate : {Ask::Always, Ask::Never}) {
    const Profile one = limited_profile_of(start_and_arena(1), simulate);
    EXPECT_EQ(800u, one.work);
    EXPECT_EQ(710u, one.span);
    EXPECT_EQ(simulate == Ask::Always,
              of_tasks(one) == 0); // else the time is a bound that is not reached
    ASSERT_TRUE(few_threads(one));
    const auto tasks = std::ranges::find_if(one.findings, [](const Finding& each) {
      return each.row != kMainRow && each.shape != Shape::FewThreads;
    });
    EXPECT_LT(few_threads(one), &*tasks); // which comes after it
  }
  const Profile two = limited_profile_of(start_and_arena(2));
  EXPECT_EQ(155u, of_tasks(two)); // 310 to its half
  const Profile none = limited_profile_of(start_and_arena(40));
  EXPECT_LT(200u, of_tasks(none)); // to an eighth
}

// Serial code comes first, but the limit is named, and no figure of the headline supposes that it is gone.
TEST(ConcurrencyLimits, AreNamedBesideSerialCode) {
  const Profile profile = limited_profile_of(start_and_arena(1));
  EXPECT_EQ(800u, profile.least_time()); // and the path is one of 710
  EXPECT_EQ(Limiter::Concurrency, profile.prediction.runs.back().limiter);
  ASSERT_TRUE(few_threads(profile));
  EXPECT_GE(few_threads(profile)->saves_at_most() * 10, few_threads(profile)->time);
  TextOptions options;
  options.verbose = true;
  const std::string text = write_text(profile, options);
  EXPECT_NE(std::string::npos, text.find("a.cpp:1 runs in an arena of 1 thread")) << text;
  EXPECT_EQ(std::string::npos, text.find("with tasks, parallelism is")) << text;
  EXPECT_NE(
      std::string::npos,
      write_text(limited_profile_of(start_and_arena(40)), {}).find("with tasks, parallelism is"));
}

} // namespace
} // namespace tp::analysis
