#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A lock that all tasks take: the report names it and its line, no figure exceeds what it allows, and
# checks know it. A recording without locks says so.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
script() {
  echo "run cpus=4 $1"
  cat <<'END'
site 1 a.cpp 12 construct=parallel_for
lock-place 0 spin_mutex q.cpp 17
lock-place 1 spin_mutex q.cpp 42
stream 0
  thread role=main
  lock slot=3 address=64 kind=spin_mutex
  spawn work=100 site=1 ctx=new-exclusive
  spawn site=1 ctx=last
  spawn site=1 ctx=last
  spawn site=1 ctx=last
  wait ctx=last
  section slot=3 place=0 lead=100 work=300 contended=1 waited=20
  task work=400
  section slot=3 place=0 lead=100 work=300
  task task=-1 work=400
  section slot=3 place=0 lead=100 work=300
  task task=-2 work=400
  section slot=3 place=1 lead=100 work=200
  task task=-3 work=400
  wait-end
  end work=50
  thread-end
END
}
# Work 1750; sections 1100, after 200 and before 50: at most 1.30.
script "locks=all c_locks_seen=1" | trace data
exits 0 data
in_out "speedup at most 1.30 on any number of them, by the spin_mutex at"
in_out "Lock       spin_mutex at q.cpp:17: 4 times, 25 % contended, held 1100 units"
in_out "the sections of the spin_mutex at q.cpp:17               2.19     4.52"
in_out "as many locks in place of the spin_mutex at q.cpp:17     2.19     3.18"
exits 0 -q data -v
in_out "at q.cpp:42: once, held 200 units"
in_out "predicted on 16 CPUs if sections were 2 times as short"
exits 0 -q data --json data.json
python3 -c 'import json
p = json.load(open("data.json"))
assert p["parallelism"] == 3.18 and p["parallelism_with_locks"] == 1.3 and p["span_with_locks"] == 1350, p["span_with_locks"]
lock, = p["locks"]
assert lock["bound_parts"] == {"before": 200, "sections": 1100, "after": 50} and lock["bound_kind"] == "proven", lock
assert [(each["line"], each["acquisitions"], each["held"]) for each in lock["places"]] == [(17, 3, 900), (42, 1, 200)], lock
assert (lock["contended"], lock["waited"], lock["longest_held"]) == (1, 20, 300), lock
assert p["findings"][0]["shape"] == "lock" and p["findings"][0]["line"] == 17, p["findings"]
assert "by the spin_mutex at q.cpp:17." in p["verdict"]["headline"] and p["verdict"]["place"]["line"] == 17, p["verdict"]
assert "hold it for a shorter time (its own code half as long: parallelism at most 2.19), or split it" in p["advice"], p["advice"]
assert all(run["time"] >= 1350 for run in p["prediction"]["runs"] + p["prediction"]["scaling"]), p["prediction"]
assert p["prediction"]["simulated_locks"] == 1 and all(run["without_locks"] <= run["time"] for run in p["prediction"]["runs"]), p["prediction"]
assert all(each["predicted"][-1]["time"] <= 1350 for each in lock["what_if"]), lock["what_if"]
assert all(bound["upper"] <= 1.3 for bound in p["speedup_bounds"]), p["speedup_bounds"]
assert not [each for each in p["warnings"] if "locks" in each["name"]], p["warnings"]' || fail "data.json: $(cat data.json)"
exits 1 -q data --check 'parallelism_with_locks>=1.5'
exits 0 -q data --check 'parallelism>=3' --check 'parallelism_with_locks>=1.29'
diff_exits 0 data.json data.json

# Sections without work limit nothing.
script "locks=all c_locks_seen=1" | sed 's/lead=100 work=[23]00/lead=100 work=0/' | trace empty
exits 0 -q empty --json empty.json
python3 -c 'import json
lock, = json.load(open("empty.json"))["locks"]
assert lock["bound"] == 0 and lock["parallelism"] is None, lock' || fail "sections without work"

# What shorter sections leave out is done elsewhere, a quarter of 1750 by each of four CPUs; or not at all.
for mode in parallelize optimize; do
  exits 0 -q data -P 4 --what-if-mode "$mode" --json "$mode.json"
done
python3 -c 'import json
def time(mode):
    lock, = json.load(open(mode + ".json"))["locks"]
    return [each["predicted"][-1]["time"] for each in lock["what_if"] if (each["change"], each["factor"]) == ("shorter", 8)][0]
assert time("parallelize") >= 438 and 287 <= time("optimize") < 438, (time("parallelize"), time("optimize"))' || fail "shorter sections"
# 875 units are enough: half of the sections, with 250 before and after them.
exits 0 -q data --target 2
in_out "one change is enough to reach parallelism 2:"
in_out "  ->     2.19  split the spin_mutex at q.cpp:17 into 2"
exits 0 -q data --target 2 --json data.json
python3 -c 'import json
target = json.load(open("data.json"))["what_if"]["target"]
assert target["reached"] and target["proved_minimal"], target
lock, = [each for each in target["regions"] if each["kind"] == "lock"]
assert (lock["lock"], lock["change"], lock["name"]) == (0, "split", "split the spin_mutex at q.cpp:17 into 2"), lock
assert lock["factor"] == 2 and target["outcome"] == "One change is enough to reach parallelism 2.", target' 2>&1 || fail "target: $(python3 -c 'import json; print(json.load(open("data.json"))["what_if"]["target"])')"
exits 0 -q data --target 2 --format md
in_out "| split the spin_mutex at q.cpp:17 into"

script "locks=off" | trace off
exits 0 off
in_out "! locks were not observed"
exits 0 -q off --check 'speedup(4)>=1'
in_err "--check speedup(4)>=1: locks were not observed"
exits 0 -q off --check 'parallelism>=1'
not_in_err "locks were not observed"
exits 0 -q data --check 'speedup(4)>=1'
not_in_err "not observed"
script "locks=auto c_locks_seen=0" | trace onetbb
exits 0 onetbb
in_out "locks of the C library (std::mutex) were not observed"
finish
