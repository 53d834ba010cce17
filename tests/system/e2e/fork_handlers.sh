# SPDX-License-Identifier: Apache-2.0
# Handlers of pthread_atfork() that run between ours, of a library that is initialized before ours: they use locks and
# calls that are recorded, with each clock; and a fork() during which another thread runs the process's destructors.
. "$(dirname "$0")/common.inc"
cat >handlers.cpp <<'X_LIBRARY'
#include <atomic>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <pthread.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
static std::mutex mutex;
static void use_calls() {
  const timespec nap{0, 1000};
  nanosleep(&nap, nullptr);
  char byte;
  if (read(-1, &byte, 1) != -1) _exit(1);
}
static void use_lock() {
  static std::mutex inner;
  const std::lock_guard lock(inner);
}
// That takes the lock of our table of threads.
static void join_thread() { std::thread([] {}).join(); }
// The main thread waits for a lock, in one of the destructors. If it only seems to, the test finds nothing.
static void wait_for_end() {
  for (int asleep = 0; asleep < 20;) {
    char path[64], text[64] = "", state = '?';
    std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", getpid());
    std::FILE* const file = std::fopen(path, "r");
    if (file != nullptr && std::fgets(text, sizeof text, file) != nullptr) std::sscanf(text, "%*s %*s %c", &state);
    if (file != nullptr) std::fclose(file);
    asleep = state == 'S' ? asleep + 1 : 0;
    usleep(500);
  }
}
extern "C" std::atomic<bool> waits_for_end, is_forking, has_forked;
std::atomic<bool> waits_for_end{false}, is_forking{false}, has_forked{false};
static void before() {
  mutex.lock();
  use_calls();
  if (!waits_for_end) return;
  waits_for_end = false;
  is_forking = true;
  wait_for_end();
}
static void after() {
  use_lock();
  use_calls();
  mutex.unlock();
}
[[gnu::constructor]] static void begin() { pthread_atfork(before, after, after); }
[[gnu::destructor]] static void end() {
  if (!is_forking) return;
  while (!has_forked) usleep(100);
  join_thread();
  const pid_t child = fork();
  if (child == 0) _exit(7);
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child at the end %d\n", WEXITSTATUS(status));
  std::fflush(stdout);
}
X_LIBRARY
"$cxx" -std=c++17 -O1 -shared -fPIC -Wl,-soname,libhandlers.so handlers.cpp -o libhandlers.so -lpthread || { fail "libhandlers.so does not build"; finish; }
build_stock forks -L. -Wl,-rpath,"$PWD" -Wl,--no-as-needed -lhandlers <<'X_PROGRAM'
#include <atomic>
#include <cstdio>
#include <oneapi/tbb/parallel_for.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
extern "C" std::atomic<bool> waits_for_end, is_forking, has_forked;
static int child_of(pid_t child) {
  if (child == 0) {
    usleep(1000);
    tbb::parallel_for(0, 3, [](int) { usleep(10); });
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}
int main(int argc, char**) {
  tbb::parallel_for(0, 100, [](int) { usleep(10); });
  std::printf("child %x\n", child_of(fork()));
  int of_thread = 0;  // one that is not recorded yet
  std::thread([&] { of_thread = child_of(fork()); }).join();
  std::printf("child of a thread %x\n", of_thread);
  std::fflush(stdout);
  if (argc == 1) return 0;
  waits_for_end = true;
  std::thread([] {
    const pid_t child = fork();
    if (child == 0) _exit(7);
    waitpid(child, nullptr, 0);
    has_forked = true;
    for (;;) pause();
  }).detach();
  while (!is_forking) usleep(100);
}
X_PROGRAM
export TP_DATA=data/%p
for locks in off auto all; do
  for tunables in "" glibc.pthread.rseq=0; do
    for event in auto task-clock; do
      for end in "" end; do
        rm -rf data
        # shellcheck disable=SC2086  # none or one
        "$tp_run" -q --locks $locks -e $event -- env GLIBC_TUNABLES=$tunables ./forks $end >out 2>err
        same "--locks=$locks -e $event $tunables $end: exit status" 0 $?
        same "--locks=$locks -e $event $tunables $end" "child 700 child of a thread 700${end:+ child at the end 7}" "$(xargs <out)"
      done
    done
  done
done
finish
