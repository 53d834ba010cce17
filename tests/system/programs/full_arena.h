// SPDX-License-Identifier: Apache-2.0
// An arena without a free slot: the threads that entered first stay inside.
#pragma once

#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace spec {

class FullArena {
public:
  // The threads call `at_last` before they leave. No worker thread enters.
  template <typename AtLast>
  FullArena(tbb::task_arena& arena, AtLast at_last) {
    for (int i = 0; i < arena.max_concurrency(); ++i)
      threads_.emplace_back([this, &arena, at_last] {
        arena.execute([&] {
          ++inside_;
          while (!leave_)
            std::this_thread::yield();
          at_last();
        });
      });
    while (inside_ < arena.max_concurrency())
      std::this_thread::yield();
  }
  explicit FullArena(tbb::task_arena& arena) : FullArena(arena, [] {}) {}
  ~FullArena() {
    for (std::thread& each : threads_)
      each.join();
  }
  // They leave once the caller sleeps: it calls execute() next, and has found no slot by then.
  void leave_soon() {
    threads_.emplace_back([this, caller = gettid()] {
      do
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
      while (!sleeps(caller));
      leave_ = true;
    });
  }

private:
  static bool sleeps(pid_t thread) {
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string stat;
    std::getline(file, stat);
    return stat.find(") S ") != std::string::npos;
  }

  std::atomic<int> inside_{0};
  std::atomic<bool> leave_{false};
  std::vector<std::thread> threads_;
};

} // namespace spec
