// SPDX-License-Identifier: Apache-2.0
// A window ends in two stages: first all steps that begin do not count any more; after a short time,
// in which the steps of the window that are in progress may end, nothing is recorded any more, and
// end.json is written here, since the program may make no event for long.
#include "run/window.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <unistd.h>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "common/failure.h"
#include "common/files.h"
#include "common/message.h"
#include "run/control.h"
#include "tp/trace/trace_format.h"
#include "values/control_page.h"

namespace tp::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kStepsMayEndNs = 200'000'000;
// For hooks that saw the recording's last moment.
constexpr long kHooksMayEndNs = 5'000'000;

struct Streams {
  std::vector<std::uint64_t> chunks; // by number
  bool truncated = false;
};

// Follows the headers from chunk to chunk.
Streams count_chunks(const std::string& directory) {
  Streams streams;
  for (unsigned number = 0;; ++number) {
    const std::string path = fmt::format("{}/{:06}{}", directory, number, trace::kStreamSuffix);
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
      return streams;
    std::uint64_t chunks = 0;
    off_t at = 0;
    for (trace::ChunkHeader header{};
         pread(file, &header, sizeof header, at) == sizeof header &&
         header.magic == trace::kChunkMagic && header.chunk_bytes >= sizeof header;
         at += header.chunk_bytes) {
      ++chunks;
      streams.truncated |= (header.flags & trace::kChunkTruncated) != 0;
    }
    close(file);
    streams.chunks.push_back(chunks);
  }
}

std::uint64_t since(std::uint64_t start, std::uint64_t now) {
  return now > start ? now - start : 0;
}

void write_end(const Recording& recording, const ControlPage& page) {
  const auto run = nlohmann::json::parse(read_file(recording.directory + "/run.json").value_or(""),
                                         nullptr, false);
  const std::uint64_t cpu_at_start =
      run.is_object() ? run.value("cpu_ns_at_start", std::uint64_t{0}) : 0;
  const Streams streams = count_chunks(recording.directory);
  nlohmann::ordered_json end{
      {"schema", "taskpath.end/1"},
      {"end", "window"},
      {"time_end", 0},
      {"mono_end_ns", 0},
      {"cpu_ns", since(cpu_at_start, cpu_time_ns(static_cast<pid_t>(recording.pid)))},
      {"wall_ns", since(page.start_ns, monotonic_ns())},
      {"truncated", streams.truncated},
      {"unfinished_tasks", true},
      {"streams", streams.chunks.size()},
      {"chunks", streams.chunks},
      {"virtual_work", 0},
      {"not_counted_ns", 0},
      {"threads", nlohmann::json::array()},
      {"recorded_ns", page.recorded_ns},
      {"recorded_cpu_ns", page.recorded_cpu_ns},
      {"window_count", page.begun},
      {"windows", nlohmann::json::array()}};
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(page.begun, kMostWindows); ++i) {
    const Window& window = page.windows[i];
    end["windows"].push_back({{"begin_ns", since(page.start_ns, window.begin_ns)},
                              {"end_ns", since(page.start_ns, window.end_ns)},
                              {"cpu_ns", since(window.cpu_begin_ns, window.cpu_end_ns)}});
  }
  write_file(recording.directory + "/end.json", end.dump() + "\n");
}

template <typename Action>
void for_each_control(const std::string& pattern, const RunName& run, Action action) {
  for (const Recording& recording : recordings_of(pattern, run))
    if (const auto control = Control::open(recording.directory + "/" + kControlFile);
        control && control->is_recording())
      action(recording, *control);
}

} // namespace

RecordingWindow::RecordingWindow(std::uint64_t delay_ns, std::uint64_t duration_ns,
                                 std::string pattern, RunName run)
    : start_ns_(monotonic_ns()), begin_ns_(start_ns_ + delay_ns),
      end_ns_(duration_ns > 0 ? begin_ns_ + duration_ns : 0), pattern_(std::move(pattern)),
      run_(std::move(run)), next_(delay_ns > 0      ? Next::Begin
                                  : duration_ns > 0 ? Next::Pause
                                                    : Next::Nothing) {}

std::string RecordingWindow::variable() const {
  return fmt::format("{}-{}", begin_ns_, end_ns_);
}

int RecordingWindow::look() {
  for (;;) {
    if (next_ == Next::Nothing)
      return -1;
    const std::uint64_t due = next_ == Next::Begin   ? begin_ns_
                              : next_ == Next::Pause ? end_ns_
                                                     : end_ns_ + kStepsMayEndNs;
    if (const std::uint64_t now = monotonic_ns(); now < due)
      return static_cast<int>(std::min<std::uint64_t>((due - now + 999'999) / 1'000'000, 60'000));
    switch (next_) {
    case Next::Begin:
      begin();
      next_ = end_ns_ != 0 ? Next::Pause : Next::Nothing;
      break;
    case Next::Pause:
      pause();
      next_ = Next::End;
      break;
    default:
      end();
      next_ = Next::Nothing;
    }
  }
}

void RecordingWindow::begin() const {
  for_each_control(pattern_, run_, [](const Recording& recording, const Control& control) {
    if (control.page().delayed)
      control.set_paused(false, static_cast<pid_t>(recording.pid));
  });
}

void RecordingWindow::pause() const {
  for_each_control(pattern_, run_, [](const Recording& recording, const Control& control) {
    control.set_paused(true, static_cast<pid_t>(recording.pid));
  });
}

void RecordingWindow::end() const {
  bool any = false;
  for_each_control(pattern_, run_, [&](const Recording& recording, const Control& control) {
    if (!control.page().end_by(ControlPage::kLauncher))
      return;
    any = true;
    control.stop(static_cast<pid_t>(recording.pid));
    const timespec nap{0, kHooksMayEndNs};
    nanosleep(&nap, nullptr);
    try {
      write_end(recording, control.page());
      std::error_code error;
      fs::remove(recording.directory + "/" + kControlFile, error);
      note(fmt::format("{} (process {}) recorded {} to {} and runs on; it can be analyzed now",
                       recording.program, recording.pid, duration_text(control.page().recorded_ns),
                       shortened(recording.directory)));
    } catch (const Failure& failure) {
      warning(failure.what());
    }
  });
  if (!any)
    note("the time to record is over, and no process records");
}

void RecordingWindow::report() const {
  const std::uint64_t now = monotonic_ns();
  if (now < begin_ns_)
    warning(fmt::format("the program ended after {}, before --delay was over: no work was recorded",
                        duration_text(now - start_ns_)));
}

} // namespace tp::tool
