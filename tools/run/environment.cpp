// SPDX-License-Identifier: Apache-2.0
// See environment.h.
#include "run/environment.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace tp::tool {
namespace {

// `value`, followed by the current value of the variable.
std::string prepended(const char* variable, const std::string& value) {
  const char* old = std::getenv(variable);
  return old && *old ? value + ":" + old : value;
}

// Before what else is preloaded, but for the library of AddressSanitizer, which ends the program unless it comes first.
std::string preloaded_before(const std::string& libraries) {
  const char* const old = std::getenv("LD_PRELOAD");
  std::string_view rest = old ? old : "";
  std::string first, others;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(" :"), rest.size());
    const std::string_view each = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::string_view name = each.substr(each.rfind('/') + 1);
    const bool is_asan = name.starts_with("libasan.so") || name.starts_with("libclang_rt.asan");
    if (is_asan)
      first += std::string(each) + ":";
    else if (!each.empty())
      others += ":" + std::string(each);
  }
  return first + libraries + others;
}

// The loader splits LD_PRELOAD at blanks and colons and has no quoting; if the path contains one, the
// loader searches for the bare name instead.
std::string in_preload(const std::string& library) {
  return library.find_first_of(" :") == std::string::npos ? library
                                                          : library.substr(library.rfind('/') + 1);
}

// What is preloaded after our libtbb.
std::string openmp_libraries(const OpenMpLoading& openmp) {
  std::string libraries;
  for (const std::string& each : {openmp.tool, openmp.runtime})
    if (!each.empty())
      libraries += ":" + in_preload(each);
  return libraries;
}

void add_openmp_settings(Variables& variables, const OpenMpLoading& openmp) {
  // libomp prints hints that libgomp does not, such as that omp_set_nested is deprecated.
  if (openmp.replaced.starts_with("libgomp") && std::getenv("KMP_WARNINGS") == nullptr)
    variables.emplace_back("KMP_WARNINGS", "0");
  // Of loops with schedule(runtime): libomp's default is static.
  if (openmp.replaced.starts_with("libgomp") && std::getenv("OMP_SCHEDULE") == nullptr)
    variables.emplace_back("OMP_SCHEDULE", "dynamic");
  if (!openmp.tool.empty())
    variables.emplace_back("TP_OPENMP", openmp.replaced + "=" + openmp.used);
  else if (openmp.problem)
    variables.emplace_back("TP_OPENMP", "refused:" + openmp.program + "|" + openmp.problem->cause);
  else
    variables.emplace_back("TP_OPENMP", "unused");
}

// What ittnotify reads.
constexpr const char* kIttCollector =
    sizeof(void*) == 8 ? "INTEL_LIBITTNOTIFY64" : "INTEL_LIBITTNOTIFY32";

} // namespace

std::string itt_collector() {
  const char* const collector = std::getenv(kIttCollector);
  return collector != nullptr ? collector : "";
}

Variables program_environment(const Options& options, const Prefix& prefix,
                              const std::string& data_pattern, const std::string& run,
                              Loading loading, const OpenMpLoading& openmp) {
  Variables variables;
  if (loading != Loading::Impossible)
    variables.emplace_back("LD_LIBRARY_PATH",
                           prepended("LD_LIBRARY_PATH", prefix.library_directory()));
  if (loading == Loading::First) {
    std::string libraries = in_preload(prefix.library());
    if (access(prefix.preload().c_str(), R_OK) == 0)
      libraries = in_preload(prefix.preload()) + ":" + libraries;
    if (options.openmp && access(prefix.start().c_str(), R_OK) == 0)
      libraries = in_preload(prefix.start()) + ":" + libraries;
    libraries += openmp_libraries(openmp);
    variables.emplace_back("LD_PRELOAD", preloaded_before(libraries));
  }
  // Programs that were annotated for VTune announce their locks to that library (preload/itt.cpp).
  if (loading == Loading::First && options.locks != "off" && itt_collector().empty() &&
      access(prefix.preload().c_str(), R_OK) == 0)
    variables.emplace_back(kIttCollector, prefix.preload());
  if (loading == Loading::BySearchPath && !openmp.tool.empty())
    variables.emplace_back("OMP_TOOL_LIBRARIES", openmp.tool);
  if (options.openmp) {
    add_openmp_settings(variables, openmp);
    variables.emplace_back("TP_OPENMP_ASK", prefix.tool("tp-run"));
  } else {
    variables.emplace_back("TP_OPENMP", "off");
  }
  variables.emplace_back("TP_DATA", data_pattern);
  variables.emplace_back("TP_RUN", run);
  if (!options.events.empty())
    variables.emplace_back("TP_EVENT", options.events);
  if (options.paused)
    variables.emplace_back("TP_PAUSED", "1");
  if (options.max_size != 0)
    variables.emplace_back("TP_MAX_SIZE", std::to_string(options.max_size));
  if (options.as_if_cores != 0)
    variables.emplace_back("TP_AS_IF_CORES", std::to_string(options.as_if_cores));
  if (options.divide)
    variables.emplace_back("TP_DIVIDE", "1");
  if (!options.locks.empty())
    variables.emplace_back("TP_LOCKS", options.locks);
  if (!options.sample.empty())
    variables.emplace_back("TP_SAMPLE", options.sample);
  if (!options.call_graph.empty())
    variables.emplace_back("TP_CALL_GRAPH", options.call_graph);
  if (options.style.is_verbose())
    variables.emplace_back("TP_VERBOSE", "1");
  return variables;
}

Variables openmp_environment(const Prefix& prefix, const std::string& preload,
                             const OpenMpLoading& openmp) {
  Variables variables;
  const std::string ours = in_preload(prefix.library());
  const std::size_t at = preload.find(ours);
  if (at == std::string::npos)
    return variables;
  if (!openmp.tool.empty())
    variables.emplace_back("LD_PRELOAD",
                           std::string(preload).insert(at + ours.size(), openmp_libraries(openmp)));
  add_openmp_settings(variables, openmp);
  return variables;
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value && std::string_view(value) != "0";
}

} // namespace tp::tool
