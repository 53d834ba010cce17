// SPDX-License-Identifier: Apache-2.0
// LIMITS OF CONCURRENCY: how many threads a program lets execute its tasks at a time, whatever the
// number of CPUs. A limit is a resource with a *width*: steps that run under it take at least their
// work (and latency) divided by the width, in any schedule.
//
//   arena     an explicit task_arena with a number of threads. oneTBB gives it slots, some of them
//             reserved for external threads (task_arena(1) has two slots, one reserved). A thread
//             inside has one of them. Worker threads come only as far as the program asked for them
//             (none to task_arena(1), unless tasks are enqueued there); every call that enters
//             brings its own thread. So the width is the number of slots, or fewer, if the worker
//             threads and the calls that entered are fewer.
//   allowed   global_control::max_allowed_parallelism: so many threads, of which one is an external
//             one; more external threads come in addition.
//
// Each step belongs to a *pool*: an arena, a number of allowed threads, both, or neither (pool 0).
// Numbers that are those of the machine's CPUs limit nothing here: the program has probably asked for
// the machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tp::analysis {

enum class PoolId : std::uint32_t {};
inline constexpr PoolId kNoPool{0};

// From `work` of its step on, and after `latency` of its latency, the thread was in `pool`.
struct PoolChange {
  std::uint64_t work = 0, latency = 0;
  PoolId pool = kNoPool;
};

struct ArenaLimit {
  std::uint32_t asked = 0, reserved = 0, slots = 0;
  bool like_machine = false; // it asked for the number of CPUs that there were
  bool enqueued = false;     // a task was enqueued: one worker thread comes, even if asked for none
  std::uint64_t entrants = 0; // tasks, and threads outside of tasks, that entered by a call

  std::uint64_t workers() const {
    const std::uint64_t wanted = asked > reserved ? asked - reserved : enqueued ? 1 : 0;
    return std::min<std::uint64_t>(wanted, slots > reserved ? slots - reserved : 0);
  }
  // The greatest number of threads inside.
  std::uint64_t width() const {
    return std::max<std::uint64_t>(std::min<std::uint64_t>(slots, workers() + entrants), 1);
  }
};

struct AllowedThreads {
  std::uint32_t threads = 0;
  bool like_machine = false;
  std::uint64_t externals = 0; // external threads that run tasks
  std::uint64_t width() const {
    return std::max<std::uint64_t>(threads, 1) - 1 + std::max<std::uint64_t>(externals, 1);
  }
};

// In each list, [0] means that nothing limits.
struct ConcurrencyLimits {
  struct Pool {
    std::uint32_t arena = 0, allowed = 0; // indices
  };
  std::vector<ArenaLimit> arenas{1};
  std::vector<AllowedThreads> allowed{1};
  std::vector<Pool> pools{1};
  bool too_many = false; // pools: the steps of some are in pool 0
};

} // namespace tp::analysis
