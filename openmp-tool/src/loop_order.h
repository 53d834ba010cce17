// SPDX-License-Identifier: Apache-2.0
// LOOP ORDER: edges between iterations of loops with `ordered`. The parts of an `ordered` loop come one after the other,
// those of a doacross loop (`ordered(n)`) after the iterations that they name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace tp::omp {

struct Task;

// Of the loops of a team between two barriers. Any thread of the team may call it.
class LoopOrder {
public:
  LoopOrder() = default;
  LoopOrder(const LoopOrder&) = delete;
  LoopOrder& operator=(const LoopOrder&) = delete;
  ~LoopOrder(); // forgets the edges
  // Which loop, counted by each thread of the team, and which iteration of it.
  using Key = std::vector<std::int64_t>;
  void put(Key key, std::uint64_t edge);
  std::uint64_t take(const Key& key);       // 0: none
  std::uint64_t find(const Key& key) const; // which stays; 0: none

private:
  mutable std::mutex mutex_;
  std::map<Key, std::uint64_t> edges_;
};

// The loop of a doacross that this thread is in has so many dimensions.
void note_dimensions(int count);
// The iterations of the loop have an order, which is that of the one thread that runs it.
void note_order();
// The calling thread is about to report an iteration of it as done.
void note_done(const std::int64_t* iteration);
// It asks to be let into the ordered part of an iteration, has been, and leaves it. libomp reports that it has left when the next
// iteration may have entered, so our entry points say so before.
void wait_for_ordered();
void enter_ordered(std::uint64_t lock, const void* caller);
void leave_ordered();

// While the calling thread waits for an iteration, in libomp; it goes on after that. If the iteration was not done yet, the time
// is not libomp's but the loop's: the thread waits for others.
class WaitForIteration {
public:
  explicit WaitForIteration(const std::int64_t* iteration);
  ~WaitForIteration();
  WaitForIteration(const WaitForIteration&) = delete;
  WaitForIteration& operator=(const WaitForIteration&) = delete;

private:
  const std::int64_t* const iteration_;
  std::uint64_t edge_ = 0;
  bool is_for_others_ = false;
};

// While libomp lets the next iteration enter, of which we know.
class LeavingOrdered {
public:
  LeavingOrdered() noexcept;
  ~LeavingOrdered();
  LeavingOrdered(const LeavingOrdered&) = delete;
  LeavingOrdered& operator=(const LeavingOrdered&) = delete;

private:
  const bool is_inner_; // libomp's functions for g++ call those for clang
};

} // namespace tp::omp
