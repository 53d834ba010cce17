# SPDX-License-Identifier: Apache-2.0
# How long threads could have run and had no CPU is in the recording: of threads that have ended, and of those that
# are alive at its end.
. "$(dirname "$0")/common.inc"
[ -r /proc/self/schedstat ] || skip "no schedstat"
cpu=$(taskset -cp $$ 2>/dev/null | sed 's/.*: //; s/[,-].*//')
[ -n "$cpu" ] || skip "no taskset"
build busy <<'X'
#include <oneapi/tbb/task_group.h>
#include <atomic>
#include <cstring>
#include <ctime>
#include <thread>
#include <unistd.h>
static void burn(long ms) {
  const auto now = [] { timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1000 + t.tv_nsec / 1000000; };
  for (const long until = now() + ms; now() < until;) {}
}
static std::atomic<int> done{0};
int main(int, char** arguments) {
  const bool alive = std::strcmp(arguments[1], "alive") == 0;
  const auto work = [alive] {
    tbb::task_group group;
    group.run_and_wait([] { burn(100); });
    if (++done == 2 && alive) _exit(0);
    while (alive) pause();
  };
  std::thread one(work), other(work);
  one.join(); other.join();
}
X
for way in ended alive; do
  taskset -c "$cpu" "$tp_run" -q -e auto -o $way.data ./busy $way || fail "$way: exit status $?"
  analyze $way.data
  # On one CPU, one of the two waits until the other one has ended.
  is 'p["complete"] and p["time_balance"]["run_delay_ns"] >= 80000000'
done
finish
