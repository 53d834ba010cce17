# SPDX-License-Identifier: Apache-2.0
# How many tasks a semaphore lets run at a time is in no figure: the report says so where tasks pass one often, and not elsewhere.
. "$(dirname "$0")/common.inc"

build passes <<'X'
#line 2 "passes.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <cstring>
#include <ctime>
#include <semaphore.h>
static sem_t slots;
static bool in_time(const char* how) {
  timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 60;
  return std::strcmp(how, "timed") == 0 ? sem_timedwait(&slots, &end) == 0 : sem_clockwait(&slots, CLOCK_REALTIME, &end) == 0;
}
int main(int, char** arguments) {
  const auto is = [&](const char* how) { return std::strcmp(arguments[1], how) == 0; };
  sem_init(&slots, 0, 2);
  const bool waits = is("often");
  tbb::parallel_for(0, 1000, [&](int i) {
    if (is("never") || is("outside") || (is("rarely") && i % 25 != 0)) return tp::spend(10);
    if (waits || is("rarely"))
      sem_wait(&slots);
    else if (!in_time(arguments[1]))
      return;
    tp::spend(9);
    sem_post(&slots);
    tp::spend(1);
  }, tbb::simple_partitioner());
  if (is("outside"))
    for (int i = 0; i < 1000; ++i) {
      sem_wait(&slots);
      tp::spend(1);
      sem_post(&slots);
    }
}
X
check() { # HOW ACQUISITIONS MATTERS, of --locks all and auto
  for locks in all auto; do
    rm -rf tp-data
    "$tp_run" -q -e virtual --locks $locks ./passes "$1" || fail "$1: exit status $?"
    analyze tp-data
    is "p['complete'] and [(l['kind'], l['acquisitions'], l['held'], l['bound'], l['shared']) for l in p['locks']] == ([('semaphore', $2, 0, 0, $2)] if $2 else []) and '$1 $locks'"
    is "('semaphores' in [w['name'] for w in p['warnings']]) == $3 and '$1 $locks'"
    is "p['verdict']['headline'].startswith('May scale') == $3 and '$1 $locks'"
  done
}
check never 0 False
check rarely 40 False
check often 1000 True
in_file <("$tp_analyze" -o analysis tp-data 2>/dev/null | tr -s ' \n' ' ') "tasks, or parts of them, that pass the semaphore slots (passes.cpp:"
is "[(l['variable'], l['line'] > 0) for l in p['locks']] == [('slots', True)]"
"$tp_analyze" -q -o analysis tp-data --check 'speedup(4)>=1' >check.out 2>&1
in_file check.out "is in no bound and no prediction"
check timed 1000 True
check clocked 1000 True
check outside 1000 False
finish
