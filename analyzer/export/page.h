// SPDX-License-Identifier: Apache-2.0
// PAGE: one self-contained HTML file, from the JSON of one profile or of two (report/json.cpp). The
// file contains the headline and its figures as HTML, all data as JSON, and the script that draws
// it (web/). Only where TP_PAGE is defined.
#pragma once

#include <string>
#include <string_view>

namespace tp::analysis {

struct PageOptions {
  bool source = true; // with excerpts of the source
};

// `base`: the profile to compare with, or empty. Throws Error if one of them is not JSON.
std::string write_page(const std::string& profile, const std::string& base,
                       const PageOptions& options);

} // namespace tp::analysis
