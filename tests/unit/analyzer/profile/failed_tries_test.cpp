// SPDX-License-Identifier: Apache-2.0
// Work between failed attempts to acquire locks: what the profile and the report say of it.
#include "profile/failed_tries.h"

#include "profile/make_profile.h"
#include "report/writers.h"
#include "trace_script.h"
#include "warns.h"

#include <gtest/gtest.h>

#include <string>

namespace tp::analysis {
namespace {

// Two tasks of 100 with a short section each. `tries` are records of the second one.
Profile profile_with(const std::string& tries) {
  return make_profile(test::parse_trace_script("run locks=all c_locks_seen=1 cpus=4\n"
                                               "site 1 a.cpp 1\n"
                                               "lock-place 0 spin_mutex q.cpp 17\n"
                                               "lock-place 1 spin_mutex q.cpp 30\n"
                                               "lock-place 2 mutex r.cpp 5\n"
                                               "stream 0\n"
                                               "thread role=main\n"
                                               "lock slot=3 address=64 kind=spin_mutex\n"
                                               "lock slot=4 address=128 kind=mutex\n"
                                               "spawn work=10 site=1 ctx=new-exclusive\n"
                                               "spawn site=1 ctx=last\n"
                                               "wait ctx=last\n"
                                               "section slot=3 place=0 lead=30 work=2\n"
                                               "task work=100\n" +
                                               tries +
                                               "section slot=3 place=0 lead=20 work=1\n"
                                               "task task=-1 work=100\n"
                                               "wait-end\n"
                                               "end work=5\n"
                                               "thread-end\n")
                          .source(),
                      {});
}

std::string warning_of(const Profile& profile) {
  for (const Warning& warning : profile.warnings)
    if (warning.name == "failed_tries")
      return warning.text;
  return "";
}

TEST(FailedTries, AreCountedOfLocksAndPlaces) {
  const Profile profile = profile_with("lock-tries slot=3 place=0 tries=4 work=25\n"
                                       "lock-tries slot=3 place=1 tries=2 work=3\n");
  EXPECT_EQ(215u, profile.work); // as without
  ASSERT_EQ(1u, profile.locks.rows.size());
  const LockRow& lock = profile.locks.rows[0];
  EXPECT_EQ(2u, lock.totals.acquisitions);
  EXPECT_EQ(0u, lock.totals.contended);
  EXPECT_EQ(6u, lock.totals.failed_tries);
  EXPECT_EQ(28u, lock.totals.retried);
  EXPECT_EQ(3u, lock.bound.sections);
  ASSERT_EQ(2u, lock.places.size()); // one where it was never acquired
  EXPECT_EQ(17u, lock.places[0].info.line);
  EXPECT_EQ(4u, lock.places[0].totals.failed_tries);
  EXPECT_EQ(30u, lock.places[1].info.line);
  EXPECT_EQ(0u, lock.places[1].totals.acquisitions);
  EXPECT_EQ(3u, lock.places[1].totals.retried);
}

TEST(FailedTries, OfALockThatIsNeverAcquired) {
  const Profile profile = profile_with("lock-tries slot=4 place=2 tries=7 work=9\n");
  ASSERT_EQ(2u, profile.locks.rows.size());
  const LockRow& lock = profile.locks.rows[1];
  EXPECT_EQ("mutex", lock.kind);
  EXPECT_EQ(0u, lock.totals.acquisitions);
  EXPECT_EQ(7u, lock.totals.failed_tries);
  EXPECT_EQ(0u, lock.bound.length());
}

TEST(FailedTries, AreNoMoreThanTheWorkOfTheirStep) {
  const Profile profile = profile_with("lock-tries slot=3 place=0 tries=4 work=70\n"
                                       "lock-tries slot=4 place=2 tries=4 work=31\n");
  ASSERT_EQ(2u, profile.locks.rows.size());
  EXPECT_EQ(70u, profile.locks.rows[0].totals.retried);
  EXPECT_EQ(30u, profile.locks.rows[1].totals.retried);
}

TEST(FailedTries, AreSaidWhereTheyAreATwentiethOfTheWork) {
  const Profile few = profile_with("lock-tries slot=3 place=0 tries=4 work=10\n");
  EXPECT_FALSE(warns(few, "failed_tries"));
  EXPECT_EQ(std::string::npos, few.verdict.headline.find("attempts")) << few.verdict.headline;
  const Profile some = profile_with("lock-tries slot=3 place=0 tries=4 work=11\n");
  EXPECT_TRUE(warning_of(some).starts_with(
      "at most 6 % of the work (11 units of 215 units) is waiting: between failed attempts to "
      "acquire the spin_mutex at q.cpp:17. "))
      << warning_of(some);
  EXPECT_NE(std::string::npos,
            some.verdict.headline.find("(threads may have waited between failed attempts to "
                                       "acquire locks, which counts as work)"))
      << some.verdict.headline;
  EXPECT_EQ(std::string::npos, some.advice.find("attempts")) << some.advice;
}

TEST(FailedTries, AreAdvisedOnWhereTheyAreATenthOfTheWork) {
  const Profile profile = profile_with("lock-tries slot=3 place=1 tries=4 work=60\n"
                                       "lock-tries slot=4 place=2 tries=1 work=4\n");
  EXPECT_TRUE(profile.advice.starts_with(
      "At most 30 % of the work is waiting: between failed attempts to acquire the spin_mutex at "
      "q.cpp:17, tried at q.cpp:30, and one more lock. If threads do nothing else meanwhile, "))
      << profile.advice;
}

// What samples show of the same loops is not said twice.
TEST(FailedTries, TakeTheirLoopsFromThoseThatSamplesShow) {
  Locks locks;
  LockRow& row = locks.rows.emplace_back();
  LockPlaceRow& place = row.places.emplace_back();
  place.info.file = "q.cpp";
  place.info.line = 17;
  place.info.functions = {"void acquire<std::mutex>(std::mutex&)"};
  place.totals.retried = 5;
  const auto left = [&](const std::string& function, const std::string& file, std::uint32_t line) {
    const TraceInfo info{};
    const SiteTable table{};
    Measured measured{info, table, {}, {}};
    measured.fold.work = 1000;
    SampledWaiting waiting{.work = {900, 800, 950},
                           .critical_work = {},
                           .rows = {{.function = function,
                                     .file = file,
                                     .line = line,
                                     .work = {890, 790, 940},
                                     .critical_work = {}}},
                           .matters = true};
    leave_out_tries(waiting, locks, measured);
    EXPECT_EQ(waiting.rows.empty(), !waiting.matters);
    EXPECT_EQ(waiting.rows.empty() ? 0u : 900u, waiting.work.work);
    return waiting.rows.size();
  };
  EXPECT_EQ(0u, left("acquire", "/home/q.cpp", 90));
  EXPECT_EQ(1u, left("release", "/home/q.cpp", 18));
  EXPECT_EQ(1u, left("acquire", "/home/r.cpp", 17));
  EXPECT_EQ(0u, left("lambda at q.cpp:9", "/home/q.cpp", 19));
  EXPECT_EQ(1u, left("lambda at q.cpp:90", "/home/q.cpp", 91));
  place.totals.retried = 0;
  EXPECT_EQ(1u, left("acquire", "/home/q.cpp", 90));
}

TEST(FailedTries, AreInLocksCsv) {
  const std::string csv =
      write_locks_csv(profile_with("lock-tries slot=3 place=0 tries=4 work=25\n"));
  EXPECT_NE(std::string::npos, csv.find(",Failed tries,Retried\n")) << csv;
  EXPECT_TRUE(csv.ends_with(",4,25\n")) << csv;
}

} // namespace
} // namespace tp::analysis
