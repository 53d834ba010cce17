// SPDX-License-Identifier: Apache-2.0
// WINDOW: --delay and --duration. tp-run, which is alive while the program runs, begins and ends the
// window in each process of the run; one that starts to record later reads the times from TP_WINDOW.
#pragma once

#include <cstdint>
#include <string>

#include "run/data_directory.h"

namespace tp::tool {

class RecordingWindow {
public:
  // In ns, from now; a duration of 0: to the end of the program.
  RecordingWindow(std::uint64_t delay_ns, std::uint64_t duration_ns, std::string pattern,
                  RunName run);

  // Value of TP_WINDOW.
  std::string variable() const;
  // Does what is due; returns in how many ms something will be, -1: nothing any more.
  int look();
  // After the program has ended before the window began: says so.
  void report() const;
  // Was the time to record over before the program ended?
  bool has_ended() const { return next_ == Next::Nothing && end_ns_ != 0; }

private:
  enum class Next : std::uint8_t { Begin, Pause, End, Nothing };
  void begin() const;
  void pause() const;
  void end() const;

  std::uint64_t start_ns_, begin_ns_, end_ns_; // CLOCK_MONOTONIC; no end: 0
  std::string pattern_;
  RunName run_;
  Next next_;
};

} // namespace tp::tool
