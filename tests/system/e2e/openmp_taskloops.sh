# SPDX-License-Identifier: Apache-2.0
# A taskloop has as many tasks as the program says, and each of its chunks is known, however libomp divides it: it creates few
# tasks one after the other, and many by tasks of its own, if the program is clang++'s.
. "$(dirname "$0")/common.inc"
libomp=${TP_TEST_LIBOMP:-}
[ -r "$libomp" ] || skip "no libomp of LLVM 16 or newer, and Debian's could not be fetched (scripts/fetch-libomp)"
export TP_LIBOMP=$libomp OMP_WAIT_POLICY=passive
includes=(-idirafter "$TP_PREFIX/include" -idirafter "${libomp%/lib/libomp.so.5}/lib/clang/19/include")

cat >taskloops.cpp <<'X'
#include <tp/virtual_clock.h>
#include <cstdlib>
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
  case 'i': {
    #pragma omp taskloop grainsize(1) if(0)
    for (int i = 0; i < count; ++i) tp::spend(10);
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
}
X
# taskloop CASE COUNT TASKS SPAN: with the runs' settings.
taskloop() {
  rm -rf tp-data
  "$tp_run" -q ./taskloops "$1" "$2" 2>err || fail "$compiler $1: exit status $?: $(cat err)"
  analyze tp-data
  is "[(s['invocations'], s['tasking']['body_calls'], s['tasking']['iterations'], s['work'], s['span']) for s in p['sites'] if 'omp_taskloop' in s['constructs']] == [($3, $3, $2, $2 * 10, $2 * 10)] and p['span'] == $4 and not {'unsized', 'ordered_of_gcc'} & {w['name'] for w in p['warnings']}"
}
compilers=gcc
command -v clang++-19 >/dev/null && compilers="gcc clang"
for compiler in $compilers; do
  build=("$cxx")
  [ "$compiler" = gcc ] || build=(clang++-19 -L"$(dirname "$libomp")")
  "${build[@]}" -g -O1 -fopenmp "${includes[@]}" taskloops.cpp -o taskloops || fail "$compiler does not build"
  for threads in 1 2; do
    export OMP_NUM_THREADS=$threads
    for count in 41 1000; do
      taskloop grain $count $count 10
      taskloop unsigned $count $count 10
      taskloop number $count $((count / 3)) 40
      taskloop if $count $count $((count * 10))
      taskloop final $count $count $((count * 10))
    done
    # libomp's setting of how many are few.
    KMP_TASKLOOP_MIN_TASKS=7 taskloop grain 100 100 10
  done
done
finish
