// SPDX-License-Identifier: Apache-2.0
// PROGRESS: one line on stderr, rewritten while a tool takes long to answer. Only on terminals:
// wants_progress() decides.
//
// A separate thread writes the line from what the work reports: its current phase, and how many
// bytes all readings have taken so far (added once per chunk).
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace tp::tool {

// True if stderr is a terminal that can rewrite a line, and the user did not ask for quiet output.
bool wants_progress(bool quiet);

class Progress {
public:
  // An answer that comes sooner needs no progress line.
  static constexpr std::chrono::milliseconds kAfter{2000}, kBetween{200};

  // The line is shown for the first time `after` the start; with 0 before the constructor returns.
  explicit Progress(int terminal, std::chrono::milliseconds after = kAfter);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { end(); }

  // Sets the name of the phase that begins: a few words.
  void begin(std::string phase);
  // This phase will read `bytes` bytes `readings` times.
  void expect(std::uint64_t readings, std::uint64_t bytes);
  // Readers add the bytes that they take.
  std::atomic<std::uint64_t>& bytes_taken() { return bytes_taken_; }
  // Erases the line permanently. Call it before anything else is written to the terminal.
  void end() noexcept;

  // For signal handlers that end the program: erases the line.
  static void erase_line() noexcept;

private:
  void show(std::string_view text) const;
  void show_until_end(std::chrono::milliseconds pause);
  std::string line() const;

  const int terminal_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<std::uint64_t> bytes_taken_{0};
  std::mutex mutex_; // protects the members below
  std::condition_variable changed_;
  bool ended_ = false;
  std::string phase_;
  std::uint64_t readings_ = 0, bytes_ = 0, taken_before_ = 0;
  std::thread writer_;
};

} // namespace tp::tool
