# SPDX-License-Identifier: Apache-2.0
# Target tasks that are deferred run on helper threads of libomp's own (clang): these wait for tasks, and are no region of the
# program's.
. "$(dirname "$0")/common.inc"
use_openmp

cat >target.cpp <<'X'
#include <tp/virtual_clock.h>
#include <cstring>
int main(int, char** arguments) {
  const char* const what = arguments[1];
#ifdef __clang__
  int sum = 0;
  if (std::strcmp(what, "target") == 0) {
    #pragma omp target nowait map(tofrom : sum)
    for (int i = 0; i < 100; ++i) { tp::spend(1); ++sum; }
    #pragma omp taskwait
    tp::spend(5);
  } else if (std::strcmp(what, "two") == 0) { // next to another task
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
      #pragma omp task
      tp::spend(60);
      #pragma omp target nowait map(tofrom : sum)
      for (int i = 0; i < 100; ++i) { tp::spend(1); ++sum; }
    }
    tp::spend(5);
  } else if (std::strcmp(what, "inside") == 0) { // a region in the target task
    #pragma omp target nowait
    #pragma omp parallel for num_threads(2) schedule(dynamic, 1)
    for (int i = 0; i < 100; ++i) tp::spend(1);
    #pragma omp taskwait
    tp::spend(5);
  }
#endif
}
X
run() { # CASE WORK SPAN: - if the schedule decides it
  rm -rf tp-data
  "$tp_run" -q ./target "$1" 2>err || fail "$compiler, $1: exit status $?: $(cat err)"
  is_empty err
  analyze tp-data
  is "p['work'] == $2 and '$1'"
  [ "$3" = - ] || is "p['span'] == $3 and '$1'"
}
for compiler in $compilers; do
  build_openmp "$compiler" target -O1
  if [ "$compiler" = clang ]; then # g++'s calls a function for it that libomp does not have
    for case in "target 105 105" "two 165 105" "inside 105 -"; do
      # shellcheck disable=SC2086  # words
      run $case
      is "[w['name'] for w in p['warnings'] if w['name'] in ('threads', 'never_begun', 'unfinished', 'split_unknown')] == [] and '$case'"
    done
  fi
done
finish
