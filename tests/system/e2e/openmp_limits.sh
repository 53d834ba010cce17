# SPDX-License-Identifier: Apache-2.0
# A region for which the program asks for a number of threads limits how many run its tasks, on any number of CPUs.
. "$(dirname "$0")/common.inc"
use_openmp

cat >limited.cpp <<'X'
#include <tp/virtual_clock.h>
#include <cstring>
#include <omp.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
void tasks(int count) {
  for (int i = 0; i < count; ++i) {
    #pragma omp task
    tp::spend(1000);
  }
}
int main(int, char** arguments) {
  const auto is = [&](const char* name) { return std::strcmp(arguments[1], name) == 0; };
  if (is("clause"))
    #pragma omp parallel num_threads(4)
    #pragma omp single
    tasks(1000);
  if (is("often"))
    for (int i = 0; i < 200; ++i) {
      #pragma omp parallel num_threads(4)
      #pragma omp single
      tasks(100);
    }
  if (is("set")) {
    omp_set_num_threads(4);
    #pragma omp parallel
    #pragma omp single
    tasks(1000);
  }
  if (is("default") || is("both"))
    #pragma omp parallel
    #pragma omp single
    tasks(1000);
  if (is("both")) // what comes after it is not inside
    #pragma omp parallel num_threads(3)
    #pragma omp single
    tasks(30);
  if (is("serial"))
    #pragma omp parallel if(is("parallel"))
    #pragma omp single
    tasks(100);
  if (is("max"))
    #pragma omp parallel num_threads(omp_get_max_threads())
    #pragma omp single
    tasks(1000);
  if (is("nested")) // any number of them could run at a time
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 10; ++i) {
      #pragma omp task
      {
        #pragma omp parallel num_threads(2)
        #pragma omp single
        tasks(10);
      }
    }
  const auto region = [] {
    #pragma omp parallel num_threads(2)
    #pragma omp single
    tasks(10);
  };
  if (is("tasks")) { // likewise
    tbb::task_group group;
    for (int i = 0; i < 3; ++i) group.run(region);
    group.wait();
  }
  if (is("arena")) tbb::task_arena(3).execute(region);
  if (is("each")) // each of the three threads has a team of two
    #pragma omp parallel num_threads(3)
    #pragma omp parallel num_threads(2)
    #pragma omp single
    tasks(20);
  if (is("of_tasks"))
    #pragma omp parallel num_threads(3)
    #pragma omp single
    for (int i = 0; i < 6; ++i) {
      #pragma omp task
      #pragma omp parallel num_threads(2)
      #pragma omp single
      tasks(10);
    }
  if (is("inner")) { // has threads of its own
    #pragma omp parallel num_threads(3)
    {
      #pragma omp single
      tasks(10);
      #pragma omp single
      {
        #pragma omp parallel
        #pragma omp single
        tasks(20);
        tasks(20);
      }
    }
    tp::spend(1);
  }
}
X
limits() { # COMPILER NAME: what the profile says
  rm -rf tp-data
  "$tp_run" -q --as-if-cores 2 ./limited "$2" 2>err || fail "$1 $2: exit status $?: $(cat err)"
  "$tp_analyze" -P 1,2,8,128 --json profile.json -o analysis 2>err | tr '\n' ' ' >out || fail "$1 $2: $(cat err)"
}
export OMP_NUM_THREADS=8 OMP_MAX_ACTIVE_LEVELS=2
found="sorted((l['kind'], l['threads'], l['width'], l['work']) for l in p['limits'] if not l['like_machine'])"
times="[r['time'] for r in p['prediction']['runs']]"
for compiler in $compilers; do
  build_openmp "$compiler" limited -O1 -ltbb
  for case in clause set; do
    limits "$compiler" "$case"
    is "$found == [('region', 4, 4, 1000000)] and p['least_time'] == 250000"
    is "${times}[0] == 1000000 and ${times}[2] == ${times}[3] == 250000"
    in_file out "at most 4.00 on any number of them"
    in_file out "in parallel regions with 4 threads in all (100 % of the work)"
    in_file out "Let the region have more threads"
  done
  limits "$compiler" often # each run of it by itself takes 25 units or more
  is "$found == [('region', 4, 4, 20000000)] and p['least_time'] == 5000000"
  limits "$compiler" default
  is "p['limits'] == []"
  limits "$compiler" both
  is "$found == [('region', 3, 3, 30000)]"
  limits "$compiler" serial
  is "$found == [('region', 1, 1, 100000)]"
  limits "$compiler" max # it grows with OMP_NUM_THREADS
  is "$found == [] and [(l['threads'], l['like_machine']) for l in p['limits']] == [(8, True)]"
  in_file out "in parallel regions with 8 threads in all, as many as regions without a number"
  for case in nested tasks arena; do
    limits "$compiler" "$case"
    is "p['work'] >= 10000 and not any(l['kind'] == 'region' for l in p['limits'])"
  done
  for case in each of_tasks; do
    limits "$compiler" "$case"
    is "$found == [('region', 6, 6, 60000)] and p['least_time'] == 10000"
    in_file out "at most 6.00 on any number of them"
  done
  limits "$compiler" inner
  is "$found == [('region', 3, 3, 30000)] and p['work'] == 50001"
done
finish
