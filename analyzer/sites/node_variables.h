// SPDX-License-Identifier: Apache-2.0
// VARIABLES OF NODES: people know a node of a flow graph by the variable that it is in. The place of
// its construction is known in recompiled code; what is declared or assigned there, the source says.
// (Debug information does not: not which member a constructor's initializer is for, for example.)
// Called by make_profile, once the constructs of all rows are known.
#pragma once

#include "sites/site_table.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tp::analysis {

// The variable or member that is initialized by, or assigned, what is constructed at a place of a
// source: the name of the variable, class or maker (`std::make_unique`), or one of the brackets
// around its arguments. Column 0: that of the line, if there is only one. Empty: there is none, or the source is
// not of a kind that is understood.
std::string variable_at(std::string_view source, std::uint32_t line, std::uint32_t column);

// Where sources are looked for; they say nothing if they are newer than the program.
struct SourceFolders {
  std::string program, recording;
};

// Whether the place of a row is that of a node's construction. Else tasks of nodes belong to the call
// that made the graph run.
bool is_node(const SiteInfo& row);

// Gives rows of nodes the names of their variables: "track (flow.cpp:114)". Places of their locks get the variables.
void name_nodes(SiteTable& table, const SourceFolders& where);

} // namespace tp::analysis
