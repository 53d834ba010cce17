// SPDX-License-Identifier: Apache-2.0
// The cold half of the trace writer: files, windows, chunk headers. See trace_writer.h.
#include "output/trace_writer.h"

#include "base/file_limit.h"
#include "base/messages.h"
#include "base/no_cancel.h"
#include "clock/work_clock.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tp::rt {
namespace {

// Sizes of chunks in bytes: small at first, since a program may have a thousand threads that do
// little, then doubling, so that a busy thread makes system calls about once per 100,000 steps.
constexpr std::size_t kFirstChunk = std::size_t{32} << 10;
constexpr std::size_t kLargestChunk = std::size_t{1} << 20;
constexpr std::size_t kSinkBytes = 4096;

std::atomic<std::int64_t> size_left{INT64_MAX};
std::atomic<bool> truncated_somewhere{false};

std::size_t round_to_page(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

// Allocates the file's blocks, since with a full disk a hole in a mapped file would be a SIGBUS in
// the user's program. By writing: mapping pages that a write has made costs a quarter of what it
// costs if a page fault has to make them, as after posix_fallocate. Returns 0 or an errno.
int fill_with_zeros(int fd, off_t offset, std::size_t bytes) {
  static const std::byte zeros[64 << 10]{};
  if (!fits_file_limit(static_cast<std::uint64_t>(offset) + bytes))
    return EFBIG;
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t written =
        pwrite(fd, zeros, std::min(sizeof zeros, bytes - done), offset + static_cast<off_t>(done));
    if (written < 0)
      return errno;
    done += static_cast<std::size_t>(written);
  }
  return 0;
}

} // namespace

std::string stream_file_name(std::uint32_t stream) {
  char name[32];
  snprintf(name, sizeof name, "%06u%s", stream, trace::kStreamSuffix);
  return name;
}

void set_size_limit(std::uint64_t bytes) {
  size_left = bytes == 0 || bytes > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(bytes);
}

bool take_from_size_limit(std::uint64_t bytes) {
  const auto wanted = static_cast<std::int64_t>(bytes);
  if (size_left.fetch_sub(wanted) >= wanted)
    return true;
  size_left.fetch_add(wanted);
  return false;
}

bool any_truncated() {
  return truncated_somewhere;
}

bool TraceWriter::open(const std::string& path) {
  has_file_ = file_.create(path);
  if (!has_file_)
    truncated_somewhere = true;
  return has_file_;
}

bool TraceWriter::map_chunk(std::size_t bytes, std::uint64_t now,
                            std::uint64_t first_spawn) noexcept {
  if (!has_file_)
    return false;
  if (size_left.fetch_sub(static_cast<std::int64_t>(bytes)) < static_cast<std::int64_t>(bytes)) {
    if (!truncated_somewhere.exchange(true))
      warn("TP_MAX_SIZE", "limit reached, recording stopped; the profile will say `incomplete`");
    return false;
  }
  const auto file_offset = static_cast<off_t>(file_bytes_);
  const int fd = file_.open(O_RDWR);
  int error = fd >= 0 ? fill_with_zeros(fd, file_offset, bytes) : errno;
  void* window = MAP_FAILED;
  if (error == 0) {
    window = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, file_offset);
    if (window == MAP_FAILED)
      error = errno;
  }
  if (fd >= 0) {
    if (error != 0) {
      [[maybe_unused]] const int ignored = ftruncate(fd, file_offset);
    }
    ::close(fd);
  }
  if (error != 0) {
    if (!truncated_somewhere.exchange(true))
      warn("trace", std::string("recording stopped: ") + std::strerror(error) +
                        "; the profile will say `incomplete`");
    return false;
  }
#ifdef MADV_POPULATE_WRITE
  // One system call instead of a page fault for each page; may fail.
  madvise(window, bytes, MADV_POPULATE_WRITE);
