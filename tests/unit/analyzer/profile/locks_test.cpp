// SPDX-License-Identifier: Apache-2.0
// The law of locks: by hand, and against brute force on random programs with locks
// (tests/support/random_program.h). TP_ORACLE_RUNS sets the number of programs.
#include "oracle_runs.h"
#include "passes/lock_law.h"
#include "profile/locks.h"
#include "profile/make_profile.h"
#include "profile/trace_readings.h"
#include "random_program.h"
#include "sites/site_table.h"
#include "trace/metadata_reader.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace tp::analysis {
namespace {

Profile profile_of_locks(const std::string& script, const ProfileOptions& options = {}) {
  return make_profile(test::parse_trace_script(script).source(), options);
}

// Two tasks of 100, of each the middle in a section of 60; main before and after them.
constexpr char kTwoTasks[] = "run locks=all c_locks_seen=1 cpus=4\n"
                             "site 1 a.cpp 1\n"
                             "lock-place 0 spin_mutex q.cpp 17\n"
                             "stream 0\n"
                             "thread role=main\n"
                             "lock slot=3 address=64 kind=spin_mutex\n"
                             "spawn work=10 site=1 ctx=new-exclusive\n"
                             "spawn site=1 ctx=last\n"
                             "wait ctx=last\n"
                             "section slot=3 place=0 lead=30 work=60\n"
                             "task work=100\n"
                             "section slot=3 place=0 lead=20 work=60 contended=1 waited=7\n"
                             "task task=-1 work=100\n"
                             "wait-end\n"
                             "end work=5\n"
                             "thread-end\n";

// So many further tasks of the last context, and the begin of the wait for all of it.
std::string more_tasks(int count) {
  std::string script;
  while (count-- > 0)
    script += "spawn site=1 ctx=last\n";
  return script + "wait ctx=last\n";
}

// A lock that threads wait for, once in 400 ns of work and once in 600.
TEST(Locks, ThatAreAcquiredVeryOftenMakeWork) {
  const auto warning_of = [](unsigned work, unsigned contended) {
    const std::string script =
        "run locks=all c_locks_seen=1 cpus=4 unit=ticks clock=tsc-rseq hz=1000000000 "
        "same_as_time=1\n"
        "site 1 a.cpp 1\nlock-place 0 spin_mutex q.cpp 17\nstream 0\nthread role=main\n"
        "lock slot=3 address=64 kind=spin_mutex\n"
        "spawn-wait site=1 ctx=new-exclusive\n"
        "section slot=3 place=0 lead=30 work=60 contended=" +
        std::to_string(contended) + " waited=7\ntask work=" + std::to_string(work) +
        "\nwait-end\nend\nthread-end\n";
    const Profile profile = profile_of_locks(script);
    const auto found = std::ranges::find(profile.warnings, "dense_lock", &Warning::name);
    return found == profile.warnings.end() ? std::string() : found->text;
  };
  EXPECT_TRUE(warning_of(400, 1).starts_with(
      "the spin_mutex at q.cpp:17 is acquired once in 400 ns of work, by threads that wait for "
      "each other"))
      << warning_of(400, 1);
  EXPECT_EQ("", warning_of(600, 1));
  EXPECT_EQ("", warning_of(400, 0));
}

// One call of a body with 64 iterations of 10, half of it in sections of a lock: split, the loop is as long as these.
TEST(Locks, LimitWhatLoopsGainThatAreSplit) {
  const Profile profile = profile_of_locks("run locks=all c_locks_seen=1 cpus=4\n"
                                           "site 1 a.cpp 1\n"
                                           "lock-place 0 spin_mutex q.cpp 17\n"
                                           "stream 0\n"
                                           "thread role=main\n"
                                           "lock slot=3 address=64 kind=spin_mutex\n"
                                           "spawn site=1 ctx=new-exclusive\n"
                                           "wait ctx=last\n"
                                           "begin task=newest\n"
                                           "loop-begin\n"
                                           "section slot=3 place=0 lead=10 work=320\n"
                                           "loop-end n=64 grain=1 work=640\n"
                                           "end\n"
                                           "wait-end\n"
                                           "end\n"
                                           "thread-end\n");
  EXPECT_EQ(640u, profile.work);
  ASSERT_TRUE(profile.divisible_is_known());
  EXPECT_EQ(10u, profile.divisible_span);
  EXPECT_NE(std::string::npos,
            profile.verdict.headline.find("speedup at most 1.00, or 1.00 to 2.00 with loops split "
                                          "to their grain size"))
      << profile.verdict.headline;
  EXPECT_EQ(2.0, profile.bounds.back().divisible_upper.value());
}

TEST(Locks, SectionsRunOneAfterTheOther) {
  const Profile profile = profile_of_locks(kTwoTasks);
  EXPECT_EQ(215u, profile.work);
  EXPECT_EQ(115u, profile.span);
  ASSERT_EQ(1u, profile.locks.rows.size());
  const LockRow& lock = profile.locks.rows[0];
  EXPECT_EQ("spin_mutex", lock.kind);
  EXPECT_EQ("spin_mutex at q.cpp:17", lock.name);
  ASSERT_EQ(1u, lock.places.size());
  EXPECT_EQ(17u, lock.places[0].info.line);
  EXPECT_EQ(2u, lock.totals.acquisitions);
  EXPECT_EQ(1u, lock.totals.contended);
  EXPECT_EQ(0u, lock.totals.shared);
  EXPECT_EQ(120u, lock.totals.held);
  EXPECT_EQ(60u, lock.totals.longest_held);
  EXPECT_EQ(7u, lock.totals.waited);
  EXPECT_EQ(120u, lock.bound.sections);
  EXPECT_EQ(30u, lock.bound.before); // 10 + 20
  EXPECT_EQ(15u, lock.bound.after);  // 10 + 5
  EXPECT_EQ(LockBoundKind::Proven, lock.bound_kind);
  EXPECT_EQ(165u, profile.parallelism_with_locks().denominator);
  EXPECT_EQ(165u, profile.speedup_limit().denominator);
  for (const SpeedupBound& bound : profile.bounds)
    EXPECT_LE(bound.upper.value(), 215.0 / 165 + 1e-9) << bound.procs;
  for (const PredictedRun& run : profile.prediction.runs)
    EXPECT_GE(run.time, 165u) << run.procs;
  EXPECT_NE(std::string::npos, profile.verdict.headline.find("spin_mutex at q.cpp:17"))
      << profile.verdict.headline;
  EXPECT_EQ(17u, profile.verdict.line);
  // More tasks would have the same sections, though sooner after each other: no other remedy leaves less than 120 and main.
  ASSERT_FALSE(profile.findings.empty());
  EXPECT_EQ(Shape::Lock, profile.findings[0].shape);
  EXPECT_GT(profile.findings[0].saves_at_most(), 40u);
  for (std::size_t i = 1; i < profile.findings.size(); ++i)
    EXPECT_LE(profile.findings[i].saves_at_most(), 165u - 120 - 15) << profile.findings[i].text;
  EXPECT_NE(std::string::npos, profile.advice.find("spin_mutex at q.cpp:17")) << profile.advice;
  for (const Warning& warning : profile.warnings)
    EXPECT_EQ(std::string::npos, warning.name.find("lock")) << warning.text;
}

// Four tasks, each for 58 in the inner lock while it holds the outer one, for 60. Shorter sections of the inner one save
// nothing, unless the outer ones are shorter for it.
TEST(Locks, TheOuterOneIsAdvisedFirst) {
  std::string script =
      "run locks=all c_locks_seen=1 cpus=8\nsite 1 a.cpp 1\n"
      "lock-place 0 mutex q.cpp 17\nlock-place 1 spin_mutex q.cpp 18\n"
      "stream 0\nthread role=main\n"
      "lock slot=0 address=64 kind=mutex\nlock slot=1 address=128 kind=spin_mutex\n"
      "spawn work=10 site=1 ctx=new-exclusive\n";
  script += more_tasks(7);
  for (int i = 0; i < 8; ++i)
    script += "section slot=1 place=1 lead=21 work=58\nsection slot=0 place=0 lead=20 work=60\n"
              "task task=-" +
              std::to_string(i) + " work=100\n";
  const Profile profile = profile_of_locks(script + "wait-end\nend work=5\nthread-end\n");
  ASSERT_EQ(2u, profile.locks.rows.size());
  std::vector<const Finding*> found;
  for (const Finding& each : profile.findings)
    if (each.lock)
      found.push_back(&each);
  ASSERT_EQ(2u, found.size());
  EXPECT_EQ("mutex", profile.locks.rows[*found[0]->lock].kind);
  EXPECT_GT(found[0]->saves_at_most(), 10u);
  // Without one of them the other one's sections remain, but if those of one are shorter, so are the other one's.
  EXPECT_LT(found[1]->least_time, 8u * 58);
  EXPECT_LT(found[0]->least_time, 8u * 58);
}

// 32 tasks on two CPUs, in ns: each works for 50 us, and for 60 in a section, for which the next one waits until it is woken. `hand_over`: what the recording says of each.
PredictedRun predicted_own(const std::string& run, const std::string& hand_over,
                           std::optional<std::uint64_t>& sampled, Profile* all = nullptr) {
  std::string script = "run clock=tsc-rseq hz=1000000000 time_hz=1000000000 unit=ticks "
                       "same_as_time=1 locks=all c_locks_seen=1 cpus=2 " +
                       run +
                       "\n"
                       "site 1 a.cpp 1\n"
                       "lock-place 0 pthread_mutex q.cpp 17\n"
                       "stream 0\n"
                       "thread role=main\n"
                       "lock slot=3 address=64 kind=pthread_mutex\n"
                       "spawn work=10 site=1 ctx=new-exclusive\n";
  constexpr int kTasks = 32;
  script += more_tasks(kTasks - 1);
  for (int i = 0; i < kTasks; ++i)
    script += hand_over +
              "section slot=3 place=0 lead=50000 work=60000 contended=1 waited=90000\n" +
              "task task=-" + std::to_string(i) + " work=110000\n";
  script += "wait-end\nend work=5\nthread-end\n";
  const Profile profile = profile_of_locks(script);
  sampled = profile.prediction.own_sampled;
  if (all)
    *all = profile;
  return profile.prediction.own.value_or(PredictedRun{});
}

// The lock is free until the thread that sleeps is back.
TEST(Locks, HandOversMayLeaveNothingOfASpeedup) {
  std::optional<std::uint64_t> sampled;
  Profile profile;
  predicted_own("wake_latency_ns=40000 wake_call_ns=7000", "", sampled, &profile);
  EXPECT_EQ("Hardly faster on more CPUs, 1.10 times on 2; speedup at most 1.79 on any number of "
            "them, by the pthread_mutex at q.cpp:17.",
            profile.verdict.headline);
}

// Where in a step a thread slept is not known: perhaps while others waited for its lock.
TEST(Locks, SleepThatMayBeInsideIsSaid) {
  const auto profile = [](const std::string& sleep_of_second) {
    return profile_of_locks(
        "run clock=tsc-rseq hz=1000000000 time_hz=1000000000 unit=ticks same_as_time=1 "
        "sleep_seen=1 waits_seen=1 locks=all c_locks_seen=1 cpus=2\n"
        "site 1 a.cpp 1\nlock-place 0 pthread_mutex q.cpp 17\nstream 0\nthread role=main\n"
        "lock slot=3 address=64 kind=pthread_mutex\n"
        "spawn work=10 site=1 ctx=new-exclusive\nspawn site=1 ctx=last\nwait ctx=last\n"
        "section slot=3 place=0 lead=10000 work=50000\nasleep time=400000 waited=0\n"
        "task task=0.1 work=100000 wall=400000\n"
        "section slot=3 place=0 lead=10000 work=50000\n" +
        sleep_of_second + "wait-end\nend work=5\nthread-end\n");
  };
  const auto warned = [](const Profile& of) {
    return std::ranges::find(of.warnings, "sleep_with_lock", &Warning::name) != of.warnings.end();
  };
  const Profile both =
      profile("asleep time=400000 waited=0\ntask task=0.0 work=100000 wall=400000\n");
  EXPECT_TRUE(warned(both));
  EXPECT_NE(std::string::npos, both.verdict.headline.find("May scale")) << both.verdict.headline;
  // One sleeps for as long as the whole program takes.
  const Profile one = profile("task task=0.0 work=100000\n");
  EXPECT_FALSE(warned(one));
  EXPECT_EQ(std::string::npos, one.verdict.headline.find("May scale")) << one.verdict.headline;
}

// What a section slept is part of it: the second task's, and the one that main holds across a wait, of which
// other tasks of the thread, and what comes before and after it in its steps, are none.
constexpr char kSleepInside[] =
    "run clock=tsc-rseq hz=1000000000 time_hz=1000000000 unit=ticks same_as_time=1 sleep_seen=1 "
    "waits_seen=1 section_sleep_seen=1 locks=all c_locks_seen=1 cpus=2\n"
    "site 1 a.cpp 1\nlock-place 0 pthread_mutex q.cpp 17\nlock-place 1 pthread_mutex q.cpp 27\n"
    "stream 0\nthread role=main\n"
    "lock slot=3 address=64 kind=pthread_mutex\nlock slot=4 address=128 kind=pthread_mutex\n"
    "spawn work=10 site=1 ctx=new-exclusive\nspawn site=1 ctx=last\nwait ctx=last\n"
    "slept-in-section slot=3 time=300000\nsection slot=3 place=0 lead=10000 work=50000\n"
    "asleep-in time=400000 kind=1\nasleep time=400000\ntask task=0.1 work=100000 wall=400000\n"
    "section slot=3 place=0 lead=10000 work=50000\n"
    "slept-in-section slot=3 time=500000\nsection slot=3 place=0 lead=80000 work=0\n"
    "asleep-in time=500000 kind=1\nasleep time=500000\ntask task=0.0 work=100000 wall=500000\n"
    "wait-end\n"
    "slept-in-section slot=4 time=20\ntake slot=4 place=1 lead=1\n"
    "asleep-in time=30 kind=1\nasleep time=30\nspawn work=3 wall=30 site=1 ctx=new-exclusive\n"
    "wait ctx=last\n"
    "asleep-in time=1000 kind=1\nasleep time=1000\ntask task=0.2 work=100 wall=1000\n"
    "wait-end\n"
    "slept-in-section slot=4 time=7\ngive slot=4 lead=5\n"
    "asleep-in time=9 kind=1\nasleep time=9\nend work=6 wall=9\nthread-end\n";

TEST(Locks, SleepInsideOfSectionsIsPartOfTheBound) {
  const Profile profile = profile_of_locks(kSleepInside);
  ASSERT_EQ(2u, profile.locks.rows.size());
  const LockRow& lock = profile.locks.rows[0];
  EXPECT_EQ(100'000u, lock.bound.sections);
  EXPECT_EQ(900'000u, lock.sections_with_latency);
  // Before: 10 and 10,000; after: the step from its last section on, and what main does then.
  EXPECT_EQ(10u + 10'000 + 900'000 + 20'000 + 33 + 1100 + 15, lock.with_latency);
  EXPECT_EQ(lock.with_latency, profile.least_time());
  const LockRow& across = profile.locks.rows[1];
  EXPECT_EQ(2u + 100 + 5, across.bound.sections);
  EXPECT_EQ(2u + 20 + 1100 + 5 + 7, across.sections_with_latency);
  EXPECT_TRUE(std::ranges::none_of(
      profile.warnings, [](const Warning& each) { return each.name == kSleepWithLock; }));
  EXPECT_EQ(&lock, profile.limiting_lock());
  EXPECT_NE(std::string::npos, profile.verdict.detail.find("900 us, asleep for 800 us of it"))
      << profile.verdict.detail;
  for (const PredictedRun& run : profile.prediction.runs)
    EXPECT_GE(run.time, lock.with_latency) << run.procs;
}

// Of two objects in one row one is held longer, and in the other one threads sleep: after much work, so that its bound is greater.
TEST(Locks, SleepIsThatOfTheObjectWhichLimits) {
  std::string script =
      "run clock=tsc-rseq hz=1000000000 time_hz=1000000000 unit=ticks same_as_time=1 sleep_seen=1 "
      "waits_seen=1 section_sleep_seen=1 locks=all c_locks_seen=1 cpus=2\n"
      "site 1 a.cpp 1\nlock-place 0 pthread_mutex q.cpp 17\nstream 0\nthread role=main\n"
      "lock slot=3 address=64 kind=pthread_mutex\nlock slot=4 address=128 kind=pthread_mutex\n"
      "spawn work=10 site=1 ctx=new-exclusive\nspawn site=1 ctx=last\nspawn site=1 ctx=last\n"
      "spawn site=1 ctx=last\nwait ctx=last\n";
  const auto tasks = [](const std::string& first, const std::string& second) {
    return "slept-in-section slot=3 time=2000000\nsection slot=3 place=0 lead=5000000 work=1000\n"
           "asleep-in time=2000000 kind=1\nasleep time=2000000\ntask task=" +
           first +
           " work=5001000 wall=2000000\nsection slot=4 place=0 work=3500000\ntask task=" + second +
           " work=3500000\n";
  };
  script +=
      tasks("0.0", "0.2") + "wait-end\nend work=5\nthread-end\nstream 1\nthread role=worker\n" +
      "lock slot=3 address=64 kind=pthread_mutex\nlock slot=4 address=128 kind=pthread_mutex\n" +
      tasks("0.1", "0.3") + "thread-end\n";
  const Profile profile = profile_of_locks(script);
  ASSERT_EQ(1u, profile.locks.rows.size());
  EXPECT_EQ(7'000'000u, profile.locks.rows[0].bound.sections);
  EXPECT_EQ(4'002'000u, profile.locks.rows[0].sections_with_latency);
  EXPECT_NE(std::string::npos, profile.verdict.detail.find("4.00 ms, asleep for 4.00 ms of it"))
      << profile.verdict.detail;
  EXPECT_TRUE(std::ranges::any_of(profile.findings, [](const Finding& each) {
    return each.text.find("for 4.00 ms, asleep for 4.00 ms of it: sleep") != std::string::npos;
  }));
}

// On two CPUs the second task waits for the first one's section.
TEST(Locks, SimulatedSectionsContainTheirSleep) {
  ProfileOptions options;
  options.procs = {2};
  options.burden_ns = 0;
  const auto waits = [&](std::string script) {
    return profile_of_locks(script, options).prediction.runs.at(0).lock_waits;
  };
  const std::string inside = kSleepInside;
  std::string outside = inside;
  for (std::size_t at; (at = outside.find("slept-in-section")) != std::string::npos;)
    outside.erase(at, outside.find('\n', at) + 1 - at);
  EXPECT_GE(waits(inside), 300'000u);
  EXPECT_LT(waits(outside), 100'000u);
}

// The writers' sections would not be longer than the longest path; waking those that wait for them takes longer.
TEST(Locks, WaitsThatCostMoreThanSectionsAreAdvised) {
  std::string script = "run clock=tsc-rseq hz=1000000000 time_hz=1000000000 unit=ticks "
                       "same_as_time=1 locks=all c_locks_seen=1 cpus=2 wake_latency_ns=40000 "
                       "wake_call_ns=7000\nsite 1 a.cpp 1\n"
                       "lock-place 0 pthread_mutex q.cpp 17\nstream 0\nthread role=main\n"
                       "lock slot=3 address=64 kind=pthread_mutex\n"
                       "spawn work=200000 site=1 ctx=new-exclusive\n";
  constexpr int kTasks = 64;
  for (int i = 1; i < kTasks; ++i)
    script += "spawn site=1 ctx=last\n";
  script += "spawn site=1 ctx=last\nwait ctx=last\ntask task=-0 work=900000\n";
  for (int i = 1; i <= kTasks; ++i)
    script += "section slot=3 place=0 lead=1000 work=3000 contended=1 waited=40000\ntask task=-" +
              std::to_string(i) + " work=5000 wall=40000\n";
  const Profile profile = profile_of_locks(script + "wait-end\nend work=5\nthread-end\n");
  const LockRow& lock = profile.locks.rows.at(0);
  ASSERT_LE(lock.with_latency, profile.span_with_latency.value_or(profile.span));
  const auto found = std::ranges::find(profile.findings, Shape::Lock, &Finding::shape);
  ASSERT_NE(profile.findings.end(), found);
  EXPECT_EQ(0u, found->text.find("Tasks wait long for the pthread_mutex at q.cpp:17: acquire"))
      << found->text;
  // The waits of this run were short.
  for (std::size_t at; (at = script.find("=40000\n")) != std::string::npos;)
    script.erase(at + 4, 2);
  const Profile calm = profile_of_locks(script + "wait-end\nend work=5\nthread-end\n");
  const auto other = std::ranges::find(calm.findings, Shape::Lock, &Finding::shape);
  ASSERT_NE(calm.findings.end(), other);
  EXPECT_EQ(0u, other->text.find("On more CPUs, tasks would wait long for the pthread_mutex"))
      << other->text;
}

// Who spins has no CPU now and then if there are more threads than CPUs, or if other programs have some. Predicted is one
// thread for each.
TEST(Locks, HandOversWithoutACpuAreNotThoseOfPredictions) {
  const auto time_on_two = [](const std::string& machine, const std::string& hand_over,
                              const std::string& kind = "queuing_mutex", bool shared = false) {
    std::string script = "run clock=tsc-rseq hz=1000000000 time_hz=1000000000 unit=ticks "
                         "same_as_time=1 locks=all c_locks_seen=1 cpus=" +
                         machine + "\nsite 1 a.cpp 1\nlock-place 0 " + kind +
                         " q.cpp 17\nstream 0\n"
                         "thread role=main\nlock slot=3 address=64 kind=" +
                         kind +
                         "\n"
                         "spawn work=10 site=1 ctx=new-exclusive\n";
    constexpr int kTasks = 32;
    script += more_tasks(kTasks - 1);
    for (int i = 0; i < kTasks; ++i)
      script += hand_over +
                "section slot=3 place=0 lead=50000 work=60000 contended=1 waited=20000\n" +
                "task task=-" + std::to_string(i) + " work=110000 wall=20000\n";
    // The other thread waits for the lock nearly all the time, or has no CPU.
    script += "wait-end\nend work=5\nthread-end\nstream 1\nthread role=external\n";
    if (!shared)
      script += "lock slot=3 address=64 kind=" + kind +
                "\nsection slot=3 place=0 lead=10 work=10 contended=1 waited=3999000\n";
    script += "end work=1000 wall=3999000\nthread-end\n";
    ProfileOptions options;
    options.procs = {2};
    options.burden_ns = 0;
    return make_profile(test::parse_trace_script(script).source(), options)
        .prediction.runs.at(0)
        .time;
  };
  const std::string late = "lock-handed-over slot=3 since_release=15000\n";
  const std::uint64_t as_measured = time_on_two("2", "");
  EXPECT_GT(time_on_two("2", late), as_measured + std::uint64_t{16} * 14'000);
  EXPECT_EQ(as_measured, time_on_two("1", late));
  // Who looks at a lock all the time, and is as late as this, had no CPU.
  EXPECT_EQ(as_measured, time_on_two("2", "lock-handed-over slot=3 since_release=20000\n"));
  EXPECT_EQ(time_on_two("2", "", "queuing_mutex", true),
            time_on_two("2", late, "queuing_mutex", true));
  // Likewise who sleeps, and has to be woken.
  const std::string kind = "pthread_mutex", awake = "lock-handed-over slot=3 since_release=90000\n";
  EXPECT_GT(time_on_two("2", awake, kind), time_on_two("2", "", kind));
  EXPECT_EQ(time_on_two("1", "", kind), time_on_two("1", awake, kind));
  EXPECT_EQ(time_on_two("2", "", kind, true), time_on_two("2", awake, kind, true));
}

// A sampled thread wakes up more slowly: the run that was recorded had that, predicted runs do not.
TEST(Locks, PredictedThreadsAreNotSampled) {
  std::optional<std::uint64_t> plain, sampled, shown, as_shown;
  const std::string wakes = "wake_latency_ns=20000 wake_call_ns=0 ";
  const std::uint64_t time = predicted_own(wakes, "", plain).time;
  EXPECT_FALSE(plain);
  EXPECT_EQ(time, predicted_own(wakes + "wake_sampled_ns=8000", "", sampled).time);
  ASSERT_TRUE(sampled);
  EXPECT_GT(*sampled, time + std::uint64_t{16} * 8000); // of more than half of the hand-overs
  // What the run shows counts more than what was measured before it.
  const std::string measured = "wake_latency_ns=99000 wake_call_ns=0 wake_sampled_ns=8000";
  EXPECT_EQ(time,
            predicted_own(measured, "lock-handed-over slot=3 since_release=28000\n", shown).time);
  EXPECT_EQ(sampled, shown);
  // Who was back sooner than that did not sleep.
  const PredictedRun soon = predicted_own(wakes + "wake_sampled_ns=8000",
                                          "lock-handed-over slot=3 since_release=7000\n", as_shown);
  EXPECT_EQ(soon.time, as_shown);
  // In a quarter of the CPU time by 8 us, in the rest by 4: 5 us.
  std::optional<std::uint64_t> sparse, mean;
  predicted_own(wakes + "wake_sampled_ns=8000 wake_sparse_ns=4000 cpu_ns=1000000 sparse_ns=750000",
                "", sparse);
  predicted_own(wakes + "wake_sampled_ns=5000", "", mean);
  EXPECT_NE(sampled, mean);
  EXPECT_EQ(sparse, mean);
}

// Waits are charged to the places, and to the sites of the tasks that acquire locks there: in the ratio
// of how often they do.
TEST(Locks, Blame) {
  const Profile profile =
      profile_of_locks("run locks=all c_locks_seen=1 cpus=2\n"
                       "site 1 a.cpp 1\n"
                       "site 2 a.cpp 2\n"
                       "lock-place 0 spin_mutex q.cpp 17\n"
                       "lock-place 1 spin_mutex q.cpp 18\n"
                       "stream 0\n"
                       "thread role=main\n"
                       "lock slot=3 address=64 kind=spin_mutex\n"
                       "spawn work=10 site=1 ctx=new-exclusive\n"
                       "spawn site=1 ctx=last\n"
                       "spawn site=2 ctx=last\n"
                       "wait ctx=last\n"
                       "section slot=3 place=1 lead=30 work=60\n"
                       "task work=100\n"
                       "lock-wait slot=3 place=1 ticks=40\n"
                       "lock-wait slot=3 place=0 ticks=3\n"
                       "section slot=3 place=0 lead=20 work=60 contended=1 waited=43\n"
                       "section slot=3 place=1 lead=80 work=1 contended=1 waited=5\n"
                       "task task=-1 work=100\n"
                       "section slot=3 place=1 work=1\n"
                       "task task=-2 work=100\n"
                       "wait-end\n"
                       "end work=5\n"
                       "thread-end\n");
  const LockRow& lock = profile.locks.rows.at(0);
  EXPECT_EQ(48u, lock.totals.waited);
  EXPECT_EQ(43u, lock.totals.wait_blame);
  EXPECT_EQ(5u, lock.no_holder);
  ASSERT_EQ(2u, lock.places.size());
  EXPECT_EQ(18u, lock.places[0].info.line);
  EXPECT_EQ(40u, lock.places[0].totals.wait_blame);
  EXPECT_EQ(3u, lock.places[1].totals.wait_blame);
  // Two of three acquisitions at line 18 are by tasks of line 1, and the one at line 17.
  for (const SiteRow& site : profile.sites)
    EXPECT_EQ(site.info.line == 1   ? 26u + 3u
              : site.info.line == 2 ? 14u
                                    : 0u,
              site.wait_blame)
        << site.info.name;
}

TEST(Locks, WhatIfs) {
  const Profile profile = profile_of_locks(kTwoTasks);
  const LockRow& lock = profile.locks.rows.at(0);
  const auto denominator = [&](LockChange change, std::uint64_t factor) {
    const LockWhatIf* const found = lock.what_if_of(change, factor);
    return found ? found->parallelism.denominator : 0;
  };
  // Half as long: 60 for both, with 10 + 20 before and 10 + 5 after them.
  EXPECT_EQ(2 * 105u, denominator(LockChange::Shorter, 2));
  EXPECT_EQ(115u, denominator(LockChange::Split, 2)); // sections 60: the span is longer
  EXPECT_EQ(115u, denominator(LockChange::Gone, 1));
  EXPECT_EQ(115u, denominator(LockChange::Shared, 1));
  // If the tasks' code were twice as fast, the sections would be as well, and 20 before and 10 after them.
  const auto tasks = std::ranges::find_if(profile.explored, [](const WhatIfCandidate& each) {
    return each.kind == CandidateKind::Site && each.place.line == 1;
  });
  ASSERT_NE(profile.explored.end(), tasks);
  for (const WhatIfPoint& point : tasks->points)
    EXPECT_EQ(15 * point.factor + 150, point.parallelism.denominator) << point.factor;
}

// Eight tasks, each in a section of one of two locks, for 70, and inside of it in one of a third lock, for 60. Shorter sections of
// either kind leave the third one for a shorter time, but it is that one which limits: split, the others save nothing.
TEST(Locks, TheOneThatLimitsIsAdvisedFirst) {
  const std::string locks =
      "lock slot=0 address=64 kind=mutex\nlock slot=1 address=128 kind=mutex\n"
      "lock slot=2 address=192 kind=spin_mutex\n";
  const auto tasks = [](int from, int to) {
    std::string script;
    for (int i = from; i < to; ++i)
      script += "section slot=2 place=1 lead=30 work=60\nsection slot=" + std::to_string(i % 2) +
                " place=0 lead=20 work=70\ntask task=0." + std::to_string(i) + " work=100\n";
    return script;
  };
  std::string script = "run locks=all c_locks_seen=1 cpus=8\nsite 1 a.cpp 1\n"
                       "lock-place 0 mutex q.cpp 17\nlock-place 1 spin_mutex q.cpp 18\n"
                       "stream 0\nthread role=main\n" +
                       locks + "spawn work=10 site=1 ctx=new-exclusive\n";
  script += more_tasks(7) + tasks(0, 4) + "wait-end\nend work=5\nthread-end\n" +
            "stream 1\nthread role=worker\n" + locks + tasks(4, 8) + "thread-end\n";
  const Profile profile = profile_of_locks(script);
  const LockRow* const lock = profile.limiting_lock();
  ASSERT_NE(nullptr, lock);
  EXPECT_EQ("spin_mutex", lock->kind);
  const auto first = std::ranges::find(profile.findings, Shape::Lock, &Finding::shape);
  ASSERT_NE(profile.findings.end(), first);
  EXPECT_EQ(lock, &profile.locks.rows[*first->lock]) << first->text;
  EXPECT_EQ(2, std::ranges::count(profile.findings, Shape::Lock, &Finding::shape));
}

// On eight CPUs, eight tasks, each of which holds the lock while it waits for 16 others. Those that wait for the lock run none of
// these: in turn, the sections have 1, 2, ... 8 CPUs. If each of the 16 were divided, they would have no more.
TEST(Locks, TasksInsideOfSectionsHaveTheCpusThatDoNotWait) {
  std::string script = "run locks=all c_locks_seen=1 cpus=8\nsite 1 a.cpp 1\nsite 2 a.cpp 2\n"
                       "lock-place 0 pthread_mutex q.cpp 17\n"
                       "stream 0\nthread role=main\nlock slot=0 address=64 kind=pthread_mutex\n"
                       "spawn work=1 site=1 ctx=new-exclusive\n";
  script += more_tasks(7);
  for (int i = 0; i < 8; ++i) {
    script += "begin task=0." + std::to_string(i) +
              "\ntake slot=0 place=0 lead=20\nspawn work=20 site=2 ctx=new-exclusive\n";
    for (int j = 1; j < 16; ++j)
      script += "spawn site=2 ctx=last\n";
    script += "wait ctx=last\n";
    for (int j = 0; j < 16; ++j)
      script += "task task=-" + std::to_string(j) + " work=24\n";
    script += "wait-end\ngive slot=0 lead=0\nend work=0\n";
  }
  ProfileOptions options;
  options.procs = {8};
  options.burden_ns = 0;
  const Profile profile = profile_of_locks(script + "wait-end\nend\nthread-end\n", options);
  EXPECT_EQ(1u + 8 * (20 + 16 * 24), profile.work);
  EXPECT_EQ(8u * 24, profile.locks.rows.at(0).bound.sections);
  // 16, 8, 6, 4, 4, 3, 3 and 2 of the tasks one after the other.
  const std::uint64_t sections = (16 + 8 + 6 + 4 + 4 + 3 + 3 + 2) * 24;
  EXPECT_EQ(1u + 20 + sections, profile.prediction.runs.at(0).time);
  // The lock gone: 16 of them, and the work before.
  ASSERT_LE(2u, profile.findings.size());
  EXPECT_EQ(Shape::Lock, profile.findings[0].shape) << profile.findings[0].text;
  EXPECT_EQ(1u + 20 + 16 * 24, profile.findings[0].least_time);
  const auto of_tasks = std::ranges::find_if(profile.findings, [](const Finding& each) {
    return each.place.line == 2 && each.shape != Shape::Lock;
  });
  ASSERT_NE(profile.findings.end(), of_tasks);
  // 1/2 + 1/3 + ... 1/8: divided, they are even.
  EXPECT_GE(of_tasks->least_time, 1u + 20 + 16 * 24 * 2717 / 1000) << of_tasks->text;
  EXPECT_TRUE(profile.locks.rows[0].awaits_tasks);
  EXPECT_NE(std::string::npos,
            profile.advice.find("The sections of the pthread_mutex at q.cpp:17 run one after the "
                                "other, for 192 units or longer, since threads that wait for it "
                                "run none of the tasks that are waited for in them: release it "
                                "before such waits, hold it for a shorter time (its own code"))
      << profile.advice;
}

// A reader's section and the writers', and a lock that is held across a wait: its own span is the
// path from Take to Give, not what the thread did meanwhile.
TEST(Locks, SharedAndAcrossSteps) {
  const Profile profile = profile_of_locks("run locks=all c_locks_seen=1\n"
                                           "site 1 a.cpp 1\n"
                                           "lock-place 0 rw_mutex q.cpp 17\n"
                                           "lock-place 1 rw_mutex q.cpp 27\n"
                                           "stream 0\n"
                                           "thread role=main\n"
                                           "lock slot=0 address=64 kind=rw_mutex\n"
                                           "take slot=0 place=0 lead=4\n"
                                           "spawn work=10 site=1 ctx=new-exclusive\n"
                                           "wait work=1 ctx=last\n"
                                           "task work=100\n"
                                           "wait-end\n"
                                           "give slot=0 lead=2\n"
                                           "section slot=0 place=1 lead=3 work=8 shared=1\n"
                                           "section slot=0 place=1 lead=12 work=5 shared=1\n"
                                           "end work=20\n"
                                           "thread-end\n");
  ASSERT_EQ(1u, profile.locks.rows.size());
  const LockRow& lock = profile.locks.rows[0];
  EXPECT_EQ(2u, lock.places.size());
  EXPECT_EQ(3u, lock.totals.acquisitions);
  EXPECT_EQ(2u, lock.totals.shared);
  EXPECT_EQ(6u + 100 + 2 + 8 + 5, lock.totals.held);
  // With the longest reader 4 + 116 + 9 are less.
  EXPECT_EQ(4u, lock.bound.before);
  EXPECT_EQ(108u, lock.bound.sections);
  EXPECT_EQ(18u, lock.bound.after);
}

// Eight tasks that do nearly all in sections at one address: whether these are of one lock decides whether they scale.
TEST(Locks, OfOneAddressAreACondition) {
  const auto headline = [](const std::string& reused) {
    std::string script = "run locks=all c_locks_seen=1 cpus=4\n"
                         "site 1 a.cpp 1\n"
                         "lock-place 0 pthread_mutex q.cpp 17\n"
                         "stream 0\n"
                         "thread role=main\n"
                         "lock slot=3 address=64 kind=pthread_mutex" +
                         reused +
                         "\n"
                         "spawn site=1 ctx=new-exclusive\n";
    script += more_tasks(7);
    for (int i = 0; i < 8; ++i)
      script += "section slot=3 place=0 lead=1 work=998\ntask task=-" + std::to_string(i) +
                " work=1000\n";
    return profile_of_locks(script + "wait-end\nend\nthread-end\n").verdict.headline;
  };
  EXPECT_TRUE(headline("").starts_with("Hardly faster on more CPUs: speedup at most 1.00"))
      << headline("");
  EXPECT_TRUE(
      headline(" reused=1").starts_with("May be hardly faster on more CPUs, 1.00 times on ") ||
      headline(" reused=1").starts_with("May be no faster on 2 CPUs than on one; "))
      << headline(" reused=1");
}

TEST(Locks, RecursionCountsOnce) {
  const Profile profile = profile_of_locks("run locks=all c_locks_seen=1\n"
                                           "site 1 a.cpp 1\n"
                                           "lock-place 0 pthread_mutex q.cpp 17\n"
                                           "stream 0\n"
                                           "thread role=main\n"
                                           "lock slot=0 address=64 kind=pthread_mutex reused=1\n"
                                           "section slot=0 place=0 lead=5 work=3\n"
                                           "section slot=0 place=0 lead=2 work=10\n"
                                           "spawn work=20 site=1 ctx=new-exclusive\n"
                                           "wait ctx=last\n"
                                           "task work=1\n"
                                           "wait-end\n"
                                           "end\n"
                                           "thread-end\n");
  const LockRow& lock = profile.locks.rows.at(0);
  EXPECT_EQ(2u, lock.totals.acquisitions);
  EXPECT_EQ(10u, lock.totals.held);
  EXPECT_EQ(10u, lock.bound.sections);
  EXPECT_EQ(LockBoundKind::IfOneObject, lock.bound_kind);
  EXPECT_EQ(0u, profile.locks.proven);
}

// Different objects are never added, and a new generation is another object.
TEST(Locks, ObjectsAreApart) {
  const Profile profile =
      profile_of_locks("run locks=all c_locks_seen=1\n"
                       "site 1 a.cpp 1\n"
                       "lock-place 0 mutex q.cpp 17\n"
                       "stream 0\n"
                       "thread role=main\n"
                       "lock slot=0 address=64 kind=mutex\n"
                       "section slot=0 place=0 lead=0 work=30\n"
                       "lock slot=0 address=64 kind=mutex generation=1\n"
                       "section slot=0 place=0 lead=30 work=20\n"
                       "lock slot=0 address=128 kind=mutex\n"
                       "section slot=0 place=0 lead=0 many=1000 work=40 error=6\n"
                       "spawn work=60 site=1 ctx=new-exclusive\n"
                       "wait ctx=last\n"
                       "task work=1\n"
                       "wait-end\n"
                       "end\n"
                       "thread-end\n");
  ASSERT_EQ(1u, profile.locks.rows.size());
  const LockRow& lock = profile.locks.rows[0];
  EXPECT_EQ(3u, lock.objects);
  EXPECT_EQ(1002u, lock.totals.acquisitions);
  EXPECT_EQ(90u, lock.totals.held);
  EXPECT_EQ(6u, lock.totals.held_error);
  EXPECT_EQ(40u, lock.bound.sections);
  EXPECT_EQ(LockBoundKind::IfSameLock, lock.bound_kind); // of several, by one thread
  EXPECT_EQ(0u, profile.locks.proven);
}

// Sections of nodes that were not timed are part of the bound, in whatever step it is said. Which of several nodes of one place a
// message comes to is the graph's to say, not the thread's.
TEST(Locks, UntimedSectionsOfNodesArePartOfTheBound) {
  const Profile profile =
      profile_of_locks("run locks=auto c_locks_seen=1\n"
                       "site 1 a.cpp 1\n"
                       "lock-place 0 flow_graph_node q.cpp 17\n"
                       "stream 0\n"
                       "thread role=main\n"
                       "lock slot=0 address=64 kind=flow_graph_node\n"
                       "lock slot=1 address=128 kind=flow_graph_node\n"
                       "lock-untimed slot=0 place=0 sections=256 work=2560 error=30\n"
                       "section slot=0 place=0 lead=0 work=10\n"
                       "section slot=1 place=0 lead=10 work=5\n"
                       "spawn work=60 site=1 ctx=new-exclusive\n"
                       "wait ctx=last\n"
                       "task work=1\n"
                       "wait-end\n"
                       "end work=5000\n"
                       "thread-end\n");
  ASSERT_EQ(1u, profile.locks.rows.size());
  const LockRow& lock = profile.locks.rows[0];
  EXPECT_EQ(2u, lock.objects);
  EXPECT_EQ(258u, lock.totals.acquisitions);
  EXPECT_EQ(2575u, lock.totals.held);
  EXPECT_EQ(30u, lock.totals.held_error);
  EXPECT_EQ(2570u, lock.bound.sections);
  EXPECT_EQ(LockBoundKind::Estimate, lock.bound_kind);
}

// Acquisitions of locks that are not kept apart are those of their places, and of no lock: not even of one together.
TEST(Locks, ThoseThatAreNotKeptApartHaveNoBound) {
  const Profile profile =
      profile_of_locks("run locks=auto c_locks_seen=1\n"
                       "site 1 a.cpp 1\n"
                       "lock-place 0 mutex q.cpp 17\n"
                       "lock-place 1 mutex q.cpp 18\n"
                       "stream 0\n"
                       "thread role=main\n"
                       "lock slot=0 address=64 kind=mutex\n"
                       "section slot=0 place=0 lead=0 work=9000\n"
                       "lock slot=1 address=128 kind=mutex\n"
                       "section slot=1 place=1 lead=0 work=4000\n"
                       "lock slot=2 address=3 kind=mutex rest=1\n"
                       "section slot=2 place=0 lead=0 many=1000 work=20000 error=60\n"
                       "section slot=2 place=1 lead=0 many=4000 work=40000 error=80\n"
                       "spawn work=60000 site=1 ctx=new-exclusive\n"
                       "wait ctx=last\n"
                       "task work=1\n"
                       "wait-end\n"
                       "end\n"
                       "thread-end\n");
  // The locks of both lines have nothing in common.
  ASSERT_EQ(2u, profile.locks.rows.size());
  EXPECT_EQ(2u, profile.locks.objects);
  const LockRow& most = profile.locks.rows[0];
  EXPECT_EQ(1u, most.objects);
  EXPECT_EQ(4001u, most.totals.acquisitions);
  EXPECT_EQ(4000u, most.totals.not_apart);
  EXPECT_EQ(44'000u, most.totals.held);
  EXPECT_EQ(80u, most.totals.held_error);
  EXPECT_EQ(4000u, most.bound.sections);
  EXPECT_EQ(128u, most.heaviest.address);
  EXPECT_EQ(10u * 2 * 257, most.bound_error);
  const LockRow& least = profile.locks.rows[1];
  EXPECT_EQ(9000u, least.bound.sections);
  EXPECT_EQ(29'000u, least.totals.held);
  EXPECT_EQ(20u * 2 * 257, least.bound_error);
  // Only one thread took each that is kept apart, and there are others at their places.
  EXPECT_EQ(LockBoundKind::IfSameLock, least.bound_kind);
  EXPECT_EQ(profile.locks.exclusive.size(), 0u);
}

// Memory is used again for a lock of another kind: these are two locks, and never one that both wait for.
TEST(Locks, OfAnotherKindAtTheSameAddressAreOthers) {
  const Profile profile = profile_of_locks("run locks=all c_locks_seen=1\n"
                                           "site 1 a.cpp 1\n"
                                           "lock-place 0 mutex q.cpp 17\n"
                                           "lock-place 1 spin_mutex q.cpp 18\n"
                                           "stream 0\n"
                                           "thread role=main\n"
                                           "lock slot=0 address=64 kind=mutex\n"
                                           "section slot=0 place=0 lead=0 work=30\n"
                                           "lock slot=0 address=64 kind=spin_mutex\n"
                                           "section slot=0 place=1 lead=30 work=20\n"
                                           "spawn work=60 site=1 ctx=new-exclusive\n"
                                           "wait ctx=last\n"
                                           "task work=1\n"
                                           "wait-end\n"
                                           "end\n"
                                           "thread-end\n");
  ASSERT_EQ(2u, profile.locks.rows.size());
  EXPECT_EQ("mutex", profile.locks.rows[0].kind);
  EXPECT_EQ(30u, profile.locks.rows[0].bound.sections);
  EXPECT_EQ("spin_mutex", profile.locks.rows[1].kind);
  EXPECT_EQ(20u, profile.locks.rows[1].bound.sections);
}

// Ten tasks on one thread, each with a mutex of its own on the stack, which is at the same address each time.
TEST(Locks, PredictionsSayThatAnAddressMayHaveBeenThatOfSeveral) {
  const auto warning_of = [](const std::string& reused, std::uint64_t work) {
    std::string script =
        "run locks=all c_locks_seen=1 cpus=4\nsite 1 a.cpp 1\nlock-place 0 pthread_mutex q.cpp 17\n"
        "stream 0\nthread role=main\nlock slot=3 address=64 kind=pthread_mutex" +
        reused + "\n";
    for (int i = 0; i < 10; ++i)
      script += std::string("spawn site=1 ctx=") + (i == 0 ? "new-exclusive" : "last") + "\n";
    script += "wait ctx=last\n";
    for (int i = 0; i < 10; ++i)
      script += "section slot=3 place=0 work=" + std::to_string(work) + "\ntask task=-" +
                std::to_string(i) + " work=1000\n";
    ProfileOptions options;
    options.procs = {1, 4};
    const Profile profile = profile_of_locks(script + "wait-end\nend\nthread-end\n", options);
    const auto found = std::ranges::find(profile.warnings, "reused_lock_address", &Warning::name);
    return found == profile.warnings.end() ? std::string() : found->text;
  };
  const std::string reused = warning_of(" reused=1", 900);
  EXPECT_NE(std::string::npos, reused.find("pthread_mutex at q.cpp:17")) << reused;
  EXPECT_NE(std::string::npos, reused.find("without any locks")) << reused;
  EXPECT_EQ("", warning_of("", 900));
  EXPECT_EQ("", warning_of(" reused=1", 50));
}

// A line of a template acquires locks of several kinds. What waited for the one is not charged to the other.
TEST(Locks, OfAnotherKindAreAnotherRow) {
  const Profile profile = profile_of_locks("run locks=all c_locks_seen=1\n"
                                           "site 1 a.cpp 1\n"
                                           "lock-place 0 mutex q.cpp 17\n"
                                           "lock-place 1 spin_mutex q.cpp 17\n"
                                           "stream 0\n"
                                           "thread role=main\n"
                                           "lock slot=0 address=64 kind=mutex\n"
                                           "lock slot=1 address=128 kind=spin_mutex\n"
                                           "lock slot=2 address=192 kind=mutex\n"
                                           "section slot=0 place=0 lead=0 work=30\n"
                                           "section slot=1 place=1 lead=30 work=20\n"
                                           "section slot=2 place=0 lead=55 work=5\n"
                                           "spawn work=60 site=1 ctx=new-exclusive\n"
                                           "wait ctx=last\n"
                                           "task work=1\n"
                                           "wait-end\n"
                                           "end\n"
                                           "thread-end\n");
  ASSERT_EQ(2u, profile.locks.rows.size());
  const LockRow& mutex = profile.locks.rows[0];
  const LockRow& spin = profile.locks.rows[1];
  EXPECT_EQ("mutex", mutex.kind);
  EXPECT_EQ("spin_mutex", spin.kind);
  EXPECT_EQ(2u, mutex.objects);
  EXPECT_EQ(35u, mutex.totals.held);
  EXPECT_EQ(30u, mutex.bound.sections);
  EXPECT_EQ(20u, spin.totals.held);
  for (const LockRow* row : {&mutex, &spin}) {
    ASSERT_EQ(1u, row->places.size());
    EXPECT_EQ(17u, row->places[0].info.line);
    EXPECT_EQ(std::vector<std::string>{row->kind}, row->places[0].kinds);
  }
}

// Ten tasks, five on each of two threads, each wholly in a section of a lock at one place.
// `afterwards`: what main does then.
Profile tasks_on_two_threads(const std::string& other_slot, const std::string& last_slot,
                             const std::string& afterwards = "") {
  std::string script = "run locks=all c_locks_seen=1 cpus=4\n"
                       "site 1 a.cpp 1\n"
                       "lock-place 0 spin_mutex q.cpp 17\n"
                       "lock-place 1 spin_mutex q.cpp 25\n";
  std::string locks;
  for (int slot = 1; slot <= 2; ++slot)
    locks += "lock slot=" + std::to_string(slot) + " address=" + std::to_string(64 * slot) +
             " kind=spin_mutex\n";
  script += "stream 0\nthread role=main\n" + locks;
  for (int i = 0; i < 10; ++i)
    script += std::string("spawn site=1 ctx=") + (i == 0 ? "new-exclusive" : "last") + "\n";
  script += "wait ctx=last\n";
  for (int i = 0; i < 5; ++i)
    script += "section slot=1 place=0 work=100\ntask task=0." + std::to_string(i) + " work=100\n";
  script += "wait-end\n" + afterwards + "end work=" + (afterwards.empty() ? "0" : "2") +
            "\nthread-end\nstream 1\nthread role=worker\n" + locks;
  for (int i = 5; i < 10; ++i)
    script += "section slot=" + (i == 9 ? last_slot : other_slot) +
              " place=0 work=100\ntask task=0." + std::to_string(i) + " work=100\n";
  return profile_of_locks(script + "thread-end\n");
}

// Each thread has a lock of its own: with ten threads there would be ten.
TEST(Locks, OfThreadsLimitNothing) {
  const Profile own = tasks_on_two_threads("2", "2");
  EXPECT_EQ(1000u, own.work);
  ASSERT_EQ(1u, own.locks.rows.size());
  const LockRow& row = own.locks.rows[0];
  EXPECT_EQ(LockBoundKind::IfSameLock, row.bound_kind);
  EXPECT_EQ(500u, row.bound.length());
  EXPECT_TRUE(row.what_if.empty());
  EXPECT_EQ(10.0, own.parallelism_with_locks().value());
  EXPECT_EQ(10.0, own.speedup_limit().value());
  EXPECT_EQ(std::string::npos, own.verdict.headline.find("q.cpp:17")) << own.verdict.headline;
  // If it is the data that chooses a lock, the promise does not hold.
  EXPECT_EQ(0u, own.verdict.headline.find("May scale to 16 CPUs")) << own.verdict.headline;
  EXPECT_EQ(std::string::npos, own.advice.find("q.cpp:17")) << own.advice;
  ASSERT_FALSE(own.prediction.runs.empty());
  for (const PredictedRun& run : own.prediction.runs)
    EXPECT_EQ(run.without_locks, run.time) << run.procs;
  for (const WhatIfCandidate& each : own.explored)
    for (const WhatIfPoint& point : each.points)
      EXPECT_GE(point.parallelism.value(), 9.99) << each.name;
  for (const Finding& finding : own.findings)
    EXPECT_FALSE(finding.lock);
}

// Main goes through the locks of all threads to add up what they have, as code outside tasks: no task acquires the lock of another thread.
TEST(Locks, OfThreadsMayBeAcquiredByMain) {
  for (const char* const place : {"0", "1"}) {
    const Profile own = tasks_on_two_threads("2", "2",
                                             std::string("section slot=1 place=") + place +
                                                 " lead=0 work=1\nsection slot=2 place=" + place +
                                                 " lead=1 work=1\n");
    EXPECT_EQ(1002u, own.work);
    ASSERT_EQ(1u, own.locks.rows.size());
    EXPECT_EQ(LockBoundKind::IfSameLock, own.locks.rows[0].bound_kind) << place;
    EXPECT_EQ(0u, own.locks.proven) << place;
    EXPECT_EQ(102u, own.parallelism_with_locks().denominator) << place;
    EXPECT_EQ(std::string::npos, own.advice.find("q.cpp:17")) << own.advice;
  }
  // A task that goes through them has what is another thread's.
  const Profile shared = tasks_on_two_threads("2", "1", "section slot=2 place=1 lead=1 work=1\n");
  EXPECT_EQ(LockBoundKind::Proven, shared.locks.rows.at(0).bound_kind);
  EXPECT_EQ(600u, shared.locks.rows.at(0).bound.sections);
}

// Threads of the program's own, each with a queue into which main puts jobs: who takes which lock is the program's.
TEST(Locks, OfThreadsOfTheProgramThatMainSharesLimit) {
  const std::string locks = "lock slot=1 address=64 kind=spin_mutex\n"
                            "lock slot=2 address=128 kind=spin_mutex\n";
  const Profile profile = profile_of_locks(
      "run locks=all c_locks_seen=1 cpus=4\n"
      "site 1 a.cpp 1 construct=thread\n"
      "lock-place 0 spin_mutex q.cpp 17\n"
      "lock-place 1 spin_mutex q.cpp 25\n"
      "stream 0\nthread role=main\n" +
      locks +
      "spawn site=1 ctx=new-exclusive construct=thread\n"
      "spawn site=1 ctx=new-exclusive construct=thread\n"
      "section slot=1 place=1 lead=0 work=10\n"
      "section slot=2 place=1 lead=10 work=10\n"
      "end work=20\nthread-end\n"
      "stream 1\nthread role=created\n" +
      locks +
      "section slot=1 place=0 lead=0 work=100\ntask task=0.0 work=100\nthread-end\n"
      "stream 2\nthread role=created\n" +
      locks + "section slot=2 place=0 lead=0 work=90\ntask task=0.1 work=90\nthread-end\n");
  const LockRow& row = profile.locks.rows.at(0);
  EXPECT_EQ(LockBoundKind::Proven, row.bound_kind);
  EXPECT_EQ(110u, row.bound.sections);
}

// Main does 400 of its 440 while it holds a lock that no task wants. It can do that in parallel, holding the lock; not if its
// sections stay as they are.
TEST(Locks, OfSerialCodeAloneAreDividedWithIt) {
  std::string script = "run locks=all c_locks_seen=1 cpus=4\n"
                       "site 1 a.cpp 1\n"
                       "lock-place 0 pthread_mutex q.cpp 17\n"
                       "stream 0\nthread role=main\n"
                       "lock slot=0 address=64 kind=pthread_mutex\n"
                       "section slot=0 place=0 lead=20 work=400\n"
                       "spawn work=440 site=1 ctx=new-exclusive\n";
  script += more_tasks(3);
  for (int i = 0; i < 4; ++i)
    script += "task task=-" + std::to_string(i) + " work=40\n";
  ProfileOptions options;
  options.procs = {4};
  const Profile profile = profile_of_locks(script + "wait-end\nend\nthread-end\n", options);
  EXPECT_EQ(480u, profile.prediction.runs.at(0).time);
  ASSERT_FALSE(profile.findings.empty());
  const Finding& first = profile.findings[0];
  EXPECT_EQ(Shape::SerialCode, first.shape) << first.text;
  EXPECT_EQ(150u, first.least_time);                                      // 600 / 4
  EXPECT_EQ(std::optional<std::uint64_t>(450), first.time_with_sections); // 400, 40 / 4, a task
  EXPECT_NE(std::string::npos,
            profile.advice.find("On 4 CPUs that saves at most 330 units of 480 units in parallel "
                                "(30 units if the sections of its locks stay as long), 440 units "
                                "if it is gone."))
      << profile.advice;
}

// One of the locks was acquired on both threads: of that one it is not the thread that chooses.
TEST(Locks, ThatSeveralThreadsAcquireLimit) {
  const Profile shared = tasks_on_two_threads("2", "1");
  const LockRow& row = shared.locks.rows.at(0);
  EXPECT_EQ(2u, row.objects);
  EXPECT_EQ(LockBoundKind::Proven, row.bound_kind);
  EXPECT_EQ(600u, row.bound.length());
  EXPECT_EQ(600u, shared.parallelism_with_locks().denominator);
  // A single one, whichever threads acquire it.
  const Profile single = profile_of_locks(kTwoTasks);
  EXPECT_EQ(LockBoundKind::Proven, single.locks.rows.at(0).bound_kind);
}

// What the tasks reach, a lock may not: --target names it, and what is enough.
TEST(Locks, TargetsNeedRoomInLocks) {
  std::string script = "run locks=all c_locks_seen=1 cpus=4\n"
                       "site 1 a.cpp 1\n"
                       "lock-place 0 spin_mutex q.cpp 17\n"
                       "stream 0\n"
                       "thread role=main\n"
                       "lock slot=3 address=64 kind=spin_mutex\n"
                       "spawn work=10 site=1 ctx=new-exclusive\n";
  script += more_tasks(7);
  for (int i = 0; i < 8; ++i)
    script +=
        "section slot=3 place=0 lead=30 work=60\ntask task=0." + std::to_string(i) + " work=100\n";
  script += "wait-end\nend work=5\nthread-end\n";
  ProfileOptions options;
  options.target = 4;
  const Profile profile = profile_of_locks(script, options);
  EXPECT_EQ(815u, profile.work);
  EXPECT_EQ(115u, profile.span);
  ASSERT_TRUE(profile.search);
  EXPECT_EQ("One change is enough to reach parallelism 4.", profile.search->outcome);
  ASSERT_EQ(1u, profile.search->steps.size()); // 7.09 without the lock
  const TargetSearch::Step& step = profile.search->steps[0];
  EXPECT_EQ(ChoiceKind::LockSplit, step.kind);
  // 40 before, 15 after: with 480 / 3 that is more than 815 / 4.
  EXPECT_EQ("split the spin_mutex at q.cpp:17 into 4", step.name);
  EXPECT_EQ(4u, step.factor);
  EXPECT_EQ(175u * 4, step.after.denominator);
  // With code that is faster, too: the span of 115 is more than 815 / 8.
  options.target = 8;
  const Profile more = profile_of_locks(script, options);
  ASSERT_TRUE(more.search);
  EXPECT_TRUE(more.search->reached) << more.search->outcome;
  EXPECT_TRUE(more.search->has_locks() || more.search->steps.size() == 1) << more.search->outcome;
}

// Nothing but sections: as many locks as the target.
TEST(Locks, TargetsSplitALock) {
  std::string script = "run locks=all c_locks_seen=1 cpus=4\n"
                       "site 1 a.cpp 1\n"
                       "lock-place 0 spin_mutex q.cpp 17\n"
                       "stream 0\n"
                       "thread role=main\n"
                       "lock slot=3 address=64 kind=spin_mutex\n";
  ProfileOptions options;
  options.target = 4;
  script += "spawn work=0 site=1 ctx=new-exclusive\n";
  script += more_tasks(7);
  for (int i = 0; i < 8; ++i)
    script +=
        "section slot=3 place=0 lead=0 work=100\ntask task=0." + std::to_string(i) + " work=100\n";
  script += "wait-end\nend\nthread-end\n";
  const Profile profile = profile_of_locks(script, options);
  EXPECT_EQ(800u, profile.parallelism_with_locks().denominator);
  ASSERT_TRUE(profile.search);
  ASSERT_EQ(1u, profile.search->steps.size()) << profile.search->outcome;
  EXPECT_EQ("split the spin_mutex at q.cpp:17 into 4", profile.search->steps[0].name);
}

// Serial code of 1000 and then ten tasks, of which the lock has each for 9 of 10: nothing is faster than all in turn, though
// the sections take less than half of the span.
TEST(Locks, CountWhatComesBeforeThemHoweverShortTheyAre) {
  std::string script = "run locks=all c_locks_seen=1 cpus=4\n"
                       "site 1 a.cpp 1\n"
                       "lock-place 0 spin_mutex q.cpp 17\n"
                       "stream 0\n"
                       "thread role=main\n"
                       "lock slot=3 address=64 kind=spin_mutex\n"
                       "spawn work=1000 site=1 ctx=new-exclusive\n";
  script += more_tasks(9);
  for (int i = 0; i < 10; ++i)
    script +=
        "section slot=3 place=0 lead=1 work=9\ntask task=-" + std::to_string(i) + " work=10\n";
  ProfileOptions options;
  options.target = 2;
  const Profile profile = profile_of_locks(script + "wait-end\nend\nthread-end\n", options);
  EXPECT_EQ(1100u, profile.work);
  EXPECT_EQ(1010u, profile.span);
  const LockRow& lock = profile.locks.rows.at(0);
  EXPECT_EQ(1001u, lock.bound.before);
  EXPECT_EQ(90u, lock.bound.sections);
  EXPECT_EQ(1091u, profile.parallelism_with_locks().denominator);
  EXPECT_NE(std::string::npos, profile.verdict.headline.find("spin_mutex at q.cpp:17"))
      << profile.verdict.headline;
  // Half as long: 1000 + 1 + 10 * 4.5.
  ASSERT_TRUE(lock.what_if_of(LockChange::Shorter, 2));
  EXPECT_EQ(2u * 1001 + 90, lock.what_if_of(LockChange::Shorter, 2)->parallelism.denominator);
  EXPECT_EQ(1001u + 45, lock.what_if_of(LockChange::Split, 2)->parallelism.denominator);
  EXPECT_EQ(1010u, lock.what_if_of(LockChange::Gone, 1)->parallelism.denominator);
  // With main twice as fast.
  const auto main = std::ranges::find_if(profile.explored, [](const WhatIfCandidate& each) {
    return each.kind == CandidateKind::Site && each.work == 1000;
  });
  ASSERT_NE(profile.explored.end(), main);
  EXPECT_EQ(1000u + 2 * 91, main->points.front().parallelism.denominator);
  EXPECT_EQ(2u, main->points.front().factor);
  ASSERT_TRUE(profile.search);
  ASSERT_FALSE(profile.search->steps.empty());
  EXPECT_EQ(1000u + 2 * 91, profile.search->steps[0].after.denominator);
}

// With what was timed, an estimate does not exceed the step.
TEST(Locks, EstimatesStayInTheirStep) {
  const Profile profile =
      profile_of_locks("run locks=auto c_locks_seen=1\n"
                       "site 1 a.cpp 1\n"
                       "lock-place 0 mutex q.cpp 17\n"
                       "stream 0\n"
                       "thread role=main\n"
                       "lock slot=0 address=64 kind=mutex\n"
                       "section slot=0 place=0 lead=10 work=30\n"
                       "section slot=0 place=0 lead=0 many=1000 work=20 error=6\n"
                       "section slot=0 place=0 lead=0 many=1000 work=20 error=6\n"
                       "spawn work=60 site=1 ctx=new-exclusive\n"
                       "wait ctx=last\n"
                       "task work=1\n"
                       "wait-end\n"
                       "end\n"
                       "thread-end\n");
  ASSERT_EQ(1u, profile.locks.rows.size());
  EXPECT_EQ(2001u, profile.locks.rows[0].totals.acquisitions);
  EXPECT_EQ(60u, profile.locks.rows[0].totals.held);
  EXPECT_EQ(60u, profile.locks.rows[0].bound.sections);
  EXPECT_EQ(LockBoundKind::Estimate, profile.locks.rows[0].bound_kind);
}

// ---- in the simulation

// As kTwoTasks, in microseconds of a real clock, with a lock of this kind.
test::TraceBuilder two_tasks_in_time(const std::string& kind) {
  test::TraceBuilder trace =
      test::parse_trace_script("run locks=all c_locks_seen=1 cpus=4\n"
                               "site 1 a.cpp 1\n"
                               "lock-place 0 " +
                               kind +
                               " q.cpp 17\n"
                               "lock-place 1 spin_mutex q.cpp 18\n"
                               "lock-place 2 spin_mutex q.cpp 19\n"
                               "stream 0\n"
                               "thread role=main\n"
                               "lock slot=3 address=64 kind=" +
                               kind +
                               "\n"
                               "lock slot=4 address=128 kind=spin_mutex\n"
                               "lock slot=5 address=192 kind=spin_mutex\n"
                               "spawn work=10000 site=1 ctx=new-exclusive\n"
                               "spawn site=1 ctx=last\n"
                               "wait ctx=last\n"
                               "section slot=5 place=1 lead=1000 work=5\n"
                               "section slot=4 place=2 lead=2000 work=100\n"
                               "section slot=3 place=0 lead=30000 work=60000\n"
                               "task work=100000\n"
                               "section slot=5 place=1 lead=1000 work=5\n"
                               "section slot=4 place=2 lead=2000 work=100\n"
                               "section slot=3 place=0 lead=20000 work=60000\n"
                               "task task=-1 work=100000\n"
                               "wait-end\n"
                               "end work=5000\n"
                               "thread-end\n");
  trace.count_ns();
  return trace;
}

TEST(Locks, PredictedTimesContainHowTheyAreHandedOver) {
  const auto profile_of = [](const std::string& kind) {
    ProfileOptions options;
    options.procs = {1, 2};
    options.burden_ns = 0;
    return make_profile(two_tasks_in_time(kind).source(), options);
  };
  // The one that waits comes 50 us before the release.
  const std::pair<const char*, std::uint64_t> kLater[] = {
      {"queuing_mutex", 300}, {"spin_mutex", 100}, {"mutex", 21000}, {"pthread_mutex", 21000}};
  for (const auto& [kind, later] : kLater) {
    SCOPED_TRACE(kind);
    const Profile profile = profile_of(kind);
    const Prediction& found = profile.prediction;
    ASSERT_EQ(2u, found.runs.size());
    EXPECT_EQ(215000u, found.runs[0].time);
    EXPECT_EQ(165000u + later, found.runs[1].time);
    EXPECT_EQ(165000u, found.runs[1].greedy);
    EXPECT_EQ(115000u, found.runs[1].without_locks);
    EXPECT_EQ(50000u + later + (later == 21000 ? 7000 : 0), found.runs[1].lock_waits);
    EXPECT_EQ(Limiter::Lock, found.runs[1].limiter);
    // The second lock cannot matter; the third one is held for less than a ten-thousandth.
    EXPECT_EQ(2u, profile.locks.exclusive.size());
    EXPECT_EQ(1u, found.simulated_locks.size());
    // Half as long: it comes 20 us before the release. All of the work takes half of 215 us.
    const LockRow& lock = profile.locks.rows.at(0);
    const auto time = [&](LockChange change, std::uint64_t factor) {
      for (const PredictedTime& each : lock.what_if_of(change, factor)->predicted)
        if (each.procs == 2)
          return each.time;
      return std::uint64_t{0};
    };
    EXPECT_EQ(later == 21000 ? 126000u : 107500u, time(LockChange::Shorter, 2));
    EXPECT_EQ(115000u, time(LockChange::Gone, 1));
    EXPECT_EQ(115000u, time(LockChange::Shared, 1));
    // More tasks would have the same sections: only what is outside of them becomes shorter.
    ASSERT_FALSE(profile.findings.empty());
    EXPECT_EQ(Shape::Lock, profile.findings[0].shape);
    EXPECT_EQ(57500u + later, profile.findings[0].saves_at_most());
    for (std::size_t i = 1; i < profile.findings.size(); ++i)
      EXPECT_LE(profile.findings[i].saves_at_most(), 15000u) << profile.findings[i].text;
  }
}

// Of five tasks, on a CPU each, one writes until 110 us. Two readers look at the lock before the next writer does, and have it until 150.11;
// another reader comes at 130. It waits for the writer, which has the lock until 200.4, or is with the others, and the writer comes at 170.2.
TEST(Locks, PredictedReadersComeInAsTheKindOfLockLetsThem) {
  const auto time_of = [](const std::string& kind) {
    std::string script =
        "run locks=all c_locks_seen=1 cpus=5\nsite 1 a.cpp 1\nlock-place 0 " + kind +
        " q.cpp 17\nstream 0\nthread role=main\nlock slot=3 address=64 kind=" + kind +
        "\nspawn site=1 ctx=new-exclusive\n";
    script += more_tasks(4);
    struct {
      unsigned lead, work, shared;
    } const kTasks[] = {{10000, 100000, 0},
                        {18000, 40000, 1},
                        {18010, 40000, 1},
                        {18100, 50000, 0},
                        {130000, 40000, 1}};
    int number = 0;
    for (const auto& [lead, work, shared] : kTasks)
      script += "section slot=3 place=0 lead=" + std::to_string(lead) +
                " work=" + std::to_string(work) + " shared=" + std::to_string(shared) +
                "\ntask task=-" + std::to_string(number++) +
                " work=" + std::to_string(lead + work) + "\n";
    test::TraceBuilder trace = test::parse_trace_script(script + "wait-end\nend\nthread-end\n");
    trace.count_ns();
    ProfileOptions options;
    options.procs = {5};
    options.burden_ns = 0;
    return make_profile(trace.source(), options).prediction.runs.at(0).time;
  };
  for (const char* const kind : {"spin_rw_mutex", "speculative_spin_rw_mutex", "hash_map_bucket"})
    EXPECT_EQ(200500u + 40000, time_of(kind)) << kind;
  EXPECT_EQ(170200u + 50000, time_of("accessor"));
}

// With tasks 8x faster, sections are 8x shorter. One has the lock from 12.5 to 20, the other until
// 27.8, 0.3 later than at once; then 1.25 and 5.
TEST(Locks, PredictedChangesShortenSections) {
  ProfileOptions options;
  options.burden_ns = 0;
  options.pictures = true;
  const Profile profile = make_profile(two_tasks_in_time("queuing_mutex").source(), options);
  const auto tasks = std::ranges::find_if(profile.explored, [](const WhatIfCandidate& each) {
    return each.kind == CandidateKind::Site && each.place.line == 1;
  });
  ASSERT_NE(profile.explored.end(), tasks);
  const auto point = std::ranges::find(tasks->points, 8u, &WhatIfPoint::factor);
  ASSERT_NE(tasks->points.end(), point);
  const auto predicted = std::ranges::find(point->predicted, 8u, &PredictedTime::procs);
  ASSERT_NE(point->predicted.end(), predicted);
  EXPECT_EQ(34050u, predicted->time);
}

TEST(Locks, OfAnOlderRecording) {
  test::TraceBuilder builder = test::parse_trace_script(test::kTwoChildren);
  builder.locks.clear();
  const Profile profile = make_profile(builder.source(), {});
  ASSERT_FALSE(profile.warnings.empty());
  EXPECT_EQ("locks_not_observed", profile.warnings.back().name);
}

// ---- random programs

void compare(const test::OracleLocks& expected, const LockLaw::Results& found,
             std::size_t measure) {
  EXPECT_EQ(expected.span, found.span[measure]);
  EXPECT_EQ(expected.work, found.work[measure]);
  std::size_t used = 0;
  for (const LockLaw::Object& object : found.objects) {
    if (object.places.empty())
      continue;
    ++used;
    ASSERT_TRUE(expected.objects.contains(object.info.address));
    const test::OracleLock& oracle = expected.objects.at(object.info.address);
    SCOPED_TRACE("lock " + std::to_string(object.info.address));
    EXPECT_EQ(oracle.exclusive, object.exclusive[measure]);
    EXPECT_EQ(oracle.longest_shared, object.longest_shared[measure]);
    EXPECT_EQ(oracle.acquisitions, object.totals.acquisitions);
    EXPECT_EQ(oracle.contended, object.totals.contended);
    EXPECT_EQ(oracle.shared, object.totals.shared);
    EXPECT_EQ(oracle.held, object.totals.held);
    EXPECT_EQ(oracle.waited, object.totals.waited);
    EXPECT_EQ(oracle.open, object.open);
    EXPECT_EQ(oracle.bound, object.bound(measure).length());
    EXPECT_EQ(oracle.bound, object.least_time(measure));
    EXPECT_EQ(oracle.in_thirds, object.least_time(measure, 3));
  }
  EXPECT_EQ(expected.objects.size(), used);
}

void check_locks(bool late) {
  unsigned compared = 0, across = 0, beyond_span = 0;
  for (std::uint64_t seed = 1; compared < test::oracle_runs(); ++seed) {
    const auto program =
        test::make_random_program({.seed = seed,
                                   .late = late,
                                   .most_tasks = 1 + static_cast<unsigned>(seed % 40),
                                   .locks = true});
    ASSERT_LT(seed, 20u * test::oracle_runs() + 100) << "too few programs end";
    if (!program.valid)
      continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const TraceSource source = program.trace.source();
    const TraceInfo info = read_info(source);
    const SiteTable table = build_site_table(info.sites, {});
    const TraceReadings readings(source, info, table, {});
    const auto fold = readings.read({}, {.sites = true}).fold;
    EXPECT_EQ(program.expected.span, fold.span);
    const auto place = static_cast<LockPlaceId>(1 + seed % test::kOracleLockPlaces);
    LockLawSetup setup;
    setup.scenarios.push_back({.factor = 3});
    for (const LockPlaceId each : ids_below(table.lock_places.end_id()))
      setup.scenarios.back().places.grown_to(each) = each == place;
    setup.scenarios.push_back({.factor = 2});
    for (const StepClassId id : ids_below(fold.classes.end_id()))
      if (table.rows[fold.classes[id].row].line == 20)
        setup.scenarios.back().code.classes.push_back(id);
    for (std::uint32_t object = 0; object < test::kOracleLocks; ++object)
      setup.ends_of.push_back(static_cast<LockObjectId>(object));
    LockLaw law(std::move(setup));
    readings.read(law);
    const LockLaw::Results found = law.results();
    const test::OracleLocks plain = program.locks({}, {}, 1);
    compare(plain, found, LockLaw::kWork);
    if (!late) { // the oracle counts unit by unit
      compare(program.locks(table.lock_places[place].info.line - test::kFirstLockLine, {}, 3),
              found, LockLaw::kFirstScenario);
      compare(program.locks({}, 20, 2), found, LockLaw::kFirstScenario + 1);
    }
    for (const auto& [address, lock] : plain.objects) {
      beyond_span += lock.bound > plain.span;
      across += lock.exclusive > 0;
    }
    if (::testing::Test::HasFailure())
      return;
  }
  EXPECT_GT(across, test::oracle_runs());
  if (test::oracle_runs() >= 500) { // they are rare
    EXPECT_GT(beyond_span, test::oracle_runs() / 200);
  }
}

TEST(Locks, RandomProgramsInTimeOrder) {
  check_locks(false);
}
TEST(Locks, RandomProgramsWithLateAndSkewedRecords) {
  check_locks(true);
}

} // namespace
} // namespace tp::analysis
