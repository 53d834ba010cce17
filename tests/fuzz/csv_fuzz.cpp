// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: reads any bytes as an old ws_profile.csv, which tp-analyze shows, and as one
// line of such a file.
#include "report/writers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tp::analysis;
  const std::string text(reinterpret_cast<const char*>(data), size);
  pretty_print_csv(text);
  pretty_print_csv(std::string(kProfileHeader) + '\n' + text);
  // A line that we write must read back unchanged.
  const auto fields = split_csv_line(text);
  std::string line;
  for (const std::string& field : fields)
    line += (&field == &fields.front() ? "" : ",") + quote_csv(field);
  if (split_csv_line(line) != fields)
    __builtin_trap();
  return 0;
}
