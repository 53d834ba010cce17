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
  const auto found = recordings_since(folder + "/d", 10);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].pid, 2);
  EXPECT_EQ(found[0].start_time_unix_ns, 20);
  EXPECT_EQ(found[0].directory, folder + "/d.2");
  EXPECT_EQ(found[1].pid, 1);
}

TEST_F(Recordings, AreFoundByPattern) {
  add("run of 12%", R"({"pid":12,"start_time_unix_ns":1})");
  add("[x]", R"({"pid":13,"start_time_unix_ns":1})");
  EXPECT_EQ(recordings_since(folder + "/run of %p%%", 0).size(), 1u);
  EXPECT_EQ(recordings_since(folder + "/%e", 0).size(), 2u);
  EXPECT_EQ(recordings_since(folder + "/[x]", 0).size(), 1u);
  EXPECT_EQ(recordings_since(folder + "/x", 0).size(), 0u);
}

} // namespace
} // namespace tp::tool
