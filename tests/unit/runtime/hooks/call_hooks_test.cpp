// SPDX-License-Identifier: Apache-2.0
// What a thread slept in, through tp/hooks.h, in units of the virtual clock.
#include "builder/thread_state.h"
#include "rt_support.h"

#include "fake_scheduler.h"

#include <cstring>

using namespace tp::test;
using Lines = std::vector<std::string>;

namespace {

// The records of sleep, and those that close a step.
Lines sleep_of(const std::string& data) {
  Lines lines;
  for (const Stream stream = read_stream(data + "/000000.tps");
       const auto& record : stream.records) {
    if (record.op != tp::trace::Op::Extended) {
      lines.push_back(line_of(record));
    } else if (record.extended_kind == tp::trace::ExtendedKind::Asleep) {
      tp::trace::AsleepPayload payload;
      std::memcpy(&payload, record.payload, sizeof payload);
      lines.push_back("Asleep " + std::to_string(payload.time));
    } else if (record.extended_kind == tp::trace::ExtendedKind::AsleepIn) {
      tp::trace::AsleepInPayload payload;
      std::memcpy(&payload, record.payload, sizeof payload);
      lines.push_back("AsleepIn " + std::to_string(payload.kind) + " " +
                      std::to_string(payload.time));
    }
  }
  return lines;
}

// A call that sleeps so long.
void call(tp_sleep_kind kind, std::uint64_t time) {
  const std::uint64_t begun = tp_on_call();
  tp_sleep(time);
  if (const std::uint64_t slept = tp_on_call_end(begun); slept != 0)
    tp_on_slept(kind, slept);
}

} // namespace

TEST(Calls, WhatAStepSleptIn) {
  const std::string data = record([] {
    tp_spend(1);
    start();
    call(TP_SLEEP_READ_FILE, 30);
    tp_sleep(100); // in no call that was seen
    call(TP_SLEEP_CLOCK, 7);
    call(TP_SLEEP_READ_FILE, 5);
    call(TP_SLEEP_CHILD_PROCESS, 0);
    tp_spend(2);
    start();
    tp_sleep(4);
    start();
    call(TP_SLEEP_WRITE_PIPE, 3);
  });
  EXPECT_EQ(sleep_of(data), (Lines{"Cut 1", "AsleepIn 1 35", "AsleepIn 9 7", "Asleep 142", "Cut 2",
                                   "Asleep 4", "Cut 0", "AsleepIn 4 3", "Asleep 3", "End 0"}));
}

// One call inside of another one of them: the inner one says what it was.
TEST(Calls, Nested) {
  const std::string data = record([] {
    start();
    const std::uint64_t outer = tp_on_call();
    tp_sleep(10);
    call(TP_SLEEP_READ_SOCKET, 20);
    const std::uint64_t slept = tp_on_call_end(outer);
    EXPECT_EQ(slept, 10u);
    tp_on_slept(TP_SLEEP_CHILD_PROCESS, slept);
  });
  EXPECT_EQ(sleep_of(data),
            (Lines{"Cut 0", "AsleepIn 5 20", "AsleepIn 10 10", "Asleep 30", "End 0"}));
}

// What a thread waited for others is of no kind, and no kind has more than the rest.
TEST(Calls, NotMoreThanTheLatency) {
  const std::string data = record([] {
    start();
    const std::uint64_t begun = tp_on_thread_wait();
    tp_sleep(25);
    tp_on_thread_wait_end(begun);
    call(TP_SLEEP_READ_FILE, 5);
    tp_on_slept(TP_SLEEP_CLOCK, 50);
    tp_on_slept(TP_SLEEP_KIND_COUNT, 1); // there is none
  });
  EXPECT_EQ(sleep_of(data), (Lines{"Cut 0", "AsleepIn 1 5", "Asleep 30", "End 0"}));
}

// A wait for another thread says where in the step it ended; one that did not sleep says nothing.
TEST(Calls, AWaitSaysWhereItEnded) {
  const std::string data = record([] {
    start();
    const auto wait = [](std::uint64_t units) {
      const std::uint64_t begun = tp_on_thread_wait();
      tp_sleep(units);
      tp_on_thread_wait_end(begun);
    };
    tp_spend(3);
    wait(25);
    tp_spend(4);
    wait(0);
    tp_sleep(2);
    wait(5);
    tp_spend(1);
  });
  Lines lines;
  for (const Stream stream = read_stream(data + "/000000.tps"); const auto& record : stream.records)
    if (record.op == tp::trace::Op::Extended &&
        record.extended_kind == tp::trace::ExtendedKind::WaitedAt) {
      tp::trace::WaitedAtPayload payload;
      std::memcpy(&payload, record.payload, sizeof payload);
      lines.push_back(std::to_string(payload.work) + " " + std::to_string(payload.asleep.time) +
                      " " + std::to_string(payload.asleep.waited));
    }
  EXPECT_EQ(lines, (Lines{"3 25 25", "7 32 30"}));
}
