# SPDX-License-Identifier: Apache-2.0
# omp_test_lock in a loop: failed attempts and the work between them, exactly. libomp reports that an attempt begins, and
# that one has succeeded; a nested lock's owner gets it again, which does not count as one.
. "$(dirname "$0")/common.inc"
use_openmp
cat >tries.cpp <<'X'
#include <omp.h>
#include <tp/virtual_clock.h>
#include <cstdlib>
int main(int, char** arguments) {
  const int threads = std::atoi(arguments[1]);
#pragma omp parallel num_threads(threads)
  {
    omp_lock_t lock;
    omp_init_lock(&lock);
    if (!omp_test_lock(&lock)) std::abort();
    tp::spend(1);
    for (int i = 0; i < 4; ++i) {
      if (omp_test_lock(&lock)) std::abort();
      tp::spend(10);
    }
    omp_unset_lock(&lock);
    if (!omp_test_lock(&lock)) std::abort();
    tp::spend(1);
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
    omp_nest_lock_t nested;
    omp_init_nest_lock(&nested);
    for (int i = 1; i < 4; ++i) {
      if (omp_test_nest_lock(&nested) != i) std::abort();
      tp::spend(1);
    }
    for (int i = 1; i < 4; ++i) omp_unset_nest_lock(&nested);
    omp_destroy_nest_lock(&nested);
  }
}
X
for compiler in $compilers; do
  build_openmp "$compiler" tries
  for threads in 1 2 4; do
    analyze_openmp "$compiler" tries "$threads"
    is "sum(lock['acquisitions'] for lock in p['locks'] if lock['kind'] == 'omp_lock') == 2 * $threads"
    is "sum(lock['failed_tries'] for lock in p['locks'] if lock['kind'] == 'omp_lock') == 4 * $threads"
    is "sum(lock['retried'] for lock in p['locks'] if lock['kind'] == 'omp_lock') == 40 * $threads"
    is "sum(lock['failed_tries'] for lock in p['locks'] if lock['kind'] == 'omp_nest_lock') == 0"
    is "sum(lock['acquisitions'] for lock in p['locks'] if lock['kind'] == 'omp_nest_lock') == $threads"
  done
done
finish
