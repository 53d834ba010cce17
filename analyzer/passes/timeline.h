// SPDX-License-Identifier: Apache-2.0
// TIMELINE: which stream worked for which site when, in as many slices as a viewer can show, and how
// much of its other time was what. One slice per step, as long as there are few; else neighbors of one
// row are merged where the gap between them is below a resolution, and so are any that are shorter.
// Work, steps, and time outside of steps are exact.
#pragma once

#include "dag/dag_visitor.h"
#include "passes/interval_sums.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace tp::analysis {

struct TimelineSetup {
  std::uint64_t first = 0, last = 0; // ticks; of the trace, known from an earlier reading
  bool work_is_time = false;         // then a step's work is its time on a CPU
  std::size_t most_slices = 200'000;
};

class Timeline {
public:
  struct Slice { // times in ticks; slices of a stream are in order and do not overlap
    std::uint32_t stream = 0;
    Row row = kMainRow;    // of several: that with the longest slice among those that were merged
    bool several = false;  // steps of more than one row
    bool left_out = false; // steps that are left out of the profile, and no others
    std::uint64_t begin = 0, end = 0;
    std::uint64_t outside = 0; // between its steps
    std::uint64_t work = 0, steps = 0;
  };
  // In ticks per bucket; the buckets divide the time of the run evenly.
  struct Counters {
    std::map<std::uint32_t, IntervalSums> idle; // by stream
    IntervalSums overhead, no_cpu;              // of all streams
    std::vector<std::uint64_t> steals;
  };
  static constexpr std::size_t kBuckets = 960;

  explicit Timeline(const TimelineSetup& setup);

  // `stolen`: it is the first of a task that was spawned on another thread.
  void step(Row row, const Step& step, bool stolen = false);
  void idle(std::uint32_t stream, std::uint64_t begin, std::uint64_t end);
  const Counters& counters() const { return counters_; }
  // Ordered by stream, then begin. The timeline is empty afterwards.
  std::vector<Slice> take();

private:
  bool merges(const Slice& one, const Slice& next) const;
  bool append(std::vector<Slice>& to, const Slice& slice) const;
  void coarsen();
  std::uint64_t since(std::uint64_t time) const {
    return time - (time < setup_.first ? time : setup_.first);
  }

  const TimelineSetup setup_;
  std::uint64_t resolution_ = 0; // ticks; 0: every step is a slice
  std::size_t count_ = 0;
  std::map<std::uint32_t, std::vector<Slice>> streams_;
  Counters counters_;
};

} // namespace tp::analysis
