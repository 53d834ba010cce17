// libFuzzer target: any bytes as run.json, sites.jsonl and end.json of a small data directory. A line that is `%` divides
// the three; a file that is empty is a good one.
#include "mutate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tp::test::digest(tp::test::with_info({reinterpret_cast<const char*>(data), size}));
  return 0;
}
