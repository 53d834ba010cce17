// SPDX-License-Identifier: Apache-2.0
// The DPST builder, called through tp/hooks.h as libtbb does, without oneTBB: tasks and contexts
// are a few words of memory.
#include "builder/thread_state.h"
#include "rt_support.h"

#include "fake_scheduler.h"

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <thread>

using namespace tp::test;
using Lines = std::vector<std::string>;

namespace {

// Sets the variables that the runtime's constructor reads; this constructor runs first.
[[gnu::constructor(101)]] void set_environment() {
  static char name[] = "/tmp/tp-rt-data-XXXXXX";
  if (mkdtemp(name) == nullptr)
    return;
  setenv("TP_TEST_DATA", name, 1);
  setenv("TP_DATA", (std::string(name) + "/%p").c_str(), 1);
  setenv("TP_EVENT", "virtual", 1);
  std::atexit([] { rmdir(name); }); // the run may only list the tests
}

struct RemoveData : testing::Environment {
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(std::getenv("TP_TEST_DATA"), ignored);
  }
};
[[maybe_unused]] const auto* const kRemove = testing::AddGlobalTestEnvironment(new RemoveData);

// The records of a stream between the thread's begin and end. record() forks, so the first stream
// has a record of that after the begin, which is left out.
Lines lines_of(const std::string& data, const char* stream = "/000000.tps") {
  Lines lines = read_stream(data + stream).lines;
  EXPECT_GE(lines.size(), 2u);
  if (lines.size() < 2)
    return lines;
  EXPECT_EQ(lines.front(), "Extended 1");
  EXPECT_EQ(lines.back(), "Extended 2");
  const bool is_first = lines[1] == "Extended 5";
  EXPECT_EQ(is_first, std::string(stream) == "/000000.tps");
  return {lines.begin() + (is_first ? 2 : 1), lines.end() - 1};
}

} // namespace

TEST(Hooks, TaskWithoutEventsIsOneRecord) {
  const std::string data = record([] {
    FakeTask task;
    FakeContext context;
    start();
    tp_spend(5);
    spawn(task, context);
    EXPECT_EQ(task.words[0], 1u);
    tp_spend(7);
    wait(context, [&] { run(task, context, [] { tp_spend(11); }); });
    tp_spend(3);
    tp_on_context_end(&static_cast<tp_context>(context).word[0]);
  });
  EXPECT_EQ(lines_of(data), (Lines{"Cut 0", "Spawn 5 new", "Wait 7 last", "Task 11 newest",
                                   "WaitEnd", "ContextEnd last", "End 3"}));
  EXPECT_NE(content_of(data + "/run.json").find("\"clock\":\"virtual\""), std::string::npos);
  EXPECT_NE(content_of(data + "/end.json").find("\"virtual_work\":26"), std::string::npos);
}

TEST(Hooks, NestedTasksNewestAndEarlier) {
  const std::string data = record([] {
    FakeTask first, second, inner;
    FakeContext context, group;
    start();
    spawn(first, context);
    spawn(second, context);
    wait(context, [&] {
      run(second, context, [&] {
        tp_spend(1);
        spawn(inner, group);
        wait(group, [&] { run(inner, group, [] { tp_spend(2); }); });
        tp_spend(4);
      });
      run(first, context, [] { tp_spend(8); });
    });
  });
  EXPECT_EQ(lines_of(data), (Lines{"Cut 0", "Spawn 0 new", "Spawn 0 last", "Wait 0 last",
                                   "Begin newest", "Spawn 1 new", "Wait 0 last", "Task 2 newest",
                                   "WaitEnd", "End 4", "Task 8 back 2", "WaitEnd", "End 0"}));
}

TEST(Hooks, ATaskThatThrewIsOneFrame) {
  const std::string data = record([] {
    FakeTask task;
    FakeContext context;
    start();
    spawn(task, context);
    wait(context, [&] {
      const tp_task description = task;
      const tp_context where = context;
      tp_frame frame;
      tp_on_task_begin(&frame, &description, &where, 0);
      tp_spend(2);
      tp_on_task_end(&frame, 1);
      tp_frame again;
      tp_on_task_begin(&again, &description, &where, 1);
      tp_spend(3);
      tp_on_task_end(&again, 0);
    });
    tp_spend(1);
  });
  EXPECT_EQ(lines_of(data), (Lines{"Cut 0", "Spawn 0 new", "Wait 0 last", "Begin newest", "Cut 2",
                                   "End 3", "WaitEnd", "End 1"}));
}

