// SPDX-License-Identifier: Apache-2.0
// The command line of tp-report.
#pragma once

#include "common/message.h"
#include "common/progress.h"
#include "profile/make_profile.h"

#include <optional>
#include <string>
#include <vector>

namespace tp::analysis {

struct ReportOptions {
  std::string data; // data directory, or a profile in JSON
  std::string base; // the same, or empty: no comparison
  std::string page = "report.html";
  bool source = true; // with excerpts of the source
  bool open = false;  // in the browser
  ProfileOptions analysis;
  tool::MessageStyle style;
};

// Empty if help or the version was shown. Throws tool::Failure.
std::optional<ReportOptions> parse_report_options(const std::vector<std::string>& arguments);

} // namespace tp::analysis
