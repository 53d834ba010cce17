// SPDX-License-Identifier: Apache-2.0
// Messages that a limiter admits, and their tickets, called through tp/hooks.h as flow graphs do.
#include "rt_support.h"

#include "fake_scheduler.h"

#include <vector>

using namespace tp::test;

namespace {

// Edges, by the order of their release, in the order in which they were acquired.
std::vector<std::uint64_t> acquired_in(const std::string& data) {
  std::vector<std::uint64_t> acquired;
  for (const auto& record : read_stream(data + "/000000.tps").records)
    if (record.op == tp::trace::Op::Acquire)
      acquired.push_back(tp::trace::id_ordinal(record.id));
  return acquired;
}

struct Graph {
  long limiter = 0;
  FakeContext context;

  void admit(const long& message, std::uint64_t slots) { tp_on_admit(&limiter, slots, &message); }
  template <typename Body>
  void task(const Body& body) {
    FakeTask task;
    spawn(task, context);
    wait(context, [&] { run(task, context, [&] { body(task); }); });
  }
  // The current task's decrement.
  void decrement(std::uint64_t by = 1) {
    const long count = 0;
    tp_on_send(&count);
    tp_on_left(&count, &limiter, by);
  }
  // The message's task spawns another one, which decrements the limiter.
  void leave(const long& message) {
    task([&](FakeTask&) {
      tp_on_start_after(&message);
      FakeTask next;
      const long unsent = 0;
      spawn(next, context);
      tp_pass_message(&unsent, &next);
      wait(context, [&] {
        run(next, context, [&] {
          tp_on_start_after(&next);
          decrement();
        });
      });
    });
  }
};

} // namespace

TEST(Hooks, ALimiterAdmitsByRounds) {
  const std::string data = record([] {
    Graph graph;
    const long message[6] = {};
    start();
    graph.admit(message[0], 2); // edge 0
    graph.admit(message[1], 2); // edge 1
    graph.leave(message[1]);    // edge 2
    graph.admit(message[2], 2); // edge 3; after 1
    graph.leave(message[2]);    // edge 4
    graph.admit(message[3], 2); // edge 5; as the message before it
    graph.leave(message[3]);    // edge 6
    graph.leave(message[0]);    // edge 7; too late
    graph.admit(message[4], 2); // edge 8; after 2
    graph.leave(message[4]);    // edge 9
    graph.admit(message[5], 2); // edge 10; after 3
    graph.leave(message[5]);
    tp_forget_limiter(&graph.limiter);
  });
  EXPECT_EQ(acquired_in(data), (std::vector<std::uint64_t>{1, 3, 2, 5, 2, 0, 8, 4, 10, 6}));
}

TEST(Hooks, WhatMayHaveComeAfterTheNextRoundInASerialNodeIsTooLate) {
  const std::string data = record([] {
    Graph graph;
    const long message[4] = {}, passed = 0, serial = 0;
    start();
    graph.admit(message[0], 2); // edge 0
    graph.admit(message[1], 2); // edge 1
    graph.leave(message[0]);    // edge 2
    graph.admit(message[2], 2); // edge 3; after 2
    graph.task([&](FakeTask&) {
      tp_on_start_after(&message[2]);
      tp_on_send(&passed); // edge 4
      const long operation = 0;
      tp_on_message_done(&operation, &serial); // edge 5
      tp_give_place(&operation, &serial, 1);
    });
    graph.leave(message[1]);    // edge 6; too late
    graph.admit(message[3], 2); // edge 7; as the message before it
    graph.leave(passed);
    graph.leave(message[3]);
    tp_forget_places(&serial);
    tp_forget_limiter(&graph.limiter);
  });
  EXPECT_EQ(acquired_in(data), (std::vector<std::uint64_t>{0, 3, 2, 1, 4, 7, 2}));
}

TEST(Hooks, AMessageThatIsRejectedGivesItsNumberBack) {
  const std::string data = record([] {
    Graph graph;
    const long message[2] = {};
    start();
    graph.admit(message[0], 1); // edge 0
    graph.leave(message[0]);    // edge 1
    tp_on_send(&message[1]);    // edge 2
    for (int i = 0; i < 3; ++i) {
      graph.admit(message[1], 1);
      tp_on_rejected(&graph.limiter, &message[1]);
    }
    graph.admit(message[1], 1);
    graph.leave(message[1]);
    tp_forget_limiter(&graph.limiter);
  });
  EXPECT_EQ(acquired_in(data), (std::vector<std::uint64_t>{0, 2, 1}));
}

