// SPDX-License-Identifier: Apache-2.0
// parallel_pipeline. A call of a filter comes after the item's previous filter; in a serial filter
// after its own previous call; and input call n, with t tokens, after the (n - t)-th item left.
#include "specification.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_pipeline.h>

#include <algorithm>
#include <functional>
#include <vector>

using namespace spec;
using tbb::filter_mode;

namespace {

using CostOf = std::function<Units(int)>;

struct Stage {
  bool serial;
  CostOf cost; // of an item
};

// The cost of a chain of stages. The first is the serial input; its last call has no item and costs
// `stop`. All serial stages are in order; so is the output if the last stage is serial.
Cost chain(int items, std::size_t tokens, const std::vector<Stage>& stages, Units stop) {
  std::vector<Units> last(stages.size(), 0); // end of the stage's previous call
  std::vector<Units> left;                   // when each item left
  Cost cost;
  for (int item = 0; item <= items; ++item) {
    Units at = 0;
    if (left.size() >= tokens)
      at = left[left.size() - tokens];
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
      const Units work = item < items ? stages[stage].cost(item) : stop;
      if (stages[stage].serial)
        at = std::max(at, last[stage]);
      last[stage] = at += work;
      cost.work += work;
      cost.span = std::max(cost.span, at);
      if (item == items)
        return cost;
    }
    left.push_back(at);
  }
  return cost;
}

struct Source {
  int items;
  int* next;
  CostOf cost;
  Units stop;
  int operator()(tbb::flow_control& control) const {
    if (*next == items) {
      spend(stop);
      control.stop();
      return 0;
    }
    spend(cost(*next));
    return (*next)++;
  }
};

void run_chain(int items, std::size_t tokens, const std::vector<Stage>& stages, Units stop) {
  int next = 0;
  tbb::filter<void, int> head = tbb::make_filter<void, int>(
      filter_mode::serial_in_order, Source{items, &next, stages[0].cost, stop});
  const auto mode = [&](std::size_t stage) {
    return stages[stage].serial ? filter_mode::serial_in_order : filter_mode::parallel;
  };
  for (std::size_t stage = 1; stage + 1 < stages.size(); ++stage)
    head = head & tbb::make_filter<int, int>(mode(stage), [cost = stages[stage].cost](int item) {
             spend(cost(item));
             return item;
           });
  tbb::parallel_pipeline(tokens,
                         head & tbb::make_filter<int, void>(
                                    mode(stages.size() - 1),
                                    [cost = stages.back().cost](int item) { spend(cost(item)); }));
}

CostOf always(Units cost) {
  return [cost](int) { return cost; };
}

void check_chain(int items, std::size_t tokens, const std::vector<Stage>& stages, Units stop) {
  spend(5);
  run_chain(items, tokens, stages, stop);
  spend(3);
  expect(in_series({step(5), chain(items, tokens, stages, stop), step(3)}));
}

} // namespace

