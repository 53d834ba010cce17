# SPDX-License-Identifier: Apache-2.0
# OpenMP's constructs by arithmetic, with the virtual clock: programs of clang++ and of g++, whose runtime tp-run
# replaces, on 1, 2, 4 and 8 threads. Work and span are integers; they do not depend on who ran what, but where T,
# the number of threads, is in them.
. "$(dirname "$0")/common.inc"
use_openmp
export OMP_MAX_ACTIVE_LEVELS=2 OMP_CANCELLATION=true

cat >cases.cpp <<'X'
#include <tp/virtual_clock.h>
#include <cstring>
#include <omp.h>
using tp::spend;

int fib(int n) {
  spend(3);
  if (n < 2) { spend(5); return n; }
  int a, b;
  #pragma omp task shared(a)
  a = fib(n - 1);
  #pragma omp task shared(b)
  b = fib(n - 2);
  #pragma omp taskwait
  spend(2);
  return a + b;
}
void chain(int n) { // each leaves a child behind
  spend(n);
  if (n > 1) {
    #pragma omp task
    chain(n - 1);
  }
}
int x[2];
omp_lock_t lock;

int main(int, char** arguments) {
  const auto is = [&](const char* name) { return std::strcmp(arguments[1], name) == 0; };
  if (is("fib")) {
    spend(10);
    #pragma omp parallel
    #pragma omp single
    fib(12);
    spend(7);
  }
  if (is("barriers")) {
    #pragma omp parallel
    {
      spend(1);
      if (omp_get_thread_num() == 0) {
        #pragma omp task
        chain(5);
        spend(2);
      }
      #pragma omp barrier
      spend(10);
      #pragma omp barrier
      spend(omp_get_thread_num() + 1);
    }
    spend(1);
  }
  if (is("many_barriers"))
    #pragma omp parallel
    for (int i = 0; i < 100; ++i) {
      spend(omp_get_thread_num() == i % omp_get_num_threads() ? 5 : 1);
      #pragma omp barrier
    }
  if (is("group"))
    #pragma omp parallel
    #pragma omp single
    {
      #pragma omp task
      {
        spend(50);
        #pragma omp task
        spend(500);
      }
      #pragma omp taskgroup
      {
        #pragma omp task
        {
          spend(7);
          #pragma omp task
          spend(700);
        }
        spend(1);
        #pragma omp taskwait
        spend(2);
      }
      spend(3);
    }
  if (is("depend"))
    #pragma omp parallel
    #pragma omp single
    {
      #pragma omp task depend(out: x[0])
      spend(10);
      #pragma omp task depend(in: x[0])
      spend(20);
      #pragma omp task depend(in: x[0])
      spend(30);
      #pragma omp task depend(inout: x[0]) depend(out: x[1])
      spend(5);
      #pragma omp task depend(in: x[1])
      spend(4);
      spend(1);
      #pragma omp taskwait depend(in: x[1])
      spend(20);
    }
  if (is("taskloop"))
    #pragma omp parallel
    #pragma omp single
    {
      #pragma omp taskloop num_tasks(8)
      for (int i = 0; i < 64; ++i) spend(3);
      spend(9);
    }
  if (is("nested")) {
    #pragma omp parallel num_threads(2)
    {
      spend(10);
      #pragma omp parallel num_threads(2)
      spend(20);
      #pragma omp parallel num_threads(2) if(0)
      spend(40);
      spend(5);
    }
    spend(1);
  }
  if (is("static")) {
    spend(100);
    #pragma omp parallel for schedule(static)
    for (int i = 0; i < 64; ++i) spend(3);
  }
  if (is("dynamic")) {
    spend(100);
    #pragma omp parallel for schedule(dynamic, 2)
    for (int i = 0; i < 32; ++i) spend(5);
  }
  if (is("loops"))
    #pragma omp parallel
    for (int k = 0; k < 3; ++k) {
      #pragma omp for schedule(guided)
      for (int i = 0; i < 32; ++i) spend(5);
      #pragma omp for schedule(dynamic)
      for (int i = 0; i < 32; ++i) spend(2);
    }
  if (is("waits_in_loop"))
    #pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 8; ++i) {
      spend(3);
      #pragma omp taskgroup
      {
        #pragma omp task
        spend(20);
      }
      spend(30);
    }
  if (is("sections"))
    #pragma omp parallel sections
    {
      #pragma omp section
      spend(10);
      #pragma omp section
      spend(20);
      #pragma omp section
      spend(30);
    }
  if (is("undeferred"))
    #pragma omp parallel
    #pragma omp single
    {
      #pragma omp task if(0)
      spend(10);
      spend(5);
      #pragma omp task final(1)
      {
        spend(3);
        #pragma omp task
        spend(4);
        spend(2);
      }
      spend(1);
    }
  if (is("ordered"))
    #pragma omp parallel for ordered schedule(static, 1)
    for (int i = 0; i < 4; ++i) {
      spend(10);
      #pragma omp ordered
      spend(3);
    }
  if (is("doacross"))
    #pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 0; i < 4; ++i) {
      spend(10);
      #pragma omp ordered depend(sink: i - 1)
      spend(3);
      #pragma omp ordered depend(source)
    }
  if (is("locks")) {
    omp_init_lock(&lock);
    #pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 100; ++i) {
      spend(5);
      #pragma omp critical(queue)
      spend(2);
      omp_set_lock(&lock);
      spend(3);
      omp_unset_lock(&lock);
    }
  }
  if (is("untied"))
    #pragma omp parallel
    #pragma omp single
    {
      for (int i = 0; i < 4; ++i) {
        #pragma omp task untied
        {
          spend(10);
          #pragma omp task
          spend(7);
          spend(20);
          #pragma omp taskyield
          spend(30);
          #pragma omp taskwait
          spend(5);
          #pragma omp task untied
          {
            spend(3);
            #pragma omp task
            spend(1);
            spend(2);
          }
        }
      }
      #pragma omp taskwait
      spend(1);
    }
