// SPDX-License-Identifier: Apache-2.0
// Stacks that share words with those of earlier samples.
#include "sites/sample_stacks.h"

#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <span>

namespace tp::analysis {
namespace {

using Words = std::vector<std::uint64_t>;

class Samples {
public:
  // `own` and `count` as in a file: a bit for each of the words that it has itself, and the number of all.
  void add(std::uint64_t address, const Words& words, std::uint64_t own = 0,
           std::uint32_t count = 0) {
    Words registers(17);
    registers[7] = address;
    RawSample sample{.registers = keep(registers), .stack = keep(words)};
    if (count > 0) {
      sample.own_words = keep({own});
      sample.stack_words = count;
      sample.other = static_cast<std::uint32_t>(file_.samples.size() - 1);
    }
    file_.samples.push_back(sample);
  }
  const SampleFile& file() const { return file_; }

private:
  std::span<const std::byte> keep(const Words& words) {
    return std::as_bytes(std::span(memory_.emplace_back(words)));
  }
  SampleFile file_;
  std::deque<Words> memory_;
};

Words words_of(std::span<const std::byte> bytes) {
  Words words(bytes.size() / 8);
  if (!words.empty())
    std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

TEST(SampleStacks, ArePutTogetherInAnyOrder) {
  Samples samples;
  samples.add(8000, {10, 11, 12, 13, 14});  // 8000 to 8039
  samples.add(7992, {20, 21}, 0b000011, 6); // a call deeper, one word that changed
  samples.add(8008, {31, 35}, 0b10001, 5);  // a call less, and a word beyond
  samples.add(8008, {40, 41});
  samples.add(8016, {50}, 0b10, 2);
  const Words expected[] = {
      {10, 11, 12, 13, 14}, {20, 21, 11, 12, 13, 14}, {31, 12, 13, 14, 35}, {40, 41}, {41, 50}};
  SampleStacks stacks(samples.file());
  for (const std::size_t i : {0, 1, 2, 3, 4, 4, 2, 1, 3, 0, 2})
    EXPECT_EQ(words_of(stacks.of(i)), expected[i]) << i;
}

TEST(SampleStacks, EndWhereWordsAreNowhere) {
  Samples samples;
  samples.add(8000, {10, 11});
  samples.add(8000, {20}, 0b1, 4);
  samples.add(9000, {}, 0, 4);
  samples.add(8004, {30}, 0b1, 3);                  // not at the same addresses
  samples.add(~std::uint64_t{0} - 7, {40}, 0b1, 3); // at the end of all addresses
  SampleStacks stacks(samples.file());
  EXPECT_EQ(words_of(stacks.of(1)), (Words{20, 11}));
  EXPECT_TRUE(stacks.of(2).empty());
  EXPECT_EQ(words_of(stacks.of(3)), Words{30});
  EXPECT_EQ(words_of(stacks.of(4)), Words{40});
}

TEST(SampleStacks, OfADamagedFileTakeBoundedTime) {
  Samples samples;
  samples.add(8000, {10, 11});
  for (int i = 0; i < 10'000; ++i)
    samples.add(8000, {}, 0, 2);
  SampleStacks in_order(samples.file()), last_one(samples.file());
  for (std::size_t i = 0; i <= 10'000; ++i)
    EXPECT_EQ(words_of(in_order.of(i)), (Words{10, 11}));
  EXPECT_TRUE(last_one.of(10'000).empty());
}

} // namespace
} // namespace tp::analysis
