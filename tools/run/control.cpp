// SPDX-License-Identifier: Apache-2.0
// See control.h.
#include "run/control.h"

#include <atomic>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

namespace tp::tool {
namespace {

std::uint64_t read_clock(clockid_t clock) {
  timespec now{};
  if (clock_gettime(clock, &now) != 0)
    return 0;
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

} // namespace

std::uint64_t monotonic_ns() {
  return read_clock(CLOCK_MONOTONIC);
}

std::uint64_t cpu_time_ns(pid_t pid) {
  clockid_t clock{};
  return clock_getcpuclockid(pid, &clock) == 0 ? read_clock(clock) : 0;
}

std::string duration_text(std::uint64_t ns) {
  const auto value = static_cast<double>(ns);
  return ns < 1'000'000'000 ? fmt::format("{:.0f} ms", value / 1e6)
                            : fmt::format("{:.1f} s", value / 1e9);
}

std::optional<Control> Control::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0)
    return std::nullopt;
  struct stat status{};
  void* place = MAP_FAILED;
  errno = EINVAL;
  if (fstat(file, &status) == 0 && status.st_size == static_cast<off_t>(sizeof(ControlPage)))
    place = mmap(nullptr, sizeof(ControlPage), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int error = errno;
  close(file);
  errno = error;
  if (place == MAP_FAILED)
    return std::nullopt;
  Control control(static_cast<ControlPage*>(place));
  if (control.page().magic == kControlMagic)
    return control;
  errno = EINVAL;
  return std::nullopt;
}

Control::~Control() {
  if (page_ != nullptr)
    munmap(page_, sizeof *page_);
}

bool Control::is_recording() const {
  return std::atomic_ref(page_->recording).load() == static_cast<int>(tp::Recording::On) &&
         page_->ender == ControlPage::kNoOne;
}

bool Control::set_paused(bool pause, pid_t pid) const {
  const ControlLock lock(*page_);
  return tp::set_paused(*page_, pause, monotonic_ns(), cpu_time_ns(pid));
}

void Control::stop(pid_t pid) const {
  std::atomic_ref(page_->recording).store(static_cast<int>(tp::Recording::Off));
  const ControlLock lock(*page_);
  end_window(*page_, monotonic_ns(), cpu_time_ns(pid));
}

} // namespace tp::tool
