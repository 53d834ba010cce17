// SPDX-License-Identifier: Apache-2.0
// Delaunay refinement in rounds: bad elements are found in parallel, collected by one thread, and
// replaced by better ones in parallel. After: they are collected in parts.
#include "case_study.h"

#include <algorithm>
#include <vector>

namespace {

using Element = std::uint64_t; // the quality of an element: a pseudorandom number
constexpr int kRounds = 12;

Element evaluated(Element element) {
  for (int round = 0; round < 8; ++round)
    element = study::random_number(element);
  return element;
}

bool is_bad(Element element) {
  return element % 4 == 0;
}

void evaluate(std::vector<Element>& elements) {
  tbb::parallel_for( // before: collect
      study::Range(0, study::kChunks, 1),
      [&](const study::Range& range) {
        const study::Range part = study::part_of(elements.size(), range.begin(), study::kChunks);
        for (std::size_t i = part.begin(); i < part.end(); ++i)
          elements[i] = evaluated(elements[i]);
        tp::spend(8 * part.size());
      },
      study::kSimple);
}

using Found = std::vector<std::size_t>;

void collect(const std::vector<Element>& elements, study::Range part, Found& found) {
  for (std::size_t i = part.begin(); i < part.end(); ++i)
    if (is_bad(elements[i]))
      found.push_back(i);
  tp::spend(3 * part.size());
}

std::vector<Found> collect_serial(const std::vector<Element>& elements) {
  std::vector<Found> found(1);
  const tp::CausalRegion region{"collect"};
  collect(elements, {0, elements.size()}, found[0]);
  return found;
}

std::vector<Found> collect_parallel(const std::vector<Element>& elements) {
  std::vector<Found> found(study::kParts);
  tbb::parallel_for(
      study::Range(0, study::kParts, 1),
      [&](const study::Range& range) {
        collect(elements, study::part_of(elements.size(), range.begin(), study::kParts),
                found[range.begin()]);
      },
      study::kSimple);
  return found;
}

// Replaces every bad element, in chunks of the list that found it.
void replace(std::vector<Element>& elements, const std::vector<Found>& found) {
  const std::size_t chunks = study::kChunks / found.size();
  tbb::parallel_for( // after: collect
      study::Range(0, study::kChunks, 1),
      [&](const study::Range& range) {
        const Found& list = found[range.begin() / chunks];
        const study::Range part = study::part_of(list.size(), range.begin() % chunks, chunks);
        for (std::size_t i = part.begin(); i < part.end(); ++i)
          elements[list[i]] = evaluated(elements[list[i]]) | 1;
        tp::spend(8 * part.size());
      },
      study::kSimple);
}

} // namespace

int main(int argc, char** argv) {
  const study::Arguments arguments(argc, argv, 200'000);
  std::vector<Element> elements(arguments.size);
  for (int round = 0; round < kRounds; ++round) {
    evaluate(elements);
    replace(elements, arguments.after ? collect_parallel(elements) : collect_serial(elements));
  }
  return study::verdict(std::none_of(elements.begin(), elements.end(), is_bad));
}
