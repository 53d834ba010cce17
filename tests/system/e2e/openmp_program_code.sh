# SPDX-License-Identifier: Apache-2.0
# Code of the program's that libomp calls inside of its own functions is work: copies of the data of tasks, and what combines
# the values of reductions. The program counts itself what it spends.
. "$(dirname "$0")/common.inc"
use_openmp

cat >tally.cpp <<'X'
#include <tp/virtual_clock.h>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <omp.h>
std::atomic<long> tally{0};
void spend(long units) { tally += units; tp::spend(units); }
struct Sum {
  int value = 0;
  Sum() {}
  Sum(const Sum&) { spend(100); } // threads begin at 0
  Sum& operator+=(const Sum& other) { spend(1000); value += other.value; return *this; }
};
#pragma omp declare reduction(+ : Sum : omp_out += omp_in) initializer(omp_priv = omp_orig)
const Sum source;
Sum sum;
void go_on() { if (omp_get_thread_num() == 3) spend(5000); }
int main(int, char** arguments) {
  const char* const what = arguments[1];
  int expected = 0;
  if (std::strcmp(what, "task") == 0) {
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 10; ++i) {
      #pragma omp task firstprivate(source)
      spend(source.value + 1);
    }
  } else if (std::strcmp(what, "undeferred") == 0) {
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 10; ++i) {
      #pragma omp task firstprivate(source) if (i < 0)
      spend(source.value + 1);
    }
  } else if (std::strcmp(what, "taskloop") == 0) {
    #pragma omp parallel
    #pragma omp single
    #pragma omp taskloop firstprivate(source) num_tasks(10)
    for (int i = 0; i < 10; ++i) spend(source.value + 1);
  } else if (std::strcmp(what, "down") == 0) {
    #pragma omp parallel
    #pragma omp single
    #pragma omp taskloop firstprivate(source) num_tasks(10)
    for (int i = 10; i > 0; --i) spend(source.value + 1);
  } else if (std::strcmp(what, "halves") == 0) { // libomp creates tasks that create the others
    #pragma omp parallel
    #pragma omp single
    #pragma omp taskloop firstprivate(source) num_tasks(500)
    for (int i = 0; i < 500; ++i) spend(source.value + 1);
  } else if (std::strcmp(what, "ends") == 0) {
    #pragma omp parallel for reduction(+ : sum) schedule(static)
    for (int i = 0; i < 64; ++i) { spend(10); sum.value += i; }
    expected = 2016;
  } else if (std::strcmp(what, "goes_on") == 0) {
    #pragma omp parallel
    {
      #pragma omp for reduction(+ : sum) schedule(static) nowait
      for (int i = 0; i < 64; ++i) { spend(10); sum.value += i; }
      go_on();
    }
    expected = 2016;
  } else if (std::strcmp(what, "waits") == 0) {
    #pragma omp parallel
    {
      #pragma omp for reduction(+ : sum) schedule(static)
      for (int i = 0; i < 64; ++i) { spend(10); sum.value += i; }
      go_on();
    }
    expected = 2016;
  } else if (std::strcmp(what, "twice") == 0) {
    #pragma omp parallel
    for (int j = 0; j < 2; ++j) {
      #pragma omp for reduction(+ : sum) schedule(static)
      for (int i = 0; i < 64; ++i) { spend(10); sum.value += i; }
    }
    expected = 4032;
  } else {
    #pragma omp parallel
    #pragma omp single
    #pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < 10; ++i) {
      #pragma omp task in_reduction(+ : sum)
      { spend(1); sum.value += i; }
    }
    expected = 45;
  }
  std::printf("%ld %d\n", tally.load(), expected == sum.value);
}
X
# run COMPILER THREADS CASE SPAN: `span` is a Python expression of the work, w, and the number of threads, n; - if the schedule decides.
run() {
  rm -rf tp-data
  OMP_NUM_THREADS=$2 "$tp_run" -q ./tally "$3" >out 2>err || fail "$*: exit status $?: $(cat err)"
  is_empty err
  analyze tp-data
  local work right
  read -r work right <out
  same "$*: the result" 1 "$right"
  is "p['work'] == $work" || fail "$*: $(is "p['work']") instead of $work"
  [ "$4" = - ] || is "(lambda w, n: p['span'] == $4)($work, $2)" || fail "$*: span of $work"
}
for compiler in $compilers; do
  build_openmp "$compiler" tally -O1
  for threads in 1 2 5 8; do
    while read -r case span; do
      run "$compiler" "$threads" "$case" "$span"
    done <<'X'
task 1001
undeferred w
taskloop w-9
down w-9
halves -
X
    # Of a reduction each thread has a copy and its share of the iterations. Then the threads add up their values in code
    # of their own, of which the span does not say that it is one after the other; the bound of the lock does. clang's
    # larger teams do it in a tree: in teams of 5 and of 8 the first thread adds three times, and then to the variable.
    own="100 + 10 * -(-64 // n)" adding="1000" after="1000" late=0
    [ "$threads" -le 3 ] || late=5000
    if [ "$compiler" = clang ] && [ "$threads" -gt 4 ]; then adding="3000" after="4000"; fi
    run "$compiler" "$threads" ends "$own + $after"
    run "$compiler" "$threads" waits "$own + $after + $late"
    run "$compiler" "$threads" twice "2 * ($own + $after)"
    run "$compiler" "$threads" goes_on "$own + max($after, $adding + $late)"
    if [ "$compiler" = gcc ]; then
      is "$threads == 1 or [(l['kind'], l['acquisitions'], l['held'], l['bound'] >= 1000 * $threads) for l in p['locks']] == [('omp_atomic', $threads, 1000 * $threads, True)]"
      run gcc "$threads" group -
    else
      run clang "$threads" group "1100 * n + 1" # the values are copied and added by one thread
    fi
  done
done
finish
