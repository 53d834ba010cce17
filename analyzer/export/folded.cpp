// SPDX-License-Identifier: Apache-2.0
// Folded stacks: the input of Brendan Gregg's FlameGraph and the tools that adopted its format.
#include "export/export.h"
#include "export/frames.h"

#include <fmt/format.h>

#include <algorithm>

namespace tp::analysis {

static std::string without_separators(std::string name) {
  std::replace(name.begin(), name.end(), ';', ',');
  return name;
}

static std::string fold(const Profile& profile, std::uint64_t ContextRow::* metric,
                        std::uint64_t ContextCode::* of_code) {
  std::string text;
  for (std::uint32_t id = 0; id < profile.contexts.size(); ++id) {
    std::uint64_t value = profile.contexts[id].*metric;
    if (value == 0)
      continue;
    std::string stack;
    for (const std::uint32_t frame : frames_of(profile, id))
      stack += (stack.empty() ? "" : ";") +
               without_separators(frame_name(profile, profile.contexts[frame].site));
    for (const ContextCode& code : profile.contexts[id].code) {
      if (code.*of_code == 0)
        continue;
      std::string calls;
      for (const std::uint32_t function : code.functions)
        calls += ";" + without_separators(function_frame_name(profile, function));
      text += fmt::format("{}{} {}\n", stack, calls, code.*of_code);
      value -= code.*of_code;
    }
    if (value > 0)
      text += fmt::format("{} {}\n", stack, value);
  }
  return text;
}

// "fill<int> (void fill<int>(int))": a short name, and the function that contains its first word.
static bool has_function(std::string_view frame) {
  const std::size_t open = frame.find(" (");
  if (open == frame.npos || !frame.ends_with(')'))
    return false;
  const std::string_view word = frame.substr(0, frame.find_first_of(":<[+@ "));
  return !word.empty() && frame.find(word, open) != frame.npos;
}

// The format has no header. In ours every stack begins with main, and all other frames name a line,
// an address, or a function in two forms.
static bool is_own_frame(std::string_view frame) {
  if (frame == "(further contexts)" || frame.find("@0x") != frame.npos ||
      frame.find("+0x") != frame.npos || frame.find(" @") != frame.npos || has_function(frame))
    return true;
  for (std::size_t at = frame.find(':'); at != frame.npos; at = frame.find(':', at + 1))
    if (at + 1 < frame.size() && frame[at + 1] >= '0' && frame[at + 1] <= '9')
      return true;
  return false;
}

bool is_folded(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t blank = line.rfind(' ');
    if (blank == line.npos || blank + 1 == line.size() ||
        line.find_first_not_of("0123456789", blank + 1) != line.npos)
      return false;
    line = line.substr(0, blank);
    if (line.substr(0, line.find(';')) != "main")
      return false;
    line.remove_prefix(std::min<std::size_t>(5, line.size()));
    while (!line.empty()) {
      const std::string_view frame = line.substr(0, line.find(';'));
      if (!is_own_frame(frame))
        return false;
      line.remove_prefix(std::min(frame.size() + 1, line.size()));
    }
  }
  return true;
}

std::string write_folded(const Profile& profile) {
  return fold(profile, &ContextRow::work, &ContextCode::work);
}

std::string write_folded_critical(const Profile& profile) {
  return fold(profile, &ContextRow::critical_work, &ContextCode::critical_work);
}

} // namespace tp::analysis
