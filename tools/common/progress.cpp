// SPDX-License-Identifier: Apache-2.0
// See progress.h.
#include "common/progress.h"

#include "common/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <system_error>
#include <utility>

namespace tp::tool {
namespace {

constexpr int kNowhere = -1;
// The terminal that shows a line which must be erased later. Signal handlers read it too.
std::atomic<int> shown_on{kNowhere};
static_assert(std::atomic<int>::is_always_lock_free);

void write_to(int terminal, std::string_view text) noexcept {
  [[maybe_unused]] const auto written = ::write(terminal, text.data(), text.size());
}

} // namespace

bool wants_progress(bool quiet) {
  return !quiet && can_rewrite_line(STDERR_FILENO);
}

Progress::Progress(int terminal, std::chrono::milliseconds after)
    : terminal_(terminal), phase_("start") {
  if (after <= after.zero()) { // shown even if the work ends before the writer runs
    show(line());
    after = kBetween;
  }
  try {
    writer_ = std::thread([this, after] { show_until_end(after); });
  } catch (const std::system_error&) { // NOLINT(bugprone-empty-catch): works without a thread
  }
}

void Progress::begin(std::string phase) {
  const std::lock_guard lock(mutex_);
  phase_ = std::move(phase);
  readings_ = 0;
}

void Progress::expect(std::uint64_t readings, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  readings_ = readings;
  bytes_ = std::max<std::uint64_t>(bytes, 1);
  taken_before_ = bytes_taken_.load(std::memory_order_relaxed);
}

// Several readings may run at the same time: the number shown follows from the bytes taken.
std::string Progress::line() const {
  const std::uint64_t taken = bytes_taken_.load(std::memory_order_relaxed) - taken_before_;
  const std::uint64_t all = readings_ * bytes_;
  std::string text = "tp: " + phase_;
  if (taken < all) { // else the phase has finished reading
    const double percent = 100.0 * static_cast<double>(taken) / static_cast<double>(all);
    text += ", reading " + std::to_string(taken / bytes_ + 1) + " of " + std::to_string(readings_) +
            ", " + std::to_string(std::lround(percent)) + " %";
  }
  const auto elapsed = std::chrono::steady_clock::now() - start_;
  return text + ", " +
         std::to_string(std::chrono::duration_cast<std::chrono::seconds>(elapsed).count()) + " s";
}

void Progress::show(std::string_view text) const {
  // One column less than the width, because a line that wraps cannot be erased.
  shown_on = terminal_;
  write_to(terminal_, "\r" + std::string(text.substr(0, width_of(terminal_) - 1)) + "\033[K");
}

void Progress::show_until_end(std::chrono::milliseconds pause) {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, pause, [&] { return ended_; })) {
    const std::string text = line();
    lock.unlock(); // a terminal may be slow
    show(text);
    lock.lock();
    pause = kBetween;
  }
}

void Progress::end() noexcept {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  if (writer_.joinable())
    writer_.join();
  erase_line();
}

void Progress::erase_line() noexcept {
  if (const int terminal = shown_on.exchange(kNowhere); terminal != kNowhere)
    write_to(terminal, "\r\033[K");
}

} // namespace tp::tool
