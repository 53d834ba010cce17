// SPDX-License-Identifier: Apache-2.0
// The shared library of elsewhere.cpp.
#include <cmath>

double library_sink;

extern "C" [[gnu::noinline]] void from_library(int n) {
  double x = 1;
  for (int i = 0; i < n; ++i)
    x = std::sqrt(x + i);
  library_sink = x;
}
