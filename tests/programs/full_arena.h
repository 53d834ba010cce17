// An arena without a free place: threads that were there first stay inside.
#pragma once

#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace spec {

class FullArena {
public:
  // Before they leave the threads call `at_last`. No worker comes in.
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
  void leave_soon() {
    threads_.emplace_back([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      leave_ = true;
    });
  }

private:
  std::atomic<int> inside_{0};
  std::atomic<bool> leave_{false};
  std::vector<std::thread> threads_;
};

} // namespace spec
