// SPDX-License-Identifier: Apache-2.0
// See machine_time.h.
#include "clock/machine_time.h"

#include <charconv>
#include <cstddef>
#include <fcntl.h>
#include <linux/magic.h>
#include <string_view>
#include <sys/vfs.h>
#include <unistd.h>

namespace tp::rt {
namespace {

// The columns of the first line of /proc/stat, "cpu  USER NICE ...", in ticks. What guests had is in those of users.
enum Column : std::size_t { kUser, kNice, kSystem, kIdle, kIoWait, kIrq, kSoftIrq, kSteal, kCount };

bool read_columns(std::string_view line, std::uint64_t (&columns)[kCount]) noexcept {
  if (!line.starts_with("cpu "))
    return false;
  const char* at = line.data() + 4;
  const char* const end = line.data() + line.size();
  for (std::uint64_t& column : columns) {
    while (at != end && *at == ' ')
      ++at;
    const auto [rest, error] = std::from_chars(at, end, column);
    if (error != std::errc{} || rest == end) // a number that is cut off
      return false;
    at = rest;
  }
  return true;
}

// Not that of a container, which others put in its place (lxcfs): that has the container's time only.
bool is_of_kernel(int file) noexcept {
  struct statfs system;
  return fstatfs(file, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

} // namespace

MachineTime read_machine_time() noexcept {
  const int file = open("/proc/stat", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return {};
  char text[512];
  const ssize_t bytes = is_of_kernel(file) ? read(file, text, sizeof text) : 0;
  close(file);
  const long per_second = sysconf(_SC_CLK_TCK);
  std::uint64_t columns[kCount];
  if (bytes <= 0 || per_second <= 0 ||
      !read_columns({text, static_cast<std::size_t>(bytes)}, columns))
    return {};
  std::uint64_t busy = 0;
  for (const Column each : {kUser, kNice, kSystem, kIrq, kSoftIrq, kSteal})
    busy += columns[each];
  return {true, busy * (1'000'000'000 / static_cast<std::uint64_t>(per_second))};
}

} // namespace tp::rt
