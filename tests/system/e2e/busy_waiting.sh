# SPDX-License-Identifier: Apache-2.0
# A task that waits in a loop: tp-diff of two runs with as many tasks hints at it, and does not if the wait is
# annotated. The wait ends when the task has used so much CPU time, so that how busy the machine is makes no difference.
. "$(dirname "$0")/common.inc"
tp_diff=$TP_PREFIX/bin/tp-diff
build_stock polls <<'X'
#line 2 "polls.cpp"
#include <oneapi/tbb/task_group.h>
#include <tp/lock.h>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <pthread.h>
#include <thread>
#include <unistd.h>
long cpu_ms(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}
int main(int, char** argv) { // MS ANNOTATED
  const int ms = std::atoi(argv[1]);
  tbb::task_group group;
  for (int i = 0; i < 4; ++i)
    group.run_and_wait([&] { // 19
      for (const long begin = cpu_ms(CLOCK_THREAD_CPUTIME_ID); cpu_ms(CLOCK_THREAD_CPUTIME_ID) < begin + 20;) {}
      clockid_t clock;
      if (pthread_getcpuclockid(pthread_self(), &clock) != 0) std::abort();
      std::atomic<bool> done = false;
      std::thread thread([&] {
        for (const long begin = cpu_ms(clock); cpu_ms(clock) < begin + ms;) usleep(10000);
        done = true;
      });
      if (*argv[2] == '1') {
        tp::BusyWait wait;
        while (!done) {}
      } else {
        while (!done) {}
      }
      thread.join();
    });
}
X
for run in 0,0 40,0 40,1 1,1; do
  "$tp_run" -q -e auto -o "data.$run" ./polls ${run%,*} ${run#*,} || fail "$run: exit status $?"
done
"$tp_diff" -q data.0,0 data.40,0 >out || fail "tp-diff: exit status $?"
tr -s ' \n' ' ' <out >line
in_file line 'polls.cpp:19 has '
in_file line ' work in new, with as many tasks (4): unless its code or input differs, or memory and CPUs are slower there, it waits in a loop, which counts as work (<tp/lock.h>: tp::BusyWait).'
"$tp_diff" -q data.40,0 data.0,0 >out || fail "tp-diff: exit status $?"
tr -s ' \n' ' ' <out >line
in_file line ' work in base, with as many tasks'
"$tp_diff" -q --format json data.0,0 data.40,0 >diff.json || fail "tp-diff: exit status $?"
same "JSON" "19 True" "$(python3 -c 'import json
found = json.load(open("diff.json"))["unlike_work"]
print(found["line"], found["new"] * 2 >= found["base"] * 3)')"
# Annotated: what it waits is not its work.
"$tp_diff" -q data.1,1 data.40,1 >out || fail "tp-diff: exit status $?"
same "annotated" 0 "$(grep -c 'counts as work' out)"
finish
