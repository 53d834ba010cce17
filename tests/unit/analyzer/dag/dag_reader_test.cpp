// SPDX-License-Identifier: Apache-2.0
// The events that DagReader makes of streams, in their order, as a visitor logs them.
#include "dag/dag_reader.h"

#include "row_maps.h"
#include "trace/metadata_reader.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace tp::analysis {
namespace {

struct LoggedPath : Path {
  std::uint64_t length = 0;
};

// Frames are numbered in the order in which they are spawned; 0 is the thread.
struct LoggedFrame {
  std::uint64_t number = 0;
};

class Log final : public TypedVisitor<LoggedPath, LoggedFrame> {
public:
  std::string text;
  std::size_t paths_alive = 0;

  Path* new_path() override { return made(0); }
  Path* copy_path(const Path& path) override { return made(typed(path).length); }
  void drop_path(Path* path) override {
    --paths_alive;
    delete &typed(*path);
  }
  bool join_path(Path& into, const Path& from, Tie) override {
    typed(into).length = std::max(typed(into).length, typed(from).length);
    return false;
  }
  void assign_path(Path& into, const Path& from) override {
    typed(into).length = typed(from).length;
  }
  void wait_joined(FrameState& frame, Path* fresh, Path*) override {
    if (fresh)
      join_path(*frame.path, *fresh, Tie::From);
    add("joined", frame);
  }
  void spawned(const FrameState&, FrameState& child) override {
    data_of(child).number = ++spawns_;
    add("spawned", child);
  }
  void begun(FrameState& frame) override { add("begun", frame); }
  void step(FrameState& frame, const Step& step) override {
    path_of(frame).length += step.work;
    add("step", frame);
  }
  bool ended(FrameState& frame, Tie) override {
    add("ended", frame);
    return false;
  }
  void abandoned(FrameState& frame) override { add("abandoned", frame); }

private:
  Path* made(std::uint64_t length) {
    ++paths_alive;
    auto* const path = new LoggedPath;
    path->length = length;
    return path;
  }
  // Logs what happened, to which frame, in which row, and the length of the path at that time.
  void add(const std::string& what, FrameState& frame) {
    text += what + " " + std::to_string(data_of(frame).number) + " row " +
            std::to_string(index_of(frame.row)) + " at " + std::to_string(path_of(frame).length) +
            "\n";
  }
  std::uint64_t spawns_ = 0;
};

ReadSummary read(const TraceSource& source, DagVisitor& visitor) {
  const TraceInfo info = read_info(source);
  const RowMaps rows = test::row_maps_of(info.sites);
  return DagReader(source, info, rows, visitor).run();
}

// main: 10 | spawn A(5) | 3 | spawn B(20) | 1 | wait | 2
TEST(DagReader, EventsComeInAnOrderOfTheDag) {
  Log log;
  const ReadSummary summary = read(test::parse_trace_script(test::kTwoChildren).source(), log);
  EXPECT_EQ("step 0 row 0 at 10\n"
            "spawned 1 row 1 at 10\n"
            "step 0 row 0 at 13\n"
            "spawned 2 row 2 at 13\n"
            "step 0 row 0 at 14\n"
            "begun 2 row 2 at 13\n"
            "step 2 row 2 at 33\n"
            "ended 2 row 2 at 33\n"
            "begun 1 row 1 at 10\n"
            "step 1 row 1 at 15\n"
            "ended 1 row 1 at 15\n"
            "joined 0 row 0 at 33\n"
            "step 0 row 0 at 35\n"
            "ended 0 row 0 at 35\n",
            log.text);
  EXPECT_EQ(0u, log.paths_alive);
  EXPECT_TRUE(summary.complete);
  EXPECT_EQ(2u, summary.spawned);
  EXPECT_EQ(6u, summary.steps);
}

// A frame arrives at a barrier, and continues after all that have, also those that come later in time.
TEST(DagReader, ABarrierJoinsAllThatArrive) {
  Log log;
  read(test::parse_trace_script("site 1 a.cpp 1\n"
                                "stream 0\n"
                                "thread role=main\n"
                                "spawn work=1 site=1 ctx=new-exclusive\n"
                                "spawn site=1 ctx=last\n"
                                "wait ctx=last\n"
                                "begin\n"
                                "barrier threads=2\n"
                                "wait work=10 ctx=new-gathering\n"
                                "wait-end\n"
                                "end work=5\n"
                                "wait-end\n"
                                "end\n"
                                "thread-end\n"
                                "stream 1\n"
                                "thread role=worker\n"
                                "begin task=0.0 idle=50\n"
                                "barrier threads=2\n"
                                "wait work=30 ctx=0.1\n"
                                "wait-end\n"
                                "end work=7\n"
                                "end\n"
                                "thread-end\n")
           .source(),
       log);
  EXPECT_NE(std::string::npos, log.text.find("ended 2 row 1 at 36\n")) << log.text;
  EXPECT_NE(std::string::npos, log.text.find("ended 1 row 1 at 38\n")) << log.text;
  EXPECT_NE(std::string::npos, log.text.find("joined 0 row 0 at 38\n")) << log.text;
  EXPECT_EQ(0u, log.paths_alive);
}

// Task 1 leaves task 2 behind: the wait for what task 1 handed over to joins it, though it ends later in time.
TEST(DagReader, WhatIsHandedOverIsJoinedThere) {
  Log log;
  read(test::parse_trace_script("site 1 a.cpp 1\n"
                                "stream 0\n"
                                "thread role=main\n"
                                "spawn work=1 site=1 ctx=new-gathering\n"
                                "wait ctx=last\n"
                                "begin\n"
                                "spawn work=10 site=1 ctx=new-exclusive\n"
                                "hand-over from=0.1 to=0.0\n"
                                "end work=5\n"
                                "wait-end\n"
                                "end\n"
                                "thread-end\n"
                                "stream 1\n"
                                "thread role=worker\n"
                                "begin task=0.1 idle=50\n"
                                "end work=7\n"
                                "end\n"
                                "thread-end\n")
           .source(),
       log);
  EXPECT_NE(std::string::npos, log.text.find("ended 1 row 1 at 16\n")) << log.text;
  EXPECT_NE(std::string::npos, log.text.find("ended 2 row 1 at 18\n")) << log.text;
  EXPECT_NE(std::string::npos, log.text.find("joined 0 row 0 at 18\n")) << log.text;
  EXPECT_EQ(0u, log.paths_alive);
}

TEST(DagReader, ATaskThatNeverBeganIsAbandoned) {
  Log log;
  const ReadSummary summary = read(test::parse_trace_script("site 1 a.cpp 1\n"
                                                            "stream 0\n"
                                                            "thread role=main\n"
                                                            "spawn work=1 site=1 ctx=new\n"
                                                            "end work=2\n"
                                                            "thread-end\n")
                                       .source(),
                                   log);
  EXPECT_EQ(1u, summary.never_begun);
  EXPECT_NE(std::string::npos, log.text.find("abandoned 1 row 1"));
  EXPECT_EQ(0u, log.paths_alive);
}

// The program ends in a region: of threads that are in their first step there is no record.
TEST(DagReader, ThreadsOfARegionCountThatHaveNotEndedAStep) {
  Log log;
  const ReadSummary summary =
      read(test::parse_trace_script("site 1 a.cpp 1\nstream 0\nthread role=main\n"
                                    "spawn site=1 ctx=new-exclusive construct=omp_parallel\n"
                                    "spawn site=1 ctx=last\nspawn site=1 ctx=last\n"
                                    "wait ctx=last\nbegin task=0.1\nend work=5\n")
               .source(),
           log);
  EXPECT_EQ(2u, summary.never_begun);
  ASSERT_EQ(1u, summary.teams.size());
  EXPECT_EQ(3u, summary.teams.begin()->second.most);
}

} // namespace
} // namespace tp::analysis
