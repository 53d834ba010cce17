// SPDX-License-Identifier: Apache-2.0
// Extreme depth and width: a million nested tasks, a hundred thousand sites. The analyzer must not
// recurse on the stack or take quadratic time; the expected figures are arithmetic.
#include "oracle_runs.h"
#include "profile/make_profile.h"
#include "report/writers.h"
#include "trace_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <pthread.h>

namespace tp::analysis {
namespace {

// Each task spawns the next and waits for it; each has a step of 1 before and one of 2 after.
test::TraceBuilder chain(unsigned length) {
  test::TraceBuilder trace;
  trace.site(1, "a.cpp", 1);
  auto& main = trace.stream();
  main.thread_begin(trace::ThreadRole::Main);
  for (unsigned i = 0; i < length; ++i) {
    main.spawn({1}, test::SiteOperand::of(1), test::ContextOperand::fresh(true), false, true);
    main.begin(test::TaskOperand::newest());
  }
  for (unsigned i = 0; i < length; ++i) {
    main.end({2});
    main.wait_end();
  }
  main.end({2});
  return trace;
}

TEST(Scale, AMillionNestedTasks) {
#if defined(TP_SANITIZED)
  constexpr unsigned kLength = 100'000; // longer chains take minutes here
#else
  constexpr unsigned kLength = 1'000'000;
#endif
  const TraceSource source = chain(kLength).source();
  Profile profile;
  // A stack of 1 MiB: one byte for each task. (Under ThreadSanitizer a thread needs much of it for
  // itself.)
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 1024 * 1024);
  const auto work = [&] {
    ProfileOptions options;
    options.procs = {2};
    options.explore = Ask::Never;
    options.simulate = Ask::Always;
    profile = make_profile(source, options);
  };
  pthread_t thread;
  ASSERT_EQ(0, pthread_create(
                   &thread, &attributes,
                   [](void* function) -> void* {
                     (*static_cast<decltype(work)*>(function))();
                     return nullptr;
                   },
                   const_cast<void*>(static_cast<const void*>(&work))));
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(3u * kLength + 2, profile.work);
  EXPECT_EQ(profile.work, profile.span);
  EXPECT_EQ(kLength + 0u, profile.read.begun);
  ASSERT_EQ(1u, profile.prediction.runs.size());
  EXPECT_EQ(profile.work, profile.prediction.runs[0].greedy);
  EXPECT_EQ(profile.work, profile.prediction.runs[0].time);
}

TEST(Scale, AHundredThousandSites) {
  constexpr std::uint32_t kSites = 100'000 / test::kFewer;
  test::TraceBuilder trace;
  auto& main = trace.stream();
  main.thread_begin(trace::ThreadRole::Main);
  for (std::uint32_t site = 1; site <= kSites; ++site) {
    trace.site(site, "a.cpp", site);
    main.spawn({}, test::SiteOperand::of(site),
               site == 1 ? test::ContextOperand::fresh(true) : test::ContextOperand::last());
    main.task(test::TaskOperand::newest(), {site});
  }
  main.wait({}, test::ContextOperand::last());
  main.wait_end();
  main.end({});
  const Profile profile = make_profile(trace.source(), {});
  EXPECT_EQ(std::uint64_t{kSites} * (kSites + 1) / 2, profile.work);
  EXPECT_EQ(kSites, profile.span);
  EXPECT_EQ(kSites + 1u, profile.sites.size());
  EXPECT_EQ(kSites, profile.sites[1].info.line); // the whole of the critical path
  const std::string text = write_text(profile, {}), csv = write_profile_csv(profile);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 25);
  EXPECT_EQ(kSites + 2, std::count(csv.begin(), csv.end(), '\n'));
}

} // namespace
} // namespace tp::analysis
