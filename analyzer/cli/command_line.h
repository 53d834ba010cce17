// COMMAND LINE: what the options of both tools have in common. A value that makes no sense is told as `OPTION: expected X,
// got Y`.
#pragma once

#include "cli/tool.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

namespace tp::analysis {

inline constexpr std::uint64_t kMostRows = 1'000'000'000; // of a table

[[noreturn]] inline void usage(const std::string& what, const std::string& expected,
                               const std::string& got) {
  throw CLI::ValidationError(fmt::format("{}: expected {}, got {}", what, expected, got));
}

// An integer in these limits; help does not show them.
inline CLI::Validator integer_from(std::uint64_t least, std::uint64_t most) {
  return {
      [least, most](std::string& text) {
        std::uint64_t value = 0;
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        const bool good = error == std::errc{} && stop == end && value >= least && value <= most;
        return good ? std::string()
                    : fmt::format("expected an integer from {} to {}, got '{}'", least, most, text);
      },
      ""};
}

// One of some words; help shows them once.
inline CLI::Option* add_choice(CLI::App& app, const std::string& name, std::string& value,
                               const std::vector<std::string>& words, const std::string& text) {
  const std::string known = CLI::detail::join(words, "|");
  const auto check = [words, known](const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end()
               ? std::string()
               : fmt::format("expected {}, got '{}'", known, word);
  };
  return app.add_option(name, value, text)->check(check)->type_name(known);
}

// Says what is wrong with a command line; the exit status.
inline int refuse(const CLI::App& app, const CLI::ParseError& error) {
  std::string what = error.what();
  const std::vector<std::string> unknown = app.remaining();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !unknown.empty())
    what = fmt::format("{}: expected an option of {}, got something else", unknown.front(),
                       app.get_name());
  complain(app.get_name() + ": " + what, app.get_name() + " --help");
  return kBad;
}

} // namespace tp::analysis
