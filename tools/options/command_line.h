// SPDX-License-Identifier: Apache-2.0
// COMMAND LINE: how every tool reads its options and shows its help. The parser is CLI11, which
// only command_line.cpp uses; all texts are ours.
//
//   CommandLine line("tp-diff", "Report what changed between two profiles.", "[OPTIONS] BASE NEW");
//   line.group("Output");
//   line.integer("--top", options.top, 0, kMostRows, "N", "Rows of the table (default: 10)");
//   if (!line.parse({argv + 1, argv + argc}, [&] { check(options); }))
//     return kOk; // help or version was shown
//
// Invalid input throws a Failure with the hint "TOOL --help".
#pragma once

#include "common/failure.h"
#include "common/message.h"

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace tp::tool {

// ---- Values. Each throws a Failure that names `object`, the option. ----

// An integer from `least` to `most`.
std::uint64_t parse_integer(const std::string& object, const std::string& text, std::uint64_t least,
                            std::uint64_t most);
// A list of such integers, separated by commas.
std::vector<std::uint64_t> parse_integers(const std::string& object, const std::string& text,
                                          std::uint64_t least, std::uint64_t most);
// LEFT=RIGHT, split at the first '='; LEFT must not be empty. The error shows `form`.
std::pair<std::string, std::string> parse_pair(const std::string& object, const std::string& text,
                                               const std::string& form);
// The parts between the separators; one empty part if `text` is empty.
std::vector<std::string> split(const std::string& text, char separator);

class CommandLine {
public:
  // `usage` follows the name of the tool.
  CommandLine(std::string tool, std::string summary, std::string usage);
  ~CommandLine();

  // The title in --help above the options that follow.
  void group(std::string title) { group_ = std::move(title); }

  // `names`: "-o,--out-dir". `type`: what --help and errors call the value.
  void value(const std::string& names, std::string& value, const std::string& type,
             const std::string& text);
  // An option that may be given more than once.
  void list(const std::string& names, std::vector<std::string>& values, const std::string& type,
            const std::string& text);
  void flag(const std::string& names, bool& value, const std::string& text);
  // A flag with an optional value after '='; `fallback` is the value if there is none.
  void flag_or_value(const std::string& names, std::string& value, const std::string& fallback,
                     const std::string& type, const std::string& text);
  // One of `words`.
  void choice(const std::string& names, std::string& value, const std::vector<std::string>& words,
              const std::string& text);
  template <std::unsigned_integral T>
  void integer(const std::string& names, T& value, std::uint64_t least, std::uint64_t most,
               const std::string& type, const std::string& text) {
    add_integer(
        names, [&value](std::uint64_t given) { value = static_cast<T>(given); }, least, most, type,
        text);
  }
  void integer(const std::string& names, std::optional<std::uint64_t>& value, std::uint64_t least,
               std::uint64_t most, const std::string& type, const std::string& text) {
    add_integer(names, [&value](std::uint64_t given) { value = given; }, least, most, type, text);
  }
  // For other tools and for tests: not in --help.
  void hidden(const std::string& names, std::string& value);
  // Up to `most` arguments that are not options.
  void positionals(std::vector<std::string>& values, std::size_t most);
  // The first argument that is not an option begins a command, which is not parsed.
  void stop_at_command(std::vector<std::string>& command);

  // Paragraphs at the end of --help, before the exit statuses.
  void footer(std::string text) { footer_ = std::move(text); }

  // False: help or the version was shown. `check` validates the values together.
  bool parse(const std::vector<std::string>& arguments, const std::function<void()>& check = {});
  bool given(const std::string& name) const;

  const MessageStyle& style() const { return style_; }
  std::string help() const;

private:
  void add_integer(const std::string& names, std::function<void(std::uint64_t)> set,
                   std::uint64_t least, std::uint64_t most, const std::string& type,
                   const std::string& text);
  void add_common_options();
  void listed(CLI::Option* option, const std::string& type);
  void take_command();
  void check_positionals() const;

  std::string tool_, usage_, group_ = "Options", footer_, color_ = "auto";
  std::unique_ptr<CLI::App> app_;
  std::vector<std::string> groups_; // in the order of --help
  std::vector<std::string>* command_ = nullptr;
  std::vector<std::string>* positionals_ = nullptr;
  std::size_t most_positionals_ = 0;
  MessageStyle style_;
};

} // namespace tp::tool
