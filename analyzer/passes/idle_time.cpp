// SPDX-License-Identifier: Apache-2.0
// Two heaps: the next step of each stream by its begin, the running ones by their end.
#include "passes/idle_time.h"
#include "base/wide.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace tp::analysis {
namespace {

constexpr std::uint64_t kSlots = std::uint64_t{1} << 20;
constexpr std::uint64_t kWhole = 1024; // one CPU

// How much of a CPU the step used while it ran.
std::uint64_t share_of(const StepTimes& step) {
  return step.on_cpu >= step.end - step.begin
             ? kWhole
             : static_cast<std::uint64_t>(Wide{step.on_cpu} * kWhole / (step.end - step.begin));
}

} // namespace

IdleTime::IdleTime(const std::vector<NextStep>& streams, std::uint64_t workers,
                   std::uint64_t first_time, std::uint64_t last_time)
    : first_(first_time), last_(std::max(first_time, last_time)),
      width_((last_ - first_) / kSlots + 1), idle_((last_ - first_) / width_ + 2) {
  std::vector<StepTimes> steps(streams.size()); // the next one of each stream
  using Event = std::pair<std::uint64_t, std::size_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> starts;
  // With the share of a CPU.
  std::priority_queue<std::pair<std::uint64_t, std::uint64_t>,
                      std::vector<std::pair<std::uint64_t, std::uint64_t>>, std::greater<>>
      ends;
  std::uint64_t used = 0; // the sum of these shares
  const auto take_next = [&](std::size_t of) {
    if (streams[of](steps[of]))
      starts.emplace(steps[of].begin, of);
  };
  for (std::size_t i = 0; i < streams.size(); ++i)
    take_next(i);
  std::uint64_t now = first_;
  const auto advance = [&](std::uint64_t time) {
    if (used < workers * kWhole)
      add(now, time, std::min(workers * kWhole - used, kWhole));
    now = std::max(now, time);
  };
  const auto end_until = [&](std::uint64_t time) {
    for (; !ends.empty() && ends.top().first <= time; ends.pop()) {
      advance(ends.top().first);
      used -= ends.top().second;
    }
  };
  while (!starts.empty()) {
    const auto [time, of] = starts.top();
    starts.pop();
    end_until(time);
    advance(time);
    used += share_of(steps[of]);
    ends.emplace(steps[of].end, share_of(steps[of]));
    take_next(of);
  }
  end_until(last_);
  advance(last_);
  std::uint64_t sum = 0;
  for (std::uint64_t& slot : idle_)
    sum += std::exchange(slot, sum);
}

void IdleTime::add(std::uint64_t from, std::uint64_t to, std::uint64_t idle) {
  from = std::clamp(from, first_, last_);
  to = std::min(to, last_);
  while (from < to) {
    const std::uint64_t slot = (from - first_) / width_;
    const std::uint64_t in_slot = std::min(to - from, width_ - (from - first_) % width_);
    idle_[slot] += in_slot * idle;
    from += in_slot;
  }
}

std::uint64_t IdleTime::until(std::uint64_t time) const {
  const std::uint64_t since = std::clamp(time, first_, last_) - first_;
  const std::uint64_t slot = since / width_;
  const std::uint64_t in_slot = idle_[slot + 1] - idle_[slot];
  return idle_[slot] + static_cast<std::uint64_t>(Wide{in_slot} * (since % width_) / width_);
}

std::uint64_t IdleTime::between(std::uint64_t from, std::uint64_t to) const {
  return from < to ? std::min((until(to) - until(from)) / kWhole, to - from) : 0;
}

} // namespace tp::analysis
