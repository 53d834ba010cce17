// tp-doctor: what can be measured on this machine, why not more, and the one command that mends it.
// Our libtbb tries the clocks; here its answer becomes a table.
#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "common/common_options.h"
#include "common/message.h"
#include "library/library_questions.h"
#include "library/prefix.h"

namespace tp::launcher {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kExitBadUsage = 2;

bool is_automatic(const Json& report, const Json& source) {
  const Json& automatic = report["auto"];
  return source["clock"] == automatic["clock"] &&
         (source["event"] == automatic["event"] || source["event"] == "tsc" ||
          source["clock"] == "thread-cpu");
}

void print_source(const Json& source, bool is_auto) {
  const bool works = source["works"];
  std::string cost = "-", kernel = "-", unit = "-";
  if (works) {
    cost = fmt::format("{:.1f}", source["ns_per_read"].get<double>());
    kernel = source["kernel_included"].get<bool>() ? "included" : "excluded";
    unit = source["unit"];
  }
  fmt::print("{} {:<13}  {:<12}  {:<5}  {:>7}  {:<11}  {}\n", is_auto ? '*' : ' ',
             source["clock"].get<std::string>(), source["event"].get<std::string>(),
             works ? "yes" : "no", cost, kernel,
             works ? unit : source["reason"].get<std::string>());
}

// Sources are listed best first: the command of the first one better than what `auto` takes.
std::string command_for_more(const Json& report) {
  for (const Json& source : report["sources"]) {
    if (is_automatic(report, source))
      break;
    if (!source["works"].get<bool>() && !source["command"].get<std::string>().empty())
      return source["command"];
  }
  return {};
}

void print_report(const Json& report) {
  fmt::print("  {:<13}  {:<12}  {:<5}  {:>7}  {:<11}  {}\n", "Clock", "tp-run -e", "works",
             "ns/read", "kernel time", "unit, or why not");
  for (const Json& source : report["sources"])
    print_source(source, is_automatic(report, source));
  fmt::print("\n* what -e auto takes: {}\n", report["auto"]["event"].get<std::string>());
  const std::string command = command_for_more(report);
  if (!command.empty())
    fmt::print("For more: {}\n", command);
  else if (!report["auto"]["reason"].get<std::string>().empty())
    fmt::print("No command gives more here: {}\n", report["auto"]["reason"].get<std::string>());
}

int run(int argc, char** argv) {
  CLI::App app{"Tries each clock that can measure work on this machine.", "tp-doctor"};
  MessageStyle style;
  bool as_json = false;
  app.add_flag("--json", as_json, "The same for programs, schema taskpath.doctor/1");
  add_common_options(app, style);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& problem) {
    error(problem.what());
    hint("tp-doctor --help");
    return kExitBadUsage;
  }
  set_message_style(style.color, style.verbosity);

  const Prefix prefix = own_prefix();
  detail("asking " + prefix.library());
  std::string problem;
  const auto answer = report_clocks(prefix, problem);
  if (!answer) {
    error(fmt::format("{}: {}", prefix.library(), problem));
    hint("install Taskpath again: tp-doctor needs its own libtbb.so.12");
    return kExitBadUsage;
  }
  Json report = Json::parse(*answer);
  if (as_json)
    fmt::print("{}\n", report.dump(1));
  else
    print_report(report);
  std::fflush(stdout);
  next(sibling_command(argv[0], "tp-run") + " --analyze ./your-program");
  return 0;
}

} // namespace
} // namespace tp::launcher

int main(int argc, char** argv) {
  try {
    return tp::launcher::run(argc, argv);
  } catch (const std::exception& problem) {
    tp::launcher::error(problem.what());
    return tp::launcher::kExitBadUsage;
  }
}
