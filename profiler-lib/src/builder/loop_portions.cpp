// SPDX-License-Identifier: Apache-2.0
// See loop_portions.h.
#include "builder/loop_portions.h"

#include "builder/dpst_builder.h"
#include "clock/work_clock.h"

#include <algorithm>
#include <cstring>

namespace tp::rt {
namespace {

struct Iterations {
  std::uint64_t block;      // returned last; 0: not yet called
  std::uint64_t in_portion; // iterations since the last portion, without those of the block
  std::uint64_t time;       // when the block began
};
static_assert(sizeof(Iterations) == sizeof(tp_iterations));

std::uint64_t ticks_of(std::uint64_t ns) noexcept {
  return static_cast<std::uint64_t>(static_cast<double>(ns) * clock_config.ticks_per_ns);
}

std::uint64_t& block_size(ThreadState& thread, const Frame& frame) noexcept {
  std::uint64_t& size = thread.block_sizes[frame.site % kBlockSizes];
  size = std::max<std::uint64_t>(size, 1);
  return size;
}

// The number of iterations for which to run until the next look at the clock, after `iterations`
// took `elapsed` ticks.
void learn(std::uint64_t& block, std::uint64_t iterations, std::uint64_t elapsed) noexcept {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 40;
  const std::uint64_t target = ticks_of(kPortionNs / 4);
  if (elapsed < target / 2)
    block = std::min(std::max(block, iterations) * 2, kLargest);
  else if (elapsed > target * 2)
    block = std::max<std::uint64_t>(
        static_cast<std::uint64_t>(static_cast<double>(iterations) * static_cast<double>(target) /
                                   static_cast<double>(elapsed)),
        1);
}

// The block size for a body call of so many iterations. What other iterations of the loop cost says
// little about these, so a long call begins with small blocks again.
void start_call(std::uint64_t& block, std::uint64_t iterations) noexcept {
  if (iterations / 4 > block)
    block = std::max<std::uint64_t>(block / 64, 1);
}

bool is_virtual() noexcept {
  return clock_config.kind == ClockKind::Virtual;
}

} // namespace

std::uint64_t next_iterations(ThreadState& thread, Frame& frame, tp_iterations& state,
                              std::uint64_t left) noexcept {
  if (frame.loops == 0 || !frame.step_open)
    return left;
  Iterations run;
  std::memcpy(&run, &state, sizeof run);
  std::uint64_t& size = block_size(thread, frame);
  if (run.block == 0) {
    run.time = frame.portion_time;
    start_call(size, left);
  } else if (is_virtual()) {
    end_portion(thread, frame, {{{run.block, 1}}, 1, 0});
  } else {
    run.in_portion += run.block;
    const std::uint64_t now = std::max(read_time(), run.time);
    learn(size, run.block, now - run.time);
    run.time = now;
    if (now - frame.portion_time >= ticks_of(kPortionNs) && thread.step_pause != Pause::Now) {
      end_portion(thread, frame, {{{run.in_portion, 1}}, 1, 0});
      run.in_portion = 0;
    }
  }
  run.block = is_virtual() ? 1 : std::min(size, left);
  std::memcpy(&state, &run, sizeof run);
  return run.block;
}

bool start_dividing(ThreadState& thread, Frame& frame, std::uint64_t iterations) noexcept {
  start_call(block_size(thread, frame), iterations);
  return should_divide(thread, frame, iterations);
}

bool should_divide(ThreadState& thread, Frame& frame, std::uint64_t iterations) noexcept {
  return frame.loops != 0 && (is_virtual() || iterations > block_size(thread, frame));
}

void end_called_portion(ThreadState& thread, Frame& frame, const tp_range& range) noexcept {
  std::uint64_t iterations = 1;
  for (unsigned i = 0; i < range.dimensions; ++i)
    iterations *= range.of[i].iterations;
  if (!is_virtual() && iterations > 0)
    learn(block_size(thread, frame), iterations,
          std::max(read_time(), frame.portion_time) - frame.portion_time);
  end_portion(thread, frame, range);
}

} // namespace tp::rt
