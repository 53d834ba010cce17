// SPDX-License-Identifier: Apache-2.0
// PAGE: one self-contained HTML file, from the JSON of one profile or of two (report/json.cpp). The
// file contains the headline and its figures as HTML, all data as JSON, and the script that draws
// it (web/). Only where TP_PAGE is defined.
#pragma once

#include "model/profile.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tp::analysis {

struct PageInput {
  std::string profile;  // JSON
  std::string base;     // JSON of the profile to compare with, or empty
  std::string timeline; // of page_timeline(), or empty
  std::string source;   // JSON: [{"name", "newer_than_program", "lines": {"76": "text", ..}}, ..]
  bool with_source = true;
};

// Throws std::exception if one of the texts is not the JSON of a profile.
std::string write_page(const PageInput& input);

// page_timeline.cpp: JSON with what each thread ran, in at most that many slices.
inline constexpr std::size_t kMostPageSlices = 150'000;
std::string page_timeline(std::vector<TimelineSlice> slices,
                          std::size_t most_slices = kMostPageSlices);

} // namespace tp::analysis
