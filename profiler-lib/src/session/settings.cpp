// SPDX-License-Identifier: Apache-2.0
// See settings.h. All variables are in one table.
#include "session/settings.h"

#include "base/messages.h"
#include "clock/counted_events.h"
#include "values/size.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <unistd.h>

namespace tp::rt {
namespace {

bool parse_flag(const char* text, bool& value) {
  if (std::strcmp(text, "0") == 0 || *text == '\0')
    value = false;
  else if (std::strcmp(text, "1") == 0)
    value = true;
  else
    return false;
  return true;
}

bool parse_int(const char* text, int low, int high, int& value) {
  char* end = nullptr;
  errno = 0;
  const long parsed = std::strtol(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || parsed < low || parsed > high)
    return false;
  value = static_cast<int>(parsed);
  return true;
}

// It goes into run.json as it is.
bool is_run_name(std::string_view text) {
  return text.size() <= 40 && std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-';
         });
}

// "BEGIN-END", "LATENCY-CALL-SAMPLED-SPARSE"
bool parse_times(const char* text, std::initializer_list<std::uint64_t*> times) {
  const char* const stop = text + std::strlen(text);
  bool is_first = true;
  for (std::uint64_t* const time : times) {
    if (!is_first) {
      if (text == stop || *text != '-')
        return false;
      ++text;
    }
    is_first = false;
    const auto [end, error] = std::from_chars(text, stop, *time);
    if (error != std::errc{})
      return false;
    text = end;
  }
  return text == stop;
}

bool parse_locks(std::string_view text, Locks& locks) {
  const auto* const found = std::find(std::begin(kLocksNames), std::end(kLocksNames), text);
  if (found == std::end(kLocksNames))
    return false;
  locks = static_cast<Locks>(found - std::begin(kLocksNames));
  return true;
}

// Samples per second of CPU time.
constexpr int kMostSamples = 20'000;

bool parse_rate(const char* text, std::uint32_t& rate) {
  int parsed = 0;
  if (std::strcmp(text, "off") != 0 && !parse_int(text, 1, kMostSamples, parsed))
    return false;
  rate = static_cast<std::uint32_t>(parsed);
  return true;
}

