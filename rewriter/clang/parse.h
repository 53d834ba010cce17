// The one door to Clang: parse one translation unit and report the spawn sites in the user's files.
#pragma once

#include "text/found_site.h"

#include <map>
#include <string>
#include <vector>

namespace tp::rewrite {

struct ParseRequest {
  std::string file;                  // as given to the compiler
  std::string directory;             // where the compiler runs; empty: here
  std::vector<std::string> compiler; // words of the real compiler, whose headers are used
  std::vector<std::string> flags;    // of the real compiler's command line, unfiltered
  std::vector<std::string> wrappers; // qualified names of functions whose calls are sites
  bool is_last = false;              // of this process: memory is not given back
};

struct ParseResult {
  bool ok = false;
  std::vector<std::string> errors; // "file:line:column: message"
  std::string
      hidden_header; // a header that -iquote <folder of the main file> would replace by another
  std::map<std::string, SourceFile> files; // by canonical path: the main file and own headers
};

// The requests that a compilation database makes for `file`, or one without flags if `build_dir` is
// empty. None: the database does not contain the file, or `build_dir` has no database.
std::vector<ParseRequest> requests_for(const std::string& file, const std::string& build_dir);

// Main file and own headers are all in the result, with or without sites.
ParseResult parse(const ParseRequest& request);

} // namespace tp::rewrite
