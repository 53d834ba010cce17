// The line, and the thread that writes it.
#include "cli/progress.h"

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

namespace tp::analysis {
namespace {

constexpr int kNowhere = -1;
// Where a line is shown that nobody has erased yet. Also read by handlers of signals.
std::atomic<int> shown_on{kNowhere};
static_assert(std::atomic<int>::is_always_lock_free);

void write_to(int terminal, std::string_view text) noexcept {
  [[maybe_unused]] const auto written = ::write(terminal, text.data(), text.size());
}

// A line that wraps could not be erased.
std::size_t width_of(int terminal) {
  winsize size{};
  const bool known = ::ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return (known ? size.ws_col : 80u) - 1;
}

} // namespace

Progress::Progress(int terminal, std::chrono::milliseconds after)
    : terminal_(terminal), phase_("start") {
  try {
    writer_ = std::thread([this, after] { show_until_end(after); });
  } catch (const std::system_error&) { // no thread to be had: the answer matters more
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

// Several readings may go on at a time: that they are in is as many as bytes have been taken.
std::string Progress::line() const {
  const std::uint64_t taken = bytes_taken_.load(std::memory_order_relaxed) - taken_before_;
  const std::uint64_t all = readings_ * bytes_;
  std::string text = "tp: " + phase_;
  if (taken < all) // else the phase does something else by now
    text += fmt::format(", reading {} of {}, {:.0f} %", taken / bytes_ + 1, readings_,
                        100.0 * static_cast<double>(taken) / static_cast<double>(all));
  const auto elapsed = std::chrono::steady_clock::now() - start_;
  return text +
         fmt::format(", {} s", std::chrono::duration_cast<std::chrono::seconds>(elapsed).count());
}

void Progress::show_until_end(std::chrono::milliseconds pause) {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, pause, [&] { return ended_; })) {
    const std::string text = line();
    lock.unlock(); // a terminal may be slow
    shown_on = terminal_;
    write_to(terminal_, "\r" + text.substr(0, width_of(terminal_)) + "\033[K");
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

} // namespace tp::analysis
