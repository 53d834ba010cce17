// SPDX-License-Identifier: Apache-2.0
// See counted_events.h.
#include "clock/counted_events.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <linux/perf_event.h>

namespace tp::rt {
namespace {

struct KnownEvent {
  const char* name;
  std::uint32_t type;
  std::uint64_t config;
};

// By their names in perf(1).
constexpr KnownEvent kKnownEvents[] = {
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
};

void set_name(CountedEvent& event, std::string_view name) {
  const std::size_t length = std::min(name.size(), sizeof event.name - 1);
  std::memcpy(event.name, name.data(), length);
  event.name[length] = '\0';
}

template <typename Number>
bool parse_number(std::string_view text, int base, Number& number) {
  if (base == 16 && text.starts_with("0x"))
    text.remove_prefix(2);
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(end - text.size(), end, number, base);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

// "4:1c0=NAME", "4:0x1c0", "4:1b7:3f803c0001".
bool parse_raw(std::string_view text, CountedEvent& event) {
  const std::string_view numbers = text.substr(0, text.find('='));
  std::size_t colon = numbers.find(':');
  if (!parse_number(numbers.substr(0, colon), 10, event.type))
    return false;
  std::uint64_t* const configs[] = {&event.config, &event.config1, &event.config2};
  std::size_t count = 0;
  for (; colon != std::string_view::npos && count < std::size(configs); ++count) {
    const std::size_t begin = colon + 1;
    colon = numbers.find(':', begin);
    if (!parse_number(numbers.substr(begin, colon - begin), 16, *configs[count]))
      return false;
  }
  if (count == 0 || colon != std::string_view::npos)
    return false;
  const bool has_name = numbers.size() + 1 < text.size();
  set_name(event, has_name ? text.substr(numbers.size() + 1) : text);
  return true;
}

std::string names_of_events() {
  std::string names;
  for (const KnownEvent& known : kKnownEvents)
    names += std::string(names.empty() ? "" : ", ") + known.name;
  return names + " or TYPE:CONFIG[:CONFIG1[:CONFIG2]]";
}

bool parse_work(std::string_view name, EventList& list, std::string& problem) {
  if (name == "auto")
    list.work = EventList::Work::Auto;
  else if (name == "tsc")
    list.work = EventList::Work::Tsc;
  else if (name == "virtual")
    list.work = EventList::Work::Virtual;
  else if (find_event(name, list.counted))
    list.work = EventList::Work::Counted;
  else
    problem = "unknown event '" + std::string(name) + "': expected auto, tsc, virtual, " +
              names_of_events();
  return problem.empty();
}

bool is_named(const EventList& list, std::string_view name) {
  if (list.work == EventList::Work::Counted && name == list.counted.name)
    return true;
  return std::any_of(list.extra, list.extra + list.extra_count,
                     [&](const CountedEvent& event) { return name == event.name; });
}

bool parse_extra(std::string_view name, EventList& list, std::string& problem) {
  if (list.extra_count == kMaxExtraEvents)
    problem = "too many events: expected at most " + std::to_string(kMaxExtraEvents) +
              " after the first, got '" + std::string(name) + "' as well";
  else if (!find_event(name, list.extra[list.extra_count]))
    problem =
        "unknown event '" + std::string(name) + "' after the first: expected " + names_of_events();
  else if (is_named(list, name))
    problem = "event '" + std::string(name) + "': expected each event once, got it again";
  else
    ++list.extra_count;
  return problem.empty();
}

} // namespace

bool CountedEvent::is_hardware() const {
  return type != PERF_TYPE_SOFTWARE;
}

bool CountedEvent::is_generic() const {
  return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE;
}

bool CountedEvent::is_task_clock() const {
  return type == PERF_TYPE_SOFTWARE && config == PERF_COUNT_SW_TASK_CLOCK;
}

bool find_event(std::string_view name, CountedEvent& event) {
  event = CountedEvent{};
  for (const KnownEvent& known : kKnownEvents)
    if (name == known.name) {
      event.type = known.type;
      event.config = known.config;
      set_name(event, name);
      return true;
    }
  return parse_raw(name, event);
}

bool parse_events(std::string_view text, EventList& list, std::string& problem) {
  list = EventList{};
  problem.clear();
  for (bool is_first = true;; is_first = false) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view name = text.substr(0, end);
    if (!(is_first ? parse_work(name, list, problem) : parse_extra(name, list, problem)))
      return false;
    if (end == text.size())
      return true;
    text.remove_prefix(end + 1);
  }
}

} // namespace tp::rt
