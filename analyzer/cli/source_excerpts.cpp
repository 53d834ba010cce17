// SPDX-License-Identifier: Apache-2.0
// A few lines before and after each place; of large files nothing else.
#include "cli/source_excerpts.h"

#include "base/source_files.h"
#include "base/wide.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <vector>

namespace tp::analysis {
namespace {
namespace fs = std::filesystem;

constexpr std::uint32_t kAround = 5;   // lines before and after
constexpr std::size_t kMostFiles = 12; // the rest has little of the critical path
constexpr std::size_t kMostPlaces = 40;
constexpr std::size_t kMostSampled = 20; // lines, with a hundredth of the critical path each
constexpr std::size_t kMostColumns = 400;

nlohmann::ordered_json lines_of(const fs::path& file, const std::set<std::uint32_t>& wanted) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::object();
  std::ifstream stream(file);
  std::string text;
  for (std::uint32_t line = 1; line <= *wanted.rbegin() && std::getline(stream, text); ++line) {
    if (!wanted.contains(line))
      continue;
    if (!text.empty() && text.back() == '\r')
      text.pop_back();
    text.resize(std::min(text.size(), kMostColumns));
    lines[std::to_string(line)] = text;
  }
  return lines;
}

// Of a file that tp-c++ was given with a name relative to a folder that is not known: its name in the
// debug information, which samples have, if that is the only one that ends so. Else the name itself.
std::string known_as(const std::string& name, const std::set<std::string>& absolute) {
  if (name.empty() || name.starts_with('/'))
    return name;
  std::string found;
  for (const std::string& each : absolute)
    if (each.ends_with("/" + name)) {
      if (!found.empty())
        return name;
      found = each;
    }
  return found.empty() ? name : found;
}

} // namespace

std::string source_excerpts(const Profile& profile, const std::string& data) {
  std::vector<std::string> order;
  std::map<std::string, std::set<std::uint32_t>> wanted;
  std::set<std::string> absolute;
  if (profile.functions) {
    for (const FunctionRow& function : profile.functions->functions)
      if (function.file.starts_with('/'))
        absolute.insert(function.file);
    for (const LineRow& line : profile.functions->lines)
      if (line.file.starts_with('/'))
        absolute.insert(line.file);
  }
  std::size_t places = 0;
  const auto add = [&](const std::string& name, std::uint32_t line) {
    if (line == 0 || ++places > kMostPlaces)
      return;
    const std::string file =
        find_source(name, profile.run.program, data) ? name : known_as(name, absolute);
    if (!wanted.contains(file)) {
      if (order.size() == kMostFiles)
        return;
      order.push_back(file);
    }
    for (std::uint32_t i = line > kAround ? line - kAround : 1; i <= line + kAround; ++i)
      wanted[file].insert(i);
  };
  for (const RegionInfo& region : profile.regions)
    add(region.file, region.line);
  for (const SiteRow& site : profile.sites)
    add(site.info.file, site.info.line);
  places = kMostPlaces - kMostSampled;
  if (profile.functions)
    for (const LineRow& line : profile.functions->lines)
      if (Wide{line.critical_work.work} * 100 >= profile.span)
        add(line.file, line.line);
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const std::string& name : order) {
    const auto file = find_source(name, profile.run.program, data);
    if (!file)
      continue;
    nlohmann::ordered_json lines = lines_of(*file, wanted[name]);
    if (!lines.empty())
      files.push_back({{"name", name},
                       {"newer_than_program", is_newer(*file, profile.run.program)},
                       {"lines", std::move(lines)}});
  }
  // Sources may have any encoding.
  return files.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace tp::analysis
