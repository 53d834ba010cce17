// SPDX-License-Identifier: Apache-2.0
// What threads slept in, as far as the recording shows that.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>

namespace tp::analysis {

// As in trace_format.h.
enum class SleepKind : std::uint8_t {
  Unknown,
  ReadFile,
  WriteFile,
  ReadPipe,
  WritePipe,
  ReadSocket,
  WriteSocket,
  ReadDevice,
  WriteDevice,
  Clock,
  ChildProcess,
  PageFault
};
inline constexpr std::size_t kSleepKinds = 12;
// In JSON: stable.
inline constexpr const char* kSleepNames[kSleepKinds] = {
    "unknown",      "read_file",   "write_file",   "read_pipe", "write_pipe",    "read_socket",
    "write_socket", "read_device", "write_device", "clock",     "child_process", "page_fault"};
inline constexpr const char* kSleepPhrases[kSleepKinds] = {"in what the recording does not show",
                                                           "reading files",
                                                           "writing files",
                                                           "reading from pipes",
                                                           "writing to pipes",
                                                           "reading from sockets",
                                                           "writing to sockets",
                                                           "reading from a terminal or device",
                                                           "writing to a terminal or device",
                                                           "until a time by the clock",
                                                           "until child processes had ended",
                                                           "until pages had been read from disk"};

// By kind, in the unit of work; what is not in it is of no known kind.
struct SleepTimes {
  std::array<std::uint64_t, kSleepKinds> of{};

  std::uint64_t known() const {
    return std::accumulate(of.begin() + 1, of.end(), std::uint64_t{0});
  }
  // In what may end by other threads of the program: in a loop that looks at the clock, or by a pipe or socket that they write to
  // or read from.
  std::uint64_t perhaps_for_others() const {
    std::uint64_t sum = 0;
    for (const SleepKind kind : {SleepKind::Clock, SleepKind::ReadPipe, SleepKind::WritePipe,
                                 SleepKind::ReadSocket, SleepKind::WriteSocket})
      sum += of[static_cast<std::size_t>(kind)];
    return sum;
  }
  std::uint64_t& operator[](SleepKind kind) { return of[static_cast<std::size_t>(kind)]; }
  SleepTimes& operator+=(const SleepTimes& other) {
    std::ranges::transform(of, other.of, of.begin(), std::plus());
    return *this;
  }
};

} // namespace tp::analysis
