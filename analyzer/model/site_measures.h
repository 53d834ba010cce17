// SPDX-License-Identifier: Apache-2.0
// The sums over a set of invocations. Filled by passes, shown by reports.
#pragma once

#include <cstdint>
#include <optional>

namespace tp::analysis {

// Body calls of a site's loops.
struct LoopCounts {
  std::uint64_t body_calls = 0, iterations = 0; // without those of unsized calls
  std::uint64_t largest_call = 0;               // iterations of the body call with the most
  std::uint64_t largest_grain = 0;              // largest grain size that the loops were given
  bool is_flat = true;                          // no range has more than one dimension
  // Body calls that could have been divided, but by how much is not known: of a range type without
  // size() and grainsize().
  std::uint64_t unsized_calls = 0;
  std::uint64_t unsized_calls_with_tasks = 0; // of these, that have created tasks
  std::uint64_t ordered_iterations = 0; // of these, in loops whose iterations wait for each other
  std::uint64_t uncounted_calls = 0;    // body calls whose number of iterations is not known
  // Measured parts: body calls without portions, and portions.
  std::uint64_t parts = 0;
  std::uint64_t divisible_parts = 0; // those that a smaller grain of measuring would divide further
  std::uint64_t cost = 0;            // of all parts: what they add to a path
  long double cost_squares = 0;      // sum of cost * cost / iterations
  // Joins of results that ran, and their work; halvings of parts whose results would have to be
  // joined.
  std::uint64_t joins = 0, join_work = 0, unjoined_halvings = 0;

  void add_call(std::uint64_t of_iterations, std::uint64_t grain, bool flat) {
    ++body_calls;
    iterations += of_iterations;
    is_flat = is_flat && flat;
    if (of_iterations > largest_call)
      largest_call = of_iterations;
    if (grain > largest_grain)
      largest_grain = grain;
  }
  void add_part(std::uint64_t of_cost, std::uint64_t of_iterations, bool divisible,
                std::uint64_t halvings_to_join) {
    ++parts;
    divisible_parts += divisible;
    unjoined_halvings += halvings_to_join;
    cost += of_cost;
    const auto exact = static_cast<long double>(of_cost);
    cost_squares += exact * exact / static_cast<long double>(of_iterations);
  }
  void add_join(std::uint64_t of_work) {
    ++joins;
    join_work += of_work;
  }
  // Of all body calls, if that is known of each.
  std::optional<std::uint64_t> all_iterations() const {
    if (uncounted_calls > 0)
      return std::nullopt;
    return iterations + ordered_iterations;
  }
  // The coefficient of variation of an iteration's cost, between the measured parts: 0 if all cost
  // the same. Within a part the iterations are taken as equal, so it is a lower bound.
  double cost_variation() const;
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
