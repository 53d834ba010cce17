// SPDX-License-Identifier: Apache-2.0
// HOW a found site becomes text: one constant record at the top of the file, one argument at the
// call.
//
// The argument is on a line of its own; `#line` and padding restore the line and column of the text
// after it, so that diagnostics, __LINE__ and debug information do not change:
//
//     tbb::parallel_for(r, body);       tbb::parallel_for(r, body
//                                       , ::tp::site(::tp::sites::s_0123456789abcdef<0>::record)
//                                       #line 7
//                                                                 );
//
// `#line N` without a name keeps the name from the top of the file; that also works in headers,
// which each includer may name differently. Text is only inserted, so nested calls need no special
// care.
//
// A record is a static member of a template: the linker keeps one per site however many translation
// units include the header, and --gc-sections keeps it exactly when the call is kept. It is hidden,
// because otherwise g++ would make it STB_GNU_UNIQUE, and a plugin that uses oneTBB could never be
// unloaded. __FILE__ follows the user's -f*-prefix-map, as the compiler's own source locations do.
//
// If a function has no site parameter, its callee is wrapped (tp/called_at.h).
//
// Notes are at the end of the file, where they do not interfere (a precompiled header must be
// included first).
#include "text/spawn_site_rewriter.h"

#include "text/hex.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace tp::rewrite {
namespace {

constexpr char kUtf8Bom[] = "\xEF\xBB\xBF";

// A string of the assembler within a C string: octal escapes mean the same to both compilers.
std::string assembler_string(const std::string& text) {
  std::string result = "\\\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte < 0x7f && c != '"' && c != '\\') {
      result += c;
      continue;
    }
    char escape[6];
    std::snprintf(escape, sizeof escape, "\\\\%03o", byte);
    result += escape;
  }
  return result + "\\\"";
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + '"';
}

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

size_t line_start(const std::string& text, size_t offset) {
  const size_t newline = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  return newline == std::string::npos ? 0 : newline + 1;
}

const char* newline_at(const std::string& text, size_t offset) {
  const size_t newline = text.find('\n', offset);
  const size_t nearest = newline != std::string::npos ? newline : text.find('\n');
  return nearest != std::string::npos && nearest > 0 && text[nearest - 1] == '\r' ? "\r\n" : "\n";
}

// White space as wide as `prefix`, in bytes and on the screen. Tabs are kept. Text that is not
// ASCII is kept in a comment, if there is room to open and close one.
std::string padding(const std::string& prefix) {
  std::string pad = prefix;
  size_t first = std::string::npos, last = 0;
  for (size_t i = 0; i < pad.size(); ++i) {
    if (!is_ascii(pad[i])) {
      first = first == std::string::npos ? i : first;
      last = i;
    } else if (pad[i] != '\t') {
      pad[i] = ' ';
    }
  }
  if (first == std::string::npos)
    return pad;
  const size_t close = last + 1;
  if (first >= 2 && pad.compare(first - 2, 2, "  ") == 0 && pad.compare(close, 2, "  ") == 0)
    return pad.replace(first - 2, 2, "/*").replace(close, 2, "*/");
  for (char& c : pad)
    c = is_ascii(c) ? c : ' ';
  return pad;
}

// The value of the guard is the line number: it is used, so -Wunused-macros does not warn.
std::string record(const FoundSite& site, const std::string& hash, const char* newline) {
  const std::string file =
      site.presumed_file == site.file ? "__FILE__" : quoted(site.presumed_file);
  const std::string name = "s_" + hash;
  std::string text = "#ifndef TP_SITE_" + hash + newline;
  text += "#define TP_SITE_" + hash + ' ' + std::to_string(site.line) + 'u' + newline;
  text += "namespace tp { namespace sites { template <int I> struct " + name +
          " { __attribute__((visibility(\"hidden\"))) static const ::tp_spawn_site record; }; "
          "template <int I> const ::tp_spawn_site " +
          name + "<I>::record = {" + file + ", " + quoted(site.function) + ", " + "TP_SITE_" +
          hash + ", " + std::to_string(site.column) + "u | TP_SITE_EXPLICIT, " +
          quoted(site.construct) + ", " + std::to_string(site.end_line) + "u}; } }" + newline;
  return text + "#endif" + newline;
}

std::string numbers(const FoundSite& site) {
  std::string list;
  for (const unsigned number :
       {site.line, site.column, site.begin_line, site.begin_column, site.end_line, site.end_column})
    list += (list.empty() ? "" : ", ") + std::to_string(number);
  return list;
}

