// The search for the smallest set of regions against trying all sets, on programs that are nothing
// but a handful of paths.
#include "passes/region_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

namespace tp::analysis {
namespace {

constexpr std::uint64_t kFactor = 8;
constexpr unsigned kClasses = 7, kRegions = 2;

// Each path is so much work of each class, of which the regions have a part.
struct Paths final : ImprovedProgram {
  struct Part {
    std::uint64_t work = 0;
    std::uint64_t in_region[kRegions] = {};
  };
  std::vector<std::vector<Part>> paths;
  std::uint64_t work = 0;

  static bool has(const std::vector<std::uint32_t>& ids, std::uint32_t id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  }
  static std::uint64_t cost(const Part& part, std::uint32_t id, const StepSet& set) {
    std::uint64_t inside = 0;
    for (unsigned region = 0; region < kRegions; ++region)
      inside += has(set.regions, region) ? part.in_region[region] : 0;
    if (has(set.classes, id))
      inside = part.work;
    return (part.work - inside) * kFactor + inside;
  }
  std::uint64_t length(const std::vector<Part>& path, const StepSet& set) const {
    std::uint64_t sum = 0;
    for (std::uint32_t id = 0; id < path.size(); ++id)
      sum += cost(path[id], id, set);
    return sum;
  }
  const std::vector<Part>& longest(const StepSet& set) const {
    return *std::max_element(paths.begin(), paths.end(), [&](const auto& a, const auto& b) {
      return length(a, set) < length(b, set);
    });
  }
  std::vector<WhatIfLength> lengths(const std::vector<StepSet>& sets) override {
    std::vector<WhatIfLength> lengths;
    for (const StepSet& set : sets)
      lengths.push_back({length(longest(set), set), work * kFactor});
    return lengths;
  }
  std::vector<OnPath> critical_path(const StepSet& set) override {
    std::vector<OnPath> on_path;
    for (std::uint32_t id = 0; id < kClasses; ++id)
      if (const std::uint64_t found = cost(longest(set)[id], id, set))
        on_path.push_back({id, found});
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
      program.work += part.work;
    }
  }
  return program;
}

StepSet subset(unsigned bits) {
  StepSet set;
  for (unsigned i = 0; i < kClasses; ++i)
    if (bits >> i & 1)
      set.classes.push_back(i);
  for (unsigned i = 0; i < kRegions; ++i)
    if (bits >> (kClasses + i) & 1)
      set.regions.push_back(i);
  return set;
}

TEST(RegionSearch, FindsTheSmallestSet) {
  unsigned proved = 0, searched = 0, largest = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Paths program = random_paths(seed);
    const SearchOptions options{.target = 2 + seed % 7,
                                .factor = kFactor,
                                .regions = {0, 1},
                                .most_readings = seed % 2 == 0 ? 2000u : 20u};
    const auto reaches = [&](const StepSet& set) {
      const WhatIfLength length = program.lengths({set})[0];
      return length.span * options.target <= length.work;
    };
    const FoundRegions found = search_regions(program, options);
    std::size_t fewest = kClasses + kRegions + 1;
    for (unsigned bits = 0; bits < 1u << (kClasses + kRegions); ++bits)
      if (reaches(subset(bits)))
        fewest = std::min<std::size_t>(fewest, static_cast<unsigned>(std::popcount(bits)));
    ASSERT_EQ(fewest <= kClasses + kRegions, found.reached);
    if (!found.reached || fewest == 0)
      continue;
    ++searched;
    largest = std::max<unsigned>(largest, static_cast<unsigned>(fewest));
    StepSet chosen;
    for (const auto& choice : found.choices)
      (choice.annotated ? chosen.regions : chosen.classes).push_back(choice.id);
    EXPECT_TRUE(reaches(chosen));
    EXPECT_EQ(program.lengths({chosen})[0].span, found.after.back().span);
    EXPECT_EQ(found.choices.size(), found.alone.size());
    EXPECT_GE(found.choices.size(), fewest);
    if (found.minimal) {
      ++proved;
      EXPECT_EQ(fewest, found.choices.size());
    }
    if (::testing::Test::HasFailure())
      return;
  }
  EXPECT_GT(searched, 200u);
  EXPECT_GT(proved, searched / 2);
  EXPECT_GE(largest, 4u);
}

} // namespace
} // namespace tp::analysis
