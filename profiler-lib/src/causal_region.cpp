// Nesting and per-step work of causal regions. See causal_region.h.
#include "causal_region.h"

#include "session.h"
#include "settings.h"

#include <algorithm>

namespace tp::rt {
namespace {

// tp_region::id remembers the number for one session: 8 bits of generation, 24 of region + 1.
constexpr unsigned kRegionBits = 24;

std::uint32_t number_of(tp_region& region) {
  const std::uint32_t generation = (session_generation() & 0xff) << kRegionBits;
  const std::uint32_t known = __atomic_load_n(&region.id, __ATOMIC_RELAXED);
  if (known != 0 && (known & ~((1u << kRegionBits) - 1)) == generation)
    return (known & ((1u << kRegionBits) - 1)) - 1;
  const std::uint32_t number = register_region(region);
  __atomic_store_n(&region.id, generation | (number + 1), __ATOMIC_RELAXED);
  return number;
}

TP_COLD void report(const tp_region& region, const char* what) {
  static std::atomic<int> reports{0};
  if (reports.fetch_add(1) >= 10) return;
  const std::string place =
      std::string(region.file != nullptr ? region.file : "?") + ":" + std::to_string(region.line);
  const std::string name = region.name != nullptr ? std::string(" \"") + region.name + "\"" : std::string();
  warn(place, what + name);
}

}  // namespace

void add_region_work(ThreadState& thread, std::uint32_t region, std::uint64_t work) noexcept {
  RegionWork* const end = thread.regions + thread.region_count;
  RegionWork* const known =
      std::find_if(thread.regions, end, [&](const RegionWork& entry) { return entry.region == region; });
  if (known != end) known->work += work;
  else if (thread.region_count < kRegionsPerStep) thread.regions[thread.region_count++] = {region, work};
}

void begin_region(ThreadState& thread, Frame& frame, tp_region& region) noexcept {
  if (frame.region_depth++ > 0) return;
  frame.region = number_of(region) + 1;
  frame.region_mark = read_clock(thread.clock).work;
}

void end_region(ThreadState& thread, Frame& frame, tp_region& region) noexcept {
  if (frame.region_depth == 0) return report(region, "causal_end without causal_begin in this task:");
  if (--frame.region_depth > 0) return;
  if (frame.region != number_of(region) + 1) report(region, "causal_end closes another region than it names:");
  pause_region(thread, frame, read_clock(thread.clock).work);
  frame.region = 0;
}

}  // namespace tp::rt
