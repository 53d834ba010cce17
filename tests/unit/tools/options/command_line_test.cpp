// SPDX-License-Identifier: Apache-2.0
// The command line: values, error messages in our own words, and help.
#include "options/command_line.h"

#include <gtest/gtest.h>

namespace tp::tool {
namespace {

struct Values {
  std::string data, format = "table", to;
  std::vector<std::string> list, files;
  std::uint64_t top = 15;
  std::optional<std::uint64_t> target;
  bool strict = false;
  MessageStyle style;
};

// The error message as the user sees it; empty if the command line was accepted.
std::string refused(const std::vector<std::string>& arguments, Values& values) {
  CommandLine line("tp-diff", "Do a thing.", "[OPTIONS] FILE");
  line.group("Input");
  line.value("-d,--data", values.data, "DIR", "Data directory");
  line.list("--list", values.list, "NAME", "Names");
  line.positionals(values.files, 2);
  line.group("Output");
  line.choice("--format", values.format, {"table", "json"}, "What goes to stdout");
  line.integer("-t,--top", values.top, 0, 100, "N", "Rows");
  line.integer("--target", values.target, 2, 64, "N", "Parallelism");
  line.flag("--strict", values.strict, "Be strict");
  line.flag_or_value("--to", values.to, "a.csv", "FILE.csv", "Write it");
  try {
    EXPECT_TRUE(line.parse(arguments));
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.hint(), "tp-diff --help");
    return failure.what();
  }
  values.style = line.style();
  return {};
}

TEST(CommandLine, Values) {
  Values values;
  EXPECT_EQ(refused({"-d", "x", "--list", "a", "--list=b", "one", "--format=json", "-t5",
                     "--target", "64", "--strict", "--to", "two", "-q", "--color", "always"},
                    values),
            "");
  EXPECT_EQ(values.data, "x");
  EXPECT_EQ(values.list, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(values.files, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(values.format, "json");
  EXPECT_EQ(values.top, 5u);
  EXPECT_EQ(values.target, 64u);
  EXPECT_TRUE(values.strict);
  EXPECT_EQ(values.to, "a.csv");
  EXPECT_TRUE(values.style.is_quiet());
  EXPECT_EQ(values.style.color, Color::Always);
  Values other;
  EXPECT_EQ(refused({"--to=b.csv", "-v"}, other), "");
  EXPECT_EQ(other.to, "b.csv");
  EXPECT_TRUE(other.style.is_verbose());
  EXPECT_EQ(other.target, std::nullopt);
}

TEST(CommandLine, RefusalsAreInOurWords) {
  const struct {
    std::vector<std::string> arguments;
    std::string text;
  } kTable[] = {
      {{"--bogus"}, "unknown option '--bogus'"},
      {{"-x"}, "unknown option '-x'"},
      {{"-qx"}, "unknown option '-x'"},
      {{"a", "b", "c"}, "unexpected argument 'c'"},
      {{"--data"}, "--data: missing value: expected DIR"},
      {{"-d"}, "--data: missing value: expected DIR"},
      {{"--format"}, "--format: missing value: expected table|json"},
      {{"--list"}, "--list: missing value: expected NAME"},
      {{"-d", "a", "--data", "b"}, "--data: given more than once"},
      {{"--top", "1", "--top", "2"}, "--top: given more than once"},
      {{"--format", "xml"}, "--format: expected table|json, got 'xml'"},
      {{"--top", "101"}, "--top: expected an integer from 0 to 100, got '101'"},
      {{"--top", "-1"}, "--top: expected an integer from 0 to 100, got '-1'"},
      {{"--top", "1x"}, "--top: expected an integer from 0 to 100, got '1x'"},
      {{"--top", "18446744073709551616"},
       "--top: expected an integer from 0 to 100, got '18446744073709551616'"},
      {{"--target=1"}, "--target: expected an integer from 2 to 64, got '1'"},
      {{"--strict=yes"}, "--strict: takes no value"},
      {{"--quiet=1"}, "--quiet: takes no value"},
      {{"--color", "red"}, "--color: expected auto|always|never, got 'red'"},
  };
  for (const auto& row : kTable) {
    Values values;
    EXPECT_EQ(refused(row.arguments, values), row.text);
  }
}

TEST(CommandLine, ChecksGetTheHint) {
  CommandLine line("tp-diff", "Do a thing.", "FILE");
  try {
    line.parse({}, [] { throw Failure("FILE", "missing"); });
    ADD_FAILURE();
  } catch (const Failure& failure) {
    EXPECT_STREQ(failure.what(), "FILE: missing");
    EXPECT_EQ(failure.hint(), "tp-diff --help");
  }
}

TEST(CommandLine, ACommandEndsTheOptions) {
  std::vector<std::string> command;
  const auto parse = [&](const std::vector<std::string>& arguments) {
    CommandLine line("tp-run", "Run.", "PROGRAM");
    line.stop_at_command(command);
    return line.parse(arguments);
  };
  EXPECT_TRUE(parse({"-q", "ls", "-q", "--", "--bogus"}));
  EXPECT_EQ(command, (std::vector<std::string>{"ls", "-q", "--", "--bogus"}));
  EXPECT_TRUE(parse({"--", "-x"}));
  EXPECT_EQ(command, (std::vector<std::string>{"-x"}));
  EXPECT_THROW(parse({"--bogus", "ls"}), Failure);
}

TEST(CommandLine, HelpHasNoWordOfTheParser) {
  CommandLine line("tp-diff", "Do a thing.", "[OPTIONS] FILE");
  std::string value;
  std::uint64_t number = 0;
  bool flag = false;
  std::vector<std::string> list, files;
  line.group("Input");
  line.value("-d,--data", value, "DIR",
             "Data directory, explained by a text that needs a second line of help");
  line.list("--list", list, "NAME", "Names");
  line.positionals(files, 2);
  line.hidden("--secret", value);
  line.group("Output");
  line.integer("--a-rather-long-name-of-an-option", number, 1, 2, "N", "Rows");
  line.flag("--strict", flag, "Be strict");
  line.flag_or_value("--to", value, "a.csv", "FILE.csv", "Write it");
  line.footer("Last words.");
  testing::internal::CaptureStdout();
  EXPECT_FALSE(line.parse({"--help"}));
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), R"(Do a thing.

Usage: tp-diff [OPTIONS] FILE

Input:
  -d, --data DIR              Data directory, explained by a text that needs a
                              second line of help
      --list NAME             Names (repeatable)

Output:
      --a-rather-long-name-of-an-option N
                              Rows
      --strict                Be strict
      --to[=FILE.csv]         Write it

General:
  -h, --help                  Show this help
  -V, --version               Show the version
  -q, --quiet                 Print errors and warnings only
  -v, --verbose               Print more details
      --color auto|always|never
                              When to use colors (default: auto)

Last words.

Exit status:
  0      success
  1      a --fail-if is true
  2      wrong usage; data missing, unreadable or damaged; output not writable
)");
}

TEST(Values, ListsAndPairs) {
  EXPECT_EQ(parse_integers("-P", "1,2,64", 1, 64), (std::vector<std::uint64_t>{1, 2, 64}));
  for (const char* wrong : {"", "1,", ",1", "1,,2", "0", "65", "1;2", "x"})
    EXPECT_THROW(parse_integers("-P", wrong, 1, 64), Failure) << wrong;
  EXPECT_EQ(parse_pair("--map-path", "a=b=c", "OLD=NEW"),
            (std::pair<std::string, std::string>("a", "b=c")));
  for (const char* wrong : {"", "a", "=b"})
    EXPECT_THROW(parse_pair("--map-path", wrong, "OLD=NEW"), Failure) << wrong;
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
}

} // namespace
} // namespace tp::tool
