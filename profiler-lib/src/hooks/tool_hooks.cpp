// SPDX-License-Identifier: Apache-2.0
// The C entry points (tp/hooks.h) that tp-run and tp-doctor call after dlopen, in a process where
// nothing is profiled. Cold.
#include "tp/hooks.h"

#include "base/json_writer.h"
#include "clock/clock_report.h"
#include "clock/work_clock.h"
#include "sampling/sampler.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace {

// Copies as much of the text as fits, and a terminating zero.
void copy_out(const std::string& text, char* to, unsigned long size) {
  if (size == 0)
    return;
  const std::size_t length = std::min<std::size_t>(text.size(), size - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

// What tp-run --sample takes on this machine.
std::string sampling_json() {
  tp::rt::SamplingPlan plan;
  plan.rate = 1000;
  const tp::rt::SamplingProbe probe = tp::rt::probe_sampling(plan);
  tp::rt::JsonObject json;
  json.boolean("works", probe.works)
      .text("method", tp::trace::kSampleMethodNames[static_cast<unsigned>(probe.source.method)])
      .number("precise", probe.source.precise)
      .number("most_per_second", probe.most)
      .text("reason", probe.reason)
      .text("command", probe.command);
  return json.str();
}

} // namespace

#define TP_EXPORT [[gnu::visibility("default")]]

extern "C" {

TP_EXPORT const char* tp_version(void) noexcept {
  return TP_VERSION;
}

TP_EXPORT int tp_probe_event(const char* event, char* message, unsigned long size) noexcept {
  tp::rt::Problem problem;
  const bool works = tp::rt::probe_events(event, problem);
  tp::rt::JsonObject answer;
  answer.boolean("works", works).text("reason", problem.cause).text("command", problem.command);
  copy_out(answer.str(), message, size);
  return works ? 0 : 1;
}

TP_EXPORT int tp_report_clocks(char* json, unsigned long size) noexcept {
  const std::string text = tp::rt::clock_report(sampling_json());
  copy_out(text, json, size);
  return text.size() < size ? 0 : 1;
}

} // extern "C"