TEST(Hooks, AStolenTaskHasItsFullId) {
  const std::string data = record([] {
    FakeTask task;
    FakeContext context;
    start();
    spawn(task, context);
    wait(context, [&] {
      std::thread([&] {
        tp_on_worker_thread();
        tp_on_search();
        run(task, context, [] { tp_spend(9); });
      }).join();
    });
  });
  EXPECT_EQ(lines_of(data), (Lines{"Cut 0", "Spawn 0 new", "Wait 0 last", "WaitEnd", "End 0"}));
  // Idle time precedes it, so Begin is a record of its own; id (stream 0, spawn 0).
  const Lines worker = lines_of(data, "/000001.tps");
  EXPECT_EQ(worker, (Lines{"Begin id 0", "End 9", "End 0"}));
}

// StackIn contains the idle time; later records do not repeat it as idle time before the next task.
TEST(Hooks, SearchEndsWhereAStackIsResumed) {
  constexpr std::uint64_t kSearched = 10000; // ticks
  const std::string data = record([] {
    start();
    const std::uint64_t stack = tp_on_stack_out();
    tp_on_search();
    const std::uint64_t begin = tp::rt::this_thread->search_start;
    while (tp::rt::read_own_time(tp::rt::this_thread->clock) < begin + kSearched)
      ;
    tp_on_stack_in(stack);
    tp_spend(1);
    FakeTask task;
    FakeContext context{0, TP_CONSTRUCT_TASK_GROUP | TP_CONTEXT_EXCLUSIVE};
    spawn(task, context);
    wait(context, [&] { run(task, context, [] { tp_spend(2); }); });
  });
  unsigned stacks = 0;
  for (const auto& record : read_stream(data + "/000000.tps").records)
    if (record.op == tp::trace::Op::Begin) {
      ADD_FAILURE() << "idle before it: " << record.lead;
    } else if (record.op == tp::trace::Op::Extended &&
               record.extended_kind == tp::trace::ExtendedKind::StackIn) {
      ++stacks;
      EXPECT_LE(kSearched, record.lead);
    }
  EXPECT_EQ(1u, stacks);
}

// A thread that moves to a CPU whose time stamp counter is behind has no negative times.
TEST(Hooks, TimeStandsStillRatherThanGoBack) {
  constexpr std::uint64_t kBehind = std::uint64_t{1} << 50;
  const auto fall_behind = [] {
    tp::rt::ThreadState& thread = *tp::rt::this_thread;
    for (std::uint64_t* time :
         {&thread.clock.last_time, &thread.step_time, &thread.close_time, &thread.search_start})
      *time += *time != 0 ? kBehind : 0;
  };
  const std::string data = record([&] {
    FakeTask first, second;
    FakeContext context;
    start();
    fall_behind(); // in a step
    spawn(first, context);
    spawn(second, context);
    wait(context, [&] {
      fall_behind(); // between two steps
      tp_on_search();
      run(first, context, [] { tp_spend(1); });
      tp_on_search();
      fall_behind(); // while it looks for work
      run(second, context, [] { tp_spend(1); });
    });
  });
  for (const tp::trace::Record& record : read_stream(data + "/000000.tps").records) {
    EXPECT_LT(record.lead, kBehind) << line_of(record);
    EXPECT_LT(record.wall, kBehind) << line_of(record);
  }
}

// A clock of ticks may be ahead of the time by the error of an anchor: the work of the step, and of
// the region in it, is limited to its wall time.
TEST(Hooks, RegionHasNoMoreWorkThanItsStep) {
  const std::string data = record([] {
    start();
    tp::rt::clock_config.same_as_time = true;
    static tp_region region{"r", "f.cpp", 1, 0, 0};
    tp_region_begin(&region);
    tp_spend(std::uint64_t{1} << 50);
    tp_region_end(&region);
  });
  const Stream stream = read_stream(data + "/000000.tps");
  std::uint64_t region_work = 0;
  for (const tp::trace::Record& record : stream.records)
    if (record.op == tp::trace::Op::Region) {
      region_work = record.work;
    } else if (region_work > 0) {
      EXPECT_EQ(record.op, tp::trace::Op::End);
      EXPECT_EQ(region_work, record.work);
      EXPECT_LT(record.work, std::uint64_t{1} << 50);
      return;
    }
  ADD_FAILURE() << "no step with a region";
}