#ifdef __clang__
  if (is("detach"))
    #pragma omp parallel
    #pragma omp single
    {
      omp_event_handle_t event;
      #pragma omp task detach(event)
      spend(10);
      spend(4);
      #pragma omp task
      {
        spend(50);
        omp_fulfill_event(event);
        spend(100);
      }
      #pragma omp taskwait
      spend(1);
    }
#endif
  if (is("teams"))
    #pragma omp teams num_teams(2)
    {
      spend(10);
      #pragma omp parallel for schedule(dynamic)
      for (int i = 0; i < 4; ++i) spend(5);
    }
#ifdef __clang__
  if (is("target"))
    #pragma omp target teams distribute parallel for schedule(dynamic)
    for (int i = 0; i < 8; ++i) spend(5);
#endif
  if (is("cancel"))  // once per region: libomp 19 forgets on one thread that a loop was cancelled only where the region ends
    #pragma omp parallel
    {
      #pragma omp for schedule(dynamic)
      for (int i = 0; i < 100; ++i) {
        spend(5);
        #pragma omp cancel for
      }
    }
  if (is("none"))
    spend(omp_get_max_threads() > 0 ? 1 : 2);
}
X
compilers=
if "$cxx" -g -O1 -fopenmp "${includes[@]}" cases.cpp -o gcc 2>gcc.err; then compilers=gcc; else cat gcc.err; fi
command -v clang++-19 >/dev/null &&
  if clang++-19 -g -O1 -fopenmp "${includes[@]}" -L"$(dirname "$libomp")" cases.cpp -o clang 2>clang.err; then compilers="$compilers clang"; else cat clang.err; fi
[ -n "$compilers" ] || skip "no compiler with OpenMP"

