// SPDX-License-Identifier: Apache-2.0
// Numbers for the runtime's file descriptors: above the program's soft limit (RLIMIT_NOFILE), where
// the program's next open() does not get them, a loop that closes all descriptors does not close
// them, and they use none of the program's. Used by the clock and the data directory, under the
// session's lock, since the limit is the whole process's. Cold.
#pragma once

#include <algorithm>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace tp::rt {

// While it lives, descriptors may be opened beyond the soft limit. Where the hard limit leaves no
// room above it, the runtime's descriptors are in the upper half of the program's.
class DescriptorRoom {
public:
  DescriptorRoom() {
    if (getrlimit(RLIMIT_NOFILE, &own_) != 0)
      return;
    first_ = std::min(own_.rlim_cur, kHighest);
    if (own_.rlim_cur < own_.rlim_max) {
      const rlimit raised{own_.rlim_max, own_.rlim_max};
      raised_ = setrlimit(RLIMIT_NOFILE, &raised) == 0;
    }
    if (!raised_ && first_ == own_.rlim_cur)
      first_ /= 2;
  }
  ~DescriptorRoom() {
    if (raised_)
      setrlimit(RLIMIT_NOFILE, &own_);
  }
  DescriptorRoom(const DescriptorRoom&) = delete;
  DescriptorRoom& operator=(const DescriptorRoom&) = delete;

  // Moves `fd` up and returns its new number; returns `fd` itself if that fails.
  int moved(int fd) const {
    const int high = fcntl(fd, F_DUPFD_CLOEXEC, static_cast<int>(first_));
    if (high < 0)
      return fd;
    ::close(fd);
    return high;
  }

  // Are the numbers beyond those that the program's descriptors have? With thousands below them they are.
  bool is_apart() const { return raised_ || first_ == kHighest; }
  // Is `fd` in the runtime's range?
  bool holds(int fd) const { return fd >= static_cast<int>(first_); }

private:
  // The kernel's table of descriptors grows with the highest one, so this is the limit.
  static constexpr rlim_t kHighest = 8192;

  rlimit own_{};
  rlim_t first_ = 0;
  bool raised_ = false;
};

} // namespace tp::rt
