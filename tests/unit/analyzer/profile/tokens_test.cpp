// SPDX-License-Identifier: Apache-2.0
// Tokens as why the items of a pipeline come one after the other, in hand-written cases.
#include "profile/make_profile.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tp::analysis {
namespace {

// A call of the pipeline in p.cpp:10 (site 1) or p.cpp:20 (3), in which `items` tasks of its second, parallel filter
// run one after the other; `tokens` are recorded, if any are.
std::string call(unsigned items, const std::string& tokens, unsigned site = 1) {
  std::string script = "spawn site=" + std::to_string(site) +
                       " ctx=new-exclusive\nwait ctx=last\nbegin task=newest\n" + tokens;
  for (unsigned i = 0; i < items; ++i)
    script += "spawn site=" + std::to_string(site + 1) + " ctx=new-exclusive\n" +
              "wait ctx=last\ntask task=newest work=100\nwait-end\n";
  return script + "end\nwait-end\n";
}

Finding finding_of(const std::string& calls) {
  test::TraceBuilder trace =
      test::parse_trace_script("site 1 p.cpp 10 1 construct=parallel_pipeline\n"
                               "site 3 p.cpp 20 1 construct=parallel_pipeline\n"
                               "site 5 p.cpp 12 1 construct=parallel_pipeline\n" // makes the filter
                               "stream 0\nthread role=main\n" +
                               calls + "end work=1\nthread-end\n");
  for (const std::string call : {"1", "3"})
    trace.site_line(
        R"({"site":)" + std::to_string(std::stoi(call) + 1) +
        R"(,"tag":"explicit","file":"p.cpp","line":12,"column":1,"end_line":12,"function":"f",)"
        R"("construct":"parallel_pipeline","filter":2,"mode":"parallel","of":5,"call":)" +
        call + "}");
  const Profile profile = make_profile(trace.source(), {});
  const auto found = std::ranges::find_if(profile.findings, [](const Finding& finding) {
    return finding.critical_work >= 100 && finding.shape != Shape::TinyTasks;
  });
  return found == profile.findings.end() ? Finding{} : *found;
}

TEST(Tokens, MoreItemsOnThePathThanPipelines) {
  const Finding finding = finding_of(call(2, "tokens count=3\n"));
  EXPECT_EQ(2u, finding.critical_tasks);
  EXPECT_EQ(Shape::FewTokens, finding.shape);
  EXPECT_EQ(3u, finding.tokens);
}

// The greatest number of those that its calls had.
TEST(Tokens, CallsWithDifferentNumbers) {
  EXPECT_EQ(4u, finding_of(call(2, "tokens count=4\n") + call(2, "tokens count=3\n")).tokens);
}

TEST(Tokens, TwoCallsOfOneFilter) {
  const Finding finding = finding_of(call(2, "tokens count=4\n") + call(2, "tokens count=3\n", 3));
  EXPECT_EQ(4u, finding.critical_tasks);
  EXPECT_EQ(4u, finding.tokens);
}

// Pipelines one after the other: no item waited for the token of another one.
TEST(Tokens, OneItemOfEachPipeline) {
  const Finding finding = finding_of(call(1, "tokens count=3\n") + call(1, "tokens count=3\n"));
  EXPECT_EQ(2u, finding.critical_tasks);
  EXPECT_EQ(Shape::SerialTasks, finding.shape);
  EXPECT_EQ(0u, finding.tokens);
}

// oneTBB refuses a pipeline without tokens: such a record is not one more pipeline.
TEST(Tokens, NoneCountNoPipeline) {
  EXPECT_EQ(3u, finding_of(call(1, "tokens count=3\n") + call(1, "tokens count=0\n")).tokens);
}

// A recording that does not know the call of the pipeline: its filter was made where it is called.
TEST(Tokens, OfAPipelineWhereItsFilterIsMade) {
  test::TraceBuilder trace =
      test::parse_trace_script("site 1 p.cpp 10 1 construct=parallel_pipeline\n"
                               "stream 0\nthread role=main\n" +
                               call(2, "tokens count=3\n") + "end work=1\nthread-end\n");
  trace.site_line(
      R"({"site":2,"tag":"explicit","file":"p.cpp","line":10,"column":1,"end_line":10,"function":"f",)"
      R"("construct":"parallel_pipeline","filter":2,"mode":"parallel","of":1})");
  const Profile profile = make_profile(trace.source(), {});
  const auto found = std::ranges::find(profile.findings, Shape::FewTokens, &Finding::shape);
  ASSERT_NE(profile.findings.end(), found);
  EXPECT_EQ(3u, found->tokens);
  EXPECT_EQ(10u, found->place.line);
}

TEST(Tokens, AreNotKnown) {
  EXPECT_EQ(0u, finding_of(call(2, "")).tokens);
}

} // namespace
} // namespace tp::analysis
