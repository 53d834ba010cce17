// SPDX-License-Identifier: Apache-2.0
// SegmentStore: compositions of paths against plain maps, with enough changes to start its sweeps.
#include "passes/path_composition.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace tp::analysis {
namespace {

struct ModelPath {
  SegmentId id = kNoSegment;
  std::map<unsigned, std::uint64_t> work;
};

void expect_equal(const SegmentStore<unsigned>& store, const ModelPath& path) {
  std::map<unsigned, std::uint64_t> found;
  for (const auto& entry : store.total(path.id))
    found[entry.key] += entry.work;
  EXPECT_EQ(path.work, found);
}

TEST(CriticalPath, SegmentsEqualPlainMaps) {
  std::mt19937 random(7);
  NoExtra::Owner owner;
  SegmentStore<unsigned> store(owner);
  std::vector<ModelPath> paths(1);
  for (int change = 0; change < 200'000; ++change) {
    ModelPath& path = paths[random() % paths.size()];
    switch (random() % 4) {
    case 0:
    case 1: {
      const unsigned key = random() % 5;
      const std::uint64_t work = 1 + random() % 100;
      path.id = store.extend(path.id, key, work);
      path.work[key] += work;
      break;
    }
    case 2: // a spawn: both paths continue from here
      if (paths.size() < 3000) {
        const ModelPath copy{store.share(path.id), path.work};
        paths.push_back(copy);
      }
      break;
    default: // a join that this path loses
      if (paths.size() > 1 + random() % 3000) {
        store.drop(path.id);
        std::swap(path, paths.back());
        paths.pop_back();
      }
    }
    if (change % 5000 == 0)
      expect_equal(store, paths[random() % paths.size()]);
    // Sweeps keep the number of segments below the number of points that may share.
    ASSERT_LT(store.live(), 100'000u) << "change " << change;
  }
  for (const ModelPath& path : paths) {
    expect_equal(store, path);
    store.drop(path.id);
  }
  EXPECT_EQ(0u, store.live());
}

} // namespace
} // namespace tp::analysis