# Work, span and schedule-independent span of each case; None: not known.
cat >expected.py <<'X'
import json, sys
compiler, case, T, profile = sys.argv[1], sys.argv[2], int(sys.argv[3]), json.load(open(sys.argv[4]))
static = -(-64 // T)
ordered = {1: 52, 2: 29, 4: 22, 8: 22}[T]
expected = {
    "fib": (3041, 80, 80),
    "barriers": (T * 11 + T * (T + 1) // 2 + 18, 27 + T, 27 + T),
    "many_barriers": (100 * (T + 4), 500, 500),
    "group": (1263, 710, 710),
    "depend": (90, 65, 65),
    "taskloop": (201, 33, 12 if T > 1 else None),
    "nested": (191, 76, 76),
    "static": (292, 100 + 3 * static, 103 if compiler == "clang" else None),
    "dynamic": (260, None, 105),
    "loops": (672, None, 21),
    "waits_in_loop": (424, None, 53),
    "sections": (60, None, None),
    "undeferred": (25, 24, None),
    "ordered": (52, ordered if compiler == "clang" else None, None),
    "locks": (1000, None, 10),
    "untied": (313, 70, 70),
    "detach": (165, 155, 155),
    "teams": (60, None, 15),
    "target": (40, None, 5),
    "doacross": (52, None, None),
    "cancel": (None, None, None),
}[case]
got = (profile["work"], profile["span"], profile["divisible_span"])
problems = [f"{name}: expected {e}, got {g}" for name, e, g in zip(("work", "span", "divisible_span"), expected, got)
            if e is not None and e != g]
false = [warning["text"] for warning in profile["warnings"] if warning["name"] in
         ("conservation", "not_counted", "unfinished", "never_begun", "early_wait")]
if false:
    problems.append(str(false))
if case == "cancel" and not 5 <= profile["work"] <= 5 * T:
    problems.append(f"work: {profile['work']}")
if not profile["complete"]:
    problems.append(str(profile["incomplete_reasons"]))
if case == "locks":
    locks = sorted((lock["kind"], lock["acquisitions"], lock["held"]) for lock in profile["locks"])
    if locks != [("omp_critical", 100, 200), ("omp_lock", 100, 300)]:
        problems.append(str(locks))
# Ordered blocks are sections of a lock.
if case == "ordered":
    locks = [(lock["kind"], lock["acquisitions"], lock["held"]) for lock in profile["locks"]]
    if locks != [("omp_ordered", 4, 12)]:
        problems.append(str(locks))
names = [warning["name"] for warning in profile["warnings"]]
if ("ordered_of_gcc" in names) != (case in ("ordered", "doacross") and compiler == "gcc"):
    problems.append(f"warning of g++'s ordered loops: {names}")
# All iterations cost the same, also where one thread runs them in one chunk, or they have an order, or were cancelled.
if "unequal_iterations" in names:
    problems.append("unequal_iterations")
if case == "dynamic" and sum(site["tasking"]["iterations"] for site in profile["sites"]) != 32:
    problems.append("iterations: " + str([site["tasking"]["iterations"] for site in profile["sites"]]))
if case in ("ordered", "doacross") and [site["tasking"]["iterations"] for site in profile["sites"] if site["tasking"]["body_calls"]] != [4]:
    problems.append("iterations: " + str([site["tasking"]["iterations"] for site in profile["sites"]]))
if profile["run"]["openmp"]["replaced"] != ("libgomp.so.1" if compiler == "gcc" else "libomp.so.5"):
    problems.append(str(profile["run"]["openmp"]))
# g++'s static loops show no chunks.
if (case, compiler) == ("static", "gcc") and profile["divisible_not_known_because"] != "hidden_loops":
    problems.append("divisible_not_known_because")
# One iteration of each chunk ran; the order of doacross iterations is at least that of their last parts.
if case == "cancel" and profile["divisible_span"] < 5 or case == "doacross" and profile["divisible_span"] < 22:
    problems.append(f"divisible_span: {profile['divisible_span']}")
if case in ("dynamic", "waits_in_loop") and not profile["divisible_is_known"]:
    problems.append("divisible_is_known: false")
if problems:
    sys.exit("; ".join(problems))
X

for compiler in $compilers; do
  for case in fib barriers many_barriers group depend taskloop nested static dynamic loops waits_in_loop sections undeferred ordered doacross locks untied detach teams target cancel; do
    # g++ calls functions that libomp lacks.
    [ "$compiler $case" != "gcc detach" ] && [ "$compiler $case" != "gcc target" ] || continue
    for threads in 1 2 4 8; do
      rm -rf tp-data
      OMP_NUM_THREADS=$threads "$tp_run" -q --locks all "./$compiler" $case 2>err || fail "$compiler $case: exit status $?: $(cat err)"
      "$tp_analyze" -q --json profile.json -o analysis >/dev/null 2>err || fail "$compiler $case $threads: $(cat err)"
      ask script expected.py "$compiler" $case $threads profile.json
      [ -z "$answer" ] || fail "$compiler $case, $threads threads: $answer"
      if [ "$compiler $case $threads" = "gcc static 2" ]; then
        "$tp_analyze" -q --check 'divisible_parallelism>=1' -o analysis >/dev/null 2>err
        same "--check of what is not known" 2 $?
        in_file err "static loops"
      fi
    done
  done
done

# What a thread waits for its turn, in a loop of libomp's, does not count as work, by any clock. g++'s blocks of iterations
# come one after the other, so nothing is to be seen there.
cat >turns.cpp <<'X'
#include <cstring>
#include <ctime>
static void use_cpu(long ns) {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  const long end = now.tv_sec * 1000000000L + now.tv_nsec + ns;
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while (now.tv_sec * 1000000000L + now.tv_nsec < end);
}
int main(int, char** arguments) {
  if (std::strcmp(arguments[1], "ordered") == 0)
    #pragma omp parallel for ordered schedule(static, 1) num_threads(2)
    for (int i = 0; i < 100; ++i) {
      #pragma omp ordered
      use_cpu(1000000);
    }
  else
    #pragma omp parallel for ordered(1) schedule(static, 1) num_threads(2)
    for (int i = 0; i < 100; ++i) {
      #pragma omp ordered depend(sink: i - 1)
      use_cpu(1000000);
      #pragma omp ordered depend(source)
    }
}
X
for compiler in $compilers; do
  build_openmp "$compiler" turns -O1
  for case in ordered doacross; do
    for locks in all off; do
      rm -rf tp-data
      OMP_WAIT_POLICY=active "$tp_run" -q -e auto --locks $locks ./turns $case 2>err || fail "$compiler $case: exit status $?: $(cat err)"
      "$tp_analyze" -q --json profile.json -o analysis >/dev/null 2>err || fail "$compiler $case: $(cat err)"
      python3 -B - $case $locks <<'X' || fail "$compiler $case: time in which a thread waited for its turn"
import json, sys
case, locks = sys.argv[1:]
profile = json.load(open("profile.json"))
if profile["clock"]["unit"] == "ticks":
    milliseconds = profile["work"] / profile["clock"]["hz"] * 1e3
    assert 90 < milliseconds < 130, milliseconds
    assert profile["attribution"]["accounted_percent"] > 90, profile["attribution"]
# The implicit task of another thread was not taken from anyone.
assert all(each["tasking"]["steals"] == 0 for each in profile["sites"]), profile["sites"]
if case == "ordered" and locks == "all":
    lock, = profile["locks"]
    assert (lock["kind"], lock["acquisitions"]) == ("omp_ordered", 100), lock
X
    done
  done
done

# A long chain of dependences is not kept, nor released by a recursion as deep as the chain.
cat >chain.cpp <<'X'
int main() {
  int x = 0;
  #pragma omp parallel
  #pragma omp single
  for (int i = 0; i < 200000; ++i) {
    #pragma omp task depend(inout: x)
    ++x;
  }
  return x == 200000 ? 0 : 1;
}
X
for compiler in $compilers; do
  build_openmp "$compiler" chain -O1
  rm -rf tp-data
  (ulimit -s 1024; OMP_NUM_THREADS=2 "$tp_run" -q ./chain) 2>err || fail "$compiler chain: exit status $?: $(cat err)"
  "$tp_analyze" -q --json profile.json -o analysis >/dev/null 2>err || fail "$compiler chain: $(cat err)"
  python3 -B -c 'import json; p = json.load(open("profile.json")); assert p["complete"] and p["trace"]["tasks_begun"] >= 200002' ||
    fail "$compiler chain: incomplete"
done

# oneTBB in OpenMP, and OpenMP in oneTBB: one recording.
cat >mixed.cpp <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
using tp::spend;
int main(int, char** arguments) {
  spend(1);
  switch (arguments[1][0]) {
  case 'a':
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 4; ++i) {
      #pragma omp task
      {
        spend(10);
        tbb::task_group group;
        for (int k = 0; k < 3; ++k) group.run([] { spend(20); });
        spend(5);
        group.wait();
        spend(2);
      }
    }
    break;
  case 'b': {
    tbb::task_group group;
    for (int i = 0; i < 4; ++i)
      group.run([] {
        spend(10);
        #pragma omp parallel num_threads(2)
        {
          spend(20);
          #pragma omp barrier
          spend(1);
          #pragma omp single
          {
            #pragma omp task
            spend(30);
          }
        }
        spend(2);
      });
    group.wait();
    break;
  }
  case 'c':
    #pragma omp parallel num_threads(4)
    {
      spend(3);
      tbb::parallel_for(0, 8, [](int) { spend(7); }, tbb::simple_partitioner());
      #pragma omp barrier
      spend(1);
    }
  }
  spend(1);
}
X
for compiler in $compilers; do
  [ -e /usr/include/oneapi/tbb/version.h ] || break
  build_openmp "$compiler" mixed -std=c++17 -O1 -ltbb
  for threads in 2 8; do
    for expected in "a 310 34" "b 338 65" "c 242 13"; do
      read -r case work span <<<"$expected"
      OMP_NUM_THREADS=$threads analyze_openmp "$compiler" mixed "$case"
      is "p['complete'] and p['work'] == $work and p['span'] == $span"
    done
  done
done

# Names: regions that end a function, from which compilers jump to the runtime; tasks and taskloops.
cat >names.cpp <<'X'
#include <tp/virtual_clock.h>
using tp::spend;
namespace user {
void tail() {
  #pragma omp parallel
  spend(1);
}
void looping() {
  #pragma omp parallel
  #pragma omp single
  #pragma omp taskloop
  for (int i = 0; i < 8; ++i)
    spend(1);
}
template <typename T> void tasks(T) {
  #pragma omp parallel
  #pragma omp single
  {
    spend(1);
    #pragma omp task
    spend(2);
    #pragma omp taskwait
    spend(1);
  }
}
}
int main() {
  user::tail();
  user::looping();
  user::tasks(1);
}
X
for compiler in $compilers; do
  build_openmp "$compiler" names -O2
  OMP_NUM_THREADS=2 analyze_openmp "$compiler" names
  # g++: the first line of the region's code, or that of its directive.
  is "{(s['functions'][0].split('(')[0].split('<')[0].split(' ')[-1], c) for s in p['sites'] for c in s['constructs']} == {('user::tail', 'omp_parallel'), ('user::looping', 'omp_parallel'), ('user::looping', 'omp_taskloop'), ('user::tasks', 'omp_parallel'), ('user::tasks', 'omp_task')}"
  [ "$compiler" = gcc ] ||
    is "sorted(s['line'] for s in p['sites'] if s['line']) == [5, 9, 11, 16, 20]"
done

# g++'s static loops show in no region, also where tasks take part in its reduction.
cat >reduction.cpp <<'X'
#include <tp/virtual_clock.h>
int main() {
  int sum = 0;
  #pragma omp parallel num_threads(2) reduction(task, +: sum)
  {
    #pragma omp for
    for (int i = 0; i < 10; ++i) tp::spend(10);
    #pragma omp single
    #pragma omp task in_reduction(+: sum)
    sum += 5;
  }
  return sum == 5 ? 0 : 1;
}
X
for compiler in $compilers; do
  build_openmp "$compiler" reduction -O2
  analyze_openmp "$compiler" reduction
  is "(p['work'], p['span'], p['divisible_is_known']) == (100, 50, '$compiler' == 'clang')"
done

# Regions of equal code, of which g++ keeps one and makes jumps of the others, have places of their own.
cat >unit.cpp <<'X'
#include <tp/virtual_clock.h>
void unit(int n) { tp::spend(n); }
X
cat >merged.cpp <<'X'
void unit(int);
#define WORK unit(10), unit(20), unit(30), unit(40)
void one() {
  #pragma omp parallel num_threads(2)
  WORK;
}
void two() {
  #pragma omp parallel num_threads(2)
  WORK;
  #pragma omp parallel num_threads(2)
  WORK;
}
void loop() {
  #pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 10; ++i) unit(i);
}
void same_loop() {
  #pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 10; ++i) unit(i);
}
int main() { one(), two(), loop(), same_loop(); }
X
for compiler in $compilers; do
  build_openmp "$compiler" merged -O2 unit.cpp
  analyze_openmp "$compiler" merged
  is "sorted((s['line'], s['functions'][0].split('(')[0], s['exclusive_work']) for s in p['sites'] if s['exclusive_work']) == [(4, 'one', 200), (8, 'two', 200), (10, 'two', 200), (14, 'loop', 45), (18, 'same_loop', 45)]"
done

# Sections in a region, and not one with it, have places of their own. Threads that get none of them do not count as one.
cat >apart.cpp <<'X'
#include <tp/virtual_clock.h>
using tp::spend;
int main() {
  #pragma omp parallel
  {
    #pragma omp sections
    {
      #pragma omp section
      spend(10);
      #pragma omp section
      spend(20);
      #pragma omp section
      spend(30);
    }
    #pragma omp sections nowait
    {
      #pragma omp section
      spend(100);
      #pragma omp section
      spend(200);
    }
    #pragma omp for schedule(dynamic)
    for (int i = 0; i < 4; ++i) spend(1000);
  }
}
X
for compiler in $compilers; do
  build_openmp "$compiler" apart -O1
  for threads in 1 2 4; do
    OMP_NUM_THREADS=$threads analyze_openmp "$compiler" apart
    is "{(s['line'], *s['constructs'], s['exclusive_work'], s['tasking']['iterations']) for s in p['sites'] if s['line']} == {(4, 'omp_parallel', 0, 0), (6, 'omp_sections', 60, 3), (15, 'omp_sections', 300, 2), (22, 'omp_for', 4000, 4)}"
  done
done

# A function that gets code from its callers, and runs it in a region, is a wrapper: what people know is its call. Callers of
# explicit tasks are not recorded.
cat >callers.cpp <<'X'
#include <tp/virtual_clock.h>
#include <functional>
[[gnu::noinline]] void each(int n, const std::function<void(int)>& f) {
  #pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) f(i);
}
[[gnu::noinline]] void each_as_task(int n, const std::function<void(int)>& f) {
  #pragma omp taskloop
  for (int i = 0; i < n; ++i) f(i);
}
[[gnu::noinline]] void run(const std::function<void()>& f) {
  #pragma omp task
  f();
  #pragma omp taskwait
}
namespace of_user { namespace {
template <class Body> void each(int n, Body body) {
  #pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) body(i);
}
}}
int main() {
  of_user::each(10, [](int) { tp::spend(3); });
  of_user::each(10, [](int) { tp::spend(2); });
  each(10, [](int) { tp::spend(100); });
  each(10, [](int) { tp::spend(30); });
  #pragma omp parallel
  #pragma omp single
  {
    each_as_task(10, [](int) { tp::spend(20); });
    each_as_task(10, [](int) { tp::spend(10); });
    run([] { tp::spend(7); });
    run([] { tp::spend(5); });
  }
}
X
for compiler in $compilers; do
  build_openmp "$compiler" callers -O2
  for threads in 1 2; do
    OMP_NUM_THREADS=$threads analyze_openmp "$compiler" callers
    is "sorted({(s['line'], s['exclusive_work']) for s in p['sites'] if s['exclusive_work'] and s['line']}) == [(12, 12), (23, 30), (24, 20), (25, 1000), (26, 300), (30, 200), (31, 100)]"
  done
done

# A region is at the first line of its code, also where that begins with what is inlined from elsewhere.
cat >elsewhere.h <<'X'
#include <tp/virtual_clock.h>
inline void spend(int units) { tp::spend(units); }
X
cat >begins.cpp <<'X'
#include "elsewhere.h"
int main() {
  #pragma omp parallel
  spend(100);
}
X
for compiler in $compilers; do
  build_openmp "$compiler" begins -O2
  OMP_NUM_THREADS=2 analyze_openmp "$compiler" begins
  is "[(s['file'].rsplit('/')[-1], s['line'] in (3, 4), s['exclusive_work']) for s in p['sites'] if s['line']] == [('begins.cpp', True, 200)]"
done

# Reports speak of OpenMP's constructs in its words.
cat >words.cpp <<'X'
#include <tp/virtual_clock.h>
#include <atomic>
#include <cstring>
#include <omp.h>
#include <sched.h>
std::atomic<int> begun;
int main(int, char** arguments) {
  const auto is = [&](const char* name) { return std::strcmp(arguments[1], name) == 0; };
  if (is("barrier"))
    #pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 0) tp::spend(1000000);
      #pragma omp barrier
      tp::spend(10);
    }
  if (is("taskloop"))
    #pragma omp parallel num_threads(2)
    #pragma omp single
    #pragma omp taskloop grainsize(64)
    for (int i = 0; i < 512; ++i) tp::spend(10000);
  if (is("depend"))
    #pragma omp parallel num_threads(2)
    #pragma omp single
    for (int i = 0; i < 10; ++i) {
      #pragma omp task depend(inout: arguments)
      tp::spend(100000);
    }
  if (is("sections"))
    #pragma omp parallel sections num_threads(2)
    {
      #pragma omp section
      tp::spend(1000000);
      #pragma omp section
      tp::spend(10);
    }
  if (is("one"))
    #pragma omp parallel num_threads(2)
    #pragma omp single
    #pragma omp taskloop grainsize(700)
    for (int i = 0; i < 1000; ++i) tp::spend(10000);
  if (is("ordered"))
    #pragma omp parallel for ordered schedule(dynamic) num_threads(2)
    for (int i = 0; i < 300; ++i) {
      tp::spend(3000);
      #pragma omp ordered
      tp::spend(5000);
    }
  if (is("team")) {
    #pragma omp parallel num_threads(5)
    tp::spend(10);
    #pragma omp parallel num_threads(2)
    {
      #pragma omp for schedule(monotonic: dynamic, 4)
      for (int i = 0; i < 800; ++i) {
        tp::spend(1000);
        if (i % 4 == 0) // the other thread has the other one of two chunks
          for (++begun; begun < i / 8 * 2 + 2;) sched_yield();
      }
    }
  }
  if (is("inactive")) {
    omp_set_max_active_levels(1);
    #pragma omp parallel num_threads(2)
    #pragma omp parallel for schedule(dynamic) num_threads(2)
    for (int i = 0; i < 400; ++i) tp::spend(2000);
  }
}
X
for compiler in $compilers; do
  build_openmp "$compiler" words -O1
  while read -r case says; do
    rm -rf tp-data
    "$tp_run" -q ./words "$case" 2>err || fail "$compiler words $case: $(cat err)"
    "$tp_analyze" -q -P 8,64 -o analysis 2>err | tr '\n' ' ' >out || fail "$compiler words $case: $(cat err)"
    in_file out "$says"
    ! grep -q -e "oneTBB" -e "spawn at" -e "wait or pause" out || fail "$compiler words $case: $(cat out)"
  done <<'X'
