// SPDX-License-Identifier: Apache-2.0
// See control.h.
#include "session/control.h"

#include "base/file_limit.h"
#include "base/messages.h"
#include "base/recording_state.h"
#include "session/session_state.h"
#include "values/control_page.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tp::rt {
namespace {

bool published = false;

bool is_over(const Settings& settings, std::uint64_t now) {
  return settings.window_end_ns != 0 && now >= settings.window_end_ns;
}

// False: errno says why.
bool map_over_page(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0)
    return false;
  // All of it is written: a hole could not be filled on a full disk. With the lock, so that no other
  // thread's pause gets lost; the new page is locked too, until here.
  const ControlLock lock(tp_control_page);
  static ControlPage copy;
  std::memcpy(static_cast<void*>(&copy), &tp_control_page, sizeof copy);
  void* place = MAP_FAILED;
  if (append_to(fd, &copy, sizeof copy) == static_cast<ssize_t>(sizeof copy))
    place = mmap(nullptr, sizeof copy, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const int error = errno;
  ::close(fd);
  errno = error;
  if (place == MAP_FAILED)
    return false;
  if (mremap(place, sizeof copy, sizeof copy, MREMAP_MAYMOVE | MREMAP_FIXED, &tp_control_page) !=
      MAP_FAILED)
    return true;
  munmap(place, sizeof copy);
  return false;
}

} // namespace

void choose_first_pause(Session& s) noexcept {
  ControlPage& page = tp_control_page;
  const bool delayed = !s.settings.paused && s.start.time.mono_ns < s.settings.window_begin_ns;
  page.delayed = delayed;
  page.pause = s.settings.paused || delayed ? Pause::Now : Pause::Never;
}

bool begin_windows(Session& s) noexcept {
  ControlPage& page = tp_control_page;
  const std::uint64_t now = read_posix(CLOCK_MONOTONIC);
  if (is_over(s.settings, now))
    return false;
  const ControlLock lock(page);
  if (page.delayed && now >= s.settings.window_begin_ns) {
    page.delayed = false;
    page.pause = Pause::Over;
  }
  page.process = static_cast<std::uint64_t>(getpid());
  page.start_ns = s.start.time.mono_ns;
  // A thread that began to work while recording was delayed is cut off at the window's begin.
  const bool from_start = s.start.time.mono_ns >= s.settings.window_begin_ns;
  if (!paused())
    begin_window(page, from_start ? page.start_ns : now,
                 from_start ? s.start.cpu_ns : read_posix(CLOCK_PROCESS_CPUTIME_ID));
  return true;
}

void publish_control(Session& s) {
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::string path = s.directory.file(kControlFile);
  errno = ENOTSUP;
  if (page_bytes <= kControlBytes &&
      reinterpret_cast<std::uintptr_t>(&tp_control_page) % page_bytes == 0)
    published = map_over_page(path);
  if (!published)
    note(1, path + ": tp-run --pause will not work: " + std::strerror(errno));
}

bool follow_times(const Session& s) noexcept {
  ControlPage& page = tp_control_page;
  const std::uint64_t now = read_posix(CLOCK_MONOTONIC);
  if (is_over(s.settings, now))
    return false;
  const ControlLock lock(page);
  if (page.delayed && now >= s.settings.window_begin_ns)
    set_paused(page, false, now, read_posix(CLOCK_PROCESS_CPUTIME_ID));
  return true;
}

void leave_control() noexcept {
  ControlPage& page = tp_control_page;
  const Recording state = recording();
  const Pause pause = page.pause;
  const bool is_delayed = page.delayed;
  if (published) [[maybe_unused]]
    const void* const private_page = mmap(&page, sizeof page, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  published = false;
  std::memset(static_cast<void*>(&page), 0, sizeof page);
  page.magic = kControlMagic;
  page.pause = pause;
  page.delayed = is_delayed;
  set_recording(state);
}

bool recorded_throughout() noexcept {
  const ControlLock lock(tp_control_page);
  return tp_control_page.recorded_throughout();
}

bool pause_recording(bool pause) noexcept {
  ControlPage& page = tp_control_page;
  const ControlLock lock(page);
  if (recording() == Recording::On)
    return set_paused(page, pause, read_posix(CLOCK_MONOTONIC),
                      read_posix(CLOCK_PROCESS_CPUTIME_ID));
  page.delayed = false;
  const bool was = paused();
  page.pause = pause ? Pause::Now : Pause::Over;
  return was != pause;
}

} // namespace tp::rt
