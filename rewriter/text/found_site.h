// A spawn site as the finder reports it: plain data, no Clang. Filled by spawn_site_finder from the
// syntax tree, read by spawn_site_rewriter (text) and main (tables).
#pragma once

#include <string>
#include <vector>

namespace tp::rewrite {

// Where the site argument stands among the others; Around: the callee is wrapped instead,
// AroundMember: it is a member of an object that the wrapper refers to.
enum class Placement { Only, First, Last, Around, AroundMember };
constexpr bool wraps(Placement placement) {
  return placement >= Placement::Around;
}

// What happens to a site.
enum class Handling {
  Tag,           // gets an explicit argument
  AlreadyTagged, // has one
  LeftToHeader,  // keeps the default argument of the patched header, see `reason`
  NoParameter,   // nobody names the place: a stock header, or a call that can't be wrapped
};

struct FoundSite {
  std::string file;          // the file that holds the text, as the compiler spelled it
  std::string presumed_file; // what a #line directive calls it; equal to `file` without one
  std::string construct;     // "parallel_for", "task_group::run", ...
  std::string function;      // qualified name of the enclosing function
  unsigned line = 0;         // of the callee's name, 1-based, after #line
  unsigned column = 0;       // of the callee's name, 1-based
  unsigned begin_line = 0;   // of the call's first token, or the macro that writes it
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

// One file's text and the sites in it, by ascending insert_offset.
struct SourceFile {
  std::string name; // as the compiler spelled it
  std::string path; // canonical
  std::string text;
  std::vector<FoundSite> sites;
};

} // namespace tp::rewrite
