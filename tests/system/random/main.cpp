// SPDX-License-Identifier: Apache-2.0
// Runs the random program of a seed and prints the expected profile as JSON. run.py calls this for
// many seeds.
#include "generator.h"
#include "interpreter.h"
#include "oracle.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <map>
#include <string>

namespace random_program {
namespace {

using Json = nlohmann::ordered_json;

// Sanitizers do not follow a thread that changes its stack.
#if defined(TP_SANITIZED)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

Json range_json(const Range& range) {
  return {range.least, range.most};
}

Json row_json(const Program& program, const ExpectedRow& row) {
  Json json = {{"work", row.work}, {"exclusive_work", row.exclusive}, {"latency", row.latency}};
  if (program.exact && !row.is_loose)
    json["span"] = row.span;
  if (!row.is_loose)
    json["longest_chain"] = range_json(row.chain);
  if (program.tasks_exact)
    json["invocations"] = row.invocations;
  return json;
}

Json lock_json(const Program& program, const ExpectedLock& lock) {
  Json json = {{"acquisitions", lock.acquisitions},
               {"shared", lock.shared},
               {"held", range_json(lock.held)},
               {"exclusive", range_json(lock.exclusive)},
               {"sections", range_json(lock.sections)},
               {"exclusive_with_latency", range_json(lock.exclusive_with_latency)},
               {"sections_with_latency", range_json(lock.sections_with_latency)}};
  if (!program.exact)
    return json;
  json["bound"] = lock.bound;
  json["what_if"] = Json::array();
  for (const auto& [factor, found] : lock.shorter)
    json["what_if"].push_back({{"change", "shorter"},
                               {"factor", factor},
                               {"least_time", found.first},
                               {"work_if_optimized", found.second}});
  for (const auto& [factor, least] : lock.split)
    json["what_if"].push_back({{"change", "split"}, {"factor", factor}, {"least_time", least}});
  for (const char* change : {"shared", "gone"})
    json["what_if"].push_back({{"change", change}, {"factor", 1}, {"least_time", lock.without}});
  return json;
}

// The rows that a profile can have, and what run.py knows them by.
std::map<unsigned, std::string> rows_of(Sites sites) {
  std::map<unsigned, std::string> rows{{0, "0"}};
  for (unsigned site = 0; site < kSites && sites == Sites::Explicit; ++site)
    rows[1 + site] = std::to_string(site_line(site));
  for (unsigned call = 0; call < kCalls; ++call)
    if (sites != Sites::Explicit || static_cast<Call>(call) >= Call::StdForEach)
      rows[1 + kSites + call] = name_of(static_cast<Call>(call));
  for (unsigned site = 0; site < (sites == Sites::Explicit ? kSites : 1); ++site)
    for (unsigned filter = 0; filter < kMostFilters; ++filter)
      rows[kFilterRows + kMostFilters * site + filter] =
          (sites == Sites::Explicit ? std::to_string(site_line(site)) : name_of(Call::Pipeline)) +
          ("/" + std::to_string(filter + 1));
  return rows;
}

Json expected_json(const Program& program, const Expected& expected, Sites sites) {
  Json json = {{"work", expected.work},
               {"span", range_json(expected.span)},
               {"latency", expected.latency},
               {"span_with_latency", range_json(expected.span_with_latency)},
               {"divisible_span", range_json(expected.divisible_span)},
               {"parts_alike", expected.parts_alike},
               {"joins_alike", expected.joins_alike},
               {"all_joined", expected.all_joined},
               {"one_join_each", expected.one_join_each},
               {"splits_alike", program.splits_alike},
               {"has_priorities", program.has_priorities},
               {"has_windows", program.has_windows},
               {"regions", Json::array()},
               {"rows", Json::object()},
               {"what_if", Json::array()},
               {"critical", Json::array()},
               {"executed", Json::object()}};
  if (program.tasks_exact)
    json["tasks"] = expected.tasks;
  json["work_in_arenas"] = expected.work_in_arenas;
  for (const auto& [before, after] : expected.ends_of_arenas)
    json["ends_of_arenas"].push_back({range_json(before), range_json(after)});
  json["latency_in_arenas"] = expected.latency_in_arenas;
  json["all_determined"] = expected.all_determined;
  for (unsigned region = 0; region < kRegions; ++region)
    if (expected.entered[region])
      json["regions"].push_back("r" + std::to_string(region));
  const auto rows = rows_of(sites);
  for (const auto& [row, name] : rows)
    json["rows"][name] = row_json(program, expected.rows[row]);
  for (const auto& [key, figures] : expected.what_if)
    json["what_if"].push_back(
        {{"region", key.first == kRegions ? "all" : "r" + std::to_string(key.first)},
         {"factor", key.second},
         {"span", range_json(figures.first)},
         {"work", figures.second}});
  for (const Composition& composition : expected.critical) {
    Json shares = Json::array();
    for (const auto& [row, name] : rows)
      shares.push_back(composition[row]);
    json["critical"].push_back(shares);
  }
  json["locks"] = Json::object();
  for (const auto& [number, lock] : expected.locks)
    json["locks"][std::to_string(number)] = lock_json(program, lock);
  json["sections_what_if"] = Json::array();
  for (const auto& [key, range] : expected.sections_what_if)
    json["sections_what_if"].push_back(
        {{"region", key.first == kRegions ? "all" : "r" + std::to_string(key.first)},
         {"factor", key.second},
         {"sections", range_json(range)}});
  for (unsigned kind = 0; kind < kKinds; ++kind)
    json["executed"][name_of(static_cast<Kind>(kind))] = expected.executed[kind];
  return json;
}

} // namespace
} // namespace random_program

int main(int argc, char** argv) {
  using namespace random_program;
  CLI::App app("Runs the random program of a seed and prints what the profiler has to find.");
  std::uint64_t seed = 0;
  unsigned threads = 1;
  std::vector<unsigned> dropped;
  bool describe_only = false, list_only = false;
  unsigned with_locks = 0;
  app.add_option("seed", seed)->required();
  app.add_option("-t,--threads", threads, "of oneTBB");
  app.add_option("--drop", dropped, "numbers of statements to leave out")->delimiter(',');
  app.add_flag("--describe", describe_only, "print the program instead");
  app.add_flag("--list", list_only, "print the numbers that --drop may leave out instead");
  app.add_option("--with-locks", with_locks,
                 "print this many seeds instead, from the given one on, whose programs have locks");
  CLI11_PARSE(app, argc, argv);

  if (with_locks > 0) {
    for (Json seeds = Json::array();; ++seed) {
      if (generate(seed).has_locks)
        seeds.push_back(seed);
      if (seeds.size() == with_locks) {
        std::cout << seeds << '\n';
        return 0;
      }
    }
  }
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
  const auto joins = run(program, threads);
  if (!joins)
    return 1;
  std::cout << expected_json(program, expect(program, sites_of_build, *joins), sites_of_build)
            << '\n';
  return 0;
}
