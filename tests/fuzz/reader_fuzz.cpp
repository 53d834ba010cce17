// libFuzzer target: any bytes as the streams of a data directory. Built with clang by
// tests/fuzz/run.
#include "mutate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tp::test::digest(tp::test::from_blob(data, size));
  return 0;
}
