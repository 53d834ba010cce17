// SPDX-License-Identifier: Apache-2.0
// FILE LIMIT: a write beyond the size that files may have (ulimit -f) ends the program, by SIGXFSZ. So what the
// runtime writes to files asks first, and fails as if the signal were ignored.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tp::rt {

// May a file have so many bytes?
inline bool fits_file_limit(std::uint64_t bytes) noexcept {
  rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         bytes <= limit.rlim_cur;
}

// write() at the end of a file, or to what is none. -1 with EFBIG: it does not fit.
inline ssize_t append_to(int file, const void* data, std::size_t bytes) noexcept {
  struct stat status;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
      !fits_file_limit(static_cast<std::uint64_t>(status.st_size) + bytes)) {
    errno = EFBIG;
    return -1;
  }
  return ::write(file, data, bytes);
}

} // namespace tp::rt
