// SPDX-License-Identifier: Apache-2.0
// What the case studies share. Each is a program with one serial part between parallel loops, after
// a case study of the TaskProf paper (section 6), and the same program with that part parallelized:
//
//   NAME before|after [SIZE]
//
// The serial part consists of kParts equal parts; `after` runs them in parallel. Loops use
// simple_partitioner, so every run has the same DAG. `before: NAME` and `after: NAME` mark loops
// around causal region NAME, which the profile should name. Work also advances the virtual clock.
#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/partitioner.h>
#include <tp/causal.h>
#include <tp/virtual_clock.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace study {

using Range = tbb::blocked_range<std::size_t>;
inline const tbb::simple_partitioner kSimple;

constexpr std::size_t kParts = 16;  // per serial part
constexpr std::size_t kChunks = 64; // per parallel loop

// A pseudorandom number that depends only on i.
inline std::uint64_t random_number(std::uint64_t i) {
  i = (i + 1) * 0x9e3779b97f4a7c15u;
  i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
  i = (i ^ i >> 27) * 0x94d049bb133111ebu;
  return i ^ i >> 31;
}

// The elements [begin, end) of n that belong to part number `part` of `parts`.
inline Range part_of(std::size_t n, std::size_t part, std::size_t parts) {
  return {n * part / parts, n * (part + 1) / parts};
}

struct Arguments {
  bool after = false;
  std::size_t size = 0;
  Arguments(int argc, char** argv, std::size_t usual) : size(usual) {
    if (argc > 2)
      size = std::strtoull(argv[2], nullptr, 10);
    const bool before = argc > 1 && std::strcmp(argv[1], "before") == 0;
    after = argc > 1 && std::strcmp(argv[1], "after") == 0;
    if ((before || after) && size >= kChunks)
      return;
    std::fprintf(stderr, "usage: %s before|after [SIZE of at least %zu]\n", argv[0], kChunks);
    std::exit(2);
  }
};

// The exit status of main: 0 if the result is right, else 1.
inline int verdict(bool is_right) {
  std::puts(is_right ? "ok" : "WRONG RESULT");
  return is_right ? 0 : 1;
}

} // namespace study
