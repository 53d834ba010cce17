// A file of the recording. No descriptor is kept: programs close descriptors that they did not open
// (daemons do), the number then belongs to a file of the program, and whatever we wrote to it would
// land there. So each use, once per chunk or line, opens the file by name and makes sure that it is
// still the one that was created. It also keeps a thousand threads from using a thousand descriptors.
// Cold.
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace tp::rt {

class OwnFile {
public:
  // Creates it. False: errno says why.
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

  // A descriptor for the moment, or -1: errno says why.
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

  void forget() { created_ = false; }

private:
  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  bool created_ = false;
};

} // namespace tp::rt
