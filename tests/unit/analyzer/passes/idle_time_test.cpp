// SPDX-License-Identifier: Apache-2.0
// Idle time against a count of every tick.
#include "passes/idle_time.h"

#include "trace/metadata_reader.h"
#include "trace/step_sequence.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <random>

namespace tp::analysis {
namespace {

TEST(IdleTime, IsThatOfEveryTick) {
  std::mt19937 random(1);
  const auto upto = [&](unsigned most) { return random() % (most + 1); };
  for (int turn = 0; turn < 200; ++turn) {
    const unsigned streams = 1 + upto(3);
    std::vector<unsigned> running;
    std::string script;
    for (unsigned stream = 0; stream < streams; ++stream) {
      script += "stream " + std::to_string(stream) +
                (stream == 0 ? "\nthread role=main\n" : "\nthread role=external\n");
      std::size_t now = 0;
      for (unsigned steps = upto(12); steps > 0; --steps) {
        const unsigned lead = upto(4), work = upto(9);
        script += "cut lead=" + std::to_string(lead) + " work=" + std::to_string(work) + "\n";
        running.resize(std::max(running.size(), now + lead + work));
        std::for_each_n(running.begin() + static_cast<std::ptrdiff_t>(now + lead), work,
                        [](unsigned& count) { ++count; });
        now += lead + work;
      }
      script += "end\nthread-end\n";
    }
    const TraceSource source = test::parse_trace_script(script).source();
    const RunInfo run = read_info(source).run;
    for (unsigned workers = 1; workers <= streams; ++workers) {
      const IdleTime idle(step_sequences(source, run), workers, 0, running.size());
      for (std::size_t from = 0; from <= running.size(); ++from)
        for (std::size_t to = from; to <= running.size(); ++to) {
          const auto expected = std::count_if(running.begin() + static_cast<std::ptrdiff_t>(from),
                                              running.begin() + static_cast<std::ptrdiff_t>(to),
                                              [&](unsigned count) { return count < workers; });
          ASSERT_EQ(static_cast<std::uint64_t>(expected), idle.between(from, to))
              << script << workers << " workers, " << from << " to " << to;
        }
    }
  }
}

// A run with more ticks than there are slots: exact to a slot, and spread evenly inside it.
TEST(IdleTime, OfALongRunIsThatOfSlots) {
  const TraceSource source = test::parse_trace_script("stream 0\n"
                                                      "thread role=main\n"
                                                      "cut work=4000000\n"
                                                      "cut lead=4000000 work=1\n"
                                                      "end\n"
                                                      "thread-end\n")
                                 .source();
  const RunInfo run = read_info(source).run;
  const IdleTime idle(step_sequences(source, run), 1, 0, 8000001);
  EXPECT_EQ(0u, idle.between(0, 3999990));
  EXPECT_EQ(3999980u, idle.between(4000010, 7999990));
  EXPECT_EQ(1u, idle.between(5000000, 5000001));
  EXPECT_EQ(0u, idle.between(5000001, 5000000));
}

} // namespace
} // namespace tp::analysis
