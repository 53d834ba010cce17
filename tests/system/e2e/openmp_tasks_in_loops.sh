# SPDX-License-Identifier: Apache-2.0
# Where iterations create tasks that they do not wait for, a chunk of several, or a task of a taskloop, is not divided: which of them creates which is not known.
. "$(dirname "$0")/common.inc"
use_openmp

cat >inside.cpp <<'X'
#include <tp/virtual_clock.h>
#include <cstring>
int main(int, char** arguments) {
  const auto is = [&](const char* name) { return std::strcmp(arguments[1], name) == 0; };
  #pragma omp parallel
  {
    if (is("left")) {
      #pragma omp for schedule(dynamic, 2)
      for (int i = 0; i < 4; ++i) {
        tp::spend(10);
        #pragma omp task
        tp::spend(21);
      }
    }
    if (is("single")) {
      #pragma omp for schedule(dynamic)
      for (int i = 0; i < 4; ++i) {
        tp::spend(10);
        #pragma omp task
        tp::spend(21);
      }
    }
    if (is("waited")) {
      #pragma omp for schedule(dynamic, 2)
      for (int i = 0; i < 4; ++i) {
        tp::spend(10);
        #pragma omp task
        tp::spend(21);
        #pragma omp taskwait
      }
    }
    if (is("ordered")) {
      #pragma omp for ordered schedule(dynamic, 2)
      for (int i = 0; i < 4; ++i) {
        #pragma omp task
        tp::spend(21);
        #pragma omp ordered
        tp::spend(10);
      }
    }
    #pragma omp single
    {
      if (is("taskloop_left")) {
        #pragma omp taskloop num_tasks(2)
        for (int i = 0; i < 4; ++i) {
          tp::spend(10);
          #pragma omp task
          tp::spend(21);
        }
      }
      if (is("taskloop_single")) {
        #pragma omp taskloop num_tasks(4)
        for (int i = 0; i < 4; ++i) {
          tp::spend(10);
          #pragma omp task
          tp::spend(21);
        }
      }
      if (is("taskloop_waited")) {
        #pragma omp taskloop num_tasks(2)
        for (int i = 0; i < 4; ++i) {
          tp::spend(10);
          #pragma omp task
          tp::spend(21);
          #pragma omp taskwait
        }
      }
    }
    if (is("grouped")) {
      #pragma omp for schedule(dynamic, 2)
      for (int i = 0; i < 4; ++i) {
        tp::spend(10);
        #pragma omp taskgroup
        {
          #pragma omp task
          tp::spend(21);
        }
      }
    }
  }
}
X
for compiler in $compilers; do
  build_openmp "$compiler" inside -O1
  # Threads; the divisible span, and whether the report says that chunks are undivided.
  while read -r threads case span unsized; do
    OMP_NUM_THREADS=$threads analyze_openmp "$compiler" inside "$case"
    is "p['complete'] and p['work'] == 124 and p['divisible_span'] == $span and '$case $threads'"
    is "('unsized' in [w['name'] for w in p['warnings']]) == $unsized and '$case $threads'"
    is "('ordered_of_gcc' in [w['name'] for w in p['warnings']]) == ('$compiler $case' == 'gcc ordered') and '$case'"
  done <<'X'
1 left 61 True
2 left 41 True
1 single 61 True
2 single 31 False
1 waited 31 False
2 waited 31 False
1 grouped 31 False
2 grouped 31 False
2 ordered 51 True
1 taskloop_left 41 True
2 taskloop_left 41 True
1 taskloop_single 31 False
2 taskloop_single 31 False
1 taskloop_waited 31 False
2 taskloop_waited 31 False
X
done
finish
