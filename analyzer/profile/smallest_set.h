// SPDX-License-Identifier: Apache-2.0
// SMALLEST SET: the smallest set of candidates that reach a target parallelism if each of them is
// improved by a factor. A candidate is a step class, a whole site (all classes of its own steps),
// a marked region, or a function that was sampled, with what it calls; or a lock, split into as many, or
// with sections as many times as short; or a limit of concurrency (an arena of few threads), with more threads.
// Code that lies in several chosen candidates is improved once.
//
// A set can change the span only if one of its candidates lies on the critical path, and the same
// holds again after each candidate that was chosen. So the search considers only what is on the
// critical path of the program with the improvements chosen so far:
//   greedy        adds the candidate that gains most, until the target is reached
//   elimination   removes the candidates that turn out to be unnecessary
//   proof         tries all smaller sets at once, as scenarios of a few readings. If they are too
//                 many: by the same argument, all sets that reach the target are found by trying
//                 what is on the path, then what is on the path after that, and so on, as long as
//                 a bounded number of readings suffices. Otherwise the set is only known to be
//                 irredundant.
//   narrowing     replaces a site by one of its classes if that also reaches the target, and a site or class
//                 by a function: the smallest that does
// The sections of a lock, and what runs under a limit, may take longer than the critical path. So if there are locks or
// limits among the candidates, all code is tried in each step, that on the path first; and narrowing replaces code, and
// shorter sections, by several locks or more threads where that is enough, and names the least number of them.
//
// As long as the work stays the same, a site gains at least as much as each of its classes: then
// classes are not tried before the narrowing.
#pragma once

#include "model/lock.h"
#include "model/what_if.h"
#include "passes/what_if.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

namespace tp::analysis {

struct LockImprovement {
  std::uint32_t lock = 0; // below SearchOptions::locks
  LockChange change = LockChange::Split;
  std::uint64_t factor = 1; // of Shorter that of the search
  auto operator<=>(const LockImprovement&) const = default;
};

struct LimitImprovement {
  std::uint32_t limit = 0; // index into SearchOptions::threads
  std::uint64_t threads = 1;
  auto operator<=>(const LimitImprovement&) const = default;
};

struct Improvements {
  StepSet code;
  std::vector<LockImprovement> locks = {};   // ascending
  std::vector<LimitImprovement> limits = {}; // ascending
  auto operator<=>(const Improvements&) const = default;
};

// Answers questions about the program with sets of regions and locks improved. Returned spans and works
// are multiplied by the factor.
class ImprovedProgram {
public:
  virtual ~ImprovedProgram() = default;
  virtual std::vector<WhatIfLength> lengths(const std::vector<Improvements>& sets) = 0;
  struct OnPath {
    StepClassId of;
    std::uint64_t work;
  };
  // The classes on the critical path after `set` is improved, in descending order of work. Shorter
  // sections of locks may be left out of account.
  virtual std::vector<OnPath> critical_path(const Improvements& set) = 0;
};

// Where samples met a function, or what it called.
struct SearchedFunction {
  std::vector<CodeId> code; // ascending
};

struct SearchOptions {
  std::uint64_t target = 1;
  std::uint64_t factor = 2;
  std::vector<RegionId> regions;      // marked ones that may be chosen
  IdVector<StepClassId, Row> site_of; // of each class
  WhatIfMode mode = WhatIfMode::Parallelize;
  std::optional<Row> only_in_parts = {};        // a site that is not a candidate as a whole: main
  std::vector<SearchedFunction> functions = {}; // that may be chosen
  const SampleWeights* weights = nullptr;       // not null if there are functions
  std::uint32_t locks = 0;                      // that may be chosen: 0, 1, ...
  std::vector<bool> whole_locks = {};           // of them, those that cannot be split; empty: none
  std::vector<std::uint64_t> threads =
      {}; // of each limit that may be chosen, the most that are tried
  std::size_t most_pieces = 32;
  // Limits of the proof: how many sets of one size are tried at once, and how many readings
  // otherwise.
  std::size_t most_sets = 512;
  std::size_t most_readings = 48;
};

struct FoundRegions {
  enum class Outcome : std::uint8_t {
    Reached,
    NothingGains, // no further candidate, given those chosen
    TooMany,      // more would be needed
  };
  Outcome outcome = Outcome::Reached;
  bool minimal = false;
  struct Choice {
    ChoiceKind kind = ChoiceKind::CodeSegment;
    std::uint32_t id = 0;     // what it identifies depends on the kind
    std::uint64_t factor = 0; // LockSplit: into how many; Threads: how many
    Choice() = default;
    explicit Choice(StepClassId segment) : kind(ChoiceKind::CodeSegment), id(index_of(segment)) {}
    explicit Choice(Row site) : kind(ChoiceKind::Site), id(index_of(site)) {}
    explicit Choice(RegionId region) : kind(ChoiceKind::Region), id(index_of(region)) {}
    static Choice of_function(std::size_t number) {
      Choice choice;
      choice.kind = ChoiceKind::Function;
      choice.id = static_cast<std::uint32_t>(number);
      return choice;
    }
    static Choice of_lock(ChoiceKind kind, std::uint32_t lock, std::uint64_t factor) {
      Choice choice;
      choice.kind = kind;
      choice.id = lock;
      choice.factor = factor;
      return choice;
    }
    static Choice of_limit(std::uint32_t limit, std::uint64_t threads) {
      return of_lock(ChoiceKind::Threads, limit, threads);
    }
    StepClassId segment() const { return static_cast<StepClassId>(id); }
    Row site() const { return static_cast<Row>(id); }
    RegionId region() const { return static_cast<RegionId>(id); }
    std::size_t function() const { return id; } // index into SearchOptions::functions
    std::uint32_t lock() const { return id; }
    std::uint32_t limit() const { return id; }
    auto operator<=>(const Choice&) const = default;
  };
  std::vector<Choice> choices;     // in descending order of gain
  std::vector<WhatIfLength> alone; // each by itself
  std::vector<WhatIfLength> after; // each with those before it
  WhatIfLength all;                // with all code improved; only if TooMany
};

FoundRegions find_smallest_set(ImprovedProgram& program, const SearchOptions& options);

} // namespace tp::analysis
