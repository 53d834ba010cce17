// SPDX-License-Identifier: Apache-2.0
// See causal_region.h.
#include "builder/causal_region.h"

#include "base/messages.h"
#include "builder/outside_of_step.h"
#include "sites/site_registry.h"

#include <atomic>
#include <string>

namespace tp::rt {
namespace {

// The number of a region, from the thread's cache if possible. The strings are constants, so their
// addresses identify it.
std::uint32_t number_of(ThreadState& thread, Frame& frame, const tp_region& region) {
  const std::uint64_t key =
      address_key(region.file, region.name) + region.line * 0x9e3779b97f4a7c15ull;
  std::uint32_t number = thread.known_regions.find(key);
  if (number == 0) [[unlikely]] {
    const OutsideOfStep outside(thread, frame);
    number = register_region(region) + 1;
    thread.known_regions.remember(key, number);
  }
  return number - 1;
}

// Warns about a call that does not match, ten times per process at most.
TP_COLD void report(const tp_region& region, const char* what) {
  static std::atomic<int> reports{0};
  if (reports.fetch_add(1) >= 10)
    return;
  const std::string place =
      std::string(region.file != nullptr ? region.file : "?") + ":" + std::to_string(region.line);
  const std::string name =
      region.name != nullptr ? std::string(" \"") + region.name + "\"" : std::string();
  warn(place, what + name);
}

TP_COLD void report_lost_work() {
  static std::atomic<bool> reported{false};
  if (!reported.exchange(true))
    warn("causal regions", "out of memory: work is missing in some of them");
}

} // namespace

void add_region_work(ThreadState& thread, std::uint32_t region, std::uint64_t work) noexcept {
  if (!thread.regions.add(region, work)) [[unlikely]]
    report_lost_work();
  if (!thread.regions.empty())
    thread.extras |= kExtraRegions;
}

void begin_region(ThreadState& thread, Frame& frame, tp_region& region) noexcept {
  if (frame.region_depth++ > 0)
    return;
  frame.region = number_of(thread, frame, region) + 1;
  frame.region_mark = read_clock(thread.clock).work;
}

void end_region(ThreadState& thread, Frame& frame, tp_region& region) noexcept {
  if (frame.region_depth == 0)
    return report(region, "causal_end without causal_begin in this task:");
  if (--frame.region_depth > 0)
    return;
  // Without a name it ends the region that is open: its place is not that of the causal_begin.
  const bool is_named = region.name != nullptr && *region.name != '\0';
  if (is_named && frame.region != number_of(thread, frame, region) + 1)
    report(region, "causal_end closes another region than it names:");
  pause_region(thread, frame, read_clock(thread.clock).work);
  frame.region = 0;
}

} // namespace tp::rt
