// SPDX-License-Identifier: Apache-2.0
// See core_kinds.h.
#include "clock/core_kinds.h"

#include <algorithm>
#include <charconv>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace tp::rt {
namespace {

// The number that a file begins with. False: none.
bool read_number(const std::string& path, std::uint32_t& number) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  char text[16];
  const ssize_t bytes = ::read(fd, text, sizeof text);
  ::close(fd);
  return bytes > 0 && std::from_chars(text, text + bytes, number).ec == std::errc();
}

} // namespace

CoreKinds find_core_kinds(const char* devices) {
  CoreKinds kinds;
  DIR* const folder = opendir(devices);
  if (folder == nullptr)
    return kinds;
  while (const dirent* entry = readdir(folder)) {
    const std::string device = std::string(devices) + "/" + entry->d_name;
    std::uint32_t cpu, type;
    // Only PMUs of cores have a file `cpus`; it is empty if no such core is online. Others have
    // `cpumask` or neither.
    if (entry->d_name[0] != '.' && kinds.count < kMaxCoreKinds &&
        read_number(device + "/cpus", cpu) && read_number(device + "/type", type))
      kinds.pmu[kinds.count++] = type;
  }
  closedir(folder);
  std::sort(kinds.pmu, kinds.pmu + kinds.count);
  return kinds.count > 1 ? kinds : CoreKinds{};
}

} // namespace tp::rt
