# SPDX-License-Identifier: Apache-2.0
# A cancelled thread (pthread_cancel) continues until it reaches a cancellation point: our hooks
# contain none.
. "$(dirname "$0")/common.inc"
build_stock program <<'EOP'
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
#include <atomic>
#include <cstdio>
#include <pthread.h>
static std::atomic<bool> go{false};
static std::atomic<int> calls{0};
static void* work(void*) {
  while (!go) {
  }
  tbb::parallel_for(0, 5000, [](int) { ++calls; tp::spend(1); }, tbb::simple_partitioner());
  std::atomic_thread_fence(std::memory_order_seq_cst);
  pthread_testcancel();
  return nullptr;
}
int main() {
  tbb::parallel_for(0, 10, [](int) { tp::spend(1); });
  pthread_t thread;
  pthread_create(&thread, nullptr, work, nullptr);
  pthread_cancel(thread);
  go = true;
  void* result = nullptr;
  pthread_join(thread, &result);
  std::printf("%d calls, %s\n", calls.load(), result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
}
EOP
for event in virtual task-clock; do
  export TP_EVENT=$event
  as_stock ./program
  in_file out "5000 calls, cancelled"
  analyze tp-data
  is 'p["complete"] and p["work"] > 0'
done
finish
