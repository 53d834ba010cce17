// SPDX-License-Identifier: Apache-2.0
// Which recordings a run made: by the pattern of names, and by the content of run.json.
#include "run/data_directory.h"
#include "temporary_folder.h"

#include <gtest/gtest.h>

namespace tp::tool {
namespace {

class Recordings : public testing::Test {
protected:
  void add(const std::string& name, const std::string& run_json) {
    scratch.file(name + "/run.json", run_json);
  }
  const test::TemporaryFolder scratch;
  const std::string folder = scratch.path();
};

TEST_F(Recordings, AreReadAsJson) {
  add("d.1", R"({"pid": 1, "start_time_unix_ns" : 30})");
  add("d.2",
      R"({"program":"\"pid\":7,\"start_time_unix_ns\":99,","nested":{"pid":9},"start_time_unix_ns":20,"pid":2})");
  add("d.3", R"({"pid":3,"start_time_unix_ns":9})");    // started before the run
  add("d.4", R"({"pid":"4","start_time_unix_ns":40})"); // not a number
  add("d.5", R"({"pid":5,"start_time_unix_ns":50)");    // cut off
  add("d.6", R"([{"pid":6,"start_time_unix_ns":60}])"); // not an object
  add("d.7", R"({"pid":7})");
  add("d.8", "");
  const auto found = recordings_of(folder + "/d", {"5-6", 10});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].pid, 2);
  EXPECT_EQ(found[0].start_time_unix_ns, 20);
  EXPECT_EQ(found[0].directory, folder + "/d.2");
  EXPECT_EQ(found[1].pid, 1);
}

TEST_F(Recordings, SayWhatWasReplaced) {
  add("d.1",
      R"({"pid":1,"start_time_unix_ns":11,"openmp":{"runtime":"libomp","replaced":"libgomp"}})");
  add("d.2", R"({"pid":2,"start_time_unix_ns":12,"openmp":{"runtime":3,"replaced":null}})");
  add("d.3", R"({"pid":3,"start_time_unix_ns":13,"openmp":"libomp"})");
  const auto found = recordings_of(folder + "/d", {"5-6", 10});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].openmp_runtime, "libomp");
  EXPECT_EQ(found[0].openmp_replaced, "libgomp");
  EXPECT_EQ(found[1].openmp_runtime, "");
  EXPECT_EQ(found[1].openmp_replaced, "");
  EXPECT_EQ(found[2].openmp_replaced, "");
}

TEST_F(Recordings, AreThoseOfTheRun) {
  add("d", R"({"run":"5-6","pid":1,"start_time_unix_ns":30,"program":"/bin/first"})");
  add("d.2", R"({"run":"5-7","pid":2,"start_time_unix_ns":31})");
  add("d.3", R"({"run":"","pid":3,"start_time_unix_ns":32})");
  add("d.3.2", R"({"run":"5-6","pid":3,"start_time_unix_ns":33})");
  const auto found = recordings_of(folder + "/d", {"5-6", 10});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].program, "first");
  EXPECT_EQ(found[1].directory, folder + "/d.3");
  EXPECT_EQ(found[2].directory, folder + "/d.3.2");
}

TEST_F(Recordings, HaveACommonDirectory) {
  EXPECT_EQ(common_directory("/a/d"), "/a/d");
  EXPECT_EQ(common_directory("/a/d%%"), "/a/d%");
  EXPECT_EQ(common_directory("/a/runs/%e-%p"), "/a/runs");
  EXPECT_EQ(common_directory("/a/x%p/y"), "/a");
}

TEST_F(Recordings, NeedAPlaceThatCanBeWritten) {
  EXPECT_EQ(why_not_writable(folder + "/new/parents/d"), "");
  EXPECT_EQ(why_not_writable(folder + "/new/%p"), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder + "/new/parents"));
  scratch.file("plain", "text");
  EXPECT_EQ(why_not_writable(folder + "/plain"), "it is not a directory");
  EXPECT_EQ(why_not_writable(folder + "/plain/d"), "Not a directory");
  EXPECT_NE(why_not_writable("/proc/no/d"), "");
}

TEST_F(Recordings, AreFoundByPattern) {
  add("run of 12%", R"({"pid":12,"start_time_unix_ns":1})");
  add("[x]", R"({"pid":13,"start_time_unix_ns":1})");
  EXPECT_EQ(recordings_of(folder + "/run of %p%%", {"5-6", 0}).size(), 1u);
  EXPECT_EQ(recordings_of(folder + "/%e", {"5-6", 0}).size(), 2u);
  EXPECT_EQ(recordings_of(folder + "/[x]", {"5-6", 0}).size(), 1u);
  EXPECT_EQ(recordings_of(folder + "/x", {"5-6", 0}).size(), 0u);
}

} // namespace
} // namespace tp::tool
