// SPDX-License-Identifier: Apache-2.0
// The search for the smallest set of changes against exhaustive search, on programs that consist of
// a handful of paths.
#include "profile/smallest_set.h"

#include "oracle_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

namespace tp::analysis {
namespace {

constexpr std::uint64_t kFactor = 8;
constexpr unsigned kClasses = 7, kRegions = 2;
constexpr std::uint32_t kSiteOf[]{0, 1, 1, 1, 2, 3, 3};             // of each class
const std::vector<std::vector<unsigned>> kSites{{1, 2, 3}, {5, 6}}; // of several classes
constexpr unsigned kFunctions = 2,
                   kStacks = 3; // of each class: stack i is in function i, stack 0 in both
constexpr unsigned kLocks = 2;
constexpr unsigned kCode = kClasses + kRegions + 2 + kFunctions;
constexpr unsigned kPieces = kCode + 2 * kLocks; // split, then shorter sections
constexpr std::uint32_t kWholeShare = 65536;

// Each path consists of an amount of work per class, a part of which is in the regions, and in sections
// of the locks. All sections of a lock, on any path, run one after the other.
struct Paths final : ImprovedProgram {
  struct Part {
    std::uint64_t work = 0;
    std::uint64_t in_region[kRegions] = {};
    std::uint64_t in_lock[kLocks] = {};
  };
  std::vector<std::vector<Part>> paths;
  WhatIfMode mode = WhatIfMode::Parallelize;
  bool has_functions = false, has_locks = false;
  std::uint64_t hits[kClasses][kStacks] = {}; // periods that samples count for

