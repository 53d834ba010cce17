// Compiled by tp-c++: its spawn sites are tagged. Recorded for tests/golden/v1 (README.md).
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/parallel_sort.h>
#include <tp/causal.h>

#include <atomic>
#include <vector>

static std::atomic<int> result;

static void spin(int turns) {
  for (int i = 0; i < turns; ++i)
    result.fetch_add(i, std::memory_order_relaxed);
}

int main() {
  tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 2);
  std::vector<int> values(2000);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int>(i * 7919 % 2003);
  tbb::parallel_sort(values.begin(), values.end());
  int items = 0;
  tbb::parallel_pipeline(
      4, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                     [&](tbb::flow_control& control) {
                                       if (items == 6)
                                         control.stop();
                                       return items++;
                                     }) &
             tbb::make_filter<int, int>(tbb::filter_mode::parallel,
                                        [](int item) {
                                          spin(50000);
                                          return item;
                                        }) &
             tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order, [](int) {
               causal_begin("output", 3);
               spin(20000);
               causal_end("output");
             }));
  tbb::parallel_invoke([] { spin(100000); }, [] { spin(50000); });
  tbb::parallel_for(0, 10, 1, [](int) { spin(20000); });
}
