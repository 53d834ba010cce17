// SPDX-License-Identifier: Apache-2.0
// Results of reading the streams in addition to the DAG: counts, times, completeness. Plain data,
// filled by DagReader, shown by reports.
#pragma once

#include "base/ids.h"
#include "base/problem.h"
#include "base/rounding.h"
#include "model/concurrency.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tp::analysis {

// Counts by size, with a relative error of at most 1/8.
class LogHistogram {
public:
  void add(std::uint64_t value) {
    ++counts_[bucket(value)];
    ++total_;
  }
  std::uint64_t total() const { return total_; }
  // The lower end of the bucket that contains the median; 0 if empty.
  std::uint64_t median() const {
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen * 2 > total_)
        return i < 16 ? i : (8 + i % 8) << (i / 8 - 1);
    }
    return 0;
  }

  // The mean of the smallest `percent` per cent of the values, each taken as the middle of its
  // bucket.
  std::uint64_t mean_of_lowest(std::uint64_t percent) const {
    const std::uint64_t wanted = total_ / 100 * percent + (total_ % 100 * percent + 99) / 100;
    std::uint64_t seen = 0;
    double sum = 0;
    for (std::size_t i = 0; i < counts_.size() && seen < wanted; ++i) {
      const std::uint64_t taken = std::min(counts_[i], wanted - seen);
      sum += static_cast<double>(taken) * middle(i);
      seen += taken;
    }
    return seen == 0 ? 0 : rounded(sum / static_cast<double>(seen));
  }

private:
  static double middle(std::size_t bucket) {
    if (bucket < 16)
      return static_cast<double>(bucket);
    return (8.5 + static_cast<double>(bucket % 8)) *
           static_cast<double>(std::uint64_t{1} << (bucket / 8 - 1));
  }
  static std::size_t bucket(std::uint64_t value) {
    if (value < 16)
      return static_cast<std::size_t>(value);
    const auto shift = static_cast<std::size_t>(60 - __builtin_clzll(value)); // leaves 8 to 15
    return (shift + 1) * 8 + static_cast<std::size_t>(value >> shift) % 8;
  }
  std::array<std::uint64_t, 64 * 8> counts_{};
  std::uint64_t total_ = 0;
};

struct ThreadTotals {
  std::uint64_t threads = 0;
  std::uint64_t workers = 0; // of oneTBB
  std::uint64_t created = 0; // by the program, which was recorded
  std::uint64_t others = 0;  // not main()'s either: who creates and joins them is not known
  std::uint64_t cpu_ns = 0;  // of all, also of those that were alive at the end
  std::uint64_t paused_work = 0;
};

// A number of threads that need not be the same each time.
struct ThreadRange {
  std::uint64_t least = 0, most = 0; // 0: not known
  bool are_teams = false;            // of a league, each of which counts as one
  void add(const ThreadRange& other) {
    are_teams = other.are_teams && (are_teams || most == 0);
    if (other.least > 0 && (least == 0 || other.least < least))
      least = other.least;
    most = std::max(most, other.most);
  }
};

// Results of reading in addition to the DAG.
struct ReadSummary {
  bool complete = false;
  std::vector<std::string> incomplete_reasons;
  bool lost = false; // records that end.json counts are missing: the first reasons say which
  std::uint64_t records = 0;
  std::uint64_t streams = 0;
  std::uint64_t spawned = 0, begun = 0, ended = 0;
  std::uint64_t unfinished = 0;  // tasks that began and never ended
  std::uint64_t never_begun = 0; // tasks that were spawned and never began
  std::uint64_t cancelled = 0, by_exception = 0;
  // Of OpenMP's regions, by their rows: threads that they asked for and that did not come, whose
  // implicit tasks count as cancelled; the threads of their teams.
  std::map<Row, std::uint64_t> missing_threads;
  std::map<Row, ThreadRange> teams;
  std::map<Row, ThreadRange> leagues; // of teams: how many there are at a time
  // Tasks that began, without those of threads that did not come.
  std::uint64_t ran() const {
    std::uint64_t count = begun;
    for (const auto& [row, missing] : missing_threads)
      count -= missing;
    return count;
  }
  // Of OpenMP's loops and sections, by their rows: what threads ran of one, and of these, how many took
  // chunks while they ran (schedules dynamic and guided).
  struct LoopParts {
    std::uint64_t all = 0, shared = 0;
  };
  std::map<Row, LoopParts> loop_parts;
  std::uint64_t pauses = 0, forks = 0;
  std::uint64_t paused_time = 0; // ticks of threads while recording was paused; in no other figure
  std::uint64_t steps = 0;
  std::uint64_t idle = 0;         // ticks
  std::uint64_t overhead = 0;     // ticks
  std::uint64_t lock_calls = 0;   // of them: calls that release locks for which others wait
  std::uint64_t step_time = 0;    // ticks
  std::uint64_t asleep = 0;       // in recorded steps, in the unit of work
  std::uint64_t prior_asleep = 0; // of threads before their first event
  std::uint64_t first_time = 0, last_time = 0;
  std::uint64_t thread_time = 0; // ticks in which a thread had a stream, summed up
  std::uint64_t prior_work = 0;  // of threads before they first used oneTBB
  std::uint64_t main_prior_work = 0, main_prior_asleep = 0; // of it, of the thread that runs main()
  // Left out of everything else: of threads before they first used oneTBB, if that was asked for;
  // of it in recorded steps.
  std::uint64_t left_out_work = 0, left_out_in_steps = 0;
  std::uint64_t lock_waits = 0;       // in recorded steps, in ticks
  std::uint64_t lock_records = 0;     // sections, acquisitions, releases and failed tries of locks
  std::uint64_t waits = 0, folds = 0; // waits, fold nodes joined
  LogHistogram steal_delay; // ticks from the moment when a stolen task and its thief were both
                            // available
  LogHistogram
      team_delay;     // the same of the threads of OpenMP's teams, without those that create them
  double time_hz = 0; // refined by the chunks' time pairs; 0 if unknown
  ThreadTotals threads;
  ConcurrencyLimits concurrency;
  // Of pipelines, by the row of the task that calls their input: how many there were, and with how many
  // tokens.
  struct Tokens {
    std::uint64_t pipelines = 0, most = 0;
  };
  std::map<Row, Tokens> tokens;
  std::vector<std::uint64_t> extra; // sums of the extra events
  // By row: the constructs of the contexts into which tasks were spawned there, one bit per
  // trace::Construct.
  IdVector<Row, std::uint64_t> constructs;
  // By row: whether bodies of flow graphs began after their messages, which only recompiled code
  // records.
  IdVector<Row, std::uint8_t> after_messages;
  std::uint64_t graph_waits = 0;      // for a whole flow graph
  std::uint64_t graph_waits_seen = 0; // of them, those that end after a release_wait() as well
  std::array<std::uint64_t, static_cast<std::size_t>(Problem::Count)> inconsistencies{};
  std::size_t most_live_frames = 0;
};

} // namespace tp::analysis
