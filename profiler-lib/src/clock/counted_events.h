// SPDX-License-Identifier: Apache-2.0
// COUNTED EVENTS: the events that -e / TP_EVENT can name, and its list: the first event is the
// work, the others are extra events, counted for each step as well. Called when the clock is
// chosen, once per process. Cold.
#pragma once

#include "tp/trace/trace_codec.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tp::rt {

inline constexpr unsigned kMaxExtraEvents = trace::kMaxExtraEvents;
inline constexpr unsigned kMaxEvents = 1 + kMaxExtraEvents;

// One event of perf_event_open. Plain data, since it is part of the constinit clock_config.
struct CountedEvent {
  char name[128] = ""; // as the user gave it, also the unit
  std::uint32_t type = 0;
  std::uint64_t config = 0, config1 = 0, config2 = 0;
  bool exclude_kernel = true; // what happens in the kernel is not counted

  bool is_hardware() const;
  // Exists on the PMU of each kind of core, under the same number; other hardware events belong to
  // one PMU.
  bool is_generic() const;
  // CPU time in ns, the only event here whose unit is time.
  bool is_task_clock() const;
};

// The parsed list "FIRST,SECOND,...".
struct EventList {
  enum class Work : std::uint8_t {
    Auto,    // the best clock there is
    Tsc,     // the on-CPU time stamp counter
    Virtual, // tp_spend()
    Counted, // `counted`
  };
  Work work = Work::Auto;
  CountedEvent counted;
  CountedEvent extra[kMaxExtraEvents];
  unsigned extra_count = 0;
};

// Parses a name of perf(1), or TYPE:CONFIG[:CONFIG1[:CONFIG2]][=NAME] in the numbers of
// perf_event_attr (the type decimal, the others hexadecimal), as tp-run passes the events of
// libpfm4. False: neither.
bool find_event(std::string_view name, CountedEvent& event);

// Parses a list of events. False: `problem` says which name is wrong and what is expected.
bool parse_events(std::string_view text, EventList& list, std::string& problem);

} // namespace tp::rt
