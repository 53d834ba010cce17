// SPDX-License-Identifier: Apache-2.0
// P x elapsed = work + overhead + idle time + time outside the recording, and the cost of a steal,
// on a run of known times: main creates a task every 1000 ticks; a worker thread begins each 100
// ticks later and takes 50.
#include "profile/make_profile.h"
#include "trace_builder.h"
#include "trace_script.h"
#include "warns.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tp::analysis {
namespace {

constexpr unsigned kTasks = 30;

test::TraceBuilder thirty_steals(std::uint64_t pause) {
  test::TraceBuilder trace;
  trace.site(1, "a.cpp", 1);
  auto& main = trace.stream();
  main.thread_begin(trace::ThreadRole::Main);
  for (unsigned i = 0; i < kTasks; ++i)
    main.spawn({1, 0, 1000}, test::SiteOperand::of(1),
               i == 0 ? test::ContextOperand::fresh(true) : test::ContextOperand::last());
  main.wait({1, 20, 0}, test::ContextOperand::last());
  main.wait_end(230);
  if (pause > 0)
    main.new_chunk(30250 + pause);
  main.end({1, 0, 0});
  auto& worker = trace.stream();
  worker.thread_begin(trace::ThreadRole::Worker);
  for (unsigned i = 0; i < kTasks; ++i) {
    worker.begin(test::TaskOperand::of(trace::pack_id(0, i)), i == 0 ? 1100 : 950);
    worker.end({50, 0, 50});
  }
  return trace;
}

TEST(Conservation, EveryTickOfEveryThreadIsSomewhere) {
  const Profile profile = make_profile(thirty_steals(0).source(), {});
  const TimeBalance& balance = profile.balance;
  EXPECT_EQ(2u, balance.threads);
  EXPECT_EQ(30250u, balance.elapsed);
  EXPECT_EQ(kTasks * 1000u + kTasks * 50u, balance.steps);
  EXPECT_EQ(20u, balance.overhead);
  EXPECT_EQ(230u + 1100 + 29 * 950, balance.idle);
  EXPECT_EQ(30250u - 30150, balance.absent); // the worker thread ends earlier
  EXPECT_EQ(0u, balance.unexplained);
  EXPECT_FALSE(warns(profile, "conservation"));
}

// A stream that a thread gives back is taken by a later one: in between it has no thread.
TEST(Conservation, AStreamMayBeWithoutAThreadForAWhile) {
  const char kScript[] = "run cpus=1\n"
                         "stream 0 base=100\n"
                         "thread role=external\n"
                         "cut work=10\n"
                         "end work=5\n"
                         "thread-end\n"
                         "chunk base=1000\n"
                         "thread role=external\n"
                         "cut work=20\n"
                         "end work=5\n"
                         "thread-end\n"
                         "chunk base=1500\n"
                         "thread role=worker\n"
                         "thread-end\n";
  const Profile profile = make_profile(test::parse_trace_script(kScript).source(), {});
  EXPECT_EQ(1u, profile.balance.threads);
  EXPECT_EQ(1400u, profile.balance.elapsed);
  EXPECT_EQ(40u, profile.balance.steps);
  EXPECT_EQ(1360u, profile.balance.absent);
  EXPECT_EQ(0u, profile.balance.unexplained);
  EXPECT_FALSE(warns(profile, "conservation"));
}

// A thread that waits for a lock has no work, but the machine need not be to blame.
TEST(Conservation, WaitingForALockIsNoLackOfCpus) {
  for (const std::uint64_t waited : {0, 300}) {
    const std::string script = "run cpus=1 locks=all hz=1000000000 same_as_time=1\n"
                               "lock-place 0 spin_mutex q.cpp 17\n"
                               "stream 0\n"
                               "thread role=main\n"
                               "lock slot=0 address=64 kind=spin_mutex\n"
                               "section slot=0 place=0 lead=10 work=60 contended=1 waited=" +
                               std::to_string(waited) +
                               "\n"
                               "cut work=100 wall=300\n"
                               "end work=5\n"
                               "thread-end\n";
    const TimeBalance balance = make_profile(test::parse_trace_script(script).source(), {}).balance;
    EXPECT_EQ(405u, balance.steps);
    EXPECT_EQ(300u, balance.descheduled);
    EXPECT_EQ(waited, balance.lock_waits);
    EXPECT_EQ(300 - waited, balance.without_cpu());
    EXPECT_EQ(waited == 0, balance.machine_was_shared());
  }
}

// What wakes others that wait for a lock does not count as tasking overhead, nor ask for larger tasks.
TEST(Conservation, CallsThatReleaseLocksAreNoCostOfTasks) {
  for (const unsigned calls : {0, 40, 90}) {
    const std::string script =
        "run cpus=1 locks=all hz=1000000000 same_as_time=1\n"
        "lock-place 0 pthread_mutex q.cpp 17\n"
        "stream 0\n"
        "thread role=main\n"
        "lock slot=0 address=64 kind=pthread_mutex\n"
        "section slot=0 place=0 lead=10 work=60\n"
        "cut work=100\n" +
        (calls > 0 ? "lock-call slot=0 ticks=" + std::to_string(calls) + "\n" : std::string()) +
        "end work=5 lead=50\n"
        "thread-end\n";
    const TimeBalance balance = make_profile(test::parse_trace_script(script).source(), {}).balance;
    EXPECT_EQ(50u, balance.overhead);
    EXPECT_EQ(std::min(calls, 50u), balance.lock_calls);
  }
}

// A thread that was woken by a lock, and had no CPU, has waited for the lock as far as its step shows.
TEST(Conservation, WaitingForACpuIsSeenInLocks) {
  constexpr std::uint64_t kToWake = 2 * 50'000; // two threads, on free CPUs
  for (const std::uint64_t delay : {kToWake + 5, kToWake + 6}) {
    const std::string script =
        "run cpus=1 locks=all hz=1000000000 same_as_time=1 voluntary_switches=2 run_delay_ns=" +
        std::to_string(delay) +
        "\n"
        "lock-place 0 spin_mutex q.cpp 17\n"
        "stream 0\n"
        "thread role=main\n"
        "lock slot=0 address=64 kind=spin_mutex\n"
        "section slot=0 place=0 lead=10 work=60 contended=1 waited=300\n"
        "cut work=100 wall=300\n"
        "end work=5\n"
        "thread-end cpu=100\n";
    const TimeBalance balance = make_profile(test::parse_trace_script(script).source(), {}).balance;
    EXPECT_EQ(0u, balance.without_cpu());
    EXPECT_EQ(delay, balance.run_delay_ns);
    EXPECT_EQ(100u, balance.cpu_ns);
    EXPECT_EQ(delay == kToWake + 6, balance.machine_was_shared());
  }
}

TEST(Conservation, IdleThreadsDoNotHideThatOthersHadTheCpus) {
  TimeBalance balance;
  balance.threads = 4;
  balance.elapsed = 1000;
  balance.steps = 100;
  balance.descheduled = 66;
  EXPECT_TRUE(balance.machine_was_shared());
  balance.descheduled = 5;
  EXPECT_FALSE(balance.machine_was_shared());
}

// The main thread returns to a suspended stack after 40 ticks of idle time.
TEST(Conservation, IdleTimeEndsWhereAStackComesBack) {
  const char kScript[] = "run cpus=1\n"
                         "site 1 a.cpp 1\n"
                         "stream 0\n"
                         "thread role=main\n"
                         "spawn work=5 site=1 ctx=new-exclusive\n"
                         "wait work=5 ctx=last\n"
                         "begin task=0.0\n"
                         "cut work=3\n"
                         "stack-out\n"
                         "stack-in stack=0.0 idle=40\n"
                         "end work=7 lead=2\n"
                         "wait-end\n"
                         "end work=1\n"
                         "thread-end\n";
  const TimeBalance balance = make_profile(test::parse_trace_script(kScript).source(), {}).balance;
  EXPECT_EQ(40u, balance.idle);
  EXPECT_EQ(2u, balance.overhead);
  EXPECT_EQ(5u + 5 + 3 + 7 + 1, balance.steps);
  EXPECT_EQ(63u, balance.elapsed);
  EXPECT_EQ(0u, balance.unexplained);
}

TEST(Conservation, TimeThatIsNowhereIsReported) {
  const Profile profile = make_profile(thirty_steals(5000).source(), {});
  EXPECT_EQ(5000u, profile.balance.unexplained);
  EXPECT_TRUE(warns(profile, "conservation"));
}

// A run of 607 ms of CPU time, 5 ms of which are in a step. The other figures are times in ns.
std::string cause_if(std::uint64_t thread_cpu, std::uint64_t overhead, std::uint64_t idle,
                     std::uint64_t paused = 0, bool is_truncated = false,
                     std::uint64_t step = 5'000'000) {
  test::TraceBuilder trace;
  trace.count_ns();
  trace.site(1, "a.cpp", 1);
  trace.cpu_ns = 607'000'000;
  auto& main = trace.stream();
  main.thread_begin(trace::ThreadRole::Main);
  main.spawn({step, 0, 0}, test::SiteOperand::of(1), test::ContextOperand::fresh(true));
  main.task(test::TaskOperand::newest(), {0, overhead, 0});
  main.wait({0, 0, 0}, test::ContextOperand::last());
  main.wait_end(idle);
  main.end({0, 0, 0});
  main.thread_end(thread_cpu, paused);
  trace.truncated = is_truncated;
  const Profile profile = make_profile(trace.source(), {});
  EXPECT_TRUE(warns(profile, "attribution"));
  return profile.attribution.likely_cause;
}

TEST(LikelyCause, IsTheLargestOneOfCpuTime) {
  // The main thread had 607 ms of idle time, but used 5 ms of CPU time: another thread had the rest.
  EXPECT_EQ("threads that were not recorded: 602 ms", cause_if(5'000'000, 0, 607'000'000));
  EXPECT_EQ("recording was paused: 590 ms", cause_if(607'000'000, 0, 9'000'000, 590'000'000));
}

TEST(LikelyCause, OfElapsedTimeSaysUpTo) {
  EXPECT_EQ("worker threads that look for work: up to 600 ms",
            cause_if(607'000'000, 0, 600'000'000));
  EXPECT_EQ("tasking overhead: up to 500 ms (tasks are too small: use a larger grain size)",
            cause_if(607'000'000, 500'000'000, 0, 0, false, 50'000));
  // Tasks of 5 ms are not.
  EXPECT_EQ("tasking overhead: up to 500 ms", cause_if(607'000'000, 500'000'000, 0));
  EXPECT_EQ("tasking overhead, and worker threads that look for work: up to 590 ms "
            "(tasks are too small: use a larger grain size)",
            cause_if(607'000'000, 290'000'000, 300'000'000, 0, false, 50'000));
}

TEST(LikelyCause, IsEmptyIfNothingKnownExplainsIt) {
  EXPECT_EQ("", cause_if(607'000'000, 1'000'000, 2'000'000));
}

TEST(LikelyCause, IsTheIncompleteRecordingIfItIs) {
  EXPECT_TRUE(
      cause_if(5'000'000, 0, 607'000'000, 0, true).starts_with("the recording is incomplete: "));
}

TEST(Burden, IsMeasuredBySteals) {
  ProfileOptions options;
  options.measure_burden = true;
  const Profile profile = make_profile(thirty_steals(0).source(), options);
  EXPECT_EQ(kTasks, profile.burden.steals);
  EXPECT_EQ(BurdenOrigin::Measured, profile.burden.origin);
  EXPECT_EQ(96u, profile.burden.ns); // 100, reported as the lower end of its bucket
  EXPECT_GT(profile.burdened_span_tbb, profile.span);
  EXPECT_EQ(BurdenOrigin::Default, make_profile(thirty_steals(0).source(), {}).burden.origin);
}

// `regions` OpenMP regions of two threads, of which main is one, and the other one begins `late` ticks after each is there.
Profile profile_of_regions(unsigned regions, unsigned late, unsigned work) {
  std::string script = "run cpus=2 unit=ticks clock=tsc-rseq hz=1000000000 same_as_time=1\n"
                       "site 1 a.cpp 1 construct=omp_parallel\nstream 0\nthread role=main\n";
  std::string other = "stream 1\nthread role=worker\n";
  for (unsigned i = 0; i < regions; ++i) {
    script += "spawn site=1 ctx=new-gathering construct=omp_parallel\nspawn site=1 ctx=last\n"
              "wait ctx=last\nbegin task=0." +
              std::to_string(2 * i) + "\nend work=" + std::to_string(work) +
              "\nwait-end idle=" + std::to_string(late) + "\n";
    other += "begin task=0." + std::to_string(2 * i + 1) + " idle=" + std::to_string(late) +
             "\nend work=" + std::to_string(work) + "\n";
  }
  ProfileOptions options;
  options.procs = {2};
  return make_profile(
      test::parse_trace_script(script + "end work=2\nthread-end\n" + other + "thread-end\n")
          .source(),
      options);
}

// A thread of a team begins as soon as it can: with the 6.25 us of a steal, main did all of each region.
TEST(Burden, IsThatOfTheThreadsOfTeamsWhereNoTaskIsStolen) {
  const Profile profile = profile_of_regions(30, 96, 3000);
  EXPECT_EQ(BurdenOrigin::Measured, profile.prediction.steal.origin);
  EXPECT_EQ(30u, profile.prediction.steal.steals);
  EXPECT_EQ(96u, profile.prediction.steal.ns);
  ASSERT_EQ(1u, profile.prediction.runs.size());
  EXPECT_EQ(30u, profile.prediction.runs[0].steals);
  EXPECT_LT(profile.prediction.runs[0].time, 30u * (3000 + 96 + 50));
  EXPECT_EQ(BurdenOrigin::Default, profile_of_regions(19, 96, 3000).prediction.steal.origin);
}

} // namespace
} // namespace tp::analysis
