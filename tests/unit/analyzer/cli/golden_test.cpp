// SPDX-License-Identifier: Apache-2.0
// Every tests/golden/*.trace.txt against the expected files in the same folder:
// NAME.ws_profile.csv, NAME.region_all.csv, NAME.region_N.csv, NAME.FORMAT of --export, whichever
// exist. With TP_UPDATE_GOLDEN=1 the files are written instead (scripts/update-golden).
#include "base/problem.h"
#include "export/export.h"
#include "profile/make_profile.h"
#include "report/writers.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tp::analysis {
namespace {
namespace fs = std::filesystem;

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Golden, AllTracesGiveTheirExpectedFiles) {
  ProfileOptions options;
  options.contexts = true;
  std::size_t traces = 0, compared = 0;
  for (const auto& entry : fs::directory_iterator(TP_GOLDEN_DIR)) {
    const std::string path = entry.path().string();
    const std::string suffix = ".trace.txt";
    if (path.size() < suffix.size() ||
        path.compare(path.size() - suffix.size(), suffix.size(), suffix) != 0)
      continue;
    SCOPED_TRACE(path);
    ++traces;
    const std::string stem = path.substr(0, path.size() - suffix.size());
    const Profile profile = make_profile(test::load_trace_script(path).source(), options);
    const auto compare = [&](const std::string& name, const std::string& actual) {
      if (!fs::exists(stem + "." + name))
        return;
      ++compared;
      if (std::getenv("TP_UPDATE_GOLDEN"))
        std::ofstream(stem + "." + name) << actual;
      EXPECT_EQ(text_of_file(stem + "." + name), actual) << name;
    };
    compare("ws_profile.csv", write_profile_csv(profile));
    for (std::size_t i = 0; i < profile.what_if.size(); ++i) {
      const WhatIfCurve& curve = profile.what_if[i];
      if (i == 0)
        compare("region_all.csv", write_all_regions_csv(curve));
      else
        compare("region_" + std::to_string(index_of(curve.regions[0]) + 1) + ".csv",
                write_region_csv(profile.regions[curve.regions[0]], curve));
    }
    for (const ExportFormat& format : kExportFormats)
      compare(std::string(format.name), format.write(profile));
    EXPECT_EQ(profile.exclusive_sum, profile.work);
    EXPECT_EQ(profile.critical_sum, profile.span);
  }
  EXPECT_GE(traces, 1u);
  EXPECT_GE(compared, traces);
}

} // namespace
} // namespace tp::analysis
