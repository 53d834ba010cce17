// SPDX-License-Identifier: Apache-2.0
// The interface to Clang: parses one translation unit and returns the spawn sites in the user's
// files.
#pragma once

#include "text/found_site.h"

#include <map>
#include <string>
#include <vector>

namespace tp::rewrite {

struct ParseRequest {
  std::string file;                  // as given to the compiler
  std::string directory;             // where the compiler runs; empty: the current directory
  std::vector<std::string> compiler; // words of the real compiler, whose headers are used
  std::vector<std::string> flags;    // of the real compiler's command line, unfiltered
  std::vector<std::string> wrappers; // qualified names of functions whose calls are sites
  bool is_last = false;              // of this process: memory is not freed
};

struct ParseResult {
  bool ok = false;
  std::vector<std::string> errors; // "file:line:column: message"
  std::string hidden_header;       // a header that -iquote <folder of the main file> would replace
  std::map<std::string, SourceFile> files; // by canonical path: the main file and own headers
};

// The requests from a compilation database for `file`, or one without flags if `build_dir` is
// empty. Empty if the database does not contain the file, or `build_dir` has no database.
std::vector<ParseRequest> requests_for(const std::string& file, const std::string& build_dir);

// The result contains the main file and all own headers, with or without sites.
ParseResult parse(const ParseRequest& request);

} // namespace tp::rewrite
