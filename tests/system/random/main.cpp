// SPDX-License-Identifier: Apache-2.0
// Runs the random program of a seed and prints the expected profile as JSON. run.py calls this for
// many seeds.
#include "generator.h"
#include "interpreter.h"
#include "oracle.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>

namespace tp::random {
namespace {

using Json = nlohmann::ordered_json;

// Sanitizers do not follow a thread that changes its stack.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

Json range_json(const Range& range) {
  return {range.least, range.most};
}

Json row_json(const Program& program, const ExpectedRow& row, bool is_loose) {
  Json json = {{"work", row.work}, {"exclusive_work", row.exclusive}};
  if (program.exact && !is_loose)
    json["span"] = row.span;
  if (!is_loose)
    json["longest_chain"] = range_json(row.chain);
  if (program.tasks_exact)
    json["invocations"] = row.invocations;
  return json;
}

Json expected_json(const Program& program, const Expected& expected) {
  Json json = {{"work", expected.work},
               {"span", range_json(expected.span)},
               {"divisible_span", range_json(expected.divisible_span)},
               {"parts_alike", expected.parts_alike},
               {"regions", Json::array()},
               {"rows", Json::object()},
               {"what_if", Json::array()},
               {"critical", Json::array()},
               {"executed", Json::object()}};
  if (program.tasks_exact)
    json["tasks"] = expected.tasks;
  json["all_determined"] = expected.all_determined;
  for (unsigned region = 0; region < kRegions; ++region)
    if (expected.entered[region])
      json["regions"].push_back("r" + std::to_string(region));
  for (unsigned row = 0; row < kRows; ++row)
    json["rows"][std::to_string(row == 0 ? 0 : site_line(row - 1))] =
        row_json(program, expected.rows[row], row > 0 && program.loose_sites[row - 1]);
  for (const auto& [key, figures] : expected.what_if)
    json["what_if"].push_back(
        {{"region", key.first == kRegions ? "all" : "r" + std::to_string(key.first)},
         {"factor", key.second},
         {"span", range_json(figures.first)},
         {"work", figures.second}});
  for (const Composition& composition : expected.critical)
    json["critical"].push_back(composition);
  for (unsigned kind = 0; kind < kKinds; ++kind)
    json["executed"][name_of(static_cast<Kind>(kind))] = expected.executed[kind];
  return json;
}

} // namespace
} // namespace tp::random

int main(int argc, char** argv) {
  using namespace tp::random;
  CLI::App app("Runs the random program of a seed and prints what the profiler has to find.");
  std::uint64_t seed = 0;
  unsigned threads = 1;
  std::vector<unsigned> dropped;
  bool describe_only = false, list_only = false;
  app.add_option("seed", seed)->required();
  app.add_option("-t,--threads", threads, "of oneTBB");
  app.add_option("--drop", dropped, "numbers of statements to leave out")->delimiter(',');
  app.add_flag("--describe", describe_only, "print the program instead");
  app.add_flag("--list", list_only, "print the numbers that --drop may leave out instead");
  CLI11_PARSE(app, argc, argv);

  Program program = generate(seed);
  drop(program, dropped);
  if (describe_only) {
    std::cout << describe(program);
    return 0;
  }
  if (list_only) {
    std::cout << nlohmann::json(droppable(program)) << '\n';
    return 0;
  }
  if (kSanitized && program.suspends) {
    std::cout << "{\"skipped\":true}\n";
    return 0;
  }
  const bool right = run(program, threads);
  std::cout << expected_json(program, expect(program)) << '\n';
  return right ? 0 : 1;
}