std::string note(const SiteNote& note) {
  std::string strings;
  for (const std::string* text :
       {&note.spelled_file, &note.shown_file, &note.site.function, &note.site.construct})
    strings += (strings.empty() ? "" : ", ") + assembler_string(*text);
  const std::string name = hex(site_hash(note.site, note.spelled_file + '\n' + note.shown_file));
  return "TP_SITE_NOTE(\"" + name + "\", \"" + numbers(note.site) + "\", \"" + strings + "\");";
}

struct Insertion {
  size_t offset;
  std::string text;
};

// `code` on a line of its own before `offset`; the text after it keeps its line and column.
Insertion insertion(const std::string& text, unsigned offset, unsigned line,
                    const std::string& code) {
  const char* newline = newline_at(text, offset);
  const size_t start = line_start(text, offset);
  return {offset, newline + code + newline + "#line " + std::to_string(line) + newline +
                      padding(text.substr(start, offset - start))};
}

void tag(const FoundSite& site, const std::string& hash, const std::string& text,
         std::vector<Insertion>& insertions) {
  const std::string record = "::tp::site(::tp::sites::s_" + hash + "<0>::record)";
  const auto insert = [&](const std::string& code) {
    insertions.push_back(insertion(text, site.insert_offset, site.insert_line, code));
  };
  switch (site.placement) {
  case Placement::Only:
    return insert(record);
  case Placement::First:
    return insert(record + ",");
  case Placement::Last: {
    std::string defaults;
    for (unsigned i = 0; i < site.skipped; ++i)
      defaults += ", {}";
    return insert(defaults + ", " + record);
  }
  case Placement::Around:
  case Placement::AroundMember:
    insert("::tp::called_at(" + record + ", [" +
           (site.placement == Placement::AroundMember ? "&" : "") +
           "](auto&&... tp_a) -> decltype(auto) { return");
    insertions.push_back(insertion(text, site.after_offset, site.after_line,
                                   "(static_cast<decltype(tp_a)&&>(tp_a)...); })"));
  }
}

} // namespace

unsigned long long site_hash(const FoundSite& site, const std::string& stable_name) {
  const std::string key = stable_name + '\n' + std::to_string(site.line) + ':' +
                          std::to_string(site.column) + '\n' + site.construct + '\n' +
                          site.function;
  unsigned long long hash = 0xcbf29ce484222325ull; // FNV-1a
  for (unsigned char c : key)
    hash = (hash ^ c) * 0x100000001b3ull;
  return hash;
}

std::string rewrite(const SourceFile& source, const RewriteOptions& options) {
  const std::string& text = source.text;
  const size_t begin = text.starts_with(kUtf8Bom) ? sizeof kUtf8Bom - 1 : 0;
  const char* newline = newline_at(text, 0);
  const std::string line_one =
      "#line 1" + (options.line_name.empty() ? "" : ' ' + quoted(options.line_name)) + newline;

  std::string records, body;
  std::vector<Insertion> insertions;
  bool has_wrapped = false;
  for (const FoundSite& site : source.sites) {
    if (site.handling != Handling::Tag)
      continue;
    const std::string hash = hex(site_hash(site, options.stable_name));
    records += record(site, hash, newline);
    tag(site, hash, text, insertions);
    has_wrapped |= wraps(site.placement);
  }
  if (records.empty() && options.notes.empty())
    return text;
  std::ranges::stable_sort(insertions, {}, &Insertion::offset);
  size_t copied = begin;
  for (const Insertion& one : insertions) {
    body.append(text, copied, one.offset - copied);
    body += one.text;
    copied = one.offset;
  }
  body.append(text, copied);
  if (!records.empty())
    records =
        (has_wrapped ? "#include <tp/called_at.h>" : "#include <tp/site.h>") + (newline + records);
  if (!options.notes.empty())
    body += newline + ("#include <tp/site.h>" + std::string(newline));
  for (const SiteNote& one : options.notes)
    body += note(one) + newline;
  return text.substr(0, begin) + line_one + records + (records.empty() ? "" : line_one) + body;
}

bool in_directive(const std::string& text, unsigned offset) {
  size_t start = line_start(text, offset);
  while (start >= 2) { // back over spliced lines
    const size_t before = text[start - 2] == '\r' && start >= 3 ? start - 3 : start - 2;
    if (text[before] != '\\')
      break;
    start = line_start(text, before);
  }
  const size_t first = text.find_first_not_of(" \t\v\f", start);
  return first != std::string::npos && (text[first] == '#' || text.compare(first, 2, "%:") == 0);
}

} // namespace tp::rewrite
