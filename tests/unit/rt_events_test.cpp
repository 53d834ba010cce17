// The events of TP_EVENT: names, numbers, lists, and cores of two kinds.
#include "../../profiler-lib/src/counted_events.h"
#include "../../profiler-lib/src/work_clock.h"
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
  for (const char* wrong : {"", ":", "4:", ":3", "4:xyz", "four:3", "4:1c0:3", "-1:2"})
    EXPECT_FALSE(find_event(wrong, event)) << wrong;
}

TEST(Events, BadListsAreRefusedByName) {
  EXPECT_NE(problem_of("").find("''"), std::string::npos);
  EXPECT_NE(problem_of("bogus").find("'bogus'"), std::string::npos);
  EXPECT_NE(problem_of("cycles,").find("''"), std::string::npos);
  EXPECT_NE(problem_of("cycles,tsc").find("'tsc' after the first"), std::string::npos);
  EXPECT_NE(problem_of("cycles,branches,cycles").find("each event once"), std::string::npos);
  EXPECT_NE(problem_of("auto,1:1,1:2,1:3,1:4,1:5").find("at most 4"), std::string::npos);
}

TEST(Events, CoresOfTwoKinds) {
  const tp::test::Folder devices;
  namespace fs = std::filesystem;
  const auto add = [&](const char* pmu, const char* file) {
    fs::create_directory(devices.path + "/" + pmu);
    std::ofstream(devices.path + "/" + pmu + "/" + file) << "0-3";
  };
  EXPECT_FALSE(perf::has_unlike_cores((devices.path + "/missing").c_str()));
  add("cpu_core", "cpus");
  add("uncore_imc", "cpumask");
  EXPECT_FALSE(perf::has_unlike_cores(devices.path.c_str()));
  add("cpu_atom", "cpus");
  EXPECT_TRUE(perf::has_unlike_cores(devices.path.c_str()));
}

} // namespace
