// SPDX-License-Identifier: Apache-2.0
// The sums over a set of invocations. Filled by passes, shown by reports.
#pragma once

#include <cstdint>

namespace tp::analysis {

// Body calls of a site's loops.
struct LoopCounts {
  std::uint64_t body_calls = 0, iterations = 0;
  std::uint64_t largest_grain = 0; // largest grain size that the loops were given
  void add(std::uint64_t of_iterations, std::uint64_t grain) {
    ++body_calls;
    iterations += of_iterations;
    if (grain > largest_grain)
      largest_grain = grain;
  }
};

struct InvocationSums {
  std::uint64_t count = 0;
  std::uint64_t work = 0;
  std::uint64_t span = 0;
  void add(std::uint64_t of_work, std::uint64_t of_span) {
    ++count;
    work += of_work;
    span += of_span;
  }
  void add(const InvocationSums& other) {
    count += other.count;
    work += other.work;
    span += other.span;
  }
  bool operator==(const InvocationSums&) const = default;
};

// Of one row, after Cilkprof, section 6; passes/site_profile.h has the rules.
struct SiteMeasures {
  InvocationSums top_call_site, top_caller;
  InvocationSums local; // its count is that of all invocations
  void add(const SiteMeasures& other) {
    top_call_site.add(other.top_call_site);
    top_caller.add(other.top_caller);
    local.add(other.local);
  }
  bool operator==(const SiteMeasures&) const = default;
};

} // namespace tp::analysis
