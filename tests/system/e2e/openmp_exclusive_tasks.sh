# SPDX-License-Identifier: Apache-2.0
# Tasks with depend(mutexinoutset: ...) exclude the others of their set: bounds and predictions contain that.
. "$(dirname "$0")/common.inc"
use_openmp

cat >exclusive.cpp <<'X'
#include <tp/virtual_clock.h>
#include <cstring>
int x, y;
int main(int, char** arguments) {
  const auto is = [&](const char* name) { return std::strcmp(arguments[1], name) == 0; };
  tp::spend(3);
  #pragma omp parallel
  #pragma omp single
  {
    if (is("one"))
      for (int i = 0; i < 10; ++i)
        #pragma omp task depend(mutexinoutset: x)
        tp::spend(7);
    if (is("free")) // the same without exclusion
      for (int i = 0; i < 10; ++i)
        #pragma omp task depend(in: x)
        tp::spend(7);
    if (is("two")) {
      for (int i = 0; i < 4; ++i) {
        #pragma omp task depend(mutexinoutset: x)
        tp::spend(5);
        #pragma omp task depend(mutexinoutset: y)
        tp::spend(3);
      }
      for (int i = 0; i < 2; ++i)
        #pragma omp task depend(mutexinoutset: x, y)
        tp::spend(10);
    }
    if (is("parents")) // children of one parent exclude each other, those of another one do not
      for (int i = 0; i < 2; ++i)
        #pragma omp task
        {
          for (int k = 0; k < 3; ++k)
            #pragma omp task depend(mutexinoutset: x)
            tp::spend(4);
          #pragma omp taskwait
        }
    if (is("children")) // what a task waits for is part of its section, what it does not wait for is not
      for (int i = 0; i < 2; ++i)
        #pragma omp task depend(mutexinoutset: x)
        {
          tp::spend(2);
          #pragma omp task
          tp::spend(10);
          #pragma omp taskwait
          tp::spend(1);
          #pragma omp taskgroup
          {
            #pragma omp task
            tp::spend(20);
          }
          #pragma omp task
          tp::spend(100);
        }
    if (is("free_ones")) // which a thread runs while another one runs a task of the set
      for (int i = 0; i < 4; ++i) {
        #pragma omp task depend(mutexinoutset: x)
        tp::spend(10);
        #pragma omp task
        tp::spend(10);
      }
    if (is("parts"))
      for (int i = 0; i < 3; ++i)
        #pragma omp task untied depend(mutexinoutset: x)
        {
          tp::spend(4);
          #pragma omp taskyield
          tp::spend(5);
        }
    if (is("sets_in_order")) { // of one set each, and the tasks of the second come after the inout
      for (int i = 0; i < 3; ++i)
        #pragma omp task depend(mutexinoutset: x)
        tp::spend(5);
      #pragma omp task depend(inout: x)
      tp::spend(4);
      for (int i = 0; i < 3; ++i)
        #pragma omp task depend(mutexinoutset: x)
        tp::spend(6);
    }
    if (is("undeferred")) // such a task comes after those before it, and excludes none
      for (int i = 0; i < 100; ++i) {
        #pragma omp task depend(mutexinoutset: x)
        tp::spend(2);
        #pragma omp task if(0) depend(mutexinoutset: x)
        tp::spend(5);
      }
#ifdef __clang__
    if (is("inoutsets"))
      for (int i = 0; i < 100; ++i) {
        #pragma omp task depend(inoutset: x)
        tp::spend(7);
        #pragma omp task depend(out: y)
        tp::spend(5);
        // Not after the first one, which is of the same set; but after the second one.
        #pragma omp task if(0) depend(inoutset: x) depend(mutexinoutset: y)
        tp::spend(1);
        #pragma omp task depend(in: y)
        tp::spend(3);
        #pragma omp taskwait depend(inoutset: x, y)
      }
#endif
  }
  tp::spend(2);
}
X
cat >expected.py <<'X'
import json, sys
case, compiler = sys.argv[1:]
profile = json.load(open("profile.json"))
# Work, span, the longest of the bounds by sets; of sets with a line in common the sections of the longest, those of all, and how many
# sets there are; the time on two CPUs.
expected = {
    "one": (75, 12, 75, [(70, 70, 1)], 75),
    "free": (75, 12, 0, [], None),
    "two": (57, 15, 45, [(40, 72, 2)], None),
    "parents": (29, 9, 17, [(12, 24, 2)], None),
    "children": (271, 138, 71, [(66, 66, 1)], None),
    "free_ones": (85, 15, 45, [(40, 40, 1)], 45),
    "parts": (32, 14, 32, [(27, 27, 1)], 32),
    "sets_in_order": (42, 20, 38, [(33, 33, 1)], None),
    "undeferred": (705, 705, 210, [(200, 200, 1)], None),
    "inoutsets": (1605, 905, 0, [], None),
}[case]
locks = profile["locks"]
runs = {run["procs"]: run["time"] for run in profile["prediction"]["runs"]} if expected[4] else {}
got = (profile["work"], profile["span"], max((lock["bound"] for lock in locks), default=0),
       [(lock["bound_parts"]["sections"], lock["held"], lock["objects"]) for lock in locks], runs.get(2))
assert got == expected, f"expected {expected}, got {got}"
for lock in locks:
    assert lock["kind"] == "omp_mutexinoutset" and lock["contended"] == lock["unmatched"] == 0, lock
    assert all(place["file"].endswith("exclusive.cpp") and place["line"] > 0 for place in lock["places"]), lock
    lines = open("exclusive.cpp").read().splitlines()
    for place in lock["places"]:
        assert "mutexinoutset" in lines[place["line"] - 1] or compiler == "gcc", place
assert all(each["lock_waits"] == 0 for each in profile["prediction"]["runs"]), profile["prediction"]["runs"]
assert profile["complete"], profile["incomplete_reasons"]
X
for compiler in $compilers; do
  build_openmp "$compiler" exclusive -O1
  cases="one free two parents children free_ones parts sets_in_order undeferred"
  [ "$compiler" = gcc ] || cases="$cases inoutsets" # not known to g++ 12
  for case in $cases; do
    for threads in 1 2 4; do
      rm -rf tp-data
      OMP_NUM_THREADS=$threads "$tp_run" -q --locks all ./exclusive "$case" 2>err || fail "$compiler $case: exit status $?: $(cat err)"
      "$tp_analyze" -q -P 2 --json profile.json -o analysis >out 2>err || fail "$compiler $case $threads: $(cat err)"
      ask script expected.py "$case" "$compiler"
      [ -z "$answer" ] || fail "$compiler $case, $threads threads: $answer"
    done
  done
done
finish
