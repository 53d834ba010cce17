// SPDX-License-Identifier: Apache-2.0
#include "profile/code_names.h"

#include <fmt/format.h>

namespace tp::analysis {
namespace {

bool is_main(const SiteInfo& info) {
  return info.line == 0 && info.file == "main";
}

std::string row_name(const SiteInfo& info) {
  return is_main(info) ? "the program" : info.name;
}

std::string boundary_name(const Boundary& boundary, const SiteInfo& own, const SiteInfo& other) {
  switch (boundary.kind) {
  case BoundaryKind::Begin:
    return "the start of " + row_name(own);
  case BoundaryKind::FirstUse:
    return "the first oneTBB call" + (is_main(other) ? "" : ", before " + other.name);
  case BoundaryKind::Spawn:
    return "the spawn at " + row_name(other);
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

} // namespace

bool names_row(const Boundary& boundary) {
  return boundary.kind == BoundaryKind::Spawn || boundary.kind == BoundaryKind::Wait;
}

// Code that ends at a first use names its location; code that begins there does not repeat it.
std::pair<std::string, std::string> ends_of(const StepClass& of, const SiteTable& table) {
  const SiteInfo& own = table.rows[of.row];
  return {boundary_name(of.opened, own, names_row(of.opened) ? table.rows[of.opened.row] : own),
          boundary_name(of.closed, own, table.rows[of.closed.row])};
}

std::string segment_name(const StepClass& of, const SiteTable& table) {
  if (of.opened.kind == BoundaryKind::BodyBegin && of.closed.kind == BoundaryKind::BodyEnd)
    return "the loop bodies of " + table.rows[of.row].name;
  if (of.row == kMainRow && of.opened.kind == BoundaryKind::Begin &&
      of.closed.kind == BoundaryKind::FirstUse)
    return "serial code before the first oneTBB call" +
           (of.closed.row == kMainRow ? "" : " (" + table.rows[of.closed.row].name + ")");
  const auto [from, to] = ends_of(of, table);
  return fmt::format("from {} to {}", from, to);
}

// If neither end names the site of the task, the name begins with that site.
std::string class_name(const StepClass& of, const SiteTable& table) {
  const bool says_all = !names_row(of.opened) || !names_row(of.closed);
  return (says_all ? "" : table.rows[of.row].name + ", ") + segment_name(of, table);
}

} // namespace tp::analysis
