// SPDX-License-Identifier: Apache-2.0
// CODE NAMES: plain words for code without annotations: "the body of the loop at a.cpp:12", "main
// between the loop at a.cpp:12 and the one at a.cpp:30", "the tasks of a.cpp:40 before the spawn at
// a.cpp:44".
#pragma once

#include "passes/step_class.h"
#include "sites/site_table.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tp::analysis {

// Whether the boundary names a row of its own: the row of a spawn, or of the spawn before a wait.
bool names_row(const Boundary& boundary);

// Whether steps of the class are code of the program before its first oneTBB call.
bool is_program_start(const StepClass& of);

bool is_of_openmp(const SiteInfo& row);
// A taskloop, whose parts are tasks.
bool is_taskloop(const SiteInfo& row);
bool is_sections(const SiteInfo& row);
// A loop that distribute deals out to teams.
bool is_distributed(const SiteInfo& row);

// A place where the program creates threads, perhaps next to other constructs.
bool is_thread(const SiteInfo& row);

// A parallel region, or a league of teams: each thread, or each team, runs its code.
bool is_region(const SiteInfo& row);
// Is the row's code run by the teams of a league, or by threads of such teams?
bool is_in_league(Row row, const SiteTable& table);

// The parallel regions whose threads run the row's code: the row itself, or those around a loop.
std::vector<Row> regions_of(Row row, const SiteTable& table);

// What the row's construct is called, as in "the loop at a.cpp:12"; empty: only "tasks" is certain.
std::string_view noun_of(const SiteInfo& row);

// All code of a row's tasks: "the loop at a.cpp:12", "the body of node a.cpp:12", "the tasks of
// a.cpp:12"; main: "main".
std::string code_of_row(Row row, const SiteTable& table);

// Where the steps of a class begin and end, in the terms of the recording.
std::pair<std::string, std::string> ends_of(const StepClass& of, const SiteTable& table);

// The code of a class. Classes of a node between which only messages pass have the same name.
// Without an owner if it is code of several rows: `of` is one of its classes then.
std::string segment_name(const StepClass& of, const SiteTable& table, bool has_one_row = true);

} // namespace tp::analysis
