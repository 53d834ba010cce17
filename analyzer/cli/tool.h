// SPDX-License-Identifier: Apache-2.0
// What tp-analyze and tp-diff add to the common code of the tools.
#pragma once

#include "base/progress_sink.h"
#include "common/progress.h"

#include <functional>
#include <string>

namespace tp::analysis {

// What to do if records are lost.
inline constexpr char kLostHint[] =
    "copy the data directory again, or record again: tp-run PROGRAM";

// The stages report their progress to a line on the terminal.
class ProgressLine final : public ProgressSink {
public:
  ProgressLine(int terminal, std::chrono::milliseconds after) : line_(terminal, after) {}
  void begin(std::string phase) override { line_.begin(std::move(phase)); }
  void expect(std::uint64_t readings, std::uint64_t bytes) override {
    line_.expect(readings, bytes);
  }
  std::atomic<std::uint64_t>& bytes_taken() { return line_.bytes_taken(); }

private:
  tool::Progress line_;
};

// tool::run_tool() for tools that read traces: errors in the input are failures too.
int run_on_traces(const std::string& tool, const std::function<int()>& body);

} // namespace tp::analysis
