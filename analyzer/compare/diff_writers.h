// SPDX-License-Identifier: Apache-2.0
// The interface of tp-diff's writers: from a Comparison to text.
#pragma once

#include "compare/comparison.h"

#include <optional>
#include <string>
#include <vector>

namespace tp::analysis {

struct DiffText {
  std::string base, now; // as the user named them
  std::size_t top = 10;  // how many sites to show
  bool color = false;
};

std::string write_diff_text(const Comparison& comparison, const DiffText& options);
std::string write_diff_markdown(const Comparison& comparison, const DiffText& options);
// Schema taskpath.diff/1; within /1 fields are only added.
std::string write_diff_json(const Comparison& comparison, const DiffText& options);
// Whether a text is such a file, of any version.
bool is_diff_json(std::string_view text);

// What all writers show: the lines of the table of the whole program, and a sentence.
struct DiffLine {
  std::string label;
  Metric metric;
};
// Time first: the prediction for the largest number of CPUs that both profiles have one for.
std::vector<DiffLine> diff_lines(const Comparison& comparison);
// "12.3 ms" where the unit is a time, "1.23 M", "3.08", "20 %", "unknown"
std::string figure_text(const std::optional<Measured>& measured, const Metric& metric,
                        const Figures& figures);
// "-10.25 %", "+3 points"
std::string change_text(const Change& change);
std::string match_text(const SitePair& pair);
// What changed most, in plain words.
std::string diff_advice(const Comparison& comparison);
// Of unlike_work(): what it may be; empty if there is none.
std::string unlike_work_text(const Comparison& comparison);
// A site's figure on both sides.
Change site_change(const Comparison& comparison, const SitePair& pair, const char* metric);

} // namespace tp::analysis
