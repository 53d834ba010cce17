// Where our descriptors lie: above the program's soft limit, where neither a loop that closes all
// descriptors nor the program's next open() meets them, and where they take none away from it. Cold;
// under the session's lock, since the limit is the whole process's.
#pragma once

#include <algorithm>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace tp::rt {

// While it lives, descriptors may be opened beyond the soft limit. Where there is no room above it,
// ours lie in the upper half.
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

  // `fd` moved up, or where it is if that cannot be.
  int moved(int fd) const {
    const int high = fcntl(fd, F_DUPFD_CLOEXEC, static_cast<int>(first_));
    if (high < 0)
      return fd;
    ::close(fd);
    return high;
  }

  // Does `fd` lie there?
  bool holds(int fd) const { return fd >= static_cast<int>(first_); }

private:
  // Kernel tables grow with the highest descriptor: not above this one.
  static constexpr rlim_t kHighest = 8192;

  rlimit own_{};
  rlim_t first_ = 0;
  bool raised_ = false;
};

} // namespace tp::rt