TEST(Hooks, ADecrementWithoutTicketIsForTheOldestMessage) {
  const std::string data = record([] {
    Graph graph;
    const long message[5] = {};
    start();
    graph.admit(message[0], 2); // edge 0
    graph.admit(message[1], 2); // edge 1
    graph.decrement();          // edge 2; message 0 leaves
    graph.admit(message[2], 2); // edge 3; after 2
    graph.decrement(2);         // edge 4; messages 1 and 2 leave
    graph.admit(message[3], 2); // edge 5; after 4
    graph.admit(message[4], 2); // edge 6; after 4, for message 2
    graph.decrement(20);        // edge 7
    for (const long& each : message)
      graph.task([&](FakeTask&) { tp_on_start_after(&each); });
    tp_forget_limiter(&graph.limiter);
  });
  EXPECT_EQ(acquired_in(data), (std::vector<std::uint64_t>{0, 1, 3, 2, 5, 4, 6, 4}));
}

TEST(Hooks, AResetLimiterKnowsNoTickets) {
  const std::string data = record([] {
    Graph graph;
    const long message[3] = {};
    start();
    graph.admit(message[0], 1);
    tp_forget_limiter(&graph.limiter);
    graph.admit(message[1], 1);
    graph.leave(message[0]); // edge 2; for message 1, the only one inside
    graph.admit(message[2], 1);
    graph.leave(message[2]);
    tp_forget_edges(&message[1]);
    tp_forget_limiter(&graph.limiter);
  });
  EXPECT_EQ(acquired_in(data), (std::vector<std::uint64_t>{0, 3, 2}));
}

TEST(Hooks, WhatMakesAMessageContinuesAfterItsAdmission) {
  const std::string data = record([] {
    Graph graph;
    const long message[3] = {}, source = 0;
    start();
    tp_offer_message(&message[0], &source);
    graph.admit(message[0], 1); // edge 0
    tp_offer_message(nullptr, nullptr);
    EXPECT_FALSE(tp_has_edges(&source));
    graph.leave(message[0]); // edge 1
    tp_offer_message(&message[1], &source);
    graph.admit(message[1], 1); // edges 2 and, for the source, 3
    tp_offer_message(nullptr, nullptr);
    graph.task([&](FakeTask&) { tp_on_next_call(&source); });
    EXPECT_FALSE(tp_has_edges(&source));
    graph.leave(message[1]);
    graph.admit(message[2], 1); // not offered
    EXPECT_FALSE(tp_has_edges(&source));
    tp_forget_edges(&message[2]);
    tp_forget_limiter(&graph.limiter);
  });
  EXPECT_EQ(acquired_in(data), (std::vector<std::uint64_t>{0, 3, 1, 2, 1}));
  for (const auto& record : read_stream(data + "/000000.tps").records)
    if (record.op == tp::trace::Op::Acquire && tp::trace::id_ordinal(record.id) == 3) {
      EXPECT_EQ(record.flags, tp::trace::kAcquireAlone);
    }
}

TEST(Hooks, ANodeWithSeveralPlacesAdmitsByRounds) {
  const std::string data = record([] {
    Graph graph;
    const long message[4] = {}, next = 0;
    const auto run_body = [&](const long& taken) {
      graph.task([&](FakeTask&) {
        const long given = 0;
        tp_on_start_after(&taken);
        tp_on_message_done(&given, &graph.limiter);
        FakeTask other; // of another frame, which handles the operations of all
        spawn(other, graph.context);
        wait(graph.context,
             [&] { run(other, graph.context, [&] { tp_give_place(&given, &graph.limiter, 2); }); });
        tp_pass_message(&next, &message[0]); // without tickets, as it was before
        EXPECT_FALSE(tp_has_edges(&message[0]));
      });
    };
    start();
    for (const int each : {0, 1})
      tp_take_place(&graph.limiter, 2, &message[each]); // edges 0 and 1
    tp_forget_edges(&message[0]);
    run_body(message[1]);                          // edge 2
    tp_take_place(&graph.limiter, 2, &message[2]); // edge 3; after 1
    run_body(message[2]);                          // edge 4
    tp_take_place(&graph.limiter, 2, &message[3]); // edge 5; as the message before it
    run_body(message[3]);
    tp_forget_places(&graph.limiter);
  });
  EXPECT_EQ(acquired_in(data), (std::vector<std::uint64_t>{1, 3, 2, 5, 2}));
}
