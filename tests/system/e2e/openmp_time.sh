# SPDX-License-Identifier: Apache-2.0
# What libomp does around tasks, chunks and waits is not the program's work. Between our entry points and libomp there is a library
# that takes 1000 units in each call, so that the figures are exact; and by the clock an empty task has at most 40 ns more work than
# one of oneTBB (with nothing else running: 18, docs/measurements/overhead.md), which is checked with its real time as well (TP_EVENT below).
. "$(dirname "$0")/common.inc"
use_openmp

cat >work.cpp <<'X'
#include <tp/virtual_clock.h>
#include <cstdlib>
#include <cstring>
int main(int, char** arguments) {
  const int count = std::atoi(arguments[2]);
  if (std::strcmp(arguments[1], "task") == 0) {
    #pragma omp parallel num_threads(2)
    #pragma omp single
    for (int i = 0; i < count; ++i) {
      #pragma omp task
      tp::spend(3);
    }
  } else if (std::strcmp(arguments[1], "depend") == 0) {
    int order = 0;
    #pragma omp parallel num_threads(2)
    #pragma omp single
    for (int i = 0; i < count; ++i) {
      #pragma omp task depend(inout : order)
      tp::spend(3);
    }
  } else if (std::strcmp(arguments[1], "loop") == 0) {
    #pragma omp parallel num_threads(2)
    {
      #pragma omp for schedule(dynamic, 1)
      for (int i = 0; i < count; ++i)
        tp::spend(3);
    }
  } else if (std::strcmp(arguments[1], "ordered") == 0) {
    #pragma omp parallel num_threads(2)
    {
      #pragma omp for ordered schedule(dynamic, 1)
      for (int i = 0; i < count; ++i) {
        #pragma omp ordered
        tp::spend(3);
      }
    }
  } else if (std::strcmp(arguments[1], "doacross") == 0) {
    #pragma omp parallel num_threads(2)
    {
      #pragma omp for ordered(1) schedule(dynamic, 1)
      for (int i = 0; i < count; ++i) {
        #pragma omp ordered depend(sink: i - 1)
        tp::spend(3);
        #pragma omp ordered depend(source)
      }
    }
  } else {
    #pragma omp parallel for schedule(dynamic, 1) num_threads(2)
    for (int i = 0; i < count; ++i)
      tp::spend(3);
  }
}
X
# libomp's functions, slow.
cat >slow.cpp <<'X'
#include <tp/virtual_clock.h>
#include <cstdint>
#include <dlfcn.h>
#define SLOW(result, name, parameters, arguments, after)                                    \
  extern "C" __attribute__((visibility("default"))) result name parameters {         \
    static auto* const next = (result(*) parameters)dlsym(RTLD_NEXT, #name);         \
    tp::spend(1000);                                                                 \
    const auto answer = next arguments;                                              \
    tp::spend(after);                                                                \
    return answer;                                                                   \
  }
SLOW(int, __kmpc_omp_task, (void* i, int t, void* task), (i, t, task), 1000)
SLOW(int, __kmpc_omp_task_with_deps, (void* i, int t, void* task, int n, void* d, int m, void* e), (i, t, task, n, d, m, e), 1000)
SLOW(int, __kmpc_dispatch_next_4, (void* i, int t, int* l, int* a, int* b, int* s), (i, t, l, a, b, s), 0)
SLOW(bool, GOMP_loop_nonmonotonic_dynamic_next, (long* a, long* b), (a, b), 0)
SLOW(bool, GOMP_loop_dynamic_next, (long* a, long* b), (a, b), 0)
SLOW(bool, GOMP_loop_ordered_dynamic_next, (long* a, long* b), (a, b), 0)
SLOW(bool, GOMP_loop_nonmonotonic_dynamic_start, (long from, long to, long by, long n, long* a, long* b), (from, to, by, n, a, b), 0)
SLOW(bool, GOMP_loop_ordered_dynamic_start, (long from, long to, long by, long n, long* a, long* b), (from, to, by, n, a, b), 0)
SLOW(bool, GOMP_loop_doacross_dynamic_start, (unsigned count, long* counts, long n, long* a, long* b), (count, counts, n, a, b), 0)
extern "C" __attribute__((visibility("default"))) void __kmpc_dispatch_init_4(void* i, int t, int kind, int from, int to, int by, int n) {
  static auto* const next = (decltype(&__kmpc_dispatch_init_4))dlsym(RTLD_NEXT, "__kmpc_dispatch_init_4");
  tp::spend(1000);
  next(i, t, kind, from, to, by, n);
  tp::spend(1000);
}
extern "C" __attribute__((visibility("default"))) void
GOMP_task(void (*f)(void*), void* data, void (*copy)(void*, void*), long size, long align, bool c, unsigned flags, void** d,
          int priority, void* detach) {
  static auto* const next = (decltype(&GOMP_task))dlsym(RTLD_NEXT, "GOMP_task");
  tp::spend(1000);
  next(f, data, copy, size, align, c, flags, d, priority, detach);
  tp::spend(1000);
}
X
"$cxx" -O1 -shared -fPIC "${includes[@]}" slow.cpp -o slow.so -ldl || fail "slow.so does not build"
for compiler in $compilers; do
  build_openmp "$compiler" work -O1
  for what in task depend chunk loop ordered doacross; do
    rm -rf tp-data
    # Behind our entry points, before libomp: tp-run puts its libraries before those that are named here.
    LD_PRELOAD="$TP_PREFIX/lib/libtbb.so.12:$TP_PREFIX/lib/libtaskpath-ompt.so:$PWD/slow.so:$libomp" LD_LIBRARY_PATH="$TP_PREFIX/lib" \
      ./work $what 50 >out 2>err || fail "$compiler $what: exit status $?: $(cat err)"
    analyze tp-data
    same "$compiler $what: work with a slow libomp" 150 "$(python3 -B -c 'import json; print(json.load(open("profile.json"))["work"])')"
  done
done

# In time, the least of five runs each: the work of a task, which is printed, and of the whole program per task. A wait every 200
# tasks, so that both runtimes use the memory of tasks again: oneTBB keeps all that were not waited for, and would pay for
# new pages. The other thread of the team is blocked, outside of libomp: if it waits in a barrier, it gives up its CPU all the
# time, and where both have one CPU, switching between them is most of the time.
cat >empty.cpp <<'X'
#include <omp.h>
#include <semaphore.h>
sem_t all_done;
int main() {
  sem_init(&all_done, 0, 0);
  #pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) {
    sem_wait(&all_done);
  } else {
    for (int i = 0; i < 500; ++i) {
      for (int j = 0; j < 200; ++j) {
        #pragma omp task
        asm volatile("");
      }
      #pragma omp taskwait
    }
    sem_post(&all_done);
  }
}
X
cat >empty_tbb.cpp <<'X'
#include <oneapi/tbb/task_group.h>
int main() {
  tbb::task_group group;
  for (int i = 0; i < 500; ++i) {
    for (int j = 0; j < 200; ++j) group.run([] { asm volatile(""); });
    group.wait();
  }
}
X
"$cxx" -std=c++17 -g -O2 -I"$TP_PREFIX/include" -L"$TP_PREFIX/lib" -Wl,-rpath,"$TP_PREFIX/lib" empty_tbb.cpp -o tbb -ltbb || fail "oneTBB: does not build"
for compiler in $compilers; do
  build_openmp "$compiler" empty -O2
  mv empty "$compiler"
