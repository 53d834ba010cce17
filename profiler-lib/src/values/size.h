// SPDX-License-Identifier: Apache-2.0
// A size as users write it, in TP_MAX_SIZE and in tp-run --max-size: digits, and perhaps one of the
// units K, M, G and T (powers of 1024; small letters too), then perhaps "B", "i" or "iB".
//
// For the runtime and for tools: header-only, no dependency, no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace tp {

// "512M", "512MiB", "512mb", "2G", "10B", "4096": bytes. Nothing if `text` is anything else, or
// more than 64 bits hold.
constexpr std::optional<std::uint64_t> parse_size(std::string_view text) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const auto small = [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  };
  std::uint64_t value = 0;
  std::size_t at = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    const auto digit = static_cast<std::uint64_t>(text[at] - '0');
    if (value > (kMost - digit) / 10)
      return std::nullopt;
    value = value * 10 + digit;
  }
  if (at == 0)
    return std::nullopt;
  unsigned shift = 0;
  if (at < text.size())
    switch (small(text[at])) {
    case 'k':
      shift = 10;
      break;
    case 'm':
      shift = 20;
      break;
    case 'g':
      shift = 30;
      break;
    case 't':
      shift = 40;
      break;
    default:
      break;
    }
  at += shift > 0;
  if (shift > 0 && at < text.size() && small(text[at]) == 'i')
    ++at;
  if (at < text.size() && small(text[at]) == 'b')
    ++at;
  if (at != text.size() || value > (kMost >> shift))
    return std::nullopt;
  return value << shift;
}

} // namespace tp
