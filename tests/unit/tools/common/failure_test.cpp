// SPDX-License-Identifier: Apache-2.0
// What a thrown failure becomes: text on stderr and an exit status.
#include "common/exit_status.h"
#include "common/failure.h"
#include "common/message.h"

#include <gtest/gtest.h>
#include <new>

namespace tp::tool {
namespace {

struct Ended {
  int status;
  std::string text;
};

Ended run(const std::function<int()>& body, const MessageStyle& style = {}) {
  set_message_style(style);
  testing::internal::CaptureStderr();
  const int status = run_tool("tp-x", kUnusable, body);
  Ended result{status, testing::internal::GetCapturedStderr()};
  set_message_style({});
  return result;
}

TEST(Failure, BecomesTextAndStatus) {
  Ended ended = run([]() -> int { throw Failure("a.cpp", "cannot be read", "ls"); });
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.text, "tp: error: a.cpp: cannot be read\nhint: ls\n");
  ended = run([]() -> int { throw Failure("", "no program given"); });
  EXPECT_EQ(ended.text, "tp: error: no program given\n");
  ended = run([]() -> int { throw Failure("x", "not found").with_status(kNotFound); });
  EXPECT_EQ(ended.status, 127);
  ended = run([]() -> int { throw unexpected("--top", "a number", "'x'"); });
  EXPECT_EQ(ended.text, "tp: error: --top: expected a number, got 'x'\n");
  ended = run([]() -> int { throw std::bad_alloc(); });
  EXPECT_EQ(ended.text, "tp: error: tp-x: out of memory\n");
  EXPECT_EQ(ended.status, 2);
  ended = run([]() -> int { throw std::runtime_error("odd"); });
  EXPECT_EQ(ended.text, "tp: error: tp-x: internal error: odd\n");
  ended = run([] { return 7; });
  EXPECT_EQ(ended.status, 7);
  EXPECT_EQ(ended.text, "");
}

TEST(Message, VerbosityDecides) {
  const auto all = [] {
    error("e");
    warning("w");
    finding("f");
    note("n");
    detail("d");
    next("x");
    return 0;
  };
  const std::string always = "tp: error: e\ntp: warning: w\ntp: f\n";
  EXPECT_EQ(run(all, {Color::Auto, Verbosity::Quiet}).text, always);
  EXPECT_EQ(run(all).text, always + "tp: n\nnext: x\n");
  EXPECT_EQ(run(all, {Color::Never, Verbosity::Verbose}).text, always + "tp: n\ntp: d\nnext: x\n");
  EXPECT_EQ(run(all, {Color::Always, Verbosity::Quiet}).text,
            "\033[1;31mtp: error: \033[0me\n\033[1;33mtp: warning: \033[0mw\ntp: f\n");
  EXPECT_EQ(plain_error("a: b", "c"), "tp: error: a: b\nhint: c\n");
}

TEST(Terminal, ColorsAndLines) {
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  EXPECT_FALSE(is_dumb_terminal());
  const int file = fileno(tmpfile());
  EXPECT_FALSE(wants_color(Color::Auto, file));
  EXPECT_FALSE(can_rewrite_line(file));
  EXPECT_EQ(width_of(file), 80u);
  const int terminal = posix_openpt(2 /* O_RDWR */);
  if (terminal >= 0) {
    EXPECT_TRUE(wants_color(Color::Auto, terminal));
    EXPECT_FALSE(wants_color(Color::Never, terminal));
    setenv("NO_COLOR", "1", 1);
    EXPECT_FALSE(wants_color(Color::Auto, terminal));
    EXPECT_TRUE(wants_color(Color::Always, terminal));
    EXPECT_TRUE(can_rewrite_line(terminal));
    setenv("NO_COLOR", "", 1);
    EXPECT_TRUE(wants_color(Color::Auto, terminal));
    for (const char* dumb : {"dumb", ""}) {
      setenv("TERM", dumb, 1);
      EXPECT_TRUE(is_dumb_terminal());
      EXPECT_FALSE(wants_color(Color::Auto, terminal));
      EXPECT_FALSE(can_rewrite_line(terminal));
    }
  }
  unsetenv("TERM");
  EXPECT_TRUE(is_dumb_terminal());
}

TEST(ExitStatus, EachToolHasItsRows) {
  EXPECT_EQ(exit_statuses_of("tp-doctor"),
            "Exit status:\n  0      success\n"
            "  2      wrong usage, or the library of Taskpath cannot be used\n");
  for (const char* tool : {"tp-run", "tp-analyze", "tp-diff", "tp-rewrite", "tp-c++"})
    EXPECT_GT(exit_statuses_of(tool).size(), 40u) << tool;
}

} // namespace
} // namespace tp::tool
