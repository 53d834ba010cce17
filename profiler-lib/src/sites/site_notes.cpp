// SPDX-License-Identifier: Apache-2.0
// See site_notes.h. Compilers differ in the column of a call, and in the line of a call that is
// spread over several lines (g++ takes the opening parenthesis, clang the first token), but the
// place is always inside the call: so the innermost call around the place is the right one.
#include "sites/site_notes.h"

#include "sites/elf_notes.h"

#include <link.h>
#include <string_view>
#include <utility>

namespace tp::rt {
namespace {

using Position = std::pair<unsigned, unsigned>; // line, column

struct NoteSearch {
  const tp_spawn_site& place;
  NotedSite& site;
  bool found = false;
  Position begin{};
};

// The next component of a path that is not ".", without slashes.
std::string_view next_component(std::string_view& path) {
  for (;;) {
    while (path.starts_with('/'))
      path.remove_prefix(1);
    const std::string_view component = path.substr(0, path.find('/'));
    path.remove_prefix(component.size());
    if (component != ".")
      return component;
  }
}

// "./x.h" and "x.h" are the same file: for the copy that tp-c++ compiles, the folder of the source
// is a search path.
bool is_same_file(std::string_view a, std::string_view b) {
  if (a.starts_with('/') != b.starts_with('/'))
    return false;
  while (!a.empty() || !b.empty())
    if (next_component(a) != next_component(b))
      return false;
  return true;
}

// Removes the first zero-terminated string from `text` and returns it.
std::string_view take_string(std::string_view& text) {
  const std::string_view string = text.substr(0, text.find('\0'));
  text.remove_prefix(string.size() < text.size() ? string.size() + 1 : text.size());
  return string;
}

void match_note(const ElfNote& note, NoteSearch& search) {
  tp_site_note head;
  if (note.type != TP_SITE_NOTE_TYPE || note.owner != TP_SITE_NOTE_OWNER ||
      note.content.size() < sizeof head)
    return;
  std::memcpy(&head, note.content.data(), sizeof head);
  const Position begin{head.begin_line, head.begin_column}, end{head.end_line, head.end_column};
  const Position at{search.place.line, search.place.column};
  if (at < begin || end < at || (search.found && begin <= search.begin))
    return;
  std::string_view strings = note.content.substr(sizeof head);
  if (!is_same_file(take_string(strings), search.place.file))
    return;
  NotedSite& site = search.site;
  site.file = take_string(strings);
  site.function = take_string(strings);
  site.construct = take_string(strings);
  site.line = head.line;
  site.column = head.column;
  site.end_line = head.end_line;
  search.begin = begin;
  search.found = true;
}

int search_module(dl_phdr_info* module, std::size_t, void* data) {
  visit_notes(*module, [data](const ElfNote& note) {
    match_note(note, *static_cast<NoteSearch*>(data));
    return false;
  });
  return 0;
}

} // namespace

bool find_noted_site(const tp_spawn_site& place, NotedSite& site) {
  if (place.file == nullptr)
    return false;
  NoteSearch search{place, site};
  dl_iterate_phdr(search_module, &search);
  return search.found;
}

} // namespace tp::rt
