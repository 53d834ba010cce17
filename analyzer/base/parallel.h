// SPDX-License-Identifier: Apache-2.0
// Runs calls that do not depend on each other on several threads. Used where a question needs more
// than one reading or simulation.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tp::analysis {

// Calls function(i) for each i below `count`, on up to `jobs` threads, the caller's among them. If
// a call throws, the calls that have not begun are skipped and the exception is rethrown.
template <typename Function>
void parallel_for_index(unsigned jobs, std::size_t count, Function&& function) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        function(i);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        failure = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < std::min<std::size_t>(jobs, count); ++i)
    others.emplace_back(work);
  work();
  for (std::thread& other : others)
    other.join();
  if (failure)
    std::rethrow_exception(failure);
}

} // namespace tp::analysis
