# SPDX-License-Identifier: Apache-2.0
# A taskloop has as many tasks as the program says, and each of its chunks is known, however libomp divides it: it creates few
# tasks one after the other, and many by tasks of its own, if the program is clang++'s.
. "$(dirname "$0")/common.inc"
use_openmp

cat >taskloops.cpp <<'X'
#include <tp/virtual_clock.h>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
std::atomic<int> marks[4096];
void mark(int index) {
  if (index < 0 || marks[index].fetch_add(1) != 0) std::exit(2); // not an iteration of the loop, or not the first time
}
int main(int, char** arguments) {
  const int count = std::atoi(arguments[2]);
  #pragma omp parallel
  #pragma omp single
  switch (arguments[1][0]) {
  case 'g': {
    #pragma omp taskloop grainsize(1)
    for (int i = 0; i < count; ++i) tp::spend(10);
    break;
  }
  case 'u': {
    #pragma omp taskloop grainsize(1)
    for (unsigned long long i = 0; i < static_cast<unsigned long long>(count); ++i) tp::spend(10);
    break;
  }
  case 'n': {
    #pragma omp taskloop num_tasks(count / 3)
    for (int i = 0; i < count; ++i) tp::spend(10);
    break;
  }
  case 'b': {
    #pragma omp taskloop grainsize(8)
    for (int i = 0; i < count; ++i) tp::spend(10);
    break;
  }
  case 'a': {
    #pragma omp taskloop
    for (int i = 0; i < count; ++i) tp::spend(10);
    break;
  }
  case 'i': {
    #pragma omp taskloop grainsize(1) if(0)
    for (int i = 0; i < count; ++i) tp::spend(10);
    break;
  }
  // Down, and from below zero.
  case 'd': {
    #pragma omp taskloop grainsize(1)
    for (int i = count - 1; i >= 0; --i) { tp::spend(10); mark(i); }
    break;
  }
  case 'w': {
    #pragma omp taskloop grainsize(1)
    for (unsigned long i = 3ul * count; i > 0; i -= 3) { tp::spend(10); mark(static_cast<int>(i / 3) - 1); }
    break;
  }
  case 'z': {
    const std::string text = "copied to each task";
    int last = 0;
    #pragma omp taskloop grainsize(1) firstprivate(text) lastprivate(last)
    for (int i = -count / 2; i < count - count / 2; ++i) { tp::spend(10); mark(text == "copied to each task" ? i + count / 2 : -1); last = i; }
    if (last != count - count / 2 - 1) std::exit(4);
    break;
  }
  case 'r': {
    long sum = 0;
    #pragma omp taskloop grainsize(1) reduction(+: sum)
    for (short i = static_cast<short>(count - 5); i > -5; --i) { tp::spend(10); mark(i + 4); sum += i; }
    if (sum != static_cast<long>(count) * (count - 1) / 2 - 4 * count) std::exit(5);
    break;
  }
  case 'f': {
    #pragma omp task final(true)
    {
      #pragma omp taskloop grainsize(1)
      for (int i = 0; i < count; ++i) tp::spend(10);
    }
    break;
  }
  }
  if (std::strchr("dwzr", arguments[1][0]))
    for (int i = 0; i < count; ++i)
      if (marks[i] != 1) return 3;
}
X
# A taskloop whose tasks run one after the other would not be faster with more of them.
cat >in_order.cpp <<'X'
#include <tp/virtual_clock.h>
int main(int, char** arguments) {
  #pragma omp parallel
  #pragma omp single
  if (arguments[1][0] == 'i') {
    #pragma omp taskloop num_tasks(4) if(0)
    for (int i = 0; i < 32; ++i) tp::spend(10);
  } else {
    #pragma omp task final(true)
    {
      #pragma omp taskloop num_tasks(4)
      for (int i = 0; i < 32; ++i) tp::spend(10);
    }
  }
}
X
# taskloop CASE COUNT TASKS SPAN: with the runs' settings.
taskloop() {
  analyze_openmp "$compiler" taskloops "$1" "$2"
  is "[(s['invocations'], s['tasking']['body_calls'], s['tasking']['iterations'], s['work'], s['span']) for s in p['sites'] if 'omp_taskloop' in s['constructs']] == [($3, $3, $2, $2 * 10, $2 * 10)] and p['span'] == $4 and not {'unsized', 'ordered_of_gcc'} & {w['name'] for w in p['warnings']}"
}
for compiler in $compilers; do
  build_openmp "$compiler" taskloops -O1
  build_openmp "$compiler" in_order -O1
  for threads in 1 2; do
    export OMP_NUM_THREADS=$threads
    for count in 41 1000; do
      taskloop grain $count $count 10
      taskloop unsigned $count $count 10
      taskloop number $count $((count / 3)) 40
      taskloop if $count $count $((count * 10))
      taskloop final $count $count $((count * 10))
      for loop in down wide zero reduced; do taskloop $loop $count $count 10; done
    done
    # What the parallelism depends on: the threads only where the program does not say how many tasks there are.
    for case in "big a grainsize clause (its tasks" "number its thread count or a num_tasks clause" "any its thread count or a num_tasks clause"; do
      analyze_openmp "$compiler" taskloops "${case%% *}" 30
      is "['parallelism of this run depends on ${case#* }' in w['text'] for w in p['warnings'] if w['name'] == 'divisible'] == [True]"
    done
    # clang gives libomp 2^32 iterations for the one that counts down.
    empty=(grain reduced)
    [ "$compiler" = clang ] || empty+=(down)
    for loop in "${empty[@]}"; do "$tp_run" -q ./taskloops "$loop" 0 2>err || fail "$compiler $loop of no iterations: exit status $?: $(cat err)"; done
    for case in "if" "final"; do
      analyze_openmp "$compiler" in_order "$case"
      is "(p['work'], p['span'], p['divisible_span'], p['divisible_span_at_most']) == (320, 320, 320, 320) and '$case'"
      is "[(s['tasking']['body_calls'], s['tasking']['iterations']) for s in p['sites'] if 'omp_taskloop' in s['constructs']] == [(4, 32)] and '$case'"
      is "[w['name'] for w in p['warnings'] if w['name'] in ('divisible', 'unsized', 'unequal_iterations')] == [] and '$case'"
    done
    # libomp's setting of how many are few.
    KMP_TASKLOOP_MIN_TASKS=7 taskloop grain 100 100 10
  done
done
finish
