// SPDX-License-Identifier: Apache-2.0
// See call_sites.h.
#include "call_sites.h"

#include "tasks.h"

#include "tp/hooks.h"
#include "tp/site.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <pthread.h>
#include <string>
#include <utility>

namespace tp::omp {

constinit thread_local Call region_call [[gnu::tls_model("initial-exec")]];
constinit thread_local Call loop_call [[gnu::tls_model("initial-exec")]];
constinit thread_local Here here [[gnu::tls_model("initial-exec")]] = {};

namespace {

const char* name_of(unsigned construct) {
  switch (construct) {
#define TP_NAME(enumerator, number, name)                                                          \
  case number:                                                                                     \
    return name;
    TP_CONSTRUCTS(TP_NAME)
#undef TP_NAME
  default:
    return "";
  }
}

// Constants for the runtime: never destroyed.
struct Place {
  std::string file, function;
  tp_spawn_site site;
};

// Null: the string has no place.
const Place* parse(const char* source, unsigned construct) {
  std::string fields[5];
  const char* at = source;
  for (std::string& field : fields) {
    const char* const end = std::strchr(at, ';');
    if (end == nullptr)
      return nullptr;
    field.assign(at, end);
    at = end + 1;
  }
  const unsigned long line = std::strtoul(fields[3].c_str(), nullptr, 10);
  if (line == 0 || fields[1] == "unknown")
    return nullptr;
  auto* const place = new Place{fields[1], fields[2], {}};
  const auto column = static_cast<unsigned>(std::strtoul(fields[4].c_str(), nullptr, 10));
  place->site = {place->file.c_str(),       place->function.c_str(), static_cast<unsigned>(line),
                 column | TP_SITE_EXPLICIT, name_of(construct),      static_cast<unsigned>(line)};
  return place;
}

constinit std::mutex places_mutex; // guards the places that learn() has met

const Place* learn(const Ident* ident, unsigned construct) {
  const std::lock_guard lock(places_mutex);
  static auto* const places = new std::map<std::pair<const Ident*, unsigned>, const Place*>;
  const auto [entry, is_new] = places->try_emplace({ident, construct});
  if (is_new)
    entry->second = parse(ident->source, construct);
  return entry->second;
}

// What this thread has met lately.
struct Known {
  const Ident* ident;
  unsigned construct;
  const Place* place;
};
constexpr unsigned kKnown = 32;
[[gnu::tls_model("initial-exec")]] constinit thread_local Known known[kKnown] = {};

const Place* place_of(const Ident* ident, unsigned construct) {
  if (ident == nullptr || ident->source == nullptr)
    return nullptr;
  const auto hash = (reinterpret_cast<std::uintptr_t>(ident) / 8 + construct) % kKnown;
  Known& entry = known[hash];
  if (entry.ident != ident || entry.construct != construct)
    entry = {ident, construct, learn(ident, construct)};
  return entry.place;
}

std::uint32_t site_of(const Call& call, const void* caller, unsigned construct,
                      std::uint32_t around, bool with_callers) {
  const Place* const place = place_of(call.ident, construct);
  const tp_openmp_call described{call.caller != nullptr ? call.caller : caller,
                                 call.function,
                                 place != nullptr ? &place->site : nullptr,
                                 construct,
                                 around,
                                 with_callers ? 1 : 0};
  return tp_openmp_site(&described);
}

} // namespace

void handle_forks() {
  pthread_atfork([] { places_mutex.lock(); }, [] { places_mutex.unlock(); },
                 [] {
                   places_mutex.unlock();
                   here.last_task = {}; // in the child sites have other numbers
                 });
}

std::uint32_t site_of_region(const void* caller, unsigned construct, std::uint32_t around) {
  const std::uint32_t site = site_of(region_call, caller, construct, around, true);
  region_call = {};
  return site;
}

std::uint32_t site_of_task(const Call* call, const Task& creator, const void* caller,
                           bool is_first) {
  if (call != nullptr) {
    const void* const address = call->caller != nullptr ? call->caller : caller;
    const bool is_taskloop = call->taskloop != nullptr;
    LastTask& last = here.last_task;
    // Callers of a task are not asked for, see docs/measurements/overhead.md.
    if (last.caller == address && last.ident == call->ident && last.is_taskloop == is_taskloop &&
        !(is_first && is_taskloop)) [[likely]]
      return last.site;
    const std::uint32_t around = is_taskloop && creator.is_implicit ? creator.team->site : 0;
    const std::uint32_t site =
        site_of(*call, caller, is_taskloop ? TP_CONSTRUCT_OMP_TASKLOOP : TP_CONSTRUCT_OMP_TASK,
                around, is_taskloop);
    if (site != 0)
      last = {address, call->ident, is_taskloop, site};
    return site;
  }
  if (creator.is_taskloop) // libomp divides it
    return static_cast<std::uint32_t>(creator.words[1]);
  return site_of({}, caller, TP_CONSTRUCT_OMP_TASK, 0, false);
}

std::uint32_t site_of_worksharing(const Team& team, const void* caller, unsigned construct,
                                  bool is_combined) {
  if (is_combined) // with the region, by g++: nothing of the user's is on the stack
    return site_of({.function = team.function, .caller = team.caller}, caller, construct, team.site,
                   false);
  if (loop_call.caller != nullptr)
    return site_of(loop_call, caller, construct, team.site, true);
  if (caller == nullptr)
    return team.site;
  return site_of({}, caller, construct, team.site, true);
}

std::uint32_t site_of_reduction(const Team& team, const Ident* ident, const void* caller) {
  return site_of({.ident = ident, .caller = caller}, caller, TP_CONSTRUCT_OMP_REDUCTION, team.site,
                 false);
}

} // namespace tp::omp
