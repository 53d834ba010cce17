// SPDX-License-Identifier: Apache-2.0
// SAMPLE STACKS: the whole copy of a sample's stack, where the file has only the words that differ from
// another sample's.
#pragma once

#include "model/samples.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tp::analysis {

class SampleStacks {
public:
  // `file` outlives it.
  explicit SampleStacks(const SampleFile& file) : file_(file) {}
  // From the stack pointer on; until the next call. Of a damaged file: as far as words are known. In the order of
  // the file each sample is put together once.
  std::span<const std::byte> of(std::size_t sample);

private:
  struct Stack {
    std::size_t sample = SIZE_MAX; // that it belongs to
    std::uint64_t address = 0;     // of its first byte
    std::vector<std::byte> bytes;
  };
  Stack whole(std::size_t sample) const;
  Stack with_words_of(std::size_t sample, const Stack& other) const;
  std::uint64_t address_of(const RawSample& sample) const;

  const SampleFile& file_;
  Stack last_;
};

} // namespace tp::analysis