done
cpu=$(taskset -pc $$ | sed "s/.*: //; s/[,-].*//")
read -ra programs <<<"tbb $compilers"
for round in 1 2 3 4 5; do
  for program in "${programs[@]}"; do
    rm -rf tp-data
    TP_EVENT=auto taskset -c "$cpu" "$tp_run" -q --sample off "./$program" 2>err || fail "$program: exit status $?: $(cat err)"
    "$tp_analyze" -q --simulate never --json "$program.$round.json" -o analysis tp-data >err 2>&1 || fail "tp-analyze $program: $(cat err)"
  done
done
python3 -B - "${programs[@]}" <<'X' || fail "time of an empty task"
import json, sys
def of(program):
    own, whole = [], []
    for i in range(1, 6):
        profile = json.load(open(f"{program}.{i}.json"))
        hz = json.load(open("tp-data/run.json"))["work"]["hz"]
        site = max(profile["sites"][1:], key=lambda site: site["exclusive_work"])
        own.append(site["exclusive_work"] / 100000 / hz * 1e9)
        whole.append(profile["work"] / 100000 / hz * 1e9)
    return min(own), min(whole)
figures = {program: of(program) for program in sys.argv[1:]}
print({program: [round(value) for value in values] for program, values in figures.items()})
for program, (_, whole) in figures.items():
    if whole > figures["tbb"][1] + 40:
        sys.exit(f"{program}: expected at most 40 ns more than oneTBB's: {figures}")
X
finish