TEST(Hooks, LoopsFoldsAndRegions) {
  const std::string data = record([] {
    FakeTask task;
    FakeContext context;
    static tp_region region{"r", "f.cpp", 1, 0, 0};
    start();
    tp_spend(1);
    tp_region_begin(&region);
    tp_spend(10);
    tp_region_end(&region);
    tp_on_loop_begin();
    tp_spend(6);
    tp_on_loop_end(3, 2);
    tp_on_fold_split();
    spawn(task, context);
    wait(context, [&] {
      run(task, context, [] {
        tp_spend(2);
        tp_on_fold_join();
        tp_spend(4);
      });
    });
  });
  EXPECT_EQ(lines_of(data),
            (Lines{"Cut 0", "Region 10", "LoopBegin 11", "LoopEnd 6 3/2", "Spawn 0 new split",
                   "Wait 0 last", "Begin newest", "Join 2", "End 4", "WaitEnd", "End 0"}));
}

TEST(Hooks, EdgesWaitUnderAddresses) {
  const std::string data = record([] {
    long here = 0, there = 0, elsewhere = 0;
    start();
    tp_spend(1);
    tp_on_release_to(&here, 0);
    tp_spend(2);
    tp_on_release_to(&elsewhere, 0);
    tp_pass_edges(&here, &there);
    EXPECT_FALSE(tp_has_edges(&here));
    tp_pass_edges(&elsewhere, &there);
    EXPECT_FALSE(tp_has_edges(&elsewhere));
    tp_spend(4);
    tp_on_acquire_from(&there, 0);
    tp_spend(8);
    EXPECT_FALSE(tp_has_edges(&there));
    tp_on_acquire_from(&there, 0);
  });
  EXPECT_EQ(lines_of(data),
            (Lines{"Cut 0", "Release 1", "Release 2", "Acquire 4", "Acquire 0", "End 8"}));
  const Stream stream = read_stream(data + "/000000.tps");
  ASSERT_EQ(stream.records.size(), 9u);
  EXPECT_EQ(stream.records[5].id, tp::trace::pack_id(0, 0));
  EXPECT_EQ(stream.records[5].flags, 0u);
  EXPECT_EQ(stream.records[6].id, tp::trace::pack_id(0, 1));
  EXPECT_EQ(stream.records[6].flags, 0u);
}

TEST(Hooks, ATaskStartsAfterAllEdgesAndNothingElseWithOneReadingOfTheClock) {
  const std::string data = record([] {
    FakeTask task;
    FakeContext context;
    start();
    spawn(task, context);
    tp_on_release_to(&task, 0);
    tp_on_release_to(&task, 0);
    wait(context, [&] {
      run(task, context, [&] {
        tp_on_start_after(&task);
        tp_spend(8);
      });
    });
  });
  EXPECT_EQ(lines_of(data),
            (Lines{"Cut 0", "Spawn 0 new", "Release 0", "Release 0", "Wait 0 last", "Begin newest",
                   "Acquire 0", "Acquire 0", "End 8", "WaitEnd", "End 0"}));
  const Stream stream = read_stream(data + "/000000.tps");
  ASSERT_EQ(stream.records.size(), 14u);
  EXPECT_EQ(stream.records[8].flags, tp::trace::kAcquireAlone);
  EXPECT_EQ(stream.records[9].flags, 0u);
  for (const int acquire : {8, 9})
    EXPECT_EQ(stream.records[static_cast<std::size_t>(acquire)].wall, 0u); // no time passed
}

TEST(Hooks, CopiedAndForgottenEdgesAreRecorded) {
  const std::string data = record([] {
    long here = 0, there = 0;
    start();
    tp_on_release_to(&here, 0);
    tp_copy_edges(&here, &there);
    tp_on_acquire_from(&there, 0);
    EXPECT_TRUE(tp_has_edges(&here));
    tp_forget_edges(&here);
  });
  EXPECT_EQ(lines_of(data),
            (Lines{"Cut 0", "Release 0", "Extended 8", "Acquire 0", "Extended 8", "End 0"}));
}

