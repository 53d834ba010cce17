# SPDX-License-Identifier: Apache-2.0
# A pool of threads of the program's own, woken by a condition variable, whose jobs use oneTBB: a complete
# recording; its threads are on the critical path where main joins them, and waiting for jobs takes no work and no
# sleep, and no edge. By arithmetic, with the virtual clock.
. "$(dirname "$0")/common.inc"
build_stock pool -std=c++20 <<'X'
#line 2 "pool.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>
class Pool {
public:
  explicit Pool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); }); // 13
  }
  void give(std::function<void()> job) {
    { std::lock_guard lock(mutex_); jobs_.push(std::move(job)); }
    changed_.notify_one();
  }
  void wait_for_all() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return jobs_.empty() && running_ == 0; });
  }
  void end() {
    { std::lock_guard lock(mutex_); ends_ = true; }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
private:
  void run() {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, [this] { return ends_ || !jobs_.empty(); }), !jobs_.empty()) {
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop();
      ++running_;
      lock.unlock();
      job();
      lock.lock();
      --running_;
      changed_.notify_all();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
  bool ends_ = false;
  int running_ = 0;
};
int main(int, char** argv) {
  Pool pool(std::atoi(argv[1]));
  tp::spend(10);
  for (int i = 0; i < 12; ++i)
    pool.give([] {
      tp::spend(100);
      tbb::parallel_for(0, 8, [](int) { tp::spend(10); }, tbb::simple_partitioner()); // 55
    });
  pool.wait_for_all();
  tp::spend(7);
  pool.end();
  tp::spend(5);
}
X
for threads in 1 2 4 8; do
  timeout 120 "$tp_run" -q -e virtual -o "data.$threads" ./pool $threads || fail "$threads threads: exit status"
  analyze "data.$threads"
  is 'p["complete"] and p["work"] == 10 + 12 * (100 + 80) + 7 + 5 and p["latency"] == 0'
  # The jobs of a thread come one after the other; who got how many is the schedule's.
  is '110 * -(-12 // '$threads') + 5 <= p["span"] <= 110 * 12 + 5 and (p["span"] - 5) % 110 == 0'
  is '{s["line"]: s["exclusive_work"] for s in p["sites"]} == {0: 22, 13: 1200, 55: 960}'
  is '{w["name"] for w in p["warnings"]} & {"conservation", "not_counted", "unfinished", "never_begun"} == set()'
done
finish
