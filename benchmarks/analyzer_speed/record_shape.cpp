// SPDX-License-Identifier: Apache-2.0
// record_shape SHAPE STEPS: records a program of this shape, with about STEPS steps, into TP_DATA.
#include "shapes.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

int main(int argc, char** argv) {
  for (const tp::bench::Shape& shape : tp::bench::kShapes)
    if (argc == 3 && shape.name == std::string_view(argv[1])) {
      tp::test::start();
      shape.program(std::strtoull(argv[2], nullptr, 10));
      return 0;
    }
  std::fprintf(stderr,
               "tp: error: record_shape: arguments: expected a shape and a number of steps, got %d "
               "arguments\n"
               "hint: record_shape fib 1000000\n",
               argc - 1);
  return 2;
}
