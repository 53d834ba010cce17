// SPDX-License-Identifier: Apache-2.0
// The format of callgrind's files (callgrind-format in Valgrind's manual): a spawn site is a
// function, its spawns are calls. A call's inclusive cost is the cost of the contexts below it.
// Folded recursion has no inclusive cost: its cost is part of the node that it was folded into.
#include "export/export.h"
#include "export/frames.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace tp::analysis {
namespace {

struct Cost {
  std::uint64_t work = 0, critical_work = 0, tasks = 0;
  void add(const Cost& other) {
    work += other.work;
    critical_work += other.critical_work;
    tasks += other.tasks;
  }
};

struct Calls {
  std::uint64_t count = 0;
  Cost inclusive;
};

using Site = std::uint32_t;

// By site, the sum over all contexts of that site.
struct SiteCosts {
  std::map<Site, Cost> own;
  std::map<std::pair<Site, Site>, Calls> calls;
};

std::string line_of(std::uint32_t line, const Cost& cost) {
  return fmt::format("{} {} {} {}\n", line, cost.work, cost.critical_work, cost.tasks);
}

SiteCosts sum_up(const Profile& profile) {
  SiteCosts sums;
  std::vector<Cost> inclusive;
  for (const ContextRow& context : profile.contexts) {
    inclusive.push_back({context.work, context.critical_work, context.tasks});
    sums.own[context.site].add(inclusive.back());
  }
  for (std::size_t id = profile.contexts.size(); id-- > 1;) {
    const ContextRow& context = profile.contexts[id];
    inclusive[context.parent].add(inclusive[id]); // a parent has a smaller id
    sums.calls[{profile.contexts[context.parent].site, context.site}].inclusive.add(inclusive[id]);
  }
  for (const ContextEdge& edge : profile.context_edges)
    sums.calls[{profile.contexts[edge.from].site, edge.site}].count += edge.spawns;
  return sums;
}

class CallgrindWriter {
public:
  explicit CallgrindWriter(const Profile& profile) : profile_(profile) {}
  std::string write();

private:
  // The first use of a name writes it out with a number; later uses write the number only.
  std::string numbered(std::map<std::string, std::size_t>& known, const std::string& name) {
    const auto [at, fresh] = known.try_emplace(name, known.size() + 1);
    return fresh ? fmt::format("({}) {}", at->second, name) : fmt::format("({})", at->second);
  }
  std::string path(Site site) const {
    return line(site) > 0 ? clean(profile_.sites[site].info.file) : "???";
  }
  std::string file(Site site) { return numbered(files_, path(site)); }
  std::string function(Site site) { return numbered(functions_, frame_name(profile_, site)); }
  std::uint32_t line(Site site) const {
    return site == kNoSite ? 0 : profile_.sites[site].info.line;
  }

  const Profile& profile_;
  std::map<std::string, std::size_t> files_, functions_;
};

std::string CallgrindWriter::write() {
  const SiteCosts sums = sum_up(profile_);
  std::string text = fmt::format(
      "# callgrind format\nversion: 1\ncreator: taskpath\npid: {}\ncmd: {}\npositions: line\n"
      "event: Work : work in {}\nevent: CriticalWork : on the critical path, in {}\n"
      "event: Tasks : tasks\nevents: Work CriticalWork Tasks\n",
      profile_.run.pid, clean(profile_.run.program), unit_name(profile_), unit_name(profile_));
  Cost total;
  for (const auto& [site, cost] : sums.own) {
    total.add(cost);
    text += fmt::format("\nfl={}\n", file(site));
    text += fmt::format("fn={}\n", function(site));
    text += line_of(line(site), cost);
    for (auto call = sums.calls.lower_bound({site, 0});
         call != sums.calls.end() && call->first.first == site; ++call) {
      const Site callee = call->first.second;
      text += fmt::format("cfi={}\n", file(callee));
      text += fmt::format("cfn={}\n", function(callee));
      text += fmt::format("calls={} {}\n", call->second.count, line(callee));
      // The call is on the line where the callee is spawned. If that line had another file (fi=),
      // the annotator would show the caller as two functions.
      text += line_of(line(path(site) == path(callee) ? callee : site), call->second.inclusive);
    }
  }
  return text + fmt::format("\ntotals: {} {} {}\n", total.work, total.critical_work, total.tasks);
}

} // namespace

bool is_callgrind(std::string_view text) {
  return text.starts_with("# callgrind format\nversion: 1\ncreator: taskpath\n");
}

std::string write_callgrind(const Profile& profile) {
  return CallgrindWriter(profile).write();
}

} // namespace tp::analysis
