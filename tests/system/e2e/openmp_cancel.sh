# SPDX-License-Identifier: Apache-2.0
# Loops and sections of g++'s that are cancelled, more of them than libomp keeps at a time: by itself it never ends such a
# program, which libgomp does. (libomp 19 fails on clang's, too, with an assertion or for ever, with or without us.) And tasks of
# taskgroups that are cancelled.
. "$(dirname "$0")/common.inc"
use_openmp
export OMP_CANCELLATION=true

cat >cancel.cpp <<'X'
#include <tp/virtual_clock.h>
#include <atomic>
#include <cstring>
using tp::spend;
std::atomic<int> runs;
int main(int, char** arguments) {
  const auto is = [&](const char* name) { return std::strcmp(arguments[1], name) == 0; };
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds; ++round) {
    if (is("combined"))
      #pragma omp parallel sections
      {
        #pragma omp section
        {
          spend(10);
          #pragma omp cancel sections
          spend(1000);
        }
      }
    if (is("sections"))
      #pragma omp parallel
      for (int again = 0; again < kRounds; ++again) {
        #pragma omp sections
        {
          #pragma omp section
          {
            spend(9);
            #pragma omp cancel sections
            spend(1000);
          }
        }
        spend(1);
      }
    if (is("loop"))
      #pragma omp parallel for schedule(dynamic)
      for (int i = 0; i < 50; ++i) {
        spend(5);
        #pragma omp cancel for
        spend(1000);
      }
    if (is("loops"))
      #pragma omp parallel
      for (int again = 0; again < kRounds; ++again) {
        #pragma omp for schedule(guided)
        for (unsigned long i = 0; i < 50; ++i) {
          spend(5);
          #pragma omp cancel for
          spend(1000);
        }
        spend(1);
      }
    #pragma omp parallel
    {
      #pragma omp for schedule(dynamic, 3)
      for (int i = 0; i < 50; ++i) {
        spend(4);
        ++runs;
      }
    }
  }
  return runs == 50 * kRounds ? 0 : 1;
}
X
# cancel CASE WORK DIVISIBLE_SPAN: without the loops that are not cancelled, whose work is 20 * 200, and their divisible span 20 * 4.
# WORK is that of one thread at least, and of all threads at most.
build_openmp gcc cancel -O1 -w
for threads in 1 2 3 8; do
  export OMP_NUM_THREADS=$threads
  for case in "combined 200 200 280" "sections $((3600 + 400 * threads)) $((3600 + 400 * threads)) 4080" \
    "loop 100 $((100 * threads)) 180" "loops $((2000 + 400 * threads)) $((2400 * threads)) 2480"; do
    read -r name least most divisible <<<"$case"
    rm -rf tp-data
    timeout 60 "$tp_run" -q ./cancel "$name" 2>err || fail "$name, $threads threads: exit status $?: $(cat err)"
    analyze tp-data
    is "p['complete'] and $least <= p['work'] - 4000 <= $most and p['divisible_span'] == $divisible and '$name, $threads threads'"
    is "[w['name'] for w in p['warnings'] if w['name'] in ('unfinished', 'never_begun', 'conservation')] == [] and '$name'"
    # Chunks that a thread asks for and does not run count as none.
    is "{s['tasking']['iterations'] for s in p['sites'] if s['exclusive_work'] == 4000} == {1000} and '$name'"
  done
done

# Tasks that are never begun, since their taskgroup was cancelled. (A thread that has gone to sleep takes no task: all look for one.)
unset OMP_NUM_THREADS
cat >discarded.cpp <<'X'
#include <tp/virtual_clock.h>
#include <atomic>
#include <unistd.h>
using tp::spend;
void await(std::atomic<bool>& flag) { while (!flag) usleep(100); }
// One of three threads in the middle of a step waits for what its undeferred task depends on, which another one runs, and
// meanwhile comes by tasks of a taskgroup that the third has cancelled.
int main() {
  for (int round = 0; round < 5; ++round) {
    std::atomic<bool> runs{false}, cancelled{false}, waits{false};
    std::atomic<int> number{0};
    int x = 0;
    #pragma omp parallel num_threads(3)
    switch (number++) {
    case 0:
      #pragma omp task depend(out: x) shared(x)
      {
        runs = true;
        await(waits);
        usleep(20000);
        spend(5);
      }
      await(cancelled);
      spend(213);
      waits = true;
      #pragma omp task if(0) depend(inout: x) shared(x)
      spend(7);
      break;
    case 1:
      await(runs);
      #pragma omp taskgroup
      {
        #pragma omp task if(0)
        {
          spend(3);
          #pragma omp cancel taskgroup
        }
        for (int i = 0; i < 20; ++i) {
          #pragma omp task
          spend(1000);
        }
        cancelled = true;
        await(waits);
        usleep(10000);
      }
    }
  }
}
X
for compiler in gcc clang; do
  build_openmp $compiler discarded -O1
  rm -rf tp-data
  OMP_WAIT_POLICY=active timeout 60 "$tp_run" -q ./discarded 2>err || fail "discarded, $compiler: exit status $?: $(cat err)"
  analyze tp-data
  is "p['complete'] and p['work'] == 5 * (5 + 213 + 7 + 3) and p['span'] == 5 * (213 + 7) and '$compiler'"
done
finish