barrier implicit tasks of the parallel region at words.cpp:10 before a barrier
taskloop whose 8 tasks are too large (64 iterations on average): divide the loop more finely, by a smaller grainsize, or more num_tasks
depend the 10 tasks of words.cpp:25, one after the other
sections is the sections in the parallel region at words.cpp:29: split the longest of them.
one whose one task is too large (1000 iterations on average): divide the loop more finely, by a smaller grainsize, or more num_tasks
ordered The ordered blocks at words.cpp:
team whose 200 chunks 2 threads have shared: more threads share them further; OMP_NUM_THREADS=64 or num_threads(64) shows how far.
inactive whose regions got 2 threads fewer than they asked for: let nested regions be active (OMP_MAX_ACTIVE_LEVELS)
X

done

# Chunks that are too small are chunks, not tasks.
cat >tiny.cpp <<'X'
#include <cstring>
int main(int, char** arguments) {
  if (std::strcmp(arguments[1], "loop") == 0) {
    #pragma omp parallel for schedule(dynamic, 1) num_threads(2)
    for (int i = 0; i < 200000; ++i) asm volatile("" ::: "memory");
  } else if (std::strcmp(arguments[1], "static") == 0) {
    for (int k = 0; k < 20000; ++k)
      #pragma omp parallel for schedule(static) num_threads(2)
      for (int i = 0; i < 64; ++i) asm volatile("" ::: "memory");
  } else {
    #pragma omp parallel for ordered(1) schedule(dynamic, 1) num_threads(2)
    for (int i = 0; i < 10000; ++i) {
      #pragma omp ordered depend(sink: i - 1)
      asm volatile("" ::: "memory");
      #pragma omp ordered depend(source)
    }
  }
}
X
# What threads of a doacross loop wait for each other does not count as overhead, and larger chunks make it longer.
for compiler in $compilers; do
  build_openmp "$compiler" tiny -O2
  for loop in loop static doacross; do
    rm -rf tp-data
    "$tp_run" -q -e auto ./tiny $loop 2>err || fail "$compiler tiny: $(cat err)"
    "$tp_analyze" -q --simulate never -o analysis 2>err | tr '\n' ' ' >$loop || fail "$compiler tiny: $(cat err)"
  done
  grep -q "The chunks of the loop .*tasking overhead: make them larger, by the second argument of the schedule clause" loop ||
    fail "$compiler tiny: $(cat loop)"
  ! grep -q "make them larger" doacross || fail "$compiler tiny doacross: $(cat doacross)"
  # Of a static loop each thread has one chunk, whatever its schedule clause says.
  ! grep -q "make them larger" static || fail "$compiler tiny static: $(cat static)"
  grep -q "or let one thread run .* by an if clause" static || fail "$compiler tiny static: $(cat static)"
