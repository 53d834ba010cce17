// PROGRESS: one line on stderr, rewritten, while a question takes long to answer. For terminals: main.cpp
// makes one only there.
//
// A thread of its own writes it, from what the work leaves behind: the phase that it is in, and how many
// bytes the cursors of all readings have taken so far, told once per chunk.
#pragma once

#include "base/progress_sink.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace tp::analysis {

class Progress final : public ProgressSink {
public:
  // Of the line, which is not worth reading before: contract.md, "Commands".
  static constexpr std::chrono::milliseconds kAfter{2000}, kBetween{200};

  explicit Progress(int terminal, std::chrono::milliseconds after = kAfter);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() override { end(); }

  // What is done from here on, in few words.
  void begin(std::string phase) override;
  // In this phase: so many readings from here on, of so many bytes each.
  void expect(std::uint64_t readings, std::uint64_t bytes) override;
  // Whoever takes bytes from a stream adds them here.
  std::atomic<std::uint64_t>& bytes_taken() { return bytes_taken_; }
  // Nothing is shown any more. Before anything else is written to the terminal.
  void end() noexcept;

  // For handlers of signals that end the program: what is shown goes.
  static void erase_line() noexcept;

private:
  void show_until_end(std::chrono::milliseconds pause);
  std::string line() const;

  const int terminal_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<std::uint64_t> bytes_taken_{0};
  std::mutex mutex_; // of what follows
  std::condition_variable changed_;
  bool ended_ = false;
  std::string phase_;
  std::uint64_t readings_ = 0, bytes_ = 0, taken_before_ = 0;
  std::thread writer_;
};

} // namespace tp::analysis
