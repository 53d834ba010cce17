// SPDX-License-Identifier: Apache-2.0
// See annotate.h.
#include "cli/annotate.h"

#include "common/failure.h"
#include "common/files.h"
#include "report/lines.h"
#include "report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace tp::analysis {
namespace {

bool ends_in(const std::string& path, const std::string& name) {
  return path.ends_with(name) && (path.size() == name.size() || name.starts_with('/') ||
                                  path[path.size() - name.size() - 1] == '/');
}

} // namespace

std::string annotated_source(const Profile& profile, const std::string& file) {
  const SampledFunctions& functions = *profile.functions;
  std::string path;
  for (const LineRow& row : functions.lines)
    if (path.empty() && ends_in(row.file, file)) // most critical work first
      path = row.file;
  if (path.empty())
    throw tool::Failure("--annotate " + file, "no sample is in a file of that name",
                        "tp-analyze --functions lists lines with samples");
  std::map<std::uint32_t, const LineRow*> rows;
  for (const LineRow& row : functions.lines)
    if (row.file == path)
      rows.emplace(row.line, &row);
  const std::optional<std::string> text = tool::read_file(path);
  if (!text)
    throw tool::Failure("--annotate " + path, "the file cannot be read",
                        "tp-analyze --map-path OLD=NEW, if the sources are elsewhere");
  std::string answer = fmt::format("{}\n{:>10} {:>6} {:>10} {:>6}\n", printable(path), "critical",
                                   "", "work", "line");
  std::string_view rest = *text;
  const double hz = hz_of_work(profile);
  for (std::uint32_t line = 1; !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string source(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!source.empty() && source.back() == '\r')
      source.pop_back();
    for (char& c : source)
      c = c == '\t' ? c : printable(c);
    const auto row = rows.find(line);
    if (row == rows.end()) {
      answer += fmt::format("{:>28} {:>6}  {}\n", "", line, source);
      continue;
    }
    const SampledWork& critical = row->second->critical_work;
    answer += fmt::format(
        "{:>8} % {:>6} {:>10} {:>6}  {}\n", short_percent(critical.work, profile.span),
        "+-" + short_percent(std::max(critical.high - critical.work, critical.work - critical.low),
                             profile.span),
        human(row->second->work.work, profile.run.work, hz), line, source);
  }
  return answer;
}

} // namespace tp::analysis
