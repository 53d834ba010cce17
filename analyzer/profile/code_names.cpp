// SPDX-License-Identifier: Apache-2.0
// A name is an owner ("main", "the loop at a.cpp:12") and what of it is meant: before, after or
// between what the code begins and ends with. Ends that say nothing (the end of a task) are left
// out.
#include "profile/code_names.h"

#include "sites/constructs.h"
#include "sites/node_variables.h"

#include <fmt/format.h>

#include <algorithm>

namespace tp::analysis {
namespace {

bool is_main(const SiteInfo& info) {
  return info.line == 0 && info.file == "main";
}

std::string row_name(const SiteInfo& info) {
  return is_main(info) ? "the program" : info.name;
}

Runtimes runtimes_of(const SiteTable& table) {
  Runtimes runtimes;
  for (const SiteInfo& row : table.rows)
    runtimes.add(row);
  return runtimes;
}

// "the first OpenMP call"
std::string first_call(const SiteTable& table) {
  return fmt::format("first {} call", runtimes_of(table).name());
}

bool is_construct(const SiteInfo& info, trace::Construct construct) {
  return !info.constructs.empty() && info.constructs.front() == name_of(construct);
}

std::string boundary_name(const Boundary& boundary, const SiteInfo& own, const SiteInfo& other,
                          const SiteTable& table) {
  switch (boundary.kind) {
  case BoundaryKind::Begin:
    return "the start of " + row_name(own);
  case BoundaryKind::FirstUse:
    return "the " + first_call(table) + (is_main(other) ? "" : ", before " + other.name);
  case BoundaryKind::Spawn:
    return (is_of_openmp(other) ? "the start of tasks at " : "the spawn at ") + row_name(other);
  case BoundaryKind::Wait:
    return "the wait after " + row_name(other);
  case BoundaryKind::BodyBegin:
    return "the start of a loop body of " + row_name(own);
  case BoundaryKind::BodyEnd:
    return "the end of a loop body of " + row_name(own);
  case BoundaryKind::End:
    return "the end of " + row_name(own);
  case BoundaryKind::Other:
    break;
  }
  return "a join or a pause in " + row_name(own);
}

// "at a.cpp:12"; "in NAME" if only the name of a function is known.
std::string at(const SiteInfo& info) {
  return (info.line > 0 ? "at " : "in ") + info.place_name();
}

// Algorithms wait for their tasks in the call that creates them.
bool is_algorithm(const SiteInfo& info) {
  const std::string_view noun = noun_of(info);
  return !noun.empty() && noun != kNode;
}

// What the code outside of an algorithm's tasks sees of it, or of other tasks.
std::string seen_from_outside(const SiteInfo& info) {
  const std::string_view noun = noun_of(info);
  if (noun == kNode)
    return (is_node(info) ? "node " : "the graph run from ") + info.name;
  return noun.empty() ? "the tasks of " + info.name : fmt::format("the {} {}", noun, at(info));
}

// In pipelines and graphs most of what is neither a spawn nor a wait is a message, which is
// received before a body runs and sent after it.
bool passes_messages(const SiteInfo& info) {
  const std::string_view noun = noun_of(info);
  return noun == kNode || noun == kPipeline;
}

// An algorithm spawns tasks of its own to divide its work, a node to pass a message on.
bool is_own_spawn(Row spawned, const SiteInfo& own, const SiteTable& table) {
  const SiteInfo& other = table.rows[spawned];
  if (own.filter != 0 && other.filter != 0)
    return true;
  return is_algorithm(own) ? &other == &own : noun_of(own) == kNode && noun_of(other) == kNode;
}

// What creates tasks, in the words of their runtime.
std::string creation(const SiteInfo& info) {
  if (is_region(info) || is_taskloop(info))
    return fmt::format("the {} {}", is_taskloop(info) ? "taskloop" : noun_of(info), at(info));
  return (is_of_openmp(info) ? "the creation of the task " : "the spawn ") + at(info);
}

// One end of a code segment; empty: the owner's own beginning or end.
std::string end_name(const Boundary& boundary, const SiteInfo& own, const SiteTable& table) {
  switch (boundary.kind) {
  case BoundaryKind::Begin:
  case BoundaryKind::End:
    return "";
  case BoundaryKind::FirstUse:
    return "its " + first_call(table);
  case BoundaryKind::Spawn:
    if (boundary.row == kMainRow)
      return "a spawn";
    if (is_own_spawn(boundary.row, own, table))
      return "";
    return noun_of(table.rows[boundary.row]) == kNode
               ? "a message to " + seen_from_outside(table.rows[boundary.row])
               : creation(table.rows[boundary.row]);
  case BoundaryKind::Wait: {
    if (boundary.row == kMainRow)
      return "a wait";
    const SiteInfo& other = table.rows[boundary.row];
    if (&other == &own && is_region(own)) // inside of it
      return "a barrier";
    return (is_algorithm(other) ? "" : "the wait for ") + seen_from_outside(other);
  }
  case BoundaryKind::BodyBegin:
  case BoundaryKind::BodyEnd:
    return "a call of its body";
  case BoundaryKind::Other:
    break;
  }
  // The dependences of a task, at both of its ends.
  if (passes_messages(own) || is_construct(own, trace::Construct::OmpTask))
    return "";
  if (is_of_openmp(own))
    return "a wait or an ordered block";
  return noun_of(own) == kReduction ? "a join of results" : "a wait or pause";
}

// "the loop at a.cpp:12", "the loop at b.cpp:3": the second becomes "the one at b.cpp:3".
std::string shortened_second(const Boundary& first, const Boundary& second, const SiteTable& table,
                             std::string name) {
  if (first.kind != BoundaryKind::Wait || second.kind != BoundaryKind::Wait ||
      first.row == kMainRow || second.row == kMainRow)
    return name;
  const SiteInfo& a = table.rows[first.row];
  const SiteInfo& b = table.rows[second.row];
  return is_algorithm(b) && noun_of(a) == noun_of(b) ? "the one " + at(b) : name;
}

// If both ends are the same algorithm, the code is run between two calls of it.
std::string between(const StepClass& of, const SiteTable& table, const std::string& from,
                    const std::string& to) {
  if (of.opened == of.closed && of.opened.kind == BoundaryKind::Wait && from.starts_with("the "))
    return from.starts_with("the wait") ? "between two waits for " + from.substr(13)
                                        : "between two runs of " + from;
  if (from == to && of.opened.kind == BoundaryKind::Spawn && from.starts_with("the "))
    return from.starts_with("the spawn ") ? "between two spawns " + at(table.rows[of.opened.row])
           : from.starts_with("the creation ")
               ? "between the creations of two tasks " + at(table.rows[of.opened.row])
               : "between two runs of " + from;
  if (from == to && !from.empty())
    return "between " + from + " and the next";
  return fmt::format("between {} and {}", from, shortened_second(of.opened, of.closed, table, to));
}

} // namespace

bool names_row(const Boundary& boundary) {
  return boundary.kind == BoundaryKind::Spawn || boundary.kind == BoundaryKind::Wait;
}

bool is_program_start(const StepClass& of) {
  return of.row == kMainRow && of.opened.kind == BoundaryKind::Begin &&
         of.closed.kind == BoundaryKind::FirstUse;
}

bool is_of_openmp(const SiteInfo& row) {
  return std::ranges::any_of(
      row.constructs, [](const std::string& construct) { return construct.starts_with("omp_"); });
}

bool is_taskloop(const SiteInfo& row) {
  return is_construct(row, trace::Construct::OmpTaskloop);
}

bool is_sections(const SiteInfo& row) {
  return is_construct(row, trace::Construct::OmpSections);
}

bool is_distributed(const SiteInfo& row) {
  return is_construct(row, trace::Construct::OmpDistribute);
}

bool is_thread(const SiteInfo& row) {
  return std::ranges::find(row.constructs, name_of(trace::Construct::Thread)) !=
         row.constructs.end();
}

bool is_region(const SiteInfo& row) {
  return noun_of(row) == kRegion || noun_of(row) == kLeague;
}

bool is_in_league(Row row, const SiteTable& table) {
  std::vector<Row> around = {row};
  for (std::size_t i = 0; i < around.size(); ++i) {
    const SiteInfo& info = table.rows[around[i]];
    if (noun_of(info) == kLeague)
      return true;
    for (const Row region : info.regions)
      if (std::ranges::find(around, region) == around.end())
        around.push_back(region);
  }
  return false;
}

std::vector<Row> regions_of(Row row, const SiteTable& table) {
  std::vector<Row> regions = table.rows[row].regions;
  if (is_region(table.rows[row]))
    regions.push_back(row);
  std::ranges::sort(regions);
  const auto same = std::ranges::unique(regions);
  regions.erase(same.begin(), same.end());
  return regions;
}

std::string_view noun_of(const SiteInfo& row) {
  for (const ConstructNoun& each : kNouns)
    if (!row.constructs.empty() && row.constructs.front() == each.construct)
      return each.noun;
  if (!row.constructs.empty() && row.constructs.front().starts_with("std::"))
    return row.constructs.front();
  return "";
}

std::string code_of_row(Row row, const SiteTable& table) {
  if (row == kMainRow)
    return "main";
  const SiteInfo& info = table.rows[row];
  if (info.filter != 0)
    return "the body of " + info.name;
  return (is_node(info) ? "the body of " : "") + seen_from_outside(info);
}

// Code that ends at a first use names its location; code that begins there does not repeat it.
std::pair<std::string, std::string> ends_of(const StepClass& of, const SiteTable& table) {
  const SiteInfo& own = table.rows[of.row];
  return {
      boundary_name(of.opened, own, names_row(of.opened) ? table.rows[of.opened.row] : own, table),
      boundary_name(of.closed, own, table.rows[of.closed.row], table)};
}

std::string segment_name(const StepClass& of, const SiteTable& table, bool has_one_row) {
  if (is_program_start(of))
    return of.closed.row == kMainRow
               ? "the start of the program before its " + first_call(table)
               : fmt::format("the start of the program before its first task ({})",
                             table.rows[of.closed.row].name);
  const SiteInfo& own = table.rows[of.row];
  std::string owner = has_one_row ? code_of_row(of.row, table) : "the code";
  std::string from = end_name(of.opened, own, table), to = end_name(of.closed, own, table);
  // Who has created threads has not used the runtime for that, and may use it no more.
  if (of.opened.kind == BoundaryKind::Spawn && of.closed.kind == BoundaryKind::FirstUse)
    to = fmt::format("its first wait or {} call", runtimes_of(table).name());
  const bool is_body =
      of.opened.kind == BoundaryKind::BodyBegin || of.closed.kind == BoundaryKind::BodyEnd;
  if (is_body)
    owner = (!is_region(own) ? "the body of "
             : std::ranges::find(own.constructs, name_of(trace::Construct::OmpSections)) !=
                     own.constructs.end()
                 ? "the sections in "
                 : "the loop in ") +
            owner;
  if (of.opened.kind == BoundaryKind::BodyBegin)
    from.clear();
  if (of.closed.kind == BoundaryKind::BodyEnd)
    to.clear();
  if (from.empty() && to.empty())
    return owner;
  if (from.empty())
    return fmt::format("{} before {}", owner, to);
  if (to.empty())
    return fmt::format("{} after {}", owner, from);
  return owner + " " + between(of, table, from, to);
}

} // namespace tp::analysis
