// SPDX-License-Identifier: Apache-2.0
// The events of TP_EVENT: names, numbers, lists, and CPUs with two kinds of cores.
#include "clock/counted_events.h"
#include "clock/work_clock.h"
#include "rt_support.h"

using namespace tp::rt;

namespace {

std::string problem_of(const char* text) {
  EventList list;
  std::string problem;
  EXPECT_FALSE(parse_events(text, list, problem)) << text;
  return problem;
}

TEST(Events, TheFirstIsTheWorkTheOthersRideAlong) {
  EventList list;
  std::string problem;
  ASSERT_TRUE(
      parse_events("instructions,cycles,cache-misses,page-faults,task-clock", list, problem));
  EXPECT_EQ(list.work, EventList::Work::Counted);
  EXPECT_STREQ(list.counted.name, "instructions");
  ASSERT_EQ(list.extra_count, 4u);
  EXPECT_STREQ(list.extra[1].name, "cache-misses");
  EXPECT_TRUE(list.extra[1].is_hardware());
  EXPECT_FALSE(list.extra[2].is_hardware());
  EXPECT_TRUE(list.extra[3].is_task_clock());
  ASSERT_TRUE(parse_events("virtual,page-faults", list, problem));
  EXPECT_EQ(list.work, EventList::Work::Virtual);
  EXPECT_EQ(list.extra_count, 1u);
}

TEST(Events, NumbersOfPerfEventOpen) {
  CountedEvent event;
  ASSERT_TRUE(find_event("4:0x1c0=INST_RETIRED:ANY_P", event));
  EXPECT_EQ(event.type, 4u);
  EXPECT_EQ(event.config, 0x1c0u);
  EXPECT_STREQ(event.name, "INST_RETIRED:ANY_P");
  ASSERT_TRUE(find_event("1:2", event));
  EXPECT_STREQ(event.name, "1:2");
  ASSERT_TRUE(find_event("4:1b7:3f803c0001=OFFCORE", event));
  EXPECT_EQ(event.config, 0x1b7u);
  EXPECT_EQ(event.config1, 0x3f803c0001u);
  EXPECT_EQ(event.config2, 0u);
  ASSERT_TRUE(find_event("10:1:0:0xffffffffffffffff", event));
  EXPECT_EQ(event.type, 10u);
  EXPECT_EQ(event.config2, UINT64_MAX);
  for (const char* wrong :
       {"", ":", "4", "4:", ":3", "4:xyz", "four:3", "4:1c0:", "4:1:2:3:4", "-1:2"})
    EXPECT_FALSE(find_event(wrong, event)) << wrong;
}

TEST(Events, BadListsAreRefusedByName) {
  EXPECT_NE(problem_of("").find("''"), std::string::npos);
  EXPECT_NE(problem_of("bogus").find("'bogus'"), std::string::npos);
  EXPECT_NE(problem_of("cycles,").find("''"), std::string::npos);
  EXPECT_NE(problem_of("cycles, branches").find("' branches' after"), std::string::npos);
  EXPECT_NE(problem_of("cycles,tsc").find("'tsc' after the first"), std::string::npos);
  EXPECT_NE(problem_of("cycles,branches,cycles").find("each event once"), std::string::npos);
  EXPECT_NE(problem_of("auto,1:1,1:2,1:3,1:4,1:5").find("at most 4"), std::string::npos);
}

TEST(Events, CoresOfTwoKinds) {
  const tp::test::TemporaryFolder devices;
  namespace fs = std::filesystem;
  const auto add = [&](const char* pmu, const char* type, const char* file, const char* list) {
    const std::string folder = devices.path() + "/" + pmu;
    fs::create_directory(folder);
    std::ofstream(folder + "/type") << type << '\n';
    std::ofstream(folder + "/" + file) << list << '\n';
  };
  EXPECT_EQ(find_core_kinds((devices.path() + "/missing").c_str()).count, 0u);
  add("cpu_core", "4", "cpus", "0-3");
  add("uncore_imc", "12", "cpumask", "0");
  add("cpu_lowpower", "11", "cpus", "");
  EXPECT_EQ(find_core_kinds(devices.path().c_str()).count, 0u);
  add("cpu_atom", "10", "cpus", "4-7");
  const CoreKinds kinds = find_core_kinds(devices.path().c_str());
  ASSERT_EQ(kinds.count, 2u);
  EXPECT_EQ(kinds.pmu[0], 4u);
  EXPECT_EQ(kinds.pmu[1], 10u);
}

} // namespace
