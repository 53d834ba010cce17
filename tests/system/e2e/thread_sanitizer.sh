# SPDX-License-Identifier: Apache-2.0
# A program that is built with ThreadSanitizer runs under tp-run as it does alone: no report more, and its own race is
# found. Its runtime is a library with g++, and in the program with clang++.
. "$(dirname "$0")/common.inc"
[ -e /usr/include/oneapi/tbb/version.h ] || skip "no libtbb-dev"
cat >guarded.cpp <<'X'
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <pthread.h>
#include <semaphore.h>
#include <shared_mutex>
#include <thread>
#include <vector>
static std::mutex mutex; static std::condition_variable changed; static std::shared_mutex shared; static std::recursive_mutex recursive;
static int taken, written, unguarded; static bool go; static pthread_spinlock_t spinlock; static sem_t ended;
int main(int argc, char**) {
  tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  tbb::parallel_for(0, 3, [](int) {});
  pthread_spin_init(&spinlock, 0); sem_init(&ended, 0, 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([argc] {
    { std::unique_lock lock(mutex); changed.wait(lock, [] { return go; }); }
    for (int k = 0; k < 1000; ++k) {
      { std::lock_guard lock(mutex); ++taken; }
      { std::unique_lock lock(shared); ++written; }
      { std::shared_lock lock(shared); if (written < 0) unguarded = 0; }
      { std::lock_guard first(recursive); std::lock_guard second(recursive); }
      pthread_spin_lock(&spinlock); pthread_spin_unlock(&spinlock);
      if (argc > 1) ++unguarded;
    }
    sem_post(&ended);
  });
  { std::lock_guard lock(mutex); go = true; changed.notify_all(); }
  for (int i = 0; i < 3; ++i) sem_wait(&ended);
  for (auto& thread : threads) thread.join();
  std::printf("%d %d\n", taken, written);
}
X
tried=0
for compiler in g++ clang++-19; do
  command -v $compiler >/dev/null && $compiler -std=c++17 -g -O1 -fsanitize=thread guarded.cpp -o guarded -ltbb 2>/dev/null || continue
  # Not with every layout of the address space that the kernel chooses.
  [ "$(setarch -R ./guarded 2>/dev/null)" = "3000 3000" ] || continue
  tried=$((tried + 1))
  same "$compiler: without a race" "3000 3000" "$(timeout 60 setarch -R "$tp_run" -q --locks all -o data ./guarded 2>&1)"
  timeout 60 setarch -R "$tp_run" -q --locks all -o data ./guarded race >out 2>err
  same "$compiler: with one, exit status" 66 $?
  same "$compiler: reports" 1 "$(grep -c 'WARNING: ThreadSanitizer: data race' err)"
done
[ $tried -gt 0 ] || skip "no ThreadSanitizer"
finish
