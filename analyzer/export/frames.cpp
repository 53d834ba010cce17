// SPDX-License-Identifier: Apache-2.0
// Names of frames, and UTF-8.
#include "export/frames.h"

#include <algorithm>

namespace tp::analysis {
namespace {

// Length in bytes of the UTF-8 sequence at the start of `text`; 0 if there is none.
std::size_t sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80)
    return 1;
  const std::size_t size = first >= 0xc2 && first < 0xe0   ? 2
                           : first >= 0xe0 && first < 0xf0 ? 3
                           : first >= 0xf0 && first < 0xf5 ? 4
                                                           : 0;
  if (size == 0 || text.size() < size)
    return 0;
  for (std::size_t i = 1; i < size; ++i)
    if (byte(i) < 0x80 || byte(i) > 0xbf)
      return 0;
  // Overlong forms, surrogates, and code points beyond U+10FFFF.
  const bool wrong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
                     (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f);
  return wrong ? 0 : size;
}

} // namespace

std::string clean(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t size = sequence(text);
    const bool control =
        size == 1 && (static_cast<unsigned char>(text[0]) < 0x20 || text[0] == 0x7f);
    if (size == 0 || control)
      result += '?';
    else
      result += text.substr(0, size);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return result;
}

std::string frame_name(const Profile& profile, std::uint32_t site) {
  if (site == kNoSite)
    return "(further contexts)";
  const SiteInfo& info = profile.sites[site].info;
  const std::string function = info.functions.empty() ? "" : " (" + info.functions.front() + ")";
  return clean(info.name + function);
}

std::string function_frame_name(const Profile& profile, std::uint32_t function) {
  const FunctionRow& row = profile.functions->functions[function];
  std::string place = " @" + row.module;
  if (!row.file.empty() && row.line > 0)
    place = " (" + row.file.substr(row.file.rfind('/') + 1) + ":" + std::to_string(row.line) + ")";
  return clean(row.name + place);
}

std::vector<std::uint32_t> frames_of(const Profile& profile, std::uint32_t context) {
  std::vector<std::uint32_t> frames{context};
  while (frames.back() != 0)
    frames.push_back(profile.contexts[frames.back()].parent);
  std::reverse(frames.begin(), frames.end());
  return frames;
}

std::string unit_name(const Profile& profile) {
  return profile.run.work.unit == "ns" ? "nanoseconds" : clean(profile.run.work.unit);
}

} // namespace tp::analysis