TEST(Hooks, AFlagIsFollowedOnceInEachPartOfAFrame) {
  const std::string data = record([] {
    alignas(8) const char flag[8] = {}, another[8] = {};
    long waited_at = 0;
    start();
    tp_on_after_once(flag); // ended before the recording
    tp_on_once_end(&waited_at, flag);
    for (int i = 0; i < 3; ++i)
      tp_on_after_once(flag);
    for (int body = 0; body < 2; ++body) {
      tp_on_loop_begin();
      tp_on_after_once(flag);
      tp_on_after_once(flag);
      tp_on_loop_end(1, 1);
    }
    tp_on_after_once(flag);
    tp_on_once_end(&waited_at, another);
    tp_on_after_once(flag);
    tp_on_after_once(another);
    tp_on_acquire(tp_on_release(0), 1); // and then after nothing else
    tp_on_after_once(flag);
    tp_on_once_end(&waited_at, flag); // another flag at the same place
    tp_on_after_once(flag);
    tp_forget_edges(&waited_at);
  });
  std::vector<std::uint64_t> acquired;
  for (const auto& record : read_stream(data + "/000000.tps").records)
    if (record.op == tp::trace::Op::Acquire)
      acquired.push_back(tp::trace::id_ordinal(record.id));
  EXPECT_EQ(acquired, (std::vector<std::uint64_t>{0, 0, 0, 0, 1, 2, 0, 3}));
}

TEST(Hooks, ThePlaceOfASerialNodeIsTakenAsItWasGivenBack) {
  const std::string data = record([] {
    long node = 0, giver = 0, taker = 0;
    start();
    tp_take_place(&node, 1, &taker); // free from the start
    EXPECT_FALSE(tp_has_edges(&taker));
    tp_on_release_to(&giver, 0); // edges 0 and 1
    tp_on_release_to(&giver, 0);
    tp_give_place(&giver, &node, 1);
    tp_on_release_to(&taker, 0); // edge 2
    tp_take_place(&node, 1, &taker);
    tp_on_acquire_from(&taker, 0);
    tp_on_release_to(&giver, 0); // edge 3
    tp_give_place(&giver, &node, 1);
    tp_take_place(&node, 1, &taker); // after edge 4, since it has none itself
    tp_on_acquire_from(&taker, 0);
    tp_take_place(&node, 1, &taker);
    EXPECT_FALSE(tp_has_edges(&taker));
    tp_forget_places(&node);
  });
  std::vector<std::uint64_t> acquired;
  for (const auto& record : read_stream(data + "/000000.tps").records)
    if (record.op == tp::trace::Op::Acquire)
      acquired.push_back(tp::trace::id_ordinal(record.id));
  EXPECT_EQ(acquired, (std::vector<std::uint64_t>{2, 0, 1, 4, 3}));
}

TEST(Hooks, TheTaskThatGetsAMessageContinuesAfterItUnlessANodeRequestedIt) {
  const std::string data = record([] {
    long message = 0;
    start();
    tp_begin_pull(&message);
    tp_on_release_to(&message, 0);
    tp_on_got_message(&message);
    tp_end_pull(&message);
    EXPECT_TRUE(tp_has_edges(&message));
    tp_on_got_message(&message);
    EXPECT_FALSE(tp_has_edges(&message));
  });
  EXPECT_EQ(lines_of(data), (Lines{"Cut 0", "Release 0", "Acquire 0", "End 0"}));
}

TEST(Hooks, ThreadsThatAreNotRecordedKeepTheEdgesOfOthers) {
  const std::string data = record([] {
    long here = 0, there = 0, gone = 0;
    start();
    tp_on_release_to(&here, 0);
    tp_on_release_to(&gone, 0);
    std::thread([&] {
      tp_pass_edges(&here, &there);
      tp_forget_edges(&gone);
      EXPECT_TRUE(tp_has_edges(&there));
    }).join();
    EXPECT_TRUE(tp_has_edges(&there));
    EXPECT_FALSE(tp_has_edges(&here) || tp_has_edges(&gone));
  });
  EXPECT_EQ(read_stream(data + "/000001.tps").lines, Lines{});
}

TEST(Hooks, PauseDropsWork) {
  const std::string data = record([] {
    start();
    tp_spend(5);
    tp_set_paused(1);
    tp_spend(100);
    tp_set_paused(0);
    tp_spend(7);
  });
  EXPECT_EQ(lines_of(data), (Lines{"Cut 0", "Cut 5", "Extended 3", "Extended 13", "Cut 0",
                                   "Extended 4", "Extended 14", "End 7"}));
}

