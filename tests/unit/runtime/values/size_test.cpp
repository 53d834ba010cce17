// SPDX-License-Identifier: Apache-2.0
// Sizes as users write them: one table for TP_MAX_SIZE and tp-run --max-size.
#include "values/size.h"

#include <gtest/gtest.h>

namespace tp {
namespace {

TEST(Size, AllThatUsersWrite) {
  const struct {
    const char* text;
    std::optional<std::uint64_t> bytes;
  } kTable[] = {
      {"0", 0},
      {"1", 1},
      {"7B", 7},
      {"7b", 7},
      {"64K", 65536},
      {"64k", 65536},
      {"10M", 10u << 20},
      {"3MB", 3u << 20},
      {"5Mi", 5u << 20},
      {"512mb", 512u << 20},
      {"512MiB", 512u << 20},
      {"512mib", 512u << 20},
      {"2G", 2ull << 30},
      {"2gIb", 2ull << 30},
      {"1T", 1ull << 40},
      {"007K", 7168},
      {"18446744073709551615", UINT64_MAX},
      {"18446744073709551616", {}},
      {"99999999999999999999", {}},
      {"184467440737095516150", {}},
      {"17179869183G", 17179869183ull << 30},
      {"17179869184G", {}},
      {"16777215T", 16777215ull << 40},
      {"16777216T", {}},
      {"99999999999T", {}},
      {"", {}},
      {"-1", {}},
      {"+1", {}},
      {" 1", {}},
      {"1 ", {}},
      {"1.5G", {}},
      {"1e6", {}},
      {"G", {}},
      {"B", {}},
      {"1Q", {}},
      {"1KiBB", {}},
      {"1KBi", {}},
      {"1KM", {}},
      {"1i", {}},
      {"1iB", {}},
      {"0x10", {}},
      {"lots", {}},
  };
  for (const auto& row : kTable)
    EXPECT_EQ(parse_size(row.text), row.bytes) << row.text;
}

} // namespace
} // namespace tp
