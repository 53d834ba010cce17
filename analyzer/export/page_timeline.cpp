// SPDX-License-Identifier: Apache-2.0
// The timeline of a page: per thread its slices, each as four numbers in LEB128 (gap since the slice
// before, length, site, steps), compressed by gzip, in base64. A browser draws so many slices at
// once, so that neighbors are merged until the rest fits: first those of one site, then any that are
// shorter than the resolution.
#ifdef TP_PAGE

#include "export/gzip.h"
#include "export/page.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace tp::analysis {
namespace {

constexpr std::uint64_t kUnitNs = 100;
constexpr std::uint64_t kFirstResolutionNs = 1000;
// Instead of a site.
constexpr std::uint32_t kLeftOut = (1u << 23) - 1;

std::uint64_t length_of(const TimelineSlice& slice) {
  return slice.end_ns - slice.begin_ns;
}

bool can_merge(const TimelineSlice& one, const TimelineSlice& next, std::uint64_t resolution) {
  if (one.stream != next.stream || next.begin_ns >= one.end_ns + resolution)
    return false;
  return (one.site == next.site && one.left_out == next.left_out) ||
         (length_of(one) < resolution && length_of(next) < resolution);
}

// A merged slice has the site with more of its time.
std::vector<TimelineSlice> merged(const std::vector<TimelineSlice>& slices,
                                  std::uint64_t resolution) {
  std::vector<TimelineSlice> result;
  for (const TimelineSlice& slice : slices) {
    if (result.empty() || !can_merge(result.back(), slice, resolution)) {
      result.push_back(slice);
      continue;
    }
    TimelineSlice& last = result.back();
    if (length_of(slice) > length_of(last)) {
      last.site = slice.site;
      last.left_out = slice.left_out;
    }
    last.end_ns = std::max(last.end_ns, slice.end_ns);
    last.work += slice.work;
    last.steps += slice.steps;
  }
  return result;
}

void append_leb128(std::string& bytes, std::uint64_t value) {
  for (; value >= 128; value /= 128)
    bytes += static_cast<char>(value % 128 | 128);
  bytes += static_cast<char>(value);
}

std::string base64(const std::string& bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : kDigits[group >> (18 - 6 * k) & 63];
  }
  return text;
}

} // namespace

std::string page_timeline(std::vector<TimelineSlice> slices, std::size_t most_slices) {
  std::uint64_t resolution = 0;
  while (slices.size() > most_slices) {
    resolution = resolution == 0 ? kFirstResolutionNs : resolution * 2;
    slices = merged(slices, resolution);
  }
  nlohmann::ordered_json threads = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < slices.size();) {
    const std::uint32_t stream = slices[i].stream;
    const std::size_t first = i;
    std::string bytes;
    std::uint64_t now = 0; // in units: rounding does not add up
    for (; i < slices.size() && slices[i].stream == stream; ++i) {
      const std::uint64_t begin = std::max(now, slices[i].begin_ns / kUnitNs);
      const std::uint64_t end = std::max(begin, slices[i].end_ns / kUnitNs);
      append_leb128(bytes, begin - now);
      append_leb128(bytes, end - begin);
      append_leb128(bytes, slices[i].left_out ? kLeftOut : slices[i].site);
      append_leb128(bytes, slices[i].steps);
      now = end;
    }
    threads.push_back({{"stream", stream},
                       {"slices", i - first},
                       {"gzip", base64(gzip(bytes, Z_BEST_COMPRESSION))}});
  }
  return nlohmann::ordered_json{{"unit_ns", kUnitNs},
                                {"threads", threads},
                                {"merged_below_ns", resolution},
                                {"left_out_site", kLeftOut}}
      .dump();
}

} // namespace tp::analysis

#endif
