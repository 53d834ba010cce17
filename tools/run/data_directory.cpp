// SPDX-License-Identifier: Apache-2.0
// Finds the directories that a run has written, by turning the TP_DATA pattern into a glob: %p is a
// number, %e any name, %h this host. The runtime adds the suffix .<pid> for a second live process.
#include "run/data_directory.h"

#include <algorithm>
#include <filesystem>
#include <glob.h>
#include <optional>
#include <set>
#include <string_view>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "common/files.h"

namespace tp::tool {
namespace {

namespace fs = std::filesystem;

std::string glob_escaped(std::string_view literal) {
  std::string text;
  for (char c : literal) {
    if (std::string_view("*?[]\\").find(c) != std::string_view::npos)
      text += '\\';
    text += c;
  }
  return text;
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::string glob_of(std::string_view pattern) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char kind = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[++i] : '\0';
    if (kind == 'p')
      text += "[0-9]*";
    else if (kind == 'e')
      text += '*';
    else if (kind == 'h')
      text += glob_escaped(host_name());
    else if (kind == '%' || kind == '\0')
      text += glob_escaped(pattern.substr(i, 1));
    else
      text += glob_escaped(pattern.substr(i - 1, 2));
  }
  return text;
}

std::set<std::string> matches(const std::string& glob_pattern) {
  glob_t found{};
  std::set<std::string> paths;
  if (glob(glob_pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
    paths.insert(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return paths;
}

std::optional<Recording> read_recording(const std::string& run_file) {
  const auto text = read_file(run_file);
  const auto json = nlohmann::json::parse(text.value_or(""), nullptr, false);
  const auto number = [&](const char* key) -> std::optional<std::int64_t> {
    const auto found = json.is_object() ? json.find(key) : json.end();
    return found != json.end() && found->is_number_integer()
               ? std::optional(found->get<std::int64_t>())
               : std::nullopt;
  };
  const auto pid = number("pid");
  const auto start = number("start_time_unix_ns");
  if (!pid || !start)
    return std::nullopt;
  return Recording{fs::path(run_file).parent_path().string(), *pid, *start};
}

} // namespace

std::string absolute_pattern(std::string pattern) {
  while (pattern.size() > 1 && pattern.ends_with('/'))
    pattern.pop_back();
  if (pattern.starts_with('/'))
    return pattern;
  std::error_code error;
  std::string here;
  for (char c : fs::current_path(error).string())
    here.append(c == '%' ? 2 : 1, c);
  return here + "/" + pattern;
}

std::vector<Recording> recordings_since(const std::string& pattern, std::int64_t since_unix_ns) {
  const std::string directory = glob_of(pattern);
  std::set<std::string> files = matches(directory + "/run.json");
  files.merge(matches(directory + ".[0-9]*/run.json"));
  std::vector<Recording> recordings;
  for (const std::string& file : files)
    if (const auto recording = read_recording(file);
        recording && recording->start_time_unix_ns >= since_unix_ns)
      recordings.push_back(*recording);
  std::sort(recordings.begin(), recordings.end(), [](const Recording& a, const Recording& b) {
    return a.start_time_unix_ns < b.start_time_unix_ns;
  });
  return recordings;
}

std::string shortened(const std::string& path) {
  std::error_code error;
  const std::string here = fs::current_path(error).string() + "/";
  return !error && path.starts_with(here) && path.size() > here.size() ? path.substr(here.size())
                                                                       : path;
}

} // namespace tp::tool
