// SPDX-License-Identifier: Apache-2.0
// Finds the directories that a run has written, by turning the TP_DATA pattern into a glob: %p is a
// number, %e any name, %h this host. The runtime adds the suffixes .<pid> and .<pid>.<number> for
// further processes of the same run.
#include "run/data_directory.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
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

bool is_field(char c) {
  return c == 'p' || c == 'e' || c == 'h';
}

// Where the first field begins; npos: there is none.
std::size_t first_field(const std::string& pattern) {
  for (std::size_t i = pattern.find('%'); i < pattern.size(); i = pattern.find('%', i + 2))
    if (i + 1 < pattern.size() && is_field(pattern[i + 1]))
      return i;
  return std::string::npos;
}

bool has_fields(const std::string& pattern) {
  return first_field(pattern) != std::string::npos;
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

struct RunFile {
  Recording recording;
  std::string run;
};

std::optional<RunFile> read_recording(const std::string& run_file) {
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
  const auto text_of = [](const nlohmann::json& object, const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const auto found = json.find("openmp");
  const auto openmp = found != json.end() ? *found : nlohmann::json();
  return RunFile{{fs::path(run_file).parent_path().string(),
                  fs::path(text_of(json, "program")).filename().string(), *pid, *start,
                  text_of(openmp, "runtime"), text_of(openmp, "replaced")},
                 text_of(json, "run")};
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

std::vector<Recording> recordings_of(const std::string& pattern, const RunName& run) {
  const std::string directory = glob_of(pattern);
  std::set<std::string> files = matches(directory + "/run.json");
  files.merge(matches(directory + ".[0-9]*/run.json"));
  std::vector<Recording> recordings;
  for (const std::string& file : files)
    if (const auto found = read_recording(file);
        found && (found->run.empty() || found->run == run.name) &&
        found->recording.start_time_unix_ns >= run.since_unix_ns)
      recordings.push_back(found->recording);
  std::sort(recordings.begin(), recordings.end(), [](const Recording& a, const Recording& b) {
    return a.start_time_unix_ns < b.start_time_unix_ns;
  });
  return recordings;
}

std::string common_directory(const std::string& pattern) {
  std::string text = pattern.substr(0, first_field(pattern));
  for (std::size_t i = text.find("%%"); i != std::string::npos; i = text.find("%%", i + 1))
    text.erase(i, 1);
  return has_fields(pattern) ? fs::path(text).parent_path().string() : text;
}

std::string why_not_writable(const std::string& pattern) {
  const fs::path directory = common_directory(pattern);
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (fs::exists(status) && !fs::is_directory(status))
    return "it is not a directory";
  const bool inside = has_fields(pattern) || (fs::exists(status) && fs::is_empty(directory, error));
  const fs::path parent = inside ? directory : directory.parent_path();
  fs::create_directories(parent, error);
  if (error)
    return error.message();
  std::string probe = (parent / ".tp-run-XXXXXX").string();
  if (mkdtemp(probe.data()) == nullptr)
    return std::strerror(errno);
  constexpr std::size_t kBytes = 8192; // more than run.json has
  const std::string file = probe + "/probe";
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const bool written =
      descriptor >= 0 && write(descriptor, std::string(kBytes, ' ').data(), kBytes) == kBytes;
  const std::string reason = written ? "" : std::strerror(errno);
  if (descriptor >= 0)
    close(descriptor);
  unlink(file.c_str());
  rmdir(probe.c_str());
  return reason;
}

std::string shortened(const std::string& path) {
  std::error_code error;
  const std::string here = fs::current_path(error).string() + "/";
  return !error && path.starts_with(here) && path.size() > here.size() ? path.substr(here.size())
                                                                       : path;
}

} // namespace tp::tool
