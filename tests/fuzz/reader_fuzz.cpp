// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: reads any bytes as the streams of a data directory. tests/fuzz/run builds it
// with clang.
#include "mutate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tp::test::digest(tp::test::from_blob(data, size));
  return 0;
}