CASE(all_serial) {
  check_chain(20, 50, {{true, always(2)}, {true, always(5)}, {true, always(3)}}, 1);
}
CASE(parallel_in_the_middle) {
  check_chain(
      24, 50,
      {{true, always(1)}, {false, [](int i) { return i % 5 == 0 ? 60u : 10u; }}, {true, always(2)}},
      7);
}
CASE(serial_after_serial_of_uneven_cost) {
  check_chain(20, 50,
              {{true, always(1)},
               {true, [](int i) { return 3u + i % 4; }},
               {false, always(9)},
               {true, [](int i) { return 12u - i % 7; }}},
              0);
}
CASE(parallel_at_the_end) {
  check_chain(16, 50, {{true, always(2)}, {false, always(20)}}, 1);
}
CASE(one_token) {
  check_chain(12, 1, {{true, always(2)}, {false, always(7)}, {true, always(3)}}, 4);
}
CASE(few_tokens) {
  // The limit holds, whether or not this run ever waited for a token.
  check_chain(30, 3, {{true, always(1)}, {false, always(10)}, {true, always(1)}}, 1);
}
CASE(few_tokens_uneven) {
  check_chain(
      30, 4,
      {{true, always(1)}, {false, [](int i) { return i % 6 == 1 ? 50u : 5u; }}, {true, always(2)}},
      1);
}
CASE(only_input) {
  int left = 10;
  tbb::parallel_pipeline(4, tbb::make_filter<void, void>(filter_mode::serial_in_order,
                                                         [&](tbb::flow_control& control) {
                                                           spend(3);
                                                           if (--left == 0)
                                                             control.stop();
                                                         }));
  expect({30, 30});
}
CASE(parallel_input) {
  // How many calls find no input left depends on the run: they cost nothing here.
  std::atomic<int> next{0};
  tbb::parallel_pipeline(50,
                         tbb::make_filter<void, int>(filter_mode::parallel,
                                                     [&](tbb::flow_control& control) {
                                                       const int item = next++;
                                                       if (item >= 10) {
                                                         control.stop();
                                                         return 0;
                                                       }
                                                       spend(4);
                                                       return item;
                                                     }),
                         tbb::make_filter<int, void>(filter_mode::parallel, [](int) { spend(6); }));
  expect({100, 10});
}
CASE(out_of_order) {
  // If all items arrive in order, it is the same chain; but a later item may arrive first.
  int next = 0;
  tbb::parallel_pipeline(
      40,
      tbb::make_filter<void, int>(filter_mode::serial_out_of_order,
                                  Source{16, &next, always(2), 1}),
      tbb::make_filter<int, int>(filter_mode::serial_out_of_order,
                                 [](int item) {
                                   spend(5);
                                   return item;
                                 }),
      tbb::make_filter<int, void>(filter_mode::serial_out_of_order, [](int) { spend(3); }));
  const Cost in_order = chain(16, 40, {{true, always(2)}, {true, always(5)}, {true, always(3)}}, 1);
  expect_work(in_order.work);
  // With one thread they arrive in order.
  expect_span_between(in_order.span, threads() == 1 ? in_order.span : in_order.work);
}
CASE(out_of_order_after_parallel) {
  int next = 0;
  tbb::parallel_pipeline(
      40,
      tbb::make_filter<void, int>(filter_mode::serial_in_order, Source{16, &next, always(1), 0}),
      tbb::make_filter<int, int>(filter_mode::parallel,
                                 [](int item) {
                                   spend(item == 3 ? 100 : 10);
                                   return item;
                                 }),
      tbb::make_filter<int, void>(filter_mode::serial_out_of_order, [](int) { spend(4); }));
  expect_work(16 * 15 + 90);
  // At best no item waits for item 3; at worst its call of the last filter comes first.
  expect_span_between(4 + 100 + 4, 4 + 100 + 16 * 4);
}
CASE(work_inside_filters) {
  int next = 0;
  tbb::parallel_pipeline(
      50, tbb::make_filter<void, int>(filter_mode::serial_in_order, Source{8, &next, always(1), 0}),
      tbb::make_filter<int, int>(filter_mode::serial_in_order,
                                 [](int item) {
                                   tbb::parallel_for(
                                       0, 4, [](int) { spend(5); }, tbb::simple_partitioner());
                                   return item;
                                 }),
      tbb::make_filter<int, void>(filter_mode::serial_in_order, [](int) { spend(1); }));
  expect({8 * 22, 1 + 8 * 5 + 1});
}
CASE(twice) {
  for (int turn = 0; turn < 2; ++turn)
    run_chain(10, 50, {{true, always(2)}, {false, always(9)}, {true, always(1)}}, 1);
  const Cost once = chain(10, 50, {{true, always(2)}, {false, always(9)}, {true, always(1)}}, 1);
  expect(in_series({once, once}));
}
