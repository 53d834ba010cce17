// SPDX-License-Identifier: Apache-2.0
// A pipeline whose second filter takes one item at a time.
#include <oneapi/tbb/parallel_pipeline.h>
#include <tp/virtual_clock.h>

int main() {
  int next = 0;
  const auto read = [&](tbb::flow_control& control) {
    tp::spend(1);
    if (next == 100)
      control.stop();
    return next++;
  };
  const auto number = [](int item) {
    tp::spend(50);
    return item;
  };
  const auto compress = [](int) { tp::spend(100); };
  tbb::parallel_pipeline(16,
                         tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, read) &
                             tbb::make_filter<int, int>(tbb::filter_mode::serial_in_order, number) &
                             tbb::make_filter<int, void>(tbb::filter_mode::parallel, compress));
}
