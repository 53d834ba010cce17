#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --target: the smallest set of changes, whole sites included, and the output if it is not enough.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"

# stages COUNT: loops of 100 short tasks; between them main works alone for 10 units.
stages() {
  echo "run virtual_work=$((($1 + 1) * 10 + $1 * 100))"
  for ((s = 1; s <= $1; s++)); do echo "site $s stage.cpp $s"; done
  echo "stream 0"
  echo "thread role=main"
  for ((s = 1; s <= $1; s++)); do
    echo "spawn work=10 site=$s ctx=new-exclusive"
    for ((t = 1; t < 100; t++)); do echo "spawn work=0 site=$s ctx=last"; done
    echo "wait work=0 ctx=last"
    echo "task work=1"
    for ((t = 1; t < 100; t++)); do echo "task task=-$t work=1"; done
    echo "wait-end"
  done
  echo "end work=10"
  echo "thread-end"
}
stages 40 | trace stages
exits 0 -o files stages --target 64
in_out "dividing one part of the code among 64 CPUs is enough to reach parallelism 64"
in_out "main, all of it"
exits 0 -o files stages --target 64 --factors 64
in_out "    95.0  main"

# Less work reduces the parallelism: changes without a gain are not named.
paper data
exits 0 -o files data --target 64 --what-if-mode optimize
in_out "parallelism 64 is out of reach: speeding up 2 parts of the code"
in_out "1.72  the tasks of paper.cpp:25, all of it"
not_in_out "->     1.21"
exits 0 -o files data --target 64 --what-if-mode optimize --format md
in_out "| not reached | 1.72 |"
[ "$(grep -c "is out of reach" out)" -eq 1 ] || fail "said twice: $(cat out)"

# More changes are needed than are tried: the text cannot list them all, but states their effect.
stages 40 | sed '/^task/s/work=1$/work=400/; s/work=10$/work=1/' | trace long
exits 0 -o files long --target 900
in_out "parallelism 900 is out of reach: dividing 32 parts of the code among 900 CPUs each"
grep -qE '^  -> +[0-9.]+  with [0-9]+ more \(--verbose\)$' out || fail "no result of all parts in: $(cat out)"
in_out "all code"
exits 0 -o files long --target 900 --json -
python3 - <<'END' || fail "the JSON does not say that it is not reached"
import json
t = json.load(open("out"))["what_if"]["target"]
assert not t["reached"] and len(t["regions"]) == 32 and t["parallelism_with_all_code"] >= 900
assert {step["kind"] for step in t["regions"]} == {"site", "stretch"}
END

# An arena of one thread: what is reached is measured against what it leaves, and its threads are a change.
trace arena <<'END'
site 1 linalg.cpp 36
stream 0
  thread role=main
  in-arena arena=1 work=10 entered=1 asked=1
  spawn work=14 site=1 ctx=new-exclusive
  spawn work=0 site=1 ctx=last
  spawn work=0 site=1 ctx=last
  spawn work=0 site=1 ctx=last
  wait work=0 ctx=last
  task task=newest work=40
  task task=-1 work=40
  task task=-2 work=40
  task task=-3 work=40
  wait-end
  in-arena arena=0 work=3
  end work=6
  thread-end
END
exits 0 -o files arena --target 2
in_out "speedup at most 1.00 on any number of them"
not_in_out "already reached"
in_out "one change leaves room for parallelism 2:"
in_out "  ->     2.61  give the arena of linalg.cpp:36 at least 3 threads"
exits 0 -o files arena --target 2 --format md
in_out "| give the arena of linalg.cpp:36 at least 3 threads | 2.61 |"
exits 0 -o files arena
in_out "What if N-fold parallel: limit"
in_out "the threads of the arena of linalg.cpp:36"
exits 0 -o files arena --target 2 --json -
python3 - <<'END' || fail "the JSON of more threads"
import json
p = json.load(open("out"))
w = p["what_if"]
step, = w["target"]["regions"]
assert (step["kind"], step["limit"], step["threads_at_least"]) == ("threads", 0, 3), step
assert w["parallelism_now"] == 1.0, w["parallelism_now"]
change = w["changes"][0]
assert (change["kind"], change["index"]) == ("threads", 0), change
assert max(point["parallelism"] for point in p["limits"][0]["points"]) == change["parallelism_at_most"] == 3.0, change
for each in w["explored"]: # divided among CPUs, in one thread as before
    assert all(point["parallelism"] <= 1.08 for point in each["points"]), each
END
exits 0 -o files arena --what-if-mode optimize
in_out "What if N times faster: limit"

# A target that would overflow is not searched for; the other questions are answered.
trace huge <<'END'
run virtual_work=1100000000000000
site 1 a.cpp 1
stream 0
  thread role=main
  spawn-wait work=100000000000000 site=1 ctx=new-exclusive
  task work=1000000000000000
  wait-end
  end
  thread-end
END
exits 0 -o files huge --target 1048576 -v
in_out "the work is too large for this target: use a"
in_out "Parallelism     1.00 in this run"
finish
