// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: reads any bytes as a JSON profile, as tp-diff does. A profile that is accepted
// is compared with itself and with an empty profile, and written in all formats.
#include "base/problem.h"
#include "compare/diff_writers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tp::analysis;
  try {
    const Figures figures = read_figures({reinterpret_cast<const char*>(data), size}, "fuzz");
    Figures other;
    SiteFigures& main = other.sites.emplace_back();
    main.name = main.file = "main";
    for (const Figures* const base : {&figures, static_cast<const Figures*>(&other)}) {
      const Comparison comparison = compare_profiles(*base, figures);
      const DiffText options{.base = "a", .now = "b"};
      write_diff_text(comparison, options);
      write_diff_markdown(comparison, options);
      write_diff_json(comparison, options);
    }
  } catch (const Error&) {
  }
  return 0;
}
