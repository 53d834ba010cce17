# SPDX-License-Identifier: Apache-2.0
# A program that has OpenMP give its threads back (omp_pause_hard) goes on, and is recorded to its end: libomp 19 by itself
# fails or waits for ever in the next region.
. "$(dirname "$0")/common.inc"
use_openmp

cat >pause.cpp <<'X'
#include <tp/virtual_clock.h>
#include <omp.h>
int pause(int round) {
  switch (round) {
  case 0: return omp_pause_resource_all(omp_pause_hard);
  case 1: return omp_pause_resource(omp_pause_hard, omp_get_initial_device());
  default: return omp_pause_resource_all(omp_pause_soft);
  }
}
int main() {
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    #pragma omp parallel num_threads(2) reduction(+ : sum)
    {
      tp::spend(10);
      ++sum;
      #pragma omp single
      #pragma omp task
      tp::spend(20);
    }
    if (pause(round) != 0) return 1;
    tp::spend(3);
  }
  return sum == 6 ? 0 : 2;
}
X
for compiler in $compilers; do
  build_openmp "$compiler" pause -O1
  rm -rf tp-data
  timeout 60 "$tp_run" -q ./pause 2>err || fail "$compiler: exit status $?: $(cat err)"
  is_empty err
  analyze tp-data
  is "p['complete'] and (p['work'], p['span'], p['divisible_span']) == (129, 99, 99)"
  is "[w['name'] for w in p['warnings'] if w['name'] in ('openmp_not_recorded', 'unfinished', 'never_begun')] == []"
done
finish
