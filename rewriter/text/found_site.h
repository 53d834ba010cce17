// SPDX-License-Identifier: Apache-2.0
// A spawn site as the finder reports it: plain data, without Clang. spawn_site_finder fills it from
// the syntax tree; spawn_site_rewriter (text) and rewrite_main.cpp read it.
#pragma once

#include <string>
#include <vector>

namespace tp::rewrite {

// The position of the site argument among the others. Around: the callee is wrapped instead;
// AroundMember: the callee is a member of an object that the wrapper refers to.
enum class Placement { Only, First, Last, Around, AroundMember };
constexpr bool wraps(Placement placement) {
  return placement >= Placement::Around;
}

// How a site is handled.
enum class Handling {
  Tag,           // gets an explicit argument
  AlreadyTagged, // has one
  LeftToHeader,  // keeps the default argument of the patched header, see `reason`
  NoParameter,   // the site has no name: a stock header, or a call that can't be wrapped
};

struct FoundSite {
  std::string file;          // the file that contains the text, as the compiler spelled it
  std::string presumed_file; // its name after a #line directive; equal to `file` without one
  std::string construct;     // "parallel_for", "task_group::run", ...
  std::string function;      // qualified name of the enclosing function
  unsigned line = 0;         // of the callee's name, 1-based, after #line
  unsigned column = 0;       // of the callee's name, 1-based
  unsigned begin_line = 0;   // of the call's first token, or of the macro that writes it
  unsigned begin_column = 0;
  unsigned end_line = 0; // of the closing parenthesis
  unsigned end_column = 0;
  unsigned insert_offset = 0; // bytes from the start of the file's text
  unsigned insert_line = 0;   // line of the character at insert_offset, after #line
  unsigned after_offset = 0;  // Around: end of the callee
  unsigned after_line = 0;
  Placement placement = Placement::Last;
  unsigned skipped = 0; // Last: parameters before the site's that get their default value, as {}
  Handling handling = Handling::LeftToHeader;
  const char* reason = ""; // for LeftToHeader and NoParameter: one phrase
};

// One file's text and its sites, by ascending insert_offset.
struct SourceFile {
  std::string name; // as the compiler spelled it
  std::string path; // canonical
  std::string text;
  std::vector<FoundSite> sites;
};

} // namespace tp::rewrite
