// SPDX-License-Identifier: Apache-2.0
// A pool of the program's own with one thread, woken by a condition variable: main waits for its
// results between two parallel loops.
#include "work.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <oneapi/tbb/parallel_for.h>
#include <thread>

namespace {

class Pool {
public:
  Pool() : thread_([this] { run(); }) {} // planted
  ~Pool() {
    submit(nullptr);
    thread_.join();
  }
  void submit(std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    ++unfinished_;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return unfinished_ == 0; });
  }

private:
  void run() {
    for (std::unique_lock lock(mutex_);;) {
      changed_.wait(lock, [this] { return !jobs_.empty(); });
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      if (!job)
        return;
      lock.unlock();
      job();
      lock.lock();
      --unfinished_;
      changed_.notify_all();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  int unfinished_ = 0;
  std::thread thread_;
};

} // namespace

int main() {
  Pool pool;
  tbb::parallel_for(0, 256, [](int) { planted::compute(1); });
  for (int i = 0; i < 10; ++i)
    pool.submit([] { planted::compute(60); });
  pool.wait();
  tbb::parallel_for(0, 256, [](int) { planted::compute(1); });
}