done

# Procedures in Fortran have the names that the source gives them, not those of gfortran's symbols. Here it is code of g++:
# its debug information gets another language, and its functions such symbols.
cat >fortran.cpp <<'X'
extern "C" void tp_spend(unsigned long);
void sweep(int) __asm__("__solver_MOD_sweep");
void heat() __asm__("MAIN__");
[[gnu::noinline]] void sweep(int n) {
  #pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) tp_spend(10);
}
[[gnu::noinline]] void heat() {
  #pragma omp parallel
  tp_spend(100);
  sweep(4);
}
int main() { heat(); }
X
"$cxx" -g -O1 -fopenmp -dA -S fortran.cpp || fail "fortran.cpp does not compile"
sed -i -E '/byte.*DW_AT_language/s/0x[0-9a-f]+/0xe/' fortran.s
"$cxx" -fopenmp fortran.s -o fortran -L"$TP_PREFIX/lib" -ltbb || fail "fortran.s does not build"
OMP_NUM_THREADS=2 analyze_openmp gcc fortran
is "sorted(f for site in p['sites'] for f in site['functions']) == ['heat', 'sweep']"

# What tp-run says: what it replaces; nothing with --no-openmp, when the program runs as it was linked.
rm -rf tp-data
OMP_NUM_THREADS=2 "$tp_run" ./gcc fib 2>err || fail "tp-run: exit status $?"
in_file err "OpenMP: libgomp.so.1 is replaced by $libomp"
rm -rf tp-data
OMP_NUM_THREADS=2 "$tp_run" -o tp-data/%p sh -c './gcc fib; ./gcc fib; :' 2>err || fail "tp-run sh: exit status $?"
in_file err "OpenMP: libgomp.so.1 was replaced by $libomp in gcc and 1 more: the tasks are the program's"
rm -rf tp-data
"$tp_run" --no-openmp ./gcc fib 2>err || fail "--no-openmp: exit status $?"
! grep -q replaced err || fail "--no-openmp: $(cat err)"
if [ "$compilers" != gcc ]; then # nothing is replaced by itself, whatever it is called
  ln -sf "$libomp" named_otherwise.so.5
  rm -rf tp-data
  LD_LIBRARY_PATH=$(dirname "$libomp") TP_LIBOMP=$PWD/named_otherwise.so.5 "$tp_run" ./clang fib 2>err || fail "own libomp: exit status $?"
  ! grep -q "OpenMP:" err || fail "own libomp: $(cat err)"
  "$tp_analyze" -q -o analysis --check 'parallelism>=2' >out 2>&1 || fail "own libomp: $(cat out)"