TEST(Hooks, UnmatchedEndsDoNothing) {
  const std::string data = record([] {
    static tp_region region{"r", "f.cpp", 1, 0, 0};
    start();
    close(2); // without their warnings
    tp_region_end(&region);
    tp_on_loop_end(1, 1);
    tp_on_wait_end(0);
    std::uint64_t word = 0;
    tp_on_context_end(&word);
    tp_on_stack_in(0);
    tp_spend(2);
  });
  EXPECT_EQ(lines_of(data), (Lines{"Cut 0", "End 2"}));
}

TEST(Hooks, AllWidthsOfWorkAndSites) {
  const std::vector<std::uint64_t> works{0,          1,           0xffff,    0x10000,
                                         0xffffffff, 0x100000000, 1ull << 62};
  const std::string data = record([&] {
    start();
    FakeContext context;
    for (const std::uint64_t work : works) {
      FakeTask task;
      tp_spend(work);
      spawn(task, context);
      wait(context, [&] { run(task, context, [work] { tp_spend(work); }); });
    }
  });
  const Lines lines = lines_of(data);
  for (std::size_t i = 0; i < works.size(); ++i) {
    const std::string work = std::to_string(works[i]);
    ASSERT_LT(4 * i + 4, lines.size());
    EXPECT_EQ(lines[4 * i + 1], "Spawn " + work + (i == 0 ? " new" : " last"));
    EXPECT_EQ(lines[4 * i + 3], "Task " + work + " newest");
  }
}

// The hooks for the commonest tasks of OpenMP, and those for any task that a call of the runtime's creates.
TEST(Hooks, ChildrenThatACallCreatesAreRecordedAsOtherTasksAre) {
  struct Outcome {
    Lines lines;
    std::vector<std::uint64_t> words;
    bool operator==(const Outcome&) const = default;
  };
  const auto record_tasks = [](bool as_children, Outcome& outcome) {
    const std::string data = record([&] {
      start();
      std::uint64_t context = 0;
      const tp_context entered{&context, TP_CONSTRUCT_OMP_TASK | TP_CONTEXT_EXCLUSIVE};
      FILE* const file =
          std::fopen((std::string(std::getenv("TP_TEST_DATA")) + "/words").c_str(), "w");
      for (const std::uint32_t site : {7u, 7u, 70'000u, 0xffffu}) {
        std::uint64_t words[2] = {99, 99};
        const tp_task task{words, nullptr, nullptr};
        tp_spend(5);
        tp_on_runtime_call();
        tp_spend(100); // the runtime's
        if (as_children) {
          tp_on_child_in_call(words, site, &context);
        } else {
          words[0] = 0;
          words[1] = site | TP_TASK_SITE_PRESET;
          tp_on_spawn_in_call(&task, &entered);
        }
        tp_spend(100);
        std::fprintf(file, "%llu %llu ", static_cast<unsigned long long>(words[0]),
                     static_cast<unsigned long long>(words[1]));
        tp_frame frame;
        if (as_children)
          tp_on_child_begin(&frame, words, &context);
        else
          tp_on_task_begin(&frame, &task, &entered, 0);
        tp_spend(3);
        tp_on_task_end(&frame, 0);
        tp_on_spawn_end();
      }
      std::fclose(file);
      tp_spend(2);
      wait(entered, [] {});
      tp_on_context_end(&context);
    });
    outcome.lines = lines_of(data);
    const std::string file = std::string(std::getenv("TP_TEST_DATA")) + "/words";
    std::istringstream words(content_of(file));
    for (std::uint64_t word = 0; words >> word;)
      outcome.words.push_back(word);
    std::filesystem::remove(file);
  };
  Outcome children, others;
  record_tasks(true, children);
  record_tasks(false, others);
  EXPECT_EQ(children.words.size(), 8u);
  EXPECT_EQ(children, others);
  EXPECT_EQ(children.lines,
            (Lines{"Cut 0", "Spawn 5 new", "Task 3 newest", "Spawn 5 last", "Task 3 newest",
                   "Spawn 5 last", "Task 3 newest", "Spawn 5 last", "Task 3 newest", "Wait 2 last",
                   "WaitEnd", "ContextEnd last", "End 0"}));
}

TEST(Hooks, ManyThreadsShareFewStreams) {
  const std::string data = record([] {
    start();
    for (int i = 0; i < 50; ++i)
      std::thread([] {
        start();
        tp_spend(1);
      }).join();
  });
  std::size_t streams = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data))
    streams += entry.path().extension() == ".tps";
  EXPECT_EQ(streams, 2u);
  const Stream second = read_stream(data + "/000001.tps");
  EXPECT_EQ(second.lines.size(), 50u * 4);
}
