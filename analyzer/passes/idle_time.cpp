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

// A part of the step's time, as a share of one CPU.
std::uint64_t share_of(std::uint64_t part, const StepTimes& step) {
  const std::uint64_t length = step.end - step.begin;
  return part >= length ? kWhole : static_cast<std::uint64_t>(Wide{part} * kWhole / length);
}

struct RunningStep {
  std::uint64_t end = 0, used = 0, asleep = 0, at_locks = 0;
  bool is_worker = true;
  bool operator>(const RunningStep& other) const { return end > other.end; }
  std::uint64_t wanted() const { return kWhole - used - asleep; }
};

} // namespace

IdleTime::IdleTime(const std::vector<NextStep>& streams, std::uint64_t workers,
                   std::uint64_t first_time, std::uint64_t last_time)
    : first_(first_time), last_(std::max(first_time, last_time)),
      width_((last_ - first_) / kSlots + 1), workers_(workers),
      slots_((last_ - first_) / width_ + 2) {
  std::vector<StepTimes> steps(streams.size()); // the next one of each stream
  using Event = std::pair<std::uint64_t, std::size_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> starts;
  std::priority_queue<RunningStep, std::vector<RunningStep>, std::greater<>> ends;
  Running running;
  const auto take_next = [&](std::size_t of) {
    if (streams[of](steps[of]))
      starts.emplace(steps[of].begin, of);
  };
  for (std::size_t i = 0; i < streams.size(); ++i)
    take_next(i);
  std::uint64_t now = first_;
  const auto advance_to = [&](std::uint64_t time) {
    if (now < time)
      advance(now, time, running, ends.size());
    now = std::max(now, time);
  };
  const auto end_until = [&](std::uint64_t time) {
    for (; !ends.empty() && ends.top().end <= time; ends.pop()) {
      const RunningStep& step = ends.top();
      advance_to(step.end);
      running.used -= step.used;
      running.asleep -= step.asleep;
      running.at_locks -= step.at_locks;
      running.wanted -= step.wanted();
      running.workers -= step.is_worker;
    }
  };
  while (!starts.empty()) {
    const auto [time, of] = starts.top();
    starts.pop();
    end_until(time);
    advance_to(time);
    const StepTimes& step = steps[of];
    const std::uint64_t used = share_of(step.on_cpu, step);
    // Shares are rounded down; a step that wanted no CPU has no share of that.
    const bool wanted_none = step.on_cpu + step.asleep >= step.end - step.begin;
    const std::uint64_t asleep =
        wanted_none ? kWhole - used : std::min(share_of(step.asleep, step), kWhole - used);
    const std::uint64_t at_locks =
        step.asleep > 0 ? static_cast<std::uint64_t>(Wide{asleep} * step.at_locks / step.asleep)
                        : 0;
    const RunningStep begun{step.end, used, asleep, at_locks, step.is_worker};
    running.used += begun.used;
    running.asleep += begun.asleep;
    running.at_locks += begun.at_locks;
    running.wanted += begun.wanted();
    running.workers += begun.is_worker;
    ends.push(begun);
    take_next(of);
  }
  end_until(last_);
  advance_to(last_);
  Slot sum;
  for (Slot& slot : slots_) {
    const Slot before = sum;
    sum.idle += slot.idle;
    sum.blocked += slot.blocked;
    sum.at_locks += slot.at_locks;
    sum.taken += slot.taken;
    sum.share += slot.share;
    slot = before;
  }
}

void IdleTime::advance(std::uint64_t from, std::uint64_t to, const Running& running,
                       std::size_t steps) {
  const double length = static_cast<double>(std::min(to, last_) - std::min(from, last_));
  // Steps that sleep go on meanwhile.
  const std::uint64_t could = std::min(running.used + running.wanted, workers_ * kWhole);
  if (running.used < could)
    taken_by_others_ += length * static_cast<double>(could - running.used) /
                        static_cast<double>(could + running.asleep);
  if (running.used >= workers_ * kWhole)
    return;
  const std::uint64_t idle = workers_ * kWhole - running.used;
  const double ticks = static_cast<double>(idle) / kWhole;
  all_ += ticks * length;
  if (steps == 0)
    without_steps_ += ticks * length;
  Slot slot{.idle = std::min(idle, kWhole),
            .share = steps == 0 ? 0 : ticks / static_cast<double>(steps)};
  if (const std::uint64_t off = running.asleep + running.wanted;
      running.workers >= workers_ && off > 0) {
    slot.blocked = static_cast<std::uint64_t>(Wide{slot.idle} * running.asleep / off);
    slot.at_locks = static_cast<std::uint64_t>(Wide{slot.idle} * running.at_locks / off);
    slot.taken = slot.idle - slot.blocked;
  }
  add(from, to, slot);
}

void IdleTime::add(std::uint64_t from, std::uint64_t to, const Slot& each_tick) {
  from = std::clamp(from, first_, last_);
  to = std::min(to, last_);
  while (from < to) {
    Slot& slot = slots_[(from - first_) / width_];
    const std::uint64_t in_slot = std::min(to - from, width_ - (from - first_) % width_);
    slot.idle += in_slot * each_tick.idle;
    slot.blocked += in_slot * each_tick.blocked;
    slot.at_locks += in_slot * each_tick.at_locks;
    slot.taken += in_slot * each_tick.taken;
    slot.share += static_cast<double>(in_slot) * each_tick.share;
    from += in_slot;
  }
}

std::uint64_t IdleTime::until(std::uint64_t time, std::uint64_t Slot::* part) const {
  const std::uint64_t since = std::clamp(time, first_, last_) - first_;
  const std::uint64_t slot = since / width_;
  const std::uint64_t in_slot = slots_[slot + 1].*part - slots_[slot].*part;
  return slots_[slot].*part + static_cast<std::uint64_t>(Wide{in_slot} * (since % width_) / width_);
}

double IdleTime::shares_until(std::uint64_t time) const {
  const std::uint64_t since = std::clamp(time, first_, last_) - first_;
  const std::uint64_t slot = since / width_;
  return slots_[slot].share + (slots_[slot + 1].share - slots_[slot].share) *
                                  static_cast<double>(since % width_) / static_cast<double>(width_);
}

double IdleTime::share_of_idle(std::uint64_t from, std::uint64_t to) const {
  return from < to ? shares_until(to) - shares_until(from) : 0;
}

std::uint64_t IdleTime::between(std::uint64_t from, std::uint64_t to) const {
  return from < to
             ? std::min((until(to, &Slot::idle) - until(from, &Slot::idle)) / kWhole, to - from)
             : 0;
}

IdleParts IdleTime::parts_between(std::uint64_t from, std::uint64_t to) const {
  if (from >= to)
    return {};
  const auto part = [&](std::uint64_t Slot::* of) {
    return (until(to, of) - until(from, of)) / kWhole;
  };
  IdleParts parts{.all = between(from, to)};
  parts.blocked = std::min(part(&Slot::blocked), parts.all);
  parts.at_locks = std::min(part(&Slot::at_locks), parts.blocked);
  parts.taken = std::min(part(&Slot::taken), parts.all - parts.blocked);
  return parts;
}

} // namespace tp::analysis
