// SPDX-License-Identifier: Apache-2.0
// Shared by all programs here: named cases, and the arithmetic that computes the expected profile.
//
// A program is a list of CASE(name) { ... }; `prog list` names them, `prog NAME THREADS` runs one.
// A case spends units of virtual work with spend() and computes the expected figures from its own
// construction, not from a recording: a Cost is the work and span of a part; in_series and
// in_parallel compose costs. It prints them as `expect ...` lines, which check.py compares with the
// profile. spend() also sums the units: in every case that sum must be the profile's work, whatever
// the schedule. Between spends threads are delayed at random, so that even tiny tasks are stolen.
#pragma once

#include <tp/causal.h>
#include <tp/virtual_clock.h>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <thread>
#include <vector>

namespace spec {

using Units = std::uint64_t;

struct Cost {
  Units work = 0;
  Units span = 0;
};

inline Cost step(Units units) {
  return {units, units};
}
inline Cost in_series(std::initializer_list<Cost> parts) {
  Cost sum;
  for (const Cost& part : parts)
    sum = {sum.work + part.work, sum.span + part.span};
  return sum;
}
inline Cost in_parallel(std::initializer_list<Cost> parts) {
  Cost sum;
  for (const Cost& part : parts)
    sum = {sum.work + part.work, std::max(sum.span, part.span)};
  return sum;
}

// Whether the creation and the joining of threads are recorded.
inline bool threads_are_seen() {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  return preloaded != nullptr && std::strstr(preloaded, "libtaskpath-preload.so") != nullptr;
}

// ---- spending ----

inline std::atomic<Units>& spent() {
  static std::atomic<Units> sum{0};
  return sum;
}

inline void delay() {
  thread_local std::uint32_t state =
      static_cast<std::uint32_t>(std::chrono::steady_clock::now().time_since_epoch().count() ^
                                 reinterpret_cast<std::uintptr_t>(&state));
  state = state * 1664525u + 1013904223u;
  const std::uint32_t dice = state >> 24;
  if (dice < 20)
    std::this_thread::sleep_for(std::chrono::microseconds(1 + dice * 5));
  else if (dice < 60)
    std::this_thread::yield();
}

// Work of the current step, in two halves: what happens between them must not matter.
inline void spend(Units units) {
  spent() += units;
  tp::spend(units / 2);
  delay();
  tp::spend(units - units / 2);
}

// ---- loops ----

inline constexpr Units kPartitioners = 4;
// Calls `loop` with each partitioner in turn.
template <typename Loop>
void with_each_partitioner(const Loop& loop) {
  tbb::affinity_partitioner affinity;
  loop(tbb::simple_partitioner());
  loop(tbb::auto_partitioner());
  loop(tbb::static_partitioner());
  loop(affinity);
}

// ---- expectations ----

inline void expect(const Cost& cost) {
  std::printf("expect work %llu\nexpect span %llu\n", static_cast<unsigned long long>(cost.work),
              static_cast<unsigned long long>(cost.span));
}
inline void expect_work(Units work) {
  std::printf("expect work %llu\n", static_cast<unsigned long long>(work));
}
// For figures of recompiled programs only: joins of reductions, body calls of loops.
inline void expect_span_with_headers(Units span) {
  std::printf("expect headers span %llu\n", static_cast<unsigned long long>(span));
}
inline void expect_divisible_span(Units span) {
  std::printf("expect headers divisible_span %llu\n", static_cast<unsigned long long>(span));
}
// With loops split to their grain size. Measured with --divide; else an upper bound is known.
inline void expect_divided_span(Units span) {
  std::printf("expect headers divided %llu\n", static_cast<unsigned long long>(span));
}
// Only with --divide: what joins cost that did not run is not known.
inline void expect_divided_span_only(Units span) {
  std::printf("expect headers divided-only %llu\n", static_cast<unsigned long long>(span));
}
// Measured in every run.
inline void expect_measured_span(Units span) {
  std::printf("expect headers measured %llu\n", static_cast<unsigned long long>(span));
}
// For figures that depend on the schedule of the run.
inline void expect_span_between(Units low, Units high) {
  std::printf("expect between span %llu %llu\n", static_cast<unsigned long long>(low),
              static_cast<unsigned long long>(high));
}
inline void expect_span_with_headers_between(Units low, Units high) {
  std::printf("expect headers between span %llu %llu\n", static_cast<unsigned long long>(low),
              static_cast<unsigned long long>(high));
}
// Unmodified binaries: compare nothing after this line; if it comes first, nothing at all.
inline void only_with_headers() {
  std::puts("expect only headers");
}
// Units that are spent outside of steps.
inline void expect_outside_of_steps(Units units) {
  std::printf("expect outside %llu\n", static_cast<unsigned long long>(units));
}
// A spawn site: line (0: main), total work and span of its invocations, exclusive critical work.
inline void expect_site(unsigned line, const Cost& cost, Units critical) {
  std::printf("expect site %u %llu %llu %llu\n", line, static_cast<unsigned long long>(cost.work),
              static_cast<unsigned long long>(cost.span),
              static_cast<unsigned long long>(critical));
}
// All regions made `factor` times faster (parallelize): the cost with region steps divided by it.
// Both are printed times the factor, so that they stay integers.
template <typename CostOf>
void expect_what_if(CostOf cost_of) {
  expect(cost_of(1, 1));
  for (const Units factor : {2, 4, 8, 16, 50, 100, 200, 400})
    std::printf("expect what-if %llu %llu %llu\n", static_cast<unsigned long long>(factor),
                static_cast<unsigned long long>(cost_of(1, 1).work * factor),
                static_cast<unsigned long long>(cost_of(factor, 1).span));
}
// How many tasks and functions an exception left: one for each that was thrown, and those around it.
inline void expect_exceptions(unsigned least, unsigned most) {
  std::printf("expect between exceptions %u %u\n", least, most);
}
inline void expect_regions(unsigned count) {
  std::printf("expect regions %u\n", count);
}
inline void expect_tasks(Units count) {
  std::printf("expect tasks %llu\n", static_cast<unsigned long long>(count));
}

// ---- cases ----

struct Case {
  const char* name;
  void (*run)();
};
inline std::vector<Case>& cases() {
  static std::vector<Case> list;
  return list;
}
inline int add_case(const char* name, void (*run)()) {
  cases().push_back({name, run});
  return 0;
}
inline int& threads() {
  static int count = 1;
  return count;
}

// For cases that need more threads to run at all: `if (!has_threads(2)) return;`. check.py counts
// them apart, not as right.
inline bool has_threads(int needed) {
  if (threads() < needed)
    std::printf("expect nothing with less than %d threads\n", needed);
  return threads() >= needed;
}

} // namespace spec

#define CASE(name)                                                                                 \
  static void case_##name();                                                                       \
  static const int added_##name = spec::add_case(#name, case_##name);                              \
  static void case_##name()

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "list") == 0) {
    for (const spec::Case& one : spec::cases())
      std::puts(one.name);
    return 0;
  }
  if (argc != 3)
    return 2;
  spec::threads() = std::atoi(argv[2]);
  const auto limit = static_cast<std::size_t>(spec::threads());
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, limit);
  for (const spec::Case& one : spec::cases()) {
    if (std::strcmp(one.name, argv[1]) != 0)
      continue;
    // An arena of its own: the default one has no more slots than the machine has CPUs.
    tbb::task_arena arena(spec::threads());
    arena.execute([&] { one.run(); });
    std::printf("expect spent %llu\n", static_cast<unsigned long long>(spec::spent()));
    return 0;
  }
  return 2;
}
