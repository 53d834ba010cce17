// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: reads any bytes as run.json, sites.jsonl and end.json of a small data
// directory. A line `%` separates the three; an empty file is replaced by a valid one.
#include "mutate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tp::test::digest(tp::test::with_info({reinterpret_cast<const char*>(data), size}));
  return 0;
}
