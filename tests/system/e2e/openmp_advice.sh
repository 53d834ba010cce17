# SPDX-License-Identifier: Apache-2.0
# Advice on OpenMP regions names what changes something: chunk sizes, if clauses, threads that did not come.
. "$(dirname "$0")/common.inc"
use_openmp

cat >advised.cpp <<'X'
#include <tp/virtual_clock.h>
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <unistd.h>
int main(int, char** arguments) {
  const auto is = [&](const char* name) { return std::strcmp(arguments[1], name) == 0; };
  if (is("dynamic"))
    #pragma omp parallel for schedule(dynamic, 100)
    for (int i = 0; i < 200; ++i) tp::spend(100);
  if (is("serial"))
    #pragma omp parallel for if(is("parallel")) schedule(dynamic)
    for (int i = 0; i < 200; ++i) tp::spend(100);
  if (is("eight"))
    #pragma omp parallel num_threads(8)
    tp::spend(100);
  if (is("nested"))
    #pragma omp parallel num_threads(2)
    {
      #pragma omp parallel for num_threads(4)
      for (int i = 0; i < 12; ++i) tp::spend(1000);
    }
  if (is("doacross")) // one iteration after the other, but for a tenth of each
    #pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 0; i < 64; ++i) {
      tp::spend(10);
      #pragma omp ordered depend(sink: i - 1)
      tp::spend(90);
      #pragma omp ordered depend(source)
    }
  if (is("doacross_inside"))
    #pragma omp parallel
    {
      tp::spend(5);
      #pragma omp for ordered(1) schedule(static, 1)
      for (int i = 0; i < 64; ++i) {
        tp::spend(10);
        #pragma omp ordered depend(sink: i - 1)
        tp::spend(90);
        #pragma omp ordered depend(source)
      }
    }
  if (is("taken")) // the same, of iterations that threads take
    #pragma omp parallel for ordered(1) schedule(dynamic, 1)
    for (int i = 0; i < 64; ++i) {
      tp::spend(10);
      #pragma omp ordered depend(sink: i - 1)
      tp::spend(90);
      #pragma omp ordered depend(source)
    }
  if (is("exit")) { // by a thread that is in its first step, when the other one has ended
    #pragma omp parallel
    {
      if (omp_get_thread_num() == 0) {
        usleep(500000);
        std::exit(0);
      }
      tp::spend(100);
    }
  }
  if (is("teams"))
    #pragma omp teams num_teams(2) thread_limit(3)
    {
      #pragma omp distribute parallel for
      for (int i = 0; i < 12; ++i) tp::spend(10);
    }
}
X
says() { # COMPILER NAME TEXT [NOT]
  rm -rf tp-data
  "$tp_run" -q ./advised "$2" 2>err || fail "$1 $2: exit status $?: $(cat err)"
  "$tp_analyze" -P 8 --json profile.json -o analysis 2>err | tr '\n' ' ' >out || fail "$1 $2: $(cat err)"
  in_file out "$3"
  [ -z "${4:-}" ] || ! grep -q -e "$4" out || fail "$1 $2: $(cat out)"
}
export OMP_NUM_THREADS=2 OMP_MAX_ACTIVE_LEVELS=1
for compiler in $compilers; do
  build_openmp "$compiler" advised -O1
  says "$compiler" dynamic "a smaller chunk size in its schedule clause. On 8 CPUs that saves" "shows how far"
  says "$compiler" serial "each of its teams had one thread: let it have more, by the if clause, num_threads, " "shows how far"
  OMP_THREAD_LIMIT=3 says "$compiler" eight "whose teams got 5 threads fewer than they asked for: let nested regions be active (OMP_MAX_ACTIVE_LEVELS), or allow more threads (OMP_THREAD_LIMIT, OMP_DYNAMIC)" "more evenly"
  in_file out "one of the 3 implicit tasks of the parallel region at advised.cpp:"
  in_file out "advised: 3 tasks, 3 threads"
  is "p['trace']['tasks_cancelled'] == 5 and p['trace']['tasks_begun'] == 8 and [s['invocations'] for s in p['sites'] if s['line']] == [3]"
  says "$compiler" nested "6 threads fewer than they asked for: let nested regions be active (OMP_MAX_ACTIVE_LEVELS)" "more evenly"
  for name in doacross doacross_inside; do # no threads and no smaller parts change that
    says "$compiler" $name "parts of the loop's iterations come after those of others: move what need not wait out of these parts" "more evenly\|divide their work\|let them run\|: split"
  done
  # In which order threads take iterations is for the schedule clause to say, by clang++.
  says "$compiler" taken "parts of the loop's iterations come after those of others"
  [ "$compiler" = gcc ] || in_file out "by schedule(monotonic: dynamic, ...) threads take them in their order"
  [ "$compiler" != gcc ] || ! grep -q monotonic out || fail "gcc taken: $(cat out)"
  says "$compiler" exit "the parallel region at advised.cpp:" "had one thread"
  is "p['trace']['tasks_never_begun'] == 1 and [w['text'] for w in p['warnings'] if w['name'] == 'never_begun'] == ['of one task only the creation is recorded: it never ran, or was still in its first step when recording ended, as where the program calls exit() in a task']"
  rm -rf tp-data
  "$tp_run" -q -e auto ./advised exit 2>err || fail "$compiler exit: $(cat err)"
  "$tp_analyze" -q -v -o analysis 2>err | tr '\n' ' ' >out || fail "$compiler exit: $(cat err)"
  ! grep -q "never called oneTBB" out || fail "$compiler exit: $(cat out)"
  for limit in 2 8; do # of all teams, of each of which libomp lets three be threads
    KMP_TEAMS_THREAD_LIMIT=$limit says "$compiler" teams "critical path is" "fewer than"
    is "p['trace']['tasks_cancelled'] == 0 and p['work'] == 120 and p['span'] == $((limit == 2 ? 60 : 30))"
  done
done
finish
