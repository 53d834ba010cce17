// SPDX-License-Identifier: Apache-2.0
// tp-doctor: what can be measured on this machine, what prevents better measurement, and the
// command that enables it; on which runtime programs with OpenMP run. Our libtbb tries the clocks; this program shows the
// result as a table.
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "common/exit_status.h"
#include "common/failure.h"
#include "common/files.h"
#include "common/message.h"
#include "common/prefix.h"
#include "library/library_questions.h"
#include "options/command_line.h"
#include "run/openmp.h"

namespace tp::tool {
namespace {

using Json = nlohmann::ordered_json;

bool is_automatic(const Json& report, const Json& source) {
  const Json& automatic = report["auto"];
  return source["clock"] == automatic["clock"] &&
         (source["event"] == automatic["event"] || source["event"] == "tsc" ||
          source["clock"] == "thread-cpu");
}

std::string row_of(const Json& source, bool is_auto) {
  const bool works = source["works"];
  std::string cost = "-", kernel = "-", unit = "-";
  if (works) {
    cost = fmt::format("{:.1f}", source["ns_per_read"].get<double>());
    kernel = source["kernel_included"].get<bool>() ? "included" : "excluded";
    unit = source["unit"];
  }
  return fmt::format("{} {:<13}  {:<12}  {:<5}  {:>7}  {:<11}  {}\n", is_auto ? '*' : ' ',
                     source["clock"].get<std::string>(), source["event"].get<std::string>(),
                     works ? "yes" : "no", cost, kernel,
                     works ? unit : source["reason"].get<std::string>());
}

// Sources are sorted, best first: the command of the first one that is better than the choice of
// `auto`.
std::string command_for_more(const Json& report) {
  for (const Json& source : report["sources"]) {
    if (is_automatic(report, source))
      break;
    if (!source["works"].get<bool>() && !source["command"].get<std::string>().empty())
      return source["command"];
  }
  return {};
}

// What takes samples here.
std::string sampling_text(const Json& sampling) {
  const std::string method = sampling["method"], reason = sampling["reason"],
                    command = sampling["command"];
  const unsigned most = sampling["most_per_second"];
  std::string text = "Samples of stacks: ";
  if (method == "cycles")
    text += fmt::format("by hardware cycles, precise_ip {}\n", sampling["precise"].get<unsigned>());
  else if (method == "cpu-clock")
    text += "by the kernel's clock of each thread's CPU time\n";
  else
    text += most > 0 ? fmt::format("by timers and a signal, at most {} per second\n", most)
                     : "by timers and a signal\n";
  if (!reason.empty())
    text += fmt::format("No better ones: {}\n", reason);
  if (!command.empty())
    text += fmt::format("To enable better samples: {}\n", command);
  return text;
}

// Where programs with OpenMP run.
Json openmp_json(const OpenMpRuntime& runtime) {
  return {{"works", runtime.reason.empty()}, {"runtime", runtime.path},
          {"llvm", runtime.version},         {"reports_chunks", runtime.reports_chunks},
          {"reason", runtime.reason},        {"command", runtime.command}};
}
std::string openmp_text(const OpenMpRuntime& runtime) {
  if (!runtime.reason.empty())
    return fmt::format("OpenMP: not recorded: {}\nTo enable it: {}\n", runtime.reason,
                       runtime.command);
  return fmt::format("OpenMP: recorded on {}{}, which reports the chunks of loops\n", runtime.path,
                     runtime.version > 0 ? fmt::format(" (LLVM {})", runtime.version) : "");
}

std::string table_of(const Json& report) {
  std::string text = fmt::format("  {:<13}  {:<12}  {:<5}  {:>7}  {:<11}  {}\n", "Clock",
                                 "tp-run -e", "Works", "ns/read", "Kernel time", "Unit or reason");
  for (const Json& source : report["sources"])
    text += row_of(source, is_automatic(report, source));
  text += fmt::format("\n* Chosen by -e auto: {}\n", report["auto"]["event"].get<std::string>());
  const std::string command = command_for_more(report);
  const std::string reason = report["auto"]["reason"];
  if (!command.empty())
    text += fmt::format("To enable a better clock: {}\n", command);
  else if (!reason.empty())
    text += fmt::format("No better clock can be enabled on this machine: {}\n", reason);
  if (report.contains("sampling"))
    text += sampling_text(report["sampling"]);
  return text;
}

int run(int argc, char** argv) {
  CommandLine line("tp-doctor", "Report which clocks can measure work on this machine.",
                   "[OPTIONS]");
  bool as_json = false;
  line.group("Output");
  line.flag("--json", as_json, "Print the report as JSON (schema taskpath.doctor/1)");
  if (!line.parse({argv + 1, argv + argc}))
    return kOk;
  const Prefix prefix = own_prefix();
  require_library(prefix);
  detail("asking " + prefix.library());
  Json report = Json::parse(report_clocks(prefix));
  const OpenMpRuntime runtime = openmp_runtime();
  report["openmp"] = openmp_json(runtime);
  write_answer(as_json ? report.dump(1) + "\n" : table_of(report) + openmp_text(runtime));
  next(sibling_command(argv[0], "tp-run") + " --analyze ./your-program");
  return kOk;
}

} // namespace
} // namespace tp::tool

int main(int argc, char** argv) {
  using namespace tp::tool;
  return run_tool("tp-doctor", kUnusable, [&] { return run(argc, argv); });
}
