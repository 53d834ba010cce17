// SPDX-License-Identifier: Apache-2.0
// Hashes as text: 16 hexadecimal digits.
#pragma once

#include <cstdint>
#include <string>

namespace tp::rewrite {

inline std::string hex(std::uint64_t value) {
  std::string digits(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4)
    digits[i] = "0123456789abcdef"[value & 15];
  return digits;
}

} // namespace tp::rewrite
