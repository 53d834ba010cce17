// A pipeline is one site. A call with its filters one by one takes any number of arguments: it stays as it is, the compiler
// knows its place.
#include <tbb/tbb.h>

int main() {
  int left = 3;
  const auto source = tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                                  [&](tbb::flow_control&) { return left--; });
  const auto middle = tbb::make_filter<int, int>(tbb::filter_mode::parallel, [](int i) { return i; });
  const auto sink = tbb::make_filter<int, void>(tbb::filter_mode::serial_out_of_order, [](int) {});
  const tbb::filter<void, void> whole = source & middle & sink;
  tbb::task_group_context context;
  tbb::parallel_pipeline(4, whole);
  tbb::parallel_pipeline(4, source & sink, context);
  tbb::parallel_pipeline(
      2, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                     [](tbb::flow_control&) { return 1; }) &
             sink);
  tbb::parallel_pipeline(4, source, sink);
  tbb::parallel_pipeline(4, source, middle, sink, context);
}
