// SPDX-License-Identifier: Apache-2.0
// The bytes of a data directory: three JSON texts and the streams, mapped or held in memory. The
// command-line tools open a directory; tests and fuzzers make one in memory. Only the names of the
// files are interpreted here.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tp::analysis {

// A file mapped read-only, or bytes owned in memory.
class StreamBytes {
public:
  StreamBytes(std::string name, std::vector<std::byte> bytes);
  static StreamBytes map(const std::string& path);
  StreamBytes(StreamBytes&& other) noexcept;
  StreamBytes& operator=(StreamBytes&&) = delete;
  ~StreamBytes();

  const std::string& name() const { return name_; }
  std::span<const std::byte> bytes() const { return bytes_; }

private:
  explicit StreamBytes(std::string name) : name_(std::move(name)) {}
  std::string name_;
  std::vector<std::byte> owned_;
  std::span<const std::byte> bytes_;
  bool mapped_ = false;
};

// streams[k] is the stream file with number k.
struct TraceSource {
  std::string name; // of the directory, for messages
  std::string run_json;
  std::string sites_jsonl;
  std::optional<std::string> end_json;
  std::vector<StreamBytes> streams;
  std::optional<StreamBytes> samples; // trace/samples_reader.h
  // If not null, readings add the bytes that they have read, from any thread. Not owned.
  std::atomic<std::uint64_t>* bytes_taken = nullptr;

  std::uint64_t bytes() const; // of all streams
};

// Throws Error{NoData, Unreadable, MissingRunJson, MissingStream, NoStreams, BadStreamName}.
TraceSource open_directory(const std::string& path);

} // namespace tp::analysis