#endif
  chunk_ = static_cast<std::byte*>(window);
  chunk_bytes_ = bytes;
  file_bytes_ += bytes;

  trace::ChunkHeader header{};
  header.magic = trace::kChunkMagic;
  header.version = trace::kFormatVersion;
  header.header_bytes = sizeof header;
  header.session = session_;
  header.stream = stream_;
  header.sequence = chunks_.load(std::memory_order_relaxed);
  header.chunk_bytes = static_cast<std::uint32_t>(bytes);
  header.base_time = now;
  header.base_mono_ns = read_posix(CLOCK_MONOTONIC);
  header.first_spawn = first_spawn;
  header.header_check = trace::header_check(header);
  std::memcpy(chunk_, &header, sizeof header);
  chunks_.store(header.sequence + 1, std::memory_order_release);
  limit_ = chunk_ + bytes;
  cursor_.store(chunk_ + sizeof header, std::memory_order_release);
  return true;
}

// Writes size and checksum into the header of the open chunk.
void TraceWriter::seal(std::uint32_t extra_flags) noexcept {
  trace::ChunkHeader header;
  std::memcpy(&header, chunk_, sizeof header);
  const std::byte* records = chunk_ + sizeof header;
  header.used_bytes = static_cast<std::uint32_t>(cursor_.load(std::memory_order_acquire) - records);
  header.checksum = trace::checksum(records, header.used_bytes);
  header.flags = trace::kChunkClosed | extra_flags;
  std::memcpy(chunk_, &header, sizeof header);
}

std::byte* TraceWriter::next_chunk(std::uint64_t now, std::uint64_t first_spawn) noexcept {
  const NoCancel no_cancel;
  after_section = nullptr;
  if (truncated_)
    return use_sink();
  std::byte* const old = chunk_;
  const std::size_t old_bytes = chunk_bytes_;
  const std::size_t bytes =
      round_to_page(old == nullptr ? kFirstChunk : std::min(2 * old_bytes, kLargestChunk));
  if (old != nullptr)
    seal(0);
  if (map_chunk(bytes, now, first_spawn)) {
    if (old != nullptr)
      munmap(old, old_bytes);
    return cursor_.load(std::memory_order_relaxed);
  }
  if (old != nullptr) {
    seal(trace::kChunkTruncated);
    munmap(old, old_bytes);
  }
  return use_sink();
}

std::byte* TraceWriter::use_sink() noexcept {
  truncated_ = true;
  truncated_somewhere = true;
  chunk_ = nullptr;
  if (sink_ == nullptr) {
    void* memory =
        mmap(nullptr, kSinkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    // Without a page of memory the program cannot continue either; all threads then share a static
    // one: the sink is never read.
    static std::byte last_resort[kSinkBytes];
    sink_ = memory == MAP_FAILED ? last_resort : static_cast<std::byte*>(memory);
  }
  limit_ = sink_ + kSinkBytes;
  cursor_.store(sink_, std::memory_order_relaxed);
  return sink_;
}

void TraceWriter::finish() noexcept {
  if (chunk_ == nullptr)
    return;
  seal(0);
  const std::size_t used =
      static_cast<std::size_t>(cursor_.load(std::memory_order_relaxed) - chunk_);
  // Gives back what was not needed, in whole pages; the header gets the size that remains.
  const std::size_t keep = round_to_page(used);
  if (keep < chunk_bytes_) {
    trace::ChunkHeader header;
    std::memcpy(&header, chunk_, sizeof header);
    header.chunk_bytes = static_cast<std::uint32_t>(keep);
    header.header_check = trace::header_check(header);
    std::memcpy(chunk_, &header, sizeof header);
  }
  munmap(chunk_, chunk_bytes_);
  size_left.fetch_add(static_cast<std::int64_t>(chunk_bytes_ - keep));
  file_bytes_ -= chunk_bytes_ - keep;
  if (const int fd = file_.open(O_WRONLY); fd >= 0) {
    [[maybe_unused]] const int ignored = ftruncate(fd, static_cast<off_t>(file_bytes_));
    ::close(fd);
  }
  chunk_ = nullptr;
  limit_ = nullptr;
  cursor_.store(nullptr, std::memory_order_relaxed);
}

void TraceWriter::finish_foreign() noexcept {
  if (chunk_ != nullptr)
    seal(0);
}

} // namespace tp::rt
