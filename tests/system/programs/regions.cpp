// SPDX-License-Identifier: Apache-2.0
// Causal regions: across spawns and waits, nested, entered by many tasks, left by an exception;
// pauses. The expected what-if is the cost computed again, with the steps of regions divided.
#include "specification.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_group.h>

#include <stdexcept>

using namespace spec;

CASE(serial_part) {
  spend(10);
  causal_begin("middle");
  spend(80);
  causal_end("middle");
  spend(10);
  expect_what_if(
      [](Units full, Units faster) { return in_series({step(20 * full), step(80 * faster)}); });
  expect_regions(1);
}
CASE(over_spawns_and_waits) {
  tbb::task_group group;
  causal_begin("all of it");
  spend(5);
  group.run([] { spend(50); });
  spend(7);
  group.run([] { spend(30); });
  spend(60);
  group.wait();
  spend(9);
  causal_end("all of it");
  spend(1);
  // The tasks are not in the region.
  expect_what_if([](Units full, Units faster) {
    return in_series({step(5 * faster),
                      in_parallel({step(50 * full),
                                   in_series({step(7 * faster),
                                              in_parallel({step(30 * full), step(60 * faster)})})}),
                      step(9 * faster), step(full)});
  });
}
CASE(nested_outermost_counts) {
  causal_begin("outer");
  spend(10);
  causal_begin("inner");
  spend(20);
  causal_end("inner");
  spend(5);
  causal_end("outer");
  causal_begin("inner");
  spend(40);
  causal_end("inner");
  expect_what_if([](Units, Units faster) { return step(75 * faster); });
  expect_regions(2);
}
// All at one place of the source: they differ by name.
CASE(many_in_one_step) {
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}) {
    tp::CausalRegion region(name);
    spend(100);
  }
  tbb::parallel_for(0, 64, [](int) { spend(1000); }, tbb::simple_partitioner());
  expect_what_if([](Units full, Units faster) {
    return in_series({step(1200 * faster), Cost{64 * 1000 * full, 1000 * full}});
  });
  expect_regions(12);
}
CASE(in_many_tasks) {
  tbb::parallel_for(
      0, 32,
      [](int) {
        spend(3);
        tp::CausalRegion region("body");
        spend(13);
      },
      tbb::simple_partitioner());
  expect_what_if([](Units full, Units faster) {
    const Cost one = in_series({step(3 * full), step(13 * faster)});
    return Cost{32 * one.work, one.span};
  });
  expect_regions(1);
}
CASE(left_by_exception) {
  try {
    tp::CausalRegion region("fails");
    spend(30);
    throw std::runtime_error("out of the region");
  } catch (const std::runtime_error&) {
  }
  spend(10);
  tbb::task_group group;
  group.run([] {
    tp::CausalRegion region("fails");
    spend(20);
    throw std::runtime_error("out of the task");
  });
  try {
    group.wait();
  } catch (const std::runtime_error&) {
    spend(1);
  }
  expect_what_if(
      [](Units full, Units faster) { return in_series({step(50 * faster), step(11 * full)}); });
}
CASE(while_waiting_others_run) {
  // Inside the region the task waits, and its thread runs other tasks: they are not in the region.
  tbb::parallel_for(
      0, 8,
      [](int) {
        tp::CausalRegion region("outer loop");
        spend(2);
        tbb::parallel_for(0, 8, [](int) { spend(10); }, tbb::simple_partitioner());
        spend(3);
      },
      tbb::simple_partitioner());
  expect_what_if([](Units full, Units faster) {
    return Cost{8 * (5 * faster + 80 * full), 5 * faster + 10 * full};
  });
}
CASE(without_names) {
  causal_begin();
  spend(4);
  causal_end();
  {
    tp::CausalRegion region;
    spend(6);
  }
  expect_what_if([](Units, Units faster) { return step(10 * faster); });
  expect_regions(2);
}
CASE(several_in_one_step) {
  for (int turn = 0; turn < 3; ++turn) {
    {
      tp::CausalRegion region("a");
      spend(2);
    }
    {
      tp::CausalRegion region("b");
      spend(2);
    }
    {
      tp::CausalRegion region("c");
      spend(2);
    }
    {
      tp::CausalRegion region("d");
      spend(2);
    }
    {
      tp::CausalRegion region("e");
      spend(2);
    }
    {
      tp::CausalRegion region("f");
      spend(2);
    }
  }
  spend(4);
  expect_what_if(
      [](Units full, Units faster) { return in_series({step(36 * faster), step(4 * full)}); });
  expect_regions(6);
}
CASE(path_changes) {
  // With a fast region, the other branch becomes the longest.
  tbb::task_group group;
  group.run([] {
    tp::CausalRegion region("long");
    spend(100);
  });
  group.run([] { spend(60); });
  group.wait();
  expect_what_if(
      [](Units full, Units faster) { return in_parallel({step(100 * faster), step(60 * full)}); });
}
CASE(in_a_reduction) {
  using Range = tbb::blocked_range<int>;
  tbb::parallel_deterministic_reduce(
      Range(0, 16), 0,
      [](const Range&, int value) {
        spend(10);
        return value;
      },
      [](int a, int b) {
        tp::CausalRegion region("join");
        spend(6);
        return a + b;
      },
      tbb::simple_partitioner());
  expect_work(160 + 15 * 6);
  expect_span_with_headers(10 + 4 * 6);
  for (const Units factor : {2, 400})
    std::printf("expect headers what-if %llu %llu %llu\n", (unsigned long long)factor,
                (unsigned long long)((160 + 90) * factor), (unsigned long long)(10 * factor + 24));
}
// Lets another thread take the task: it leaves the group, for waiters, before its step is closed.
template <typename Body>
void run_elsewhere(tbb::task_group& group, Body body) {
  std::atomic<bool> begun{false};
  group.run([&] {
    begun = true;
    body();
  });
  for (int i = 0; i < 20 && !begun; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  group.wait();
}

CASE(pause_resume) {
  spend(10);
  tp::pause();
  tp::spend(1000);
  tp::resume();
  spend(20);
  tbb::task_group group;
  run_elsewhere(group, [] { spend(5); });
  tp::pause();
  run_elsewhere(group, [] { tp::spend(77); });
  tp::resume();
  spend(1);
  expect({36, 36});
}