fi
rm -rf tp-data
TP_LIBOMP=/nowhere/libomp.so.5 "$tp_run" ./gcc fib 2>err || fail "no libomp: exit status $?"
in_file err "OpenMP is not recorded: /nowhere/libomp.so.5: expected libomp of LLVM 16 or newer, got no file"
OMP_TOOL_LIBRARIES=/other.so "$tp_run" ./gcc fib 2>err || fail "another tool: exit status $?"
in_file err "OMP_TOOL_LIBRARIES names another tool"
"$cxx" -shared -fPIC -x c - -o another.so <<'X'
void *ompt_start_tool(unsigned version, const char *runtime) { return 0; }
X
LD_PRELOAD=$PWD/another.so "$tp_run" ./gcc fib 2>err || fail "another tool in LD_PRELOAD: exit status $?"
in_file err "another.so in LD_PRELOAD is an OpenMP tool (ompt_start_tool), and a runtime has one"
LD_PRELOAD=$PWD/another.so "$tp_run" sh -c './gcc fib; :' 2>err || fail "another tool in LD_PRELOAD of sh: exit status $?"
in_file err "another.so in LD_PRELOAD is an OpenMP tool"
for value in disabled Disabled no; do # libomp has a tool with no other value than "enabled"
  OMP_TOOL=$value "$tp_run" ./gcc fib 2>err || fail "OMP_TOOL=$value: exit status $?"
  in_file err "OpenMP is not recorded: OMP_TOOL=$value is set"
