// SPDX-License-Identifier: Apache-2.0
// The exit statuses of all tools. Each tool's --help shows its own rows of the table below.
#pragma once

#include <string>
#include <string_view>

namespace tp::tool {

inline constexpr int kOk = 0;
inline constexpr int kGateFailed = 1; // a --check is false, a --fail-if is true
inline constexpr int kUnusable = 2;   // wrong usage, or input or output that cannot be used

// tp-run leaves all other statuses to the program that it runs. Its own are those of env and
// timeout.
inline constexpr int kRunFailed = 125;
inline constexpr int kNotExecutable = 126;
inline constexpr int kNotFound = 127;

struct ExitStatus {
  std::string_view tool, status, meaning;
};

inline constexpr ExitStatus kExitStatuses[] = {
    {"tp-run", "125", "tp-run failed, or its options are wrong"},
    {"tp-run", "126", "the program cannot be executed"},
    {"tp-run", "127", "the program was not found"},
    {"tp-run", "128+N", "signal N ended the program"},
    {"tp-run", "other", "the exit status of the program"},
    {"tp-analyze", "0", "success"},
    {"tp-analyze", "1", "a --check is false"},
    {"tp-analyze", "2", "wrong usage; data missing, unreadable or damaged; output not writable"},
    {"tp-diff", "0", "success"},
    {"tp-diff", "1", "a --fail-if is true"},
    {"tp-diff", "2", "wrong usage; data missing, unreadable or damaged; output not writable"},
    {"tp-report", "0", "success"},
    {"tp-report", "2", "wrong usage; data missing, unreadable or damaged; output not writable"},
    {"tp-doctor", "0", "success"},
    {"tp-doctor", "2", "wrong usage, or the library of Taskpath cannot be used"},
    {"tp-rewrite", "0", "success"},
    {"tp-rewrite", "2", "wrong usage; a source cannot be read or parsed; output not writable"},
    {"tp-c++", "2", "TP_CXX names tp-c++ itself"},
    {"tp-c++", "127", "the compiler cannot be run"},
    {"tp-c++", "other", "the exit status of the compiler"},
};

// "Exit status:" and the rows of one tool.
inline std::string exit_statuses_of(std::string_view tool) {
  std::string text = "Exit status:\n";
  for (const ExitStatus& row : kExitStatuses)
    if (row.tool == tool) {
      text.append("  ").append(row.status).append(7 - row.status.size(), ' ');
      text.append(row.meaning).append("\n");
    }
  return text;
}

} // namespace tp::tool
