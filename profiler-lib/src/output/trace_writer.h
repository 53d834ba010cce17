// SPDX-License-Identifier: Apache-2.0
// TRACE WRITER: one stream of records, written by one thread at a time. Records are written
// directly into a shared file mapping, so that they survive however the process ends; the mapping
// is a window, one chunk long, that moves along the file.
//
// reserve() and advance() are inline and never fail: when the window is full, next_chunk() (cold)
// closes the chunk and opens another one; if that is not possible (disk full, TP_MAX_SIZE), the
// window becomes the sink, private memory that is overwritten again and again, the last chunk is
// marked as truncated, and the program runs on.
//
// A writer belongs to one thread. When that thread ends, the session gives the writer to the next
// new thread, which continues the stream. Only finish_foreign(), at the end of the process, and
// chunks() may be called by another thread.
#pragma once

#include "base/attributes.h"
#include "base/own_file.h"
#include "tp/trace/trace_codec.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tp::rt {

// How many ids a stream has given so far (see trace_format.h, Ids). Kept in the state of the thread
// that writes it, and passed on with the writer.
struct StreamOrdinals {
  std::uint64_t spawns = 0;
  std::uint64_t contexts = 0;
  std::uint64_t releases = 0;
  std::uint64_t stacks = 0;
  std::uint32_t last_site = 0;
};

class TraceWriter {
public:
  StreamOrdinals ordinals; // valid while no thread has the writer
  // The end of a Section; null if that is not in the open chunk. It is the last record if this is cursor().
  std::byte* after_section = nullptr;

  TraceWriter(std::uint64_t session, std::uint32_t stream) : session_(session), stream_(stream) {}
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  // Creates the file. False: errno says why, and the recording is truncated.
  bool open(const std::string& path);

  // Returns room for one record (trace::kMaxRecordBytes), for a RecordEncoder. `now` and
  // `first_spawn` go into the header of the next chunk, if one is opened: the reader's clock at
  // this record, and the ordinal of the next spawn. Hot: once per record.
  TP_HOT std::byte* reserve(std::uint64_t now, std::uint64_t first_spawn) noexcept {
    std::byte* at = cursor_.load(std::memory_order_relaxed);
    if (static_cast<std::size_t>(limit_ - at) < trace::kMaxRecordBytes) [[unlikely]]
      at = next_chunk(now, first_spawn);
    return at;
  }
  // The same, if the chunk has room for that many records; else null.
  TP_HOT std::byte* room_for(unsigned records) const noexcept {
    std::byte* const at = cursor();
    return static_cast<std::size_t>(limit_ - at) >= records * trace::kMaxRecordBytes ? at : nullptr;
  }
  // Where the next record goes, if there is room.
  TP_HOT std::byte* cursor() const noexcept { return cursor_.load(std::memory_order_relaxed); }
  // Is there room for that many records? If not, make_room() provides it.
  TP_HOT bool has_room(unsigned records) const noexcept {
    return static_cast<std::size_t>(limit_ - cursor()) >= records * trace::kMaxRecordBytes;
  }
  TP_COLD void make_room(std::uint64_t now, std::uint64_t first_spawn) noexcept {
    next_chunk(now, first_spawn);
  }
  // The records up to `to` are valid from here on.
  TP_HOT void advance(std::byte* to) noexcept { cursor_.store(to, std::memory_order_release); }

  // Closes the open chunk; the next record opens another one. By the owning thread.
  void finish() noexcept;
  // The same for the stream of a thread that is alive but no longer records. Its window stays
  // mapped, since the thread may still write to it.
  void finish_foreign() noexcept;

  std::uint32_t stream() const { return stream_; }
  bool truncated() const { return truncated_; }
  // Number of chunks in the file. By any thread.
  std::uint32_t chunks() const { return chunks_.load(std::memory_order_acquire); }

private:
  TP_COLD std::byte* next_chunk(std::uint64_t now, std::uint64_t first_spawn) noexcept;
  bool map_chunk(std::size_t bytes, std::uint64_t now, std::uint64_t first_spawn) noexcept;
  std::byte* use_sink() noexcept;
  void seal(std::uint32_t extra_flags) noexcept;

  std::atomic<std::byte*> cursor_{nullptr};
  std::byte* limit_ = nullptr;
  std::byte* chunk_ = nullptr; // start of the mapped chunk, null while in the sink
  std::byte* sink_ = nullptr;
  std::size_t chunk_bytes_ = 0;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t session_;
  std::uint32_t stream_;
  std::atomic<std::uint32_t> chunks_{0};
  OwnFile file_;
  bool has_file_ = false;
  bool truncated_ = false;
};

// The name of the stream's file in the data directory: "000042.tps".
std::string stream_file_name(std::uint32_t stream);
// Sets the number of bytes that all streams of the process may take together, 0: no limit. Before
// the first writer.
void set_size_limit(std::uint64_t bytes);
// Takes bytes of another file of the recording from that number. False: there are not so many left, and
// none are taken. By any thread.
bool take_from_size_limit(std::uint64_t bytes);
// True once any writer had to stop recording. By any thread.
bool any_truncated();

} // namespace tp::rt
