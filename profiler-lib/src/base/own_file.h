// SPDX-License-Identifier: Apache-2.0
// A file of the recording. No descriptor is kept: programs close descriptors that they did not open
// (daemons do); the number then belongs to a file of the program, and what the runtime wrote would
// end up there. So each use, once per chunk or line, opens the file by name and verifies that it is
// still the one that was created. This also keeps a thousand threads from using a thousand
// descriptors. Not synchronized: one thread at a time. Cold.
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace tp::rt {

class OwnFile {
public:
  // Creates the file, which must not exist yet. False: errno says why not.
  bool create(const std::string& path) {
    created_ = false;
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
      return false;
    struct stat status;
    created_ = ::fstat(fd, &status) == 0;
    ::close(fd);
    path_ = path;
    device_ = status.st_dev;
    inode_ = status.st_ino;
    return created_;
  }

  // A descriptor, which the caller closes soon, or -1: errno says why (ESTALE: the name belongs to
  // another file).
  int open(int flags) const noexcept {
    if (!created_) {
      errno = ENOENT;
      return -1;
    }
    const int fd = ::open(path_.c_str(), flags | O_CLOEXEC | O_NOFOLLOW);
    struct stat status;
    if (fd < 0 ||
        (::fstat(fd, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_))
      return fd;
    ::close(fd);
    errno = ESTALE;
    return -1;
  }

  // From here on open() fails. The file stays.
  void forget() { created_ = false; }

private:
  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  bool created_ = false;
};

} // namespace tp::rt
