// SPDX-License-Identifier: Apache-2.0
// random_profiles: for each line of stdin, the arguments of tp-analyze, the size of its JSON and that, as tp-analyze
// --json - writes it, but without its start, and without reading the debug information of the same programs again.
#include "cli/analyze_options.h"
#include "profile/make_profile.h"
#include "report/writers.h"
#include "trace/trace_source.h"

#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string profile_of(const std::string& line) {
  using namespace tp::analysis;
  std::istringstream words(line);
  std::vector<std::string> arguments;
  for (std::string word; words >> word;)
    arguments.push_back(word);
  auto options = parse_options(arguments);
  if (!options)
    return {};
  options->analysis.debug_files.keep = true;
  return write_json(make_profile(open_directory(options->data), options->analysis));
}

} // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::string text;
    try {
      text = profile_of(line);
    } catch (const std::exception& error) {
      text = std::string("error: ") + error.what();
    }
    std::cout << text.size() << '\n' << text << std::flush;
  }
}
