// SPDX-License-Identifier: Apache-2.0
// figures: for each line of stdin, a data directory, the figures of its profile that run.py compares, as JSON in a line: what
// tp-analyze computes, without its start for each of them, and without looking up places in the source.
#include "profile/make_profile.h"
#include "trace/trace_source.h"

#include <fmt/format.h>

#include <exception>
#include <iostream>

namespace {
using namespace tp::analysis;

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text)
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else
      result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return result + '"';
}

std::string list(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts)
    result += (result.empty() ? "" : ",") + quoted(text);
  return '[' + result + ']';
}

std::string figures(const std::string& directory, const ProfileOptions& options) {
  const Profile profile = make_profile(open_directory(directory), options);
  std::vector<std::string> warnings;
  for (const Warning& warning : profile.warnings)
    warnings.push_back(warning.name);
  return fmt::format(
      R"({{"work":{},"span":{},"divisible_span":{},"complete":{},"tasks_begun":{},"exclusive_sum":{},"critical_sum":{},"reasons":{},"warnings":{}}})",
      profile.work, profile.span, profile.divisible_span, profile.read.complete, profile.read.begun,
      profile.exclusive_sum, profile.critical_sum, list(profile.read.incomplete_reasons),
      list(warnings));
}

} // namespace

int main() {
  ProfileOptions options;
  options.simulate = Ask::Never;
  options.path_map = {{"/", "/nowhere/"}}; // modules are not found
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::cout << figures(line, options) << std::endl;
    } catch (const std::exception& error) {
      std::cout << R"({"error":)" << quoted(error.what()) << '}' << std::endl;
    }
  }
}
