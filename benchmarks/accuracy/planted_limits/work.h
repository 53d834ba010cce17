// SPDX-License-Identifier: Apache-2.0
// What the programs with a planted limit share: work of a known amount, and a file that is not in
// memory. One program per file; the line that has the limit ends in `// planted`.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace planted {

// About a millisecond of computing on one CPU.
inline void compute(int milliseconds) {
  for (int i = 0; i < milliseconds; ++i) {
    std::uint64_t state = 88172645463325252u;
    for (int round = 0; round < 400'000; ++round) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
    }
    static volatile std::uint64_t sink;
    sink = state;
  }
}

inline void require(bool right, const char* what) {
  if (right)
    return;
  std::fprintf(stderr, "%s: %s\n", what, std::generic_category().message(errno).c_str());
  std::exit(1);
}

// A file of `blocks` times 4 KiB, written to the disk and no longer in memory; without a name.
class ColdFile {
public:
  static constexpr std::size_t kBlock = 4096;
  explicit ColdFile(std::size_t blocks) : blocks_(blocks) {
    const char* const folder = std::getenv("PLANTED_FILES");
    std::string name = std::string(folder ? folder : ".") + "/planted.XXXXXX";
    file_ = mkstemp(name.data());
    require(file_ >= 0, name.c_str());
    unlink(name.c_str());
    const std::vector<char> block(256 * kBlock, 'x');
    for (std::size_t i = 0; i < blocks; i += 256)
      require(write(file_, block.data(), block.size()) == static_cast<ssize_t>(block.size()),
              "write");
    require(fdatasync(file_) == 0, "fdatasync");
    require(posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED) == 0, "posix_fadvise");
    require(posix_fadvise(file_, 0, 0, POSIX_FADV_RANDOM) == 0,
            "posix_fadvise"); // no reading ahead
  }
  ~ColdFile() { close(file_); }
  ColdFile(const ColdFile&) = delete;
  ColdFile& operator=(const ColdFile&) = delete;
  int file() const { return file_; }
  std::size_t blocks() const { return blocks_; }
  // Every block once, far from the one before.
  std::size_t offset(std::size_t i) const { return i * 7919 % blocks_ * kBlock; }

private:
  std::size_t blocks_;
  int file_ = -1;
};

} // namespace planted