// "dwarf", "dwarf,4096", "fp", "none"
bool parse_call_graph(std::string_view text, SamplingPlan& plan) {
  constexpr std::string_view kWithSize = "dwarf,";
  if (text.starts_with(kWithSize)) {
    int bytes = 0;
    if (!parse_int(text.data() + kWithSize.size(), 64, 65'528, bytes) || bytes % 8 != 0)
      return false;
    plan.stack_bytes = static_cast<std::uint32_t>(bytes);
    text = "dwarf";
  }
  const auto* const found =
      std::find(std::begin(trace::kCallGraphNames), std::end(trace::kCallGraphNames), text);
  if (found == std::end(trace::kCallGraphNames))
    return false;
  plan.call_graph = static_cast<trace::CallGraph>(found - std::begin(trace::kCallGraphNames));
  return true;
}

std::string own_program() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return {path, length > 0 ? static_cast<std::size_t>(length) : 0};
}

bool parse_openmp(Settings& s, const char* text) {
  constexpr std::string_view kRefused = "refused:";
  const std::string_view state = text;
  if (state == "off" || state == "unused") {
    s.openmp = state == "off" ? OpenMp::Off : OpenMp::Unused;
    return true;
  }
  if (state.starts_with(kRefused)) {
    const std::string_view rest = state.substr(kRefused.size());
    const std::size_t end = rest.find('|');
    if (end == std::string_view::npos)
      return false;
    // Of another program nothing is known.
    if (rest.substr(0, end) == own_program()) {
      s.openmp = OpenMp::Refused;
      s.openmp_reason = rest.substr(end + 1);
    }
    return true;
  }
  const std::size_t sign = state.find('=');
  if (sign == std::string_view::npos)
    return false;
  s.openmp = OpenMp::Recorded;
  s.openmp_replaced = state.substr(0, sign);
  s.openmp_runtime = state.substr(sign + 1);
  return true;
}

struct Variable {
  const char* name;
  const char* allowed;
  bool (*set)(Settings&, const char* text);
};

const Variable kVariables[] = {
    {"TP_DISABLE", "0 or 1",
     [](Settings& s, const char* text) { return parse_flag(text, s.disabled); }},
    {"TP_PAUSED", "0 or 1",
     [](Settings& s, const char* text) { return parse_flag(text, s.paused); }},
    {"TP_VERBOSE", "0, 1 or 2",
     [](Settings& s, const char* text) { return parse_int(text, 0, 2, s.verbose); }},
    {"TP_AS_IF_CORES", "a number of cores, 1 to 65535",
     [](Settings& s, const char* text) { return parse_int(text, 1, 65535, s.as_if_cores); }},
    {"TP_DIVIDE", "0 or 1",
     [](Settings& s, const char* text) { return parse_flag(text, s.divide); }},
    {"TP_LOCKS", "auto, all or off",
     [](Settings& s, const char* text) { return parse_locks(text, s.locks); }},
    {"TP_SAMPLE", "samples per second of CPU time, 1 to 20000, or off",
     [](Settings& s, const char* text) {
       s.sampling.is_asked_for = true;
       return parse_rate(text, s.sampling.rate);
     }},
    {"TP_CALL_GRAPH", "dwarf, dwarf,BYTES with a multiple of 8 up to 65528, fp or none",
     [](Settings& s, const char* text) { return parse_call_graph(text, s.sampling); }},
    {"TP_MAX_SIZE", "a size such as 512M or 2G",
     [](Settings& s, const char* text) {
       const auto bytes = parse_size(text);
       s.max_size = bytes.value_or(0);
       return bytes.has_value();
     }},
    {"TP_DATA", "a folder name",
     [](Settings& s, const char* text) {
       if (*text == '\0')
         return false;
       s.data = text;
       s.data_is_default = false;
       return true;
     }},
    {"TP_RUN", "at most 40 letters, digits and hyphens, as tp-run sets it",
     [](Settings& s, const char* text) {
       s.run = text;
       return is_run_name(s.run);
     }},
    {"TP_OPENMP",
     "off, unused, \"refused:\", a program, \"|\" and why, or a library and a path with an equals "
     "sign between them, as "
     "tp-run sets it",
     parse_openmp},
    {"TP_WINDOW", "two times in ns with a hyphen between them, as tp-run sets it",
     [](Settings& s, const char* text) {
       return parse_times(text, {&s.window_begin_ns, &s.window_end_ns});
     }},
    {"TP_WAKE", "four times in ns with hyphens between them, as tp-run sets it",
     [](Settings& s, const char* text) {
       return parse_times(
           text, {&s.wake_latency_ns, &s.wake_call_ns, &s.wake_sampled_ns, &s.wake_sparse_ns});
     }},
    {"TP_EVENT",
     "auto, tsc, virtual or an event such as instructions, cycles, task-clock, and up to four "
     "events more after commas",
     [](Settings& s, const char* text) {
       EventList ignored;
       std::string problem;
       if (!parse_events(text, ignored, problem))
         return false;
       s.event = text;
       return true;
     }},
};

} // namespace

Settings read_settings() {
  Settings settings;
  for (const Variable& variable : kVariables) {
    const char* text = std::getenv(variable.name);
    if (text == nullptr)
      continue;
    Settings changed = settings;
    if (variable.set(changed, text))
      settings = changed;
    else
      warn(variable.name,
           std::string("bad value ignored: expected ") + variable.allowed + ", got '" + text + "'");
  }
  // No signals in a program that was not started to be profiled.
  settings.sampling.may_use_timers = settings.sampling.is_asked_for || !settings.run.empty();
  set_verbosity(settings.verbose);
  return settings;
}

} // namespace tp::rt
