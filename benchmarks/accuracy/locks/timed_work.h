// SPDX-License-Identifier: Apache-2.0
// Work of a known length for programs with locks.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>

inline double milliseconds() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

inline void work(double loops) {
  unsigned value = 1;
  for (double i = 0; i < loops; ++i) {
    value = value * 1664525u + 1013904223u;
    asm volatile("" : "+r"(value));
  }
}

// How many loops a microsecond takes: the fastest of 20 measurements.
inline void print_loops_per_microsecond() {
  double shortest = 1e9;
  for (int i = 0; i < 20; ++i) {
    const double start = milliseconds();
    work(1e6);
    shortest = std::min(shortest, milliseconds() - start);
  }
  std::printf("%.1f\n", 1e3 / shortest);
}
