// SPDX-License-Identifier: Apache-2.0
// The interface of the writers: from a Profile to text. One source file per format.
#pragma once

#include "model/profile.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tp::analysis {

inline constexpr std::string_view kProfileHeader =
    "Source file,Line number,Work,Span,Parallelism,Percent critical work";

enum class SortKey : std::uint8_t { Critical, Work, Parallelism, Overhead };

struct TextOptions {
  std::size_t top = 15;
  bool top_is_explicit = false; // else rows give way to the limit of 25 lines
  SortKey sort = SortKey::Critical;
  bool verbose = false;    // with clock, bounds, burden, and all warnings
  bool asks_procs = false; // -P: for times on these numbers of CPUs
  bool color = false;
  bool unicode = false; // block characters in bars
};

// csv.cpp
std::string quote_csv(std::string_view field); // RFC 4180
std::vector<std::string> split_csv_line(std::string_view line);
std::string write_profile_csv(const Profile& profile);
std::string write_all_regions_csv(const WhatIfCurve& curve);
std::string write_region_csv(const RegionInfo& region, const WhatIfCurve& curve);
// Whether a text is such a file, of any version.
bool is_profile_csv(std::string_view text);
bool is_all_regions_csv(std::string_view text);
bool is_region_csv(std::string_view text);
// functions.cpp: only of profiles with samples.
std::string write_functions_text(const Profile& profile, const TextOptions& options);
std::string write_functions_csv(const Profile& profile);
bool is_functions_csv(std::string_view text);
// lock_table.cpp
std::string write_locks_text(const Profile& profile, const TextOptions& options);
std::string write_locks_csv(const Profile& profile);
bool is_locks_csv(std::string_view text);
// functions.cpp: those with most of the critical path, in a few words; empty: no samples say that.
std::string functions_line(const Profile& profile);
// json.cpp
struct JsonParts {
  bool timeline = false; // Profile::timeline
  std::string source;    // JSON of cli/source_excerpts.h, or empty
};
std::string write_json(const Profile& profile, const JsonParts& parts = {});
bool is_profile_json(std::string_view text);
// text.cpp
std::string write_text(const Profile& profile, const TextOptions& options);
// An existing ws_profile.csv as an aligned table; empty if it is not one.
std::string pretty_print_csv(std::string_view csv);
// warnings.cpp: a line `file:line: warning: ...`, as compilers write it, for each code segment that
// limits scaling; empty if parallelism is ample.
std::string write_warnings(const Profile& profile);
// markdown.cpp
std::string write_markdown(const Profile& profile, const TextOptions& options);

} // namespace tp::analysis
