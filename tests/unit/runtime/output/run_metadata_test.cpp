// SPDX-License-Identifier: Apache-2.0
// The texts of run.json and end.json.
#include "output/run_metadata.h"
#include "rt_support.h"

#include <regex>

using namespace tp::rt;

namespace {

// Returns `text` with N in place of each number that the machine determines.
std::string without_times(std::string text) {
  for (const char* name : {"time_end", "mono_end_ns", "wall_ns"})
    text = std::regex_replace(text, std::regex("\"" + std::string(name) + "\":[0-9]+"),
                              "\"" + std::string(name) + "\":N");
  return text;
}

TEST(RunMetadata, TheEndHasTotalsStreamsAndLiveThreads) {
  RunEnd end;
  EXPECT_EQ(without_times(end_json(end)),
            R"({"schema":"taskpath.end/1","end":"exit","time_end":N,"mono_end_ns":N,"cpu_ns":0,)"
            R"("wall_ns":N,"truncated":false,"unfinished_tasks":false,"streams":0,"chunks":[],)"
            R"("virtual_work":0,"not_counted_ns":0,"threads":[],)"
            R"("recorded_ns":0,"recorded_cpu_ns":0,"window_count":0,"windows":[]})"
            "\n");
  end.cpu_ns = 5;
  end.truncated = end.unfinished = true;
  end.virtual_work = 26;
  end.not_counted_ns = 7;
  end.chunks = {3, 1};
  end.threads = {{0, 100, 20, 1}, {1, 101, 30, 0}};
  end.windows = {{1, 3, 1}, {5, 12, 3}};
  end.window_count = 2;
  end.recorded_ns = 9;
  end.recorded_cpu_ns = 4;
  end.run_delay = {true, 8};
  end.voluntary_switches = 2;
  EXPECT_EQ(
      without_times(end_json(end)),
      R"({"schema":"taskpath.end/1","end":"exit","time_end":N,"mono_end_ns":N,"cpu_ns":5,)"
      R"("wall_ns":N,"truncated":true,"unfinished_tasks":true,"streams":2,"chunks":[3,1],)"
      R"("virtual_work":26,"not_counted_ns":7,"threads":[)"
      R"({"stream":0,"os_thread":100,"cpu_ns":20,"paused_work":1},)"
      R"({"stream":1,"os_thread":101,"cpu_ns":30,"paused_work":0}],)"
      R"("recorded_ns":9,"recorded_cpu_ns":4,"window_count":2,"windows":[)"
      R"({"begin_ns":1,"end_ns":3,"cpu_ns":1},{"begin_ns":5,"end_ns":12,"cpu_ns":3}],"run_delay_ns":8,"voluntary_switches":2})"
      "\n");
}

TEST(RunMetadata, TheStartDescribesProcessAndClock) {
  use_virtual_clock();
  RunStart start;
  start.session = 0xabc;
  start.event = "virtual";
  start.as_if_cores = 8;
  start.max_size = 1 << 20;
  start.paused = true;
  const std::string json = run_json(start);
  for (const char* part :
       {R"("schema":"taskpath.run/1")", R"("session":"0000000000000abc")",
        R"("requested":"virtual","clock":"virtual","event":"tp_spend","unit":"units")",
        R"("extra_events":[])", R"("as_if_cores":8)", R"("max_size":1048576)",
        R"("paused_at_start":true)"})
    EXPECT_NE(json.find(part), std::string::npos) << part << '\n' << json;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  EXPECT_NE(json.find("\"program\":\"" + program + "\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"pid\":" + std::to_string(getpid()) + ","), std::string::npos) << json;
  EXPECT_EQ(json.back(), '\n');
}

} // namespace