done
rm -rf tp-data
OMP_TOOL=Enabled "$tp_run" -q ./gcc fib 2>err || fail "OMP_TOOL=Enabled: exit status $?"
is_empty err
rm -rf tp-data
KMP_TASKING=0 "$tp_run" -q ./gcc fib 2>err || fail "KMP_TASKING=0: exit status $?"
in_file err "KMP_TASKING=0 is set: libomp runs each task where it is created"
analyze tp-data
is "p['span'] == p['work'] > 0"
# libomp says nothing that libgomp does not say.
"$cxx" -fopenmp -x c++ - -o old_calls <<'X'
#include <omp.h>
int main() {
  omp_set_nested(1);
  #pragma omp parallel
  {}
}
X
rm -rf tp-data
"$tp_run" -q ./old_calls >out 2>&1 || fail "old calls: exit status $?"
[ ! -s out ] || fail "old calls: $(cat out)"
"$tp_run" -q --no-openmp ./old_calls >out 2>&1 || fail "old calls, --no-openmp: exit status $?"
in_file out "nothing was recorded: ./old_calls started no oneTBB task, and OpenMP is not recorded with --no-openmp"
in_file out "hint: start it without --no-openmp: tp-run ./old_calls"
# A version of libgomp's functions that libomp does not define: the program runs, on libgomp.
"$cxx" -g -O1 -fopenmp "${includes[@]}" -x c++ - -o detaches <<'X' 2>/dev/null && {
#include <omp.h>
int main(int count, char**) {
  if (count > 1) {
    omp_event_handle_t event;
    #pragma omp task detach(event)
    ;
    omp_fulfill_event(event);
  }
}
X
  "$tp_run" ./detaches 2>err || fail "detach: exit status $?: $(cat err)"
  in_file err "OMP_5.0.1"
}
finish
