// SPDX-License-Identifier: Apache-2.0
// A wrapper of parallel_for that two functions call: check.py knows their lines.
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>

namespace {

[[gnu::noinline]] void wrapper(int iterations, unsigned units) {
  tbb::parallel_for(0, iterations, [=](int) { tp::spend(units); }, tbb::simple_partitioner());
  asm volatile(""); // so that this is a call
}
[[gnu::noinline]] void first() {
#line 100
  wrapper(10, 3);
  asm volatile("");
}
[[gnu::noinline]] void second() {
#line 200
  wrapper(20, 5);
  asm volatile("");
}

} // namespace

int main() {
  for (int i = 0; i < 4; ++i) {
    first();
    second();
  }
}
