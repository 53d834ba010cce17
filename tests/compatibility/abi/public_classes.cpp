// SPDX-License-Identifier: Apache-2.0
// Uses oneTBB's public classes, so that the debug information contains their layouts, and those of
// the tasks that algorithms create. Compiled, never run: layouts.py compares the results of the
// distribution's headers and of ours.
#define TBB_PREVIEW_BLOCKED_RANGE_ND 1
#define TBB_PREVIEW_CONCURRENT_LRU_CACHE 1
#define TBB_PREVIEW_FLOW_GRAPH_FEATURES 1
#define TBB_PREVIEW_ISOLATED_TASK_GROUP 1
#define TBB_PREVIEW_TASK_ARENA_CONSTRAINTS_EXTENSION 1
#define TBB_PREVIEW_TASK_GROUP_EXTENSIONS 1
#include <oneapi/tbb.h>
#include <oneapi/tbb/scalable_allocator.h>

#include <list>
#include <string>
#include <vector>

namespace {

using Range = tbb::blocked_range<int>;

struct Sum {
  int value = 0;
  Sum() = default;
  Sum(Sum&, tbb::split) {}
  void join(Sum& other) { value += other.value; }
  void operator()(const Range& range) { value += range.begin(); }
  template <typename Tag>
  void operator()(const Range& range, Tag) {
    value += range.begin();
  }
  void reverse_join(Sum& other) { value += other.value; }
  void assign(Sum& other) { value = other.value; }
};

template <typename Partitioner>
void loops(Partitioner& partitioner, tbb::task_group_context& context) {
  Sum sum;
  tbb::parallel_for(Range(0, 9), [](const Range&) {}, partitioner);
  tbb::parallel_for(0, 9, [](int) {}, partitioner, context);
  tbb::parallel_reduce(Range(0, 9), sum, partitioner);
  tbb::parallel_reduce(
      Range(0, 9), 0, [](const Range&, int x) { return x; }, [](int a, int b) { return a + b; },
      partitioner);
}

void algorithms() {
  tbb::task_group_context context;
  tbb::auto_partitioner automatic;
  tbb::simple_partitioner simple;
  tbb::static_partitioner fixed;
  tbb::affinity_partitioner affine;
  loops(automatic, context);
  loops(simple, context);
  loops(fixed, context);
  loops(affine, context);
  Sum sum;
  tbb::parallel_deterministic_reduce(Range(0, 9), sum, simple);
  tbb::parallel_deterministic_reduce(Range(0, 9), sum, fixed);
  tbb::parallel_scan(Range(0, 9), sum);
  tbb::parallel_scan(
      Range(0, 9), 0, [](const Range&, int x, bool) { return x; },
      [](int a, int b) { return a + b; });
  std::vector<int> vector(9);
  std::list<int> list(9);
  tbb::parallel_sort(vector);
  tbb::parallel_for_each(vector, [](int) {});
  tbb::parallel_for_each(list, [](int, tbb::feeder<int>&) {});
  tbb::parallel_invoke([] {}, [] {}, [] {}, [] {});
  tbb::filter<void, void> chain =
      tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                  [](tbb::flow_control& end) { return end.stop(), 1; }) &
      tbb::make_filter<int, std::string>(tbb::filter_mode::parallel,
                                         [](int) { return std::string(); }) &
      tbb::make_filter<std::string, void>(tbb::filter_mode::serial_out_of_order,
                                          [](const std::string&) {});
  tbb::parallel_pipeline(4, chain);
}

struct Observer : tbb::task_scheduler_observer {};

void scheduling() {
  tbb::task_group group;
  tbb::isolated_task_group isolated;
  group.run([] {});
  isolated.run_and_wait([] {});
  tbb::task_handle handle = group.defer([] {});
  tbb::task_arena arena(2);
  arena.execute([] { return 1; });
  arena.enqueue([] {});
  arena.enqueue(std::move(handle));
  tbb::this_task_arena::isolate([] {});
  tbb::task::suspend([](tbb::task::suspend_point point) { tbb::task::resume(point); });
  tbb::collaborative_once_flag once;
  tbb::collaborative_call_once(once, [] {});
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, 2);
  tbb::task_scheduler_handle scheduler{tbb::attach{}};
  Observer observer;
}

void containers() {
  tbb::concurrent_vector<int> vector;
  tbb::concurrent_queue<int> queue;
  tbb::concurrent_bounded_queue<int> bounded;
  tbb::concurrent_priority_queue<int> priority;
  tbb::concurrent_hash_map<int, int> hash;
  tbb::concurrent_hash_map<int, int>::accessor accessor;
  tbb::concurrent_map<int, int> map;
  tbb::concurrent_set<int> set;
  tbb::concurrent_unordered_map<int, int> unordered_map;
  tbb::concurrent_unordered_set<int> unordered_set;
  tbb::combinable<int> combinable;
  tbb::enumerable_thread_specific<int> specific;
  tbb::concurrent_lru_cache<int, int> cache([](int x) { return x; }, 4);
  tbb::spin_mutex spin;
  tbb::spin_rw_mutex spin_rw;
  tbb::queuing_mutex queuing;
  tbb::queuing_rw_mutex queuing_rw;
  tbb::speculative_spin_mutex speculative;
  tbb::speculative_spin_rw_mutex speculative_rw;
  tbb::blocked_range2d<int> two(0, 1, 0, 1);
  tbb::blocked_range3d<int> three(0, 1, 0, 1, 0, 1);
  tbb::cache_aligned_allocator<int> aligned;
  tbb::scalable_allocator<int> scalable;
  tbb::tick_count now;
}

void flow_graph() {
  using namespace tbb::flow;
  using Message = continue_msg;
  graph g;
  input_node<int> input(g, [](tbb::flow_control& end) { return end.stop(), 1; });
  function_node<int, int> function(g, 2, [](int x) { return x; });
  function_node<int, int, rejecting> rejects(g, serial, [](int x) { return x; });
  function_node<int, int, lightweight> light(g, unlimited, [](int x) { return x; });
  multifunction_node<int, std::tuple<int, int>> multi(
      g, serial, [](int, auto& ports) { std::get<0>(ports).try_put(1); });
  async_node<int, int> async(g, unlimited, [](int, async_node<int, int>::gateway_type&) {});
  continue_node<int> proceed(g, [](const Message&) { return 1; });
  broadcast_node<int> broadcast(g);
  buffer_node<int> buffer(g);
  queue_node<int> queue(g);
  priority_queue_node<int> priority(g);
  sequencer_node<int> sequencer(g, [](int x) { return std::size_t(x); });
  overwrite_node<int> overwrite(g);
  write_once_node<int> once(g);
  limiter_node<int> limiter(g, 3);
  join_node<std::tuple<int, int>> join(g);
  join_node<std::tuple<int, int>, reserving> reserve(g);
  join_node<std::tuple<int, int>, key_matching<int>> match(
      g, [](int x) { return x; }, [](int x) { return x; });
  split_node<std::tuple<int, int>> split(g);
  indexer_node<int, std::string> indexer(g);
  composite_node<std::tuple<int>, std::tuple<int>> composite(g);
  make_edge(input, function);
  make_edge(function, queue);
  input.activate();
  function.try_put(1);
  light.try_put(1);
  proceed.try_put(Message());
  g.wait_for_all();
}

} // namespace

int main() {
  algorithms();
  scheduling();
  containers();
  flow_graph();
}
