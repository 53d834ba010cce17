// SPDX-License-Identifier: Apache-2.0
// For benchmarks that record: the process writes to a directory of its own, which is removed at the
// end. A separate process can record a program of a known number of events.
#pragma once

#include "tp/trace/trace_codec.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tp::bench {

inline pid_t root_owner;

// Runs before the runtime's own constructor, which reads the environment. TP_EVENT stays the
// caller's. The directory is removed after the runtime has ended.
[[gnu::constructor(101)]] inline void make_data_root() {
  static char name[] = "/tmp/tp-micro-XXXXXX";
  if (mkdtemp(name) == nullptr)
    std::abort();
  setenv("TP_MICRO_ROOT", name, 1);
  setenv("TP_DATA", (std::string(name) + "/%p").c_str(), 1);
  root_owner = getpid();
}
[[gnu::destructor(101)]] inline void remove_data_root() {
  std::error_code ignored;
  if (getpid() == root_owner)
    std::filesystem::remove_all(std::getenv("TP_MICRO_ROOT"), ignored);
}

// Runs `program` in a separate process and returns the data directory that it wrote.
template <typename Program>
std::string record(Program program) {
  const pid_t child = fork();
  if (child == 0) {
    program();
    std::exit(0);
  }
  int status = -1;
  if (waitpid(child, &status, 0) != child || status != 0)
    std::abort();
  return std::string(std::getenv("TP_MICRO_ROOT")) + "/" + std::to_string(child);
}

// The contents of the streams of a data directory.
struct Amount {
  std::uint64_t bytes = 0; // of records, without chunk headers and padding
  std::uint64_t records = 0;
};

inline Amount amount_in(const std::string& data) {
  Amount amount;
  for (const auto& entry : std::filesystem::directory_iterator(data)) {
    if (entry.path().extension() != trace::kStreamSuffix)
      continue;
    std::vector<char> bytes(entry.file_size());
    std::ifstream(entry.path(), std::ios::binary)
        .read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    const auto* at = reinterpret_cast<const std::byte*>(bytes.data());
    for (const std::byte* const end = at + bytes.size(); at < end;) {
      trace::ChunkHeader header;
      std::memcpy(&header, at, sizeof header);
      const std::byte* cursor = at + header.header_bytes;
      const std::byte* const used = cursor + header.used_bytes;
      trace::Record record;
      while (trace::decode(cursor, used, 0, record) == trace::DecodeStatus::Ok)
        ++amount.records;
      amount.bytes += header.used_bytes;
      at += header.chunk_bytes;
    }
  }
  return amount;
}

} // namespace tp::bench
