// SPDX-License-Identifier: Apache-2.0
// The graph of the spawn sites for Graphviz: an edge from a site to each site that its tasks spawn.
// The labels contain span and parallelism; the fill shows the share of the critical path.
#include "export/export.h"
#include "export/frames.h"
#include "report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace tp::analysis {
namespace {

// A graph with more nodes is not readable; the sites are in the order of their critical work.
constexpr std::uint32_t kMostNodes = 100;

std::string quoted(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result;
}

// White to red, as the share of the critical path grows.
std::string color(const SiteRow& site, std::uint64_t span) {
  const double share =
      span == 0 ? 0 : static_cast<double>(site.critical_work) / static_cast<double>(span);
  return fmt::format("0.02 {:.2f} 1.0", 0.8 * share);
}

std::string node(const Profile& profile, std::uint32_t index) {
  const SiteRow& site = profile.sites[index];
  const double hz =
      profile.run.same_as_time ? profile.read.time_hz : static_cast<double>(profile.run.work.hz);
  const auto amount = [&](std::uint64_t value) { return human(value, profile.run.work, hz); };
  return fmt::format(
      "  s{} [label=\"{}\\ntasks {}\\nwork {}, own {}\\nlongest chain {}\\nparallelism {}\\n"
      "critical {} %\", fillcolor=\"{}\"];\n",
      index, quoted(frame_name(profile, index)), human_count(site.invocations), amount(site.work),
      amount(site.exclusive_work), amount(site.longest_chain), decimal2(site.chain_parallelism()),
      percent2(site.critical_work, profile.span), color(site, profile.span));
}

} // namespace

bool is_dot(std::string_view text) {
  return text.starts_with("digraph taskpath {");
}

std::string write_dot(const Profile& profile) {
  std::string text =
      fmt::format("digraph taskpath {{\n  label=\"{}: of each spawn site work, longest chain and "
                  "parallelism of this run; own: of "
                  "its own steps\";\n  node [shape=box, style=filled, fontname=\"Helvetica\"];\n"
                  "  edge [fontname=\"Helvetica\"];\n",
                  quoted(clean(profile.run.program)));
  const auto sites = static_cast<std::uint32_t>(profile.sites.size());
  const std::uint32_t shown = std::min(sites, kMostNodes);
  for (std::uint32_t site = 0; site < shown; ++site)
    text += node(profile, site);
  if (shown < sites)
    text += fmt::format("  further [label=\"{} more sites\"];\n", sites - shown);
  const auto name = [&](std::uint32_t site) {
    return site < shown ? fmt::format("s{}", site) : "further";
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> spawns;
  for (const ContextEdge& edge : profile.context_edges)
    spawns[{std::min(profile.contexts[edge.from].site, shown), std::min(edge.site, shown)}] +=
        edge.spawns;
  for (const auto& [ends, count] : spawns)
    text += fmt::format("  {} -> {} [label=\"{}\"];\n", name(ends.first), name(ends.second), count);
  return text + "}\n";
}

} // namespace tp::analysis
