# SPDX-License-Identifier: Apache-2.0
# Predicted times of loops whose chunks threads take when they are free: as if no thread had been late in the recorded run. Chunks
# in any order, each taken by the first thread that is free, end by Graham's bound: work / threads + (1 - 1 / threads) * longest.
. "$(dirname "$0")/common.inc"
use_openmp

cat >chunks.cpp <<'X'
#include <tp/virtual_clock.h>
#include <cstring>
#include <omp.h>
#include <unistd.h>
void iteration(int i) { // 3800 units in all
  tp::spend(i % 10 == 9 ? 100 : 10);
  usleep(50);
}
void be_late() {
  if (omp_get_thread_num() > 0) usleep(30000);
}
int main(int, char** arguments) {
  const char* const schedule = arguments[1];
  if (std::strcmp(schedule, "dynamic") == 0) {
    #pragma omp parallel
    {
      be_late();
      #pragma omp for schedule(dynamic)
      for (int i = 0; i < 200; ++i) iteration(i);
    }
  } else if (std::strcmp(schedule, "twice") == 0) {
    #pragma omp parallel
    {
      be_late();
      #pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < 100; ++i) iteration(i);
      #pragma omp for schedule(dynamic)
      for (int i = 0; i < 100; ++i) iteration(i);
    }
  } else if (std::strcmp(schedule, "guided") == 0) {
    #pragma omp parallel
    {
      be_late();
      #pragma omp for schedule(guided)
      for (int i = 0; i < 200; ++i) iteration(i);
    }
  } else {
    #pragma omp parallel
    {
      be_late();
      #pragma omp for schedule(static, 1)
      for (int i = 0; i < 200; ++i) iteration(i);
    }
  }
}
X
times() { "$tp_analyze" -q -P 1,2,4 --json profile.json -o analysis >/dev/null 2>err || fail "$*: $(cat err)"; }
for compiler in $compilers; do
  build_openmp "$compiler" chunks -O1
  while read -r threads schedule least_2 most_2 least_4 most_4; do
    rm -rf tp-data
    OMP_NUM_THREADS=$threads "$tp_run" -q ./chunks "$schedule" 2>err || fail "$compiler $schedule: exit status $?: $(cat err)"
    times "$compiler" "$schedule"
    is "p['work'] == 3800 and [r['procs'] for r in p['prediction']['runs']] == [1, 2, 4]"
    for time in time greedy_time; do
      is "[r['$time'] for r in p['prediction']['runs']][0] == 3800 and $least_2 <= p['prediction']['runs'][1]['$time'] <= $most_2 and $least_4 <= p['prediction']['runs'][2]['$time'] <= $most_4"
    done
  done <<'X'
2 dynamic 1900 1950 1900 1950
4 dynamic 1900 1950 950 1025
2 twice 1900 1950 1900 1950
2 guided 1900 2375 1900 2375
2 static 2800 2800 2800 2800
X
done
finish