  template <typename Id>
  static bool has(const std::vector<Id>& ids, Id id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  }
  static bool is_shorter(const Improvements& all, std::uint32_t lock) {
    return std::ranges::any_of(all.locks, [&](const LockImprovement& each) {
      return each.lock == lock && each.change == LockChange::Shorter;
    });
  }
  // Of the part, or of what of it is in sections of a lock.
  static std::uint64_t cost(const Part& part, std::uint32_t id, const Improvements& all) {
    const StepSet& set = all.code;
    std::uint64_t inside = 0;
    for (std::uint32_t lock = 0; lock < kLocks; ++lock)
      if (is_shorter(all, lock))
        inside = std::max(inside, part.in_lock[lock]);
    std::uint64_t in_regions = 0;
    for (unsigned region = 0; region < kRegions; ++region)
      in_regions += has(set.regions, RegionId{region}) ? part.in_region[region] : 0;
    inside = std::max(inside, in_regions);
    for (const CodeShare& rest : set.rests)
      if (rest.of == StepClassId{id})
        inside = std::max(inside, part.work * rest.share / kWholeShare);
    if (has(set.classes, StepClassId{id}))
      inside = part.work;
    return (part.work - inside) * kFactor + inside;
  }
  std::uint64_t length(const std::vector<Part>& path, const Improvements& set) const {
    std::uint64_t sum = 0;
    for (std::uint32_t id = 0; id < path.size(); ++id)
      sum += cost(path[id], id, set);
    return sum;
  }
  std::uint64_t sections(std::uint32_t lock, const Improvements& set) const {
    std::uint64_t sum = 0, parts = 1;
    for (const auto& path : paths)
      for (std::uint32_t id = 0; id < path.size(); ++id)
        sum += cost(
            {.work = path[id].in_lock[lock],
             .in_region = {},
             .in_lock = {lock == 0 ? path[id].in_lock[0] : 0, lock == 1 ? path[id].in_lock[1] : 0}},
            id, set);
    for (const LockImprovement& each : set.locks)
      if (each.lock == lock && each.change == LockChange::Split)
        parts = each.factor;
    return (sum + parts - 1) / parts;
  }
  // The work of all paths; each step is on one of them.
  std::uint64_t work(const Improvements& set) const {
    std::uint64_t sum = 0;
    for (const auto& path : paths)
      sum += length(path, set);
    return sum;
  }
  const std::vector<Part>& longest(const Improvements& set) const {
    return *std::max_element(paths.begin(), paths.end(), [&](const auto& a, const auto& b) {
      return length(a, set) < length(b, set);
    });
  }
  std::vector<WhatIfLength> lengths(const std::vector<Improvements>& sets) override {
    std::vector<WhatIfLength> lengths;
    for (const Improvements& set : sets) {
      std::uint64_t span = length(longest(set), set);
      for (std::uint32_t lock = 0; lock < kLocks; ++lock)
        span = std::max(span, sections(lock, set));
      lengths.push_back({span, work(mode == WhatIfMode::Optimize ? set : Improvements{})});
    }
    return lengths;
  }
  std::vector<OnPath> critical_path(const Improvements& set) override {
    std::vector<OnPath> on_path;
    for (std::uint32_t id = 0; id < longest(set).size(); ++id)
      if (const std::uint64_t found = cost(longest(set)[id], id, set))
        on_path.push_back({StepClassId{id}, found});
    std::stable_sort(on_path.begin(), on_path.end(),
                     [](const OnPath& a, const OnPath& b) { return a.work > b.work; });
    return on_path;
  }
};

Paths random_paths(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Paths program;
  program.paths.resize(1 + random() % 5);
  for (auto& path : program.paths) {
    path.resize(kClasses);
    for (Paths::Part& part : path) {
      part.work = random() % 3 == 0 ? 0 : random() % 30;
      std::uint64_t rest = part.work;
      for (std::uint64_t& inside : part.in_region)
        rest -= inside = random() % 3 == 0 ? random() % (rest + 1) : 0;
    }
  }
  program.has_functions = seed % 2 == 0;
  program.has_locks = seed % 2 == 1;
  for (auto& path : program.paths)
    for (Paths::Part& part : path)
      for (std::uint64_t& held : part.in_lock)
        held = !program.has_locks || random() % 2 == 0 ? 0
                                                       : part.work - random() % (1 + part.work / 4);
  for (auto& of_class : program.hits)
    for (std::uint64_t& hits : of_class)
      hits = random() % 2 == 0 ? 0 : 1 + random() % 9;
  return program;
}

void add_site(StepSet& set, unsigned site) {
  for (const unsigned id : kSites[site])
    set.classes.push_back(StepClassId{id});
}

// The classes' stacks that are in one of the functions.
void add_functions(StepSet& set, unsigned functions, const Paths& program) {
  for (unsigned id = 0; id < kClasses; ++id) {
    std::uint64_t all = 0, inside = 0;
    for (unsigned stack = 0; stack < kStacks; ++stack) {
      all += program.hits[id][stack];
      const unsigned in = stack == 0 ? 3 : stack; // bits of functions
      inside += (in & functions) != 0 ? program.hits[id][stack] : 0;
    }
    if (inside > 0)
      set.rests.push_back(
          {StepClassId{id}, static_cast<std::uint32_t>(inside * kWholeShare / all)});
  }
}

Improvements subset(unsigned bits, const Paths& program) {
  Improvements all;
  StepSet& set = all.code;
  for (std::uint32_t lock = 0; lock < kLocks; ++lock)
    for (const unsigned shorter : {0u, 1u})
      if (bits >> (kCode + shorter * kLocks + lock) & 1)
        all.locks.push_back({lock, shorter ? LockChange::Shorter : LockChange::Split, kFactor});
  for (unsigned i = 0; i < kClasses; ++i)
    if (bits >> i & 1)
      set.classes.push_back(StepClassId{i});
  for (unsigned i = 0; i < kRegions; ++i)
    if (bits >> (kClasses + i) & 1)
      set.regions.push_back(RegionId{i});
  for (unsigned i = 0; i < kSites.size(); ++i)
    if (bits >> (kClasses + kRegions + i) & 1)
      add_site(set, i);
  if (program.has_functions)
    add_functions(set, bits >> (kClasses + kRegions + 2) & 3, program);
  return all;
}

SampleWeights weights_of(const Paths& program) {
  SampledCode code;
  code.stacks.resize(kStacks);
  IdVector<StepClassId, ClassSamples> classes(kClasses);
  for (unsigned id = 0; id < kClasses; ++id)
    for (unsigned stack = 0; stack < kStacks; ++stack)
      if (const std::uint64_t hits = program.hits[id][stack]; hits > 0) {
        // How many samples that are does not matter.
        const std::uint64_t samples = stack % 2 == 0 ? 1 : hits;
        classes[StepClassId{id}].samples += samples;
        classes[StepClassId{id}].periods += hits;
        classes[StepClassId{id}].stacks.push_back({StackId{stack}, samples, hits});
      }
  return {classes, code};
}

std::vector<SearchedFunction> functions_of(const SampleWeights& weights) {
  std::vector<SearchedFunction> functions(kFunctions);
  for (const CodeId id : ids_below(weights.codes().end_id()))
    for (unsigned function = 0; function < kFunctions; ++function)
      if (const std::uint32_t stack = index_of(weights.codes()[id].stack);
          stack == 0 || stack == function + 1)
        functions[function].code.push_back(id);
  return functions;
}

SearchOptions options_for(std::uint64_t seed, const Paths& program, const SampleWeights& weights) {
  IdVector<StepClassId, Row> site_of;
  for (const std::uint32_t site : kSiteOf)
    site_of.push_back(Row{site});
  return {.target = 2 + seed % 7,
          .factor = kFactor,
          .regions = {RegionId{0}, RegionId{1}},
          .site_of = site_of,
          .mode = program.mode,
          .functions =
              program.has_functions ? functions_of(weights) : std::vector<SearchedFunction>{},
          .weights = &weights,
          .locks = program.has_locks ? kLocks : 0,
          .most_sets = seed % 3 == 0 ? 512u : 0u,
          .most_readings = seed % 2 == 0 ? 2000u : 20u};
}

bool reaches(const WhatIfLength& length, const SearchOptions& options) {
  return length.span * options.target <= length.work;
}

Improvements set_of(const FoundRegions& found, const Paths& program) {
  Improvements all;
  StepSet& set = all.code;
  unsigned functions = 0;
  for (const FoundRegions::Choice& choice : found.choices)
    if (choice.kind == ChoiceKind::Site)
      add_site(set, choice.id / 2);
    else if (choice.kind == ChoiceKind::Region)
      set.regions.push_back(choice.region());
    else if (choice.kind == ChoiceKind::Function)
      functions |= 1u << choice.function();
    else if (is_of_lock(choice.kind))
      all.locks.push_back(
          {choice.lock(),
           choice.kind == ChoiceKind::LockSplit ? LockChange::Split : LockChange::Shorter,
           choice.factor});
    else
      set.classes.push_back(choice.segment());
  add_functions(set, functions, program);
  return all;
}

// The size of the smallest set that reaches the target; kPieces + 1 if no set does.
std::size_t fewest_of(Paths& program, const SearchOptions& options) {
  std::size_t fewest = kPieces + 1;
  for (unsigned bits = 0; bits < 1u << (program.has_locks ? kPieces : kCode); ++bits)
    if (const auto size = static_cast<std::size_t>(std::popcount(bits));
        size < fewest && reaches(program.lengths({subset(bits, program)})[0], options))
      fewest = size;
  return fewest;
}

struct Counts {
  unsigned searched = 0, proved = 0, largest = 0, sites = 0, functions = 0;
  unsigned splits = 0, few = 0, shorter = 0; // of locks; into fewer than the factor
};

void check_reached(Paths& program, const SearchOptions& options, const FoundRegions& found,
                   Counts& counts) {
  const std::size_t fewest = fewest_of(program, options);
  if (fewest == 0) {
    EXPECT_TRUE(found.choices.empty());
    return;
  }
  ++counts.searched;
  counts.largest = std::max(counts.largest, static_cast<unsigned>(fewest));
  const WhatIfLength with_all = program.lengths({set_of(found, program)})[0];
  EXPECT_TRUE(reaches(with_all, options));
  EXPECT_EQ(with_all.span, found.after.back().span);
  EXPECT_EQ(with_all.work, found.after.back().work);
  EXPECT_EQ(found.choices.size(), found.alone.size());
  EXPECT_GE(found.choices.size(), fewest);
  if (found.minimal) {
    ++counts.proved;
    EXPECT_EQ(fewest, found.choices.size());
  }
  for (const auto& choice : found.choices) {
    counts.sites += choice.kind == ChoiceKind::Site;
    counts.functions += choice.kind == ChoiceKind::Function;
    counts.shorter += choice.kind == ChoiceKind::LockShorter;
    if (choice.kind != ChoiceKind::LockSplit)
      continue;
    ++counts.splits;
    counts.few += choice.factor < kFactor;
    Improvements fewer = set_of(found, program);
    for (LockImprovement& each : fewer.locks)
      if (each.lock == choice.lock() && each.change == LockChange::Split)
        --each.factor;
    EXPECT_FALSE(reaches(program.lengths({fewer})[0], options));
  }
}

// Every candidate that was kept has a gain, together with the later ones that it was tried with.
void check_not_reached(Paths& program, const FoundRegions& found) {
  EXPECT_EQ(WhatIfMode::Optimize, program.mode);
  EXPECT_EQ(FoundRegions::Outcome::NothingGains, found.outcome);
  if (found.after.empty())
    return;
  const WhatIfLength last = found.after.back(), none = program.lengths({{}})[0];
  EXPECT_GT(last.work * none.span, none.work * last.span);
  for (std::size_t i = 0; i + 1 < found.after.size(); ++i)
    EXPECT_GT(last.work * found.after[i].span, found.after[i].work * last.span);
}

Counts check(WhatIfMode mode, std::uint64_t seeds) {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Paths program = random_paths(seed);
    program.mode = mode;
    const SampleWeights weights = weights_of(program);
    const SearchOptions options = options_for(seed, program, weights);
    const FoundRegions found = find_smallest_set(program, options);
    if (found.outcome == FoundRegions::Outcome::Reached)
      check_reached(program, options, found, counts);
    else
      check_not_reached(program, found);
    if (::testing::Test::HasFailure())
      break;
  }
  return counts;
}

TEST(RegionSearch, FindsTheSmallestSet) {
  const Counts counts = check(WhatIfMode::Parallelize, 600 / test::kFewer);
  EXPECT_GT(counts.searched, 300 / test::kFewer);
  EXPECT_GT(counts.proved, counts.searched * 3 / 4);
  EXPECT_GE(counts.largest, 4u);
  EXPECT_GT(counts.sites, 100 / test::kFewer);
  EXPECT_GT(counts.functions, 50 / test::kFewer);
  EXPECT_GT(counts.splits, 20 / test::kFewer);
  EXPECT_GT(counts.few, 10 / test::kFewer);
  EXPECT_GT(counts.shorter, 0u);
}

TEST(RegionSearch, WhereLessWorkIsLessParallelKeepsNothingThatLoses) {
  constexpr unsigned kFewer = test::kFewer * test::kFewer; // these searches try many sets
  const Counts counts = check(WhatIfMode::Optimize, 600 / kFewer);
  EXPECT_GT(counts.searched, 20 / kFewer);
  EXPECT_GT(counts.proved, counts.searched / 2);
}

// Classes of equal work, one after the other, and very little work besides.
Paths stages(unsigned count) {
  Paths program;
  program.paths.resize(8);
  for (auto& path : program.paths)
    path.assign(count, {.work = 0, .in_region = {}});
  for (Paths::Part& part : program.paths[0])
    part.work = 80;
  for (std::size_t i = 1; i < program.paths.size(); ++i)
    program.paths[i][i].work = 10;
  return program;
}

TEST(RegionSearch, AWholeSiteIsOnePiece) {
  Paths program = stages(40);
  const FoundRegions found = find_smallest_set(
      program,
      {.target = 8, .factor = kFactor, .regions = {}, .site_of = IdVector<StepClassId, Row>(40)});
  EXPECT_EQ(FoundRegions::Outcome::Reached, found.outcome);
  EXPECT_TRUE(found.minimal);
  ASSERT_EQ(1u, found.choices.size());
  EXPECT_EQ(ChoiceKind::Site, found.choices[0].kind);
}

TEST(RegionSearch, WhenTheyAreTooManyAllAreTriedTogether) {
  Paths program = stages(40);
  SearchOptions options{.target = 8, .factor = kFactor, .regions = {}, .site_of = {}};
  for (std::uint32_t site = 0; site < 40; ++site)
    options.site_of.push_back(Row{site});
  const FoundRegions found = find_smallest_set(program, options);
  EXPECT_EQ(FoundRegions::Outcome::TooMany, found.outcome);
  EXPECT_FALSE(found.minimal);
  EXPECT_EQ(options.most_pieces, found.choices.size());
  EXPECT_EQ(3200u, found.all.span);
  EXPECT_TRUE(reaches(found.all, options));
}

// Nine tenths of the site's work are in one function, which is enough; so is a function that it is part of.
TEST(RegionSearch, TheSmallestFunctionIsNamedWhereItIsEnough) {
  Paths program = stages(8);
  program.paths[0][3].work = 8000;
  program.hits[3][0] = 90;
  program.hits[3][1] = 5;
  program.hits[2][1] = 1;
  const SampleWeights weights = weights_of(program);
  const FoundRegions found = find_smallest_set(program, {.target = 4,
                                                         .factor = kFactor,
                                                         .regions = {},
                                                         .site_of = IdVector<StepClassId, Row>(8),
                                                         .functions = functions_of(weights),
                                                         .weights = &weights});
  ASSERT_EQ(1u, found.choices.size());
  EXPECT_EQ(FoundRegions::Choice::of_function(1), found.choices[0]);
}

// Faster code would be enough, but so are two locks.
TEST(RegionSearch, SeveralLocksComeBeforeFasterCode) {
  Paths program;
  program.paths.resize(8, std::vector<Paths::Part>(8));
  for (std::size_t i = 0; i < program.paths.size(); ++i) {
    program.paths[i][i].work = 40;
    program.paths[i][3].work += 80;
    program.paths[i][3].in_lock[0] = 80;
  }
  const FoundRegions found = find_smallest_set(program, {.target = 3,
                                                         .factor = kFactor,
                                                         .regions = {},
                                                         .site_of = IdVector<StepClassId, Row>(8),
                                                         .locks = 1});
  EXPECT_EQ(FoundRegions::Outcome::Reached, found.outcome);
  EXPECT_TRUE(found.minimal);
  ASSERT_EQ(1u, found.choices.size());
  EXPECT_EQ(FoundRegions::Choice::of_lock(ChoiceKind::LockSplit, 0, 2), found.choices[0]);
}

// One of the site's classes is enough, and it is more specific than the site.
TEST(RegionSearch, OfASiteOneClassIsTakenWhereItIsEnough) {
  Paths program = stages(8);
  program.paths[0][3].work = 8000;
  const FoundRegions found = find_smallest_set(
      program,
      {.target = 4, .factor = kFactor, .regions = {}, .site_of = IdVector<StepClassId, Row>(8)});
  ASSERT_EQ(1u, found.choices.size());
  EXPECT_EQ(FoundRegions::Choice(StepClassId{3}), found.choices[0]);
}

} // namespace
} // namespace tp::analysis
