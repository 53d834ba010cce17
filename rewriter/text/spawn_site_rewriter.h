// SPDX-License-Identifier: Apache-2.0
// HOW a found site becomes text. Pure functions on strings, without Clang and file access.
#pragma once

#include "text/found_site.h"

#include <string>

namespace tp::rewrite {

// Describes to the runtime a call that keeps the header's default argument.
struct SiteNote {
  FoundSite site;
  std::string spelled_file; // as the real compiler will name it, -f*-prefix-map applied
  std::string shown_file;
};

struct RewriteOptions {
  // Name for the `#line 1` that follows the records; empty keeps the name that the compiler gives
  // the file.
  std::string line_name;
  // Represents the file in the sites' hash: the same on every machine (project.h).
  std::string stable_name;
  std::vector<SiteNote> notes; // put at the end
};

// 64-bit identity of a site, stable across machines and translation units.
unsigned long long site_hash(const FoundSite& site, const std::string& stable_name);

// The text of `source` with every Handling::Tag site made explicit, and the notes; unchanged if
// there is neither.
std::string rewrite(const SourceFile& source, const RewriteOptions& options);

// Whether an insertion at `offset` would be inside a preprocessor directive.
bool in_directive(const std::string& text, unsigned offset);

} // namespace tp::rewrite
