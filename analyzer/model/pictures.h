// SPDX-License-Identifier: Apache-2.0
// PICTURES: figures by position or time, for pages; only if requested.
#pragma once

#include "model/run_delays.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tp::analysis {

// Sums per bucket, by site; the buckets divide the extent evenly.
struct Layers {
  std::uint64_t extent = 0;
  std::vector<std::uint32_t> sites; // indices into Profile::sites: those with the most work
  std::vector<std::vector<std::uint64_t>> running; // of each of them
  std::vector<std::uint64_t> other;                // of all others
};

// What threads did besides steps, per bucket; the buckets divide the extent evenly.
struct Counters {
  std::uint64_t extent_ns = 0;
  std::vector<std::uint32_t> streams;
  std::vector<std::vector<std::uint64_t>> idle; // ns, of each of them
  std::vector<std::uint64_t> overhead, no_cpu;  // ns, of all threads
  std::vector<std::uint64_t> steals;            // how many
};

struct PathSegment {
  std::uint64_t from = 0, to = 0;
  std::uint32_t site = 0; // index into Profile::sites
  std::uint32_t kind = 0; // of the path of the run: 0: running; else 1 + the EdgeKind it waited on
};

struct SizeClasses {
  std::vector<std::uint64_t> tasks, work;
};

struct Pictures {
  Layers span_profile; // work, by position on the span
  std::vector<PathSegment> critical_path;
  std::uint64_t smallest_task = 0;     // where the size classes begin, in the unit of work
  std::vector<SizeClasses> task_sizes; // by index into Profile::sites; empty: no tasks
  // Of this run, in ns since its first record; without a simulation of large traces there is none.
  std::optional<Layers> time_profile;                       // ns of running steps
  std::array<std::vector<std::uint64_t>, kEdgeKinds> ready; // ns of steps that wait for a thread
  std::vector<std::uint64_t>
      left_out;                      // ns of running steps that are left out of the profile, which
                                     // are not in time_profile
  std::vector<std::uint64_t> no_cpu; // ns of all running steps, without a CPU
  std::vector<PathSegment> run_path;
};

} // namespace tp::analysis
