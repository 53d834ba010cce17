// SPDX-License-Identifier: Apache-2.0
// The vertex order in a Delaunay triangulation: keys of the space-filling curve in parallel, two
// serial loops (count, place the points of each cell), cells in parallel. After: both in parts.
#include "case_study.h"

#include <array>
#include <vector>

namespace {

constexpr std::size_t kCells = 256;
using Counts = std::array<std::size_t, kCells>;
using Keys = std::vector<std::uint8_t>;

Keys make_keys(std::size_t points) {
  Keys keys(points);
  tbb::parallel_for( // before: order
      study::Range(0, study::kChunks, 1),
      [&](const study::Range& range) {
        const study::Range part = study::part_of(points, range.begin(), study::kChunks);
        for (std::size_t i = part.begin(); i < part.end(); ++i) {
          std::uint64_t hash = i;
          for (int round = 0; round < 5; ++round)
            hash = study::random_number(hash);
          keys[i] = static_cast<std::uint8_t>(hash % kCells);
        }
        tp::spend(5 * part.size());
      },
      study::kSimple);
  return keys;
}

void count(const Keys& keys, study::Range part, Counts& counts) {
  for (std::size_t i = part.begin(); i < part.end(); ++i)
    counts[keys[i]] += 1;
  tp::spend(part.size());
}

// `next`: the position of the next point of each cell.
void place(const Keys& keys, study::Range part, Counts& next, std::vector<std::size_t>& order) {
  for (std::size_t i = part.begin(); i < part.end(); ++i)
    order[next[keys[i]]++] = i;
  tp::spend(2 * part.size());
}

// Where each part begins in each cell; the last element: where the cells begin.
void add_up(std::vector<Counts>& counts) {
  std::size_t sum = 0;
  for (std::size_t cell = 0; cell < kCells; ++cell)
    for (Counts& part : counts) {
      const std::size_t of_part = part[cell];
      part[cell] = sum;
      sum += of_part;
    }
}

void order_serial(const Keys& keys, std::vector<std::size_t>& order) {
  std::vector<Counts> counts(1);
  const tp::CausalRegion region{"order"};
  count(keys, {0, keys.size()}, counts[0]);
  add_up(counts);
  place(keys, {0, keys.size()}, counts[0], order);
}

void order_parallel(const Keys& keys, std::vector<std::size_t>& order) {
  std::vector<Counts> counts(study::kParts);
  const auto part = [&](const study::Range& range) {
    return study::part_of(keys.size(), range.begin(), study::kParts);
  };
  tbb::parallel_for(
      study::Range(0, study::kParts, 1),
      [&](const study::Range& range) { count(keys, part(range), counts[range.begin()]); },
      study::kSimple);
  add_up(counts);
  tbb::parallel_for(
      study::Range(0, study::kParts, 1),
      [&](const study::Range& range) { place(keys, part(range), counts[range.begin()], order); },
      study::kSimple);
}

// The work on the points of a cell, in the order of the curve.
bool is_ordered(const Keys& keys, const std::vector<std::size_t>& order) {
  std::vector<char> right(study::kChunks, 1);
  tbb::parallel_for( // after: order
      study::Range(0, study::kChunks, 1),
      [&](const study::Range& range) {
        const study::Range part = study::part_of(order.size() - 1, range.begin(), study::kChunks);
        std::uint64_t hash = 0;
        for (std::size_t i = part.begin(); i < part.end(); ++i) {
          for (int round = 0; round < 10; ++round)
            hash = study::random_number(hash + order[i]);
          right[range.begin()] &= keys[order[i]] <= keys[order[i + 1]] && hash != 1;
        }
        tp::spend(10 * part.size());
      },
      study::kSimple);
  for (const char each : right)
    if (!each)
      return false;
  return true;
}

} // namespace

int main(int argc, char** argv) {
  const study::Arguments arguments(argc, argv, 1'000'000);
  const Keys keys = make_keys(arguments.size);
  std::vector<std::size_t> order(keys.size());
  arguments.after ? order_parallel(keys, order) : order_serial(keys, order);
  return study::verdict(is_ordered(keys, order));
}
