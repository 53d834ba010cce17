// Its tasks leave records of every kind. Recorded for tests/golden/v1 (README.md).
#define TBB_PREVIEW_RESUMABLE_TASKS 1
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_group.h>
#include <tp/causal.h>
#include <tp/virtual_clock.h>

#include <chrono>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static void loops_and_reductions() {
  tbb::parallel_for(tbb::blocked_range<int>(0, 64, 8), [](const tbb::blocked_range<int>& range) {
    tp::CausalRegion region{"loop body"};
    tp::spend(10 * range.size());
  });
  tbb::parallel_reduce(
      tbb::blocked_range<int>(0, 16, 2), 0,
      [](const tbb::blocked_range<int>& range, int sum) {
        tp::spend(20);
        return sum + static_cast<int>(range.size());
      },
      [](int a, int b) {
        tp::spend(5);
        return a + b;
      });
}

static void groups() {
  tbb::task_group group;
  for (int i = 0; i < 6; ++i)
    group.run([] {
      tp::spend(30);
      tbb::parallel_invoke([] { tp::spend(7); }, [] { tp::spend(9); });
    });
  group.wait();
  tbb::task_group cancelled;
  for (int i = 0; i < 4; ++i)
    cancelled.run([] { tp::spend(1); });
  cancelled.cancel();
  cancelled.wait();
  try {
    tbb::task_group failing;
    failing.run_and_wait([] {
      tp::spend(3);
      throw 1;
    });
  } catch (int) {
  }
}

static void messages() {
  using namespace tbb::flow;
  graph g;
  function_node<int, int> first(g, unlimited, [](int value) {
    tp::spend(12);
    return value;
  });
  function_node<int, int> left(g, serial, [](int value) {
    tp::spend(8);
    return value;
  });
  function_node<int, int> right(g, unlimited, [](int value) {
    tp::spend(16);
    return value;
  });
  join_node<std::tuple<int, int>> both(g);
  function_node<std::tuple<int, int>> last(g, serial,
                                           [](const std::tuple<int, int>&) { tp::spend(4); });
  make_edge(first, left);
  make_edge(first, right);
  make_edge(left, input_port<0>(both));
  make_edge(right, input_port<1>(both));
  make_edge(both, last);
  for (int i = 0; i < 5; ++i)
    first.try_put(i);
  g.wait_for_all();
}

static void fed() {
  tbb::task_group_context context;
  int items[] = {1, 2, 3};
  tbb::parallel_for_each(
      items, items + 3,
      [](int item, tbb::feeder<int>& feeder) {
        tp::spend(6);
        if (item < 10)
          feeder.add(item * 10);
      },
      context);
}

static void suspended() {
  tbb::task_group group;
  std::thread resumer;
  group.run([&] {
    tp::spend(5);
    tbb::task::suspend([&](tbb::task::suspend_point point) {
      resumer = std::thread([point] {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        tbb::task::resume(point);
      });
    });
    tp::spend(7);
  });
  group.wait();
  resumer.join();
}

int main() {
  if (const pid_t child = fork(); child != 0) {
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  }
  tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 3);
  tp::spend(50);
  loops_and_reductions();
  groups();
  messages();
  tp::pause();
  tp::spend(1000);
  tp::resume();
  fed();
  suspended();
  tp::spend(40);
}
