// SPDX-License-Identifier: Apache-2.0
// All iterations take the same lock. The clock of this case is one of time.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <chrono>
#include <mutex>

int main() {
  tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 8);
  std::mutex mutex;
  tbb::task_arena(8).execute([&] {
    tbb::parallel_for(
        0, 200,
        [&](int) {
          std::lock_guard<std::mutex> lock(mutex);
          const auto begin = std::chrono::steady_clock::now();
          while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(1))
            ;
        },
        tbb::simple_partitioner());
  });
}
