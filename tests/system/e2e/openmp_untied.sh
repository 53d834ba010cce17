# SPDX-License-Identifier: Apache-2.0
# Programs of g++ with tied and untied tasks that wait for each other end, as on libgomp, and are exact: libomp by itself can
# leave a task that none of its threads, which all wait, may begin.
. "$(dirname "$0")/common.inc"
use_openmp

cat >untied.cpp <<'X'
#include <tp/virtual_clock.h>
int fib(int n) {
  tp::spend(3);
  if (n < 2) return n;
  int a, b;
  #pragma omp task shared(a) untied
  a = fib(n - 1);
  #pragma omp task shared(b)
  b = fib(n - 2);
  #pragma omp taskwait
  tp::spend(2);
  return a + b;
}
int main() {
  int result = 0, sum = 0;
  #pragma omp parallel num_threads(4)
  #pragma omp single
  {
    result = fib(10);
    #pragma omp taskloop untied num_tasks(8) reduction(+ : sum)
    for (int i = 0; i < 16; ++i)
      sum += fib(5);
  }
  return result == 55 && sum == 16 * 5 ? 0 : 1;
}
X
build_openmp gcc untied -O1
for _ in {1..20}; do
  rm -rf tp-data
  timeout -k 1 20 "$tp_run" -q ./untied 2>err || { fail "exit status $?: $(cat err)"; break; }
  analyze tp-data
  # fib(10) is 177 calls, of which 88 wait; fib(5) is 15 and 7. Their longest paths are 10 and 5 calls.
  is "p['complete'] and (p['work'], p['span']) == (177 * 3 + 88 * 2 + 16 * (15 * 3 + 7 * 2), 10 * 3 + 9 * 2 + 2 * (5 * 3 + 4 * 2))"
done
finish
