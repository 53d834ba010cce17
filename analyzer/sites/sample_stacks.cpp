// SPDX-License-Identifier: Apache-2.0
// See sample_stacks.h. Samples of one thread follow one another in the file, so that the stack that was put together
// last is nearly always the one that is needed next.
#include "sites/sample_stacks.h"

#include <cstring>

namespace tp::analysis {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kMostNeeded = 4096; // the runtime's rings hold fewer

std::uint64_t word_at(std::span<const std::byte> bytes, std::size_t index) {
  std::uint64_t word;
  std::memcpy(&word, bytes.data() + index * kWord, kWord);
  return word;
}

} // namespace

std::uint64_t SampleStacks::address_of(const RawSample& sample) const {
  const std::size_t number = file_.stack_pointer;
  return number < sample.registers.size() / kWord ? word_at(sample.registers, number) : 0;
}

SampleStacks::Stack SampleStacks::whole(std::size_t sample) const {
  const RawSample& raw = file_.samples[sample];
  return {sample, address_of(raw), {raw.stack.begin(), raw.stack.end()}};
}

SampleStacks::Stack SampleStacks::with_words_of(std::size_t sample, const Stack& other) const {
  const RawSample& raw = file_.samples[sample];
  Stack stack{sample, address_of(raw), std::vector<std::byte>(raw.stack_words * kWord)};
  std::size_t own = 0;
  for (std::size_t i = 0; i < raw.stack_words; ++i) {
    const std::uint64_t address = stack.address + i * kWord;
    std::uint64_t word;
    if ((word_at(raw.own_words, i / 64) >> i % 64 & 1) != 0) {
      word = word_at(raw.stack, own++);
    } else if (const std::uint64_t at = address - other.address;
               address >= other.address && at % kWord == 0 &&
               at / kWord < other.bytes.size() / kWord) {
      word = word_at(other.bytes, at / kWord);
    } else { // what is beyond is not known
      stack.bytes.resize(i * kWord);
      break;
    }
    std::memcpy(stack.bytes.data() + i * kWord, &word, kWord);
  }
  return stack;
}

std::span<const std::byte> SampleStacks::of(std::size_t sample) {
  std::vector<std::size_t> needed; // from the sample to one that is known, or whole
  std::size_t at = sample;
  while (at != last_.sample && file_.samples[at].stack_words > 0 && needed.size() < kMostNeeded) {
    needed.push_back(at);
    at = file_.samples[at].other;
  }
  if (at != last_.sample)
    last_ = needed.size() < kMostNeeded ? whole(at) : Stack{};
  for (; !needed.empty(); needed.pop_back())
    last_ = with_words_of(needed.back(), last_);
  return last_.bytes;
}

} // namespace tp::analysis
