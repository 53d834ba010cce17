# SPDX-License-Identifier: Apache-2.0
# Reductions in which tasks take part (reduction(task, ...), task_reduction, in_reduction): what combines the values costs
# nothing here, so work and span are those of the tasks, by arithmetic.
. "$(dirname "$0")/common.inc"
use_openmp

cat >reductions.cpp <<'X'
#include <tp/virtual_clock.h>
#include <cstring>
using tp::spend;
int main(int, char** arguments) {
  const auto is = [&](const char* name) { return std::strcmp(arguments[1], name) == 0; };
  int sum = 0;
  if (is("region")) {
    #pragma omp parallel reduction(task, + : sum)
    {
      spend(2);
      #pragma omp single
      for (int i = 0; i < 4; ++i) {
        #pragma omp task in_reduction(+ : sum)
        { spend(10 * i); ++sum; }
      }
      spend(1);
    }
  }
  if (is("loop")) {
    #pragma omp parallel
    {
      #pragma omp for reduction(task, + : sum) schedule(dynamic)
      for (int i = 0; i < 4; ++i) {
        #pragma omp task in_reduction(+ : sum)
        { spend(20); ++sum; }
      }
      spend(3);
    }
  }
  if (is("sections")) {
    #pragma omp parallel
    {
      #pragma omp sections reduction(task, + : sum)
      {
        #pragma omp section
        {
          #pragma omp task in_reduction(+ : sum)
          { spend(30); sum += 2; }
          spend(5);
        }
        #pragma omp section
        { spend(7); sum += 2; }
      }
      spend(3);
    }
  }
  if (is("group")) {
    #pragma omp parallel
    #pragma omp single
    {
      #pragma omp taskgroup task_reduction(+ : sum)
      for (int i = 0; i < 4; ++i) {
        #pragma omp task in_reduction(+ : sum)
        {
          spend(10);
          ++sum;
          #pragma omp task in_reduction(+ : sum)
          spend(5);
        }
      }
      spend(3);
    }
  }
  if (is("taskloop")) {
    #pragma omp parallel
    #pragma omp single
    {
      #pragma omp taskloop reduction(+ : sum) num_tasks(4)
      for (int i = 0; i < 4; ++i) { spend(10); ++sum; }
      spend(3);
    }
  }
  return sum == 4 ? 0 : 1;
}
X
# Work and span on T threads. Of sections the span is given on two threads or more, each of which may have both.
for compiler in $compilers; do
  build_openmp "$compiler" reductions -O1
  for threads in 1 2 4; do
    export OMP_NUM_THREADS=$threads
    while read -r case work spans; do
      analyze_openmp "$compiler" reductions "$case"
      is "p['complete'] and p['work'] == $((work)) and p['span'] in ($spans,) and '$case, $threads threads'"
      is "[w['name'] for w in p['warnings'] if w['name'] in ('unfinished', 'never_begun', 'conservation')] == [] and '$case'"
    done <<X
region 60+3*threads 33
loop 80+3*threads 23
sections 42+3*threads 33,40
group 63 18
taskloop 43 13
X
  done
done
finish
