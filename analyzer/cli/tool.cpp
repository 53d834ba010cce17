// SPDX-License-Identifier: Apache-2.0
// The signal handler, the environment and the errors of tools that read traces.
#include "cli/tool.h"

#include "base/problem.h"
#include "common/exit_status.h"
#include "common/failure.h"
#include "common/message.h"
#include "sites/module_files.h"

#include <csignal>
#include <unistd.h>

namespace tp::analysis {
namespace {

std::string trace_was_cut; // the message of the handler, prepared in advance

// A stream shrank while it was mapped: another program is writing the data directory.
extern "C" void on_bus_error(int) {
  tool::Progress::erase_line();
  [[maybe_unused]] const auto written =
      ::write(STDERR_FILENO, trace_was_cut.data(), trace_was_cut.size());
  ::_exit(tool::kUnusable);
}

} // namespace

int run_on_traces(const std::string& tool, const std::function<int()>& body) {
  trace_was_cut = tool::plain_error("the trace changed while it was being read: is the program "
                                    "still running?",
                                    "run this again when the program has ended");
  std::signal(SIGBUS, on_bus_error);
  hide_debuginfod();
  return tool::run_tool(tool, tool::kUnusable, [&] {
    try {
      return body();
    } catch (const Error& error) {
      throw tool::Failure("", error.what(),
                          error.hint().empty() ? "record again: tp-run PROGRAM" : error.hint());
    } catch (const std::bad_alloc&) {
      throw tool::Failure("", "out of memory while reading the trace");
    }
  });
}

} // namespace tp::analysis
