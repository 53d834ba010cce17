// SPDX-License-Identifier: Apache-2.0
// Folded stacks: the input of Brendan Gregg's FlameGraph and the tools that adopted its format.
#include "export/export.h"
#include "export/frames.h"

#include <fmt/format.h>

#include <algorithm>

namespace tp::analysis {

static std::string fold(const Profile& profile, std::uint64_t ContextRow::* metric) {
  std::string text;
  for (std::uint32_t id = 0; id < profile.contexts.size(); ++id) {
    const std::uint64_t value = profile.contexts[id].*metric;
    if (value == 0)
      continue;
    std::string stack;
    for (const std::uint32_t frame : frames_of(profile, id)) {
      std::string name = frame_name(profile, profile.contexts[frame].site);
      std::replace(name.begin(), name.end(), ';', ',');
      stack += (stack.empty() ? "" : ";") + name;
    }
    text += fmt::format("{} {}\n", stack, value);
  }
  return text;
}

// Every line is a stack from main, and a number: the format has no header.
bool is_folded(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t blank = line.rfind(' ');
    if (blank == line.npos || blank + 1 == line.size() ||
        line.find_first_not_of("0123456789", blank + 1) != line.npos ||
        !(line.starts_with("main;") || line.substr(0, blank) == "main"))
      return false;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return true;
}

std::string write_folded(const Profile& profile) {
  return fold(profile, &ContextRow::work);
}

std::string write_folded_critical(const Profile& profile) {
  return fold(profile, &ContextRow::critical_work);
}

} // namespace tp::analysis
