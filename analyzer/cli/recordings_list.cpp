// SPDX-License-Identifier: Apache-2.0
// Only the metadata are read. Whether a stream lost its end is seen when the recording is analyzed.
#include "cli/recordings_list.h"

#include "base/problem.h"
#include "common/failure.h"
#include "common/files.h"
#include "report/lines.h"
#include "report/numbers.h"
#include "trace/metadata_reader.h"
#include "trace/trace_source.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <tuple>
#include <vector>

namespace tp::analysis {
namespace {
namespace fs = std::filesystem;

struct ListedRecording {
  std::string directory, program, pid, start, length, state;
  std::uint64_t start_ns = 0;
};

// ".old", ".PID", ".PID.NUMBER", and such a directory that was renamed: ".PID.old"
bool is_suffix(std::string_view text) {
  if (text.ends_with(".old"))
    text.remove_suffix(4);
  return text.find("..") == text.npos && !text.ends_with('.') &&
         (text.empty() || text.front() == '.') &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c == '.' || std::isdigit(c) != 0; });
}

bool is_recording(const fs::path& path) {
  std::error_code error;
  return fs::exists(path / "run.json", error);
}

std::string local_time(std::uint64_t unix_ns) {
  const auto seconds = static_cast<std::time_t>(unix_ns / 1'000'000'000);
  std::tm local{};
  char text[32] = "";
  if (localtime_r(&seconds, &local) != nullptr)
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
  return text;
}

// The runtime holds this lock while it records.
bool is_being_written(const std::string& directory) {
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool locked = fd >= 0 && ::flock(fd, LOCK_SH | LOCK_NB) != 0;
  if (fd >= 0)
    ::close(fd);
  return locked;
}

std::string state_of(const TraceInfo& info, const std::string& directory) {
  if (!info.end)
    return is_being_written(directory) ? "is recording" : "incomplete: no clean end";
  if (info.end->truncated)
    return "incomplete: recording stopped early";
  return info.sites.torn ? "incomplete: sites.jsonl is cut off" : "complete";
}

ListedRecording read_row(const std::string& directory) {
  ListedRecording row{.directory = directory};
  try {
    const TraceInfo info = read_info(open_directory(directory));
    row.program = fs::path(info.run.program).filename().string();
    row.pid = std::to_string(info.run.pid);
    row.start_ns = info.run.start_time_unix_ns;
    row.start = local_time(row.start_ns);
    row.length = info.end ? human_ns(info.end->wall_ns) : "?";
    row.state = state_of(info, directory);
  } catch (const Error& error) {
    row.state = std::string("unreadable: ") + error.what();
  }
  return row;
}

std::vector<ListedRecording> rows_of(const fs::path& directory) {
  std::vector<ListedRecording> rows;
  std::error_code error;
  const std::string name = directory.filename().string();
  const fs::path parent = directory.parent_path();
  for (fs::directory_iterator each(parent.empty() ? "." : parent, error), end;
       !error && each != end; each.increment(error)) {
    const std::string file = each->path().filename().string();
    if (file.starts_with(name) && is_suffix(std::string_view(file).substr(name.size())) &&
        is_recording(each->path()))
      rows.push_back(read_row((parent / file).string()));
  }
  if (!is_recording(directory))
    for (fs::directory_iterator each(directory, error), end; !error && each != end;
         each.increment(error))
      if (is_recording(each->path()))
        rows.push_back(read_row((directory / each->path().filename()).string()));
  return rows;
}

} // namespace

std::string list_recordings(const std::string& directory) {
  std::vector<ListedRecording> rows = rows_of(directory);
  if (rows.empty())
    throw tool::Failure(directory, "no recordings of this name or in this directory",
                        "tp-run -o " + tool::shell_quoted(directory) + " ./your-program");
  std::sort(rows.begin(), rows.end(), [](const ListedRecording& a, const ListedRecording& b) {
    return std::tie(a.start_ns, a.directory) < std::tie(b.start_ns, b.directory);
  });
  rows.insert(rows.begin(), {"Directory", "Program", "Process", "Start", "Length", "State"});
  std::size_t widths[3] = {};
  for (const ListedRecording& row : rows) {
    widths[0] = std::max(widths[0], row.directory.size());
    widths[1] = std::max(widths[1], row.program.size());
    widths[2] = std::max(widths[2], row.pid.size());
  }
  std::string text;
  for (const ListedRecording& row : rows)
    text += printable(fmt::format("{:<{}}  {:<{}}  {:<{}}  {:<19}  {:<8}  {}", row.directory,
                                  widths[0], row.program, widths[1], row.pid, widths[2], row.start,
                                  row.length, row.state)) +
            "\n";
  return text;
}

} // namespace tp::analysis
