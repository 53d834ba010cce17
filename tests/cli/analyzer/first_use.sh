#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Serial code before the first oneTBB call has no site of its own: reports and warnings name it by
# the first spawn. It is one code segment, wherever in it the recording began.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
rest='
  spawn work=5 site=1 ctx=new-exclusive
  wait ctx=last
    task task=newest work=20
  wait-end
  end work=5
  thread-end'
named="the start of the program before its first task (a.cpp:12)"

# warns DIR LINE...: checks that these are all the warnings.
warns() {
  exits 0 -q "$1" --warnings --json "$1.json"
  shift
  printf '%s; parallelism is 1.00 if loops were split to their grain size [-Wspan]\n' "$@" >expected
  diff expected err || fail "warnings: $(cat err)"
}
in_json() { grep -qF -- "$1" "$2" || fail "'$1' not found in: $(grep '"name"' "$2")"; }

trace unmarked <<END
site 1 a.cpp 12
stream 0
  thread role=main prior=40
  cut work=30$rest
END
warns unmarked "a.cpp:12: warning: critical path: 20 % is in the tasks that are spawned here" \
  "a.cpp:12: warning: critical path: 70 % is $named"
in_json '"name": "main between its first oneTBB call and the spawn at a.cpp:12"' unmarked.json

# Here the recording began in a causal region; code inside the region has its own line.
trace marked <<END
site 1 a.cpp 12
region 0 setup a.cpp 8
region 1 small a.cpp 9
stream 0
  thread role=main prior=10
  region id=0 work=49
  region id=1 work=1
  cut work=60$rest
END
warns marked "a.cpp:12: warning: critical path: 20 % is in the tasks that are spawned here" \
  "a.cpp:12: warning: critical path: 70 % is $named" \
  'a.cpp:8: warning: critical path: 49 % is in the marked region "setup"'
python3 -c 'import json
r = json.load(open("marked.json"))["regions"]
assert [(x["critical_work"], x["critical_percent"]) for x in r] == [(49, 49), (1, 1)], r' || fail "critical work of regions"

# Main creates a thread, works, and joins it: it never calls oneTBB.
trace joins <<END
site 1 a.cpp 12 construct=thread
site 2 a.cpp 20
stream 0
  thread role=main
  spawn work=5 site=1 ctx=new-exclusive construct=thread
  cut work=80
  end work=5
  thread-end
stream 1
  thread role=created
  task task=0.0
  spawn work=5 site=2 ctx=new-exclusive
  wait ctx=last
    task task=newest work=20
  wait-end
  end work=5
  thread-end
END
exits 0 -q joins --json joins.json
in_json '"name": "main between the spawn at a.cpp:12 and its first wait or oneTBB call"' joins.json

# A pause is not such code, and the code after a pause is not the start of the program.
trace paused <<END
site 1 a.cpp 12
stream 0
  thread role=main
  cut work=30
  pause
  cut
  resume
  cut work=40$rest
END
warns paused "a.cpp:12: warning: critical path: 20 % is in the tasks that are spawned here" \
  "a.cpp:12: warning: critical path: 40 % is main between a wait or pause and its first oneTBB call"
in_json '"name": "main before a wait or pause"' paused.json

# --from first-use: the profile is that of a program whose threads did nothing before. The what-if,
# the prediction and everything else included; times, which are measured, are not changed.
left_out() {
  exits 0 -q "$1" -P 2,8 --from first-use --json from.json
  exits 0 -q "$2" -P 2,8 --json zero.json
  python3 - "$3" <<'END' || fail "$1: --from first-use"
import json, sys
found, expected = json.load(open("from.json")), json.load(open("zero.json"))
assert (found["from"], found["left_out_work"]) == ("first_use", int(sys.argv[1])), found["left_out_work"]
assert (expected["from"], expected["left_out_work"]) == ("start", 0)
for profile in found, expected:
    for name in "from", "left_out_work", "attribution", "run", "warnings":
        del profile[name]
differences = [name for name in expected if found[name] != expected[name]]
assert found.keys() == expected.keys() and not differences, differences
END
}
trace zero <<END
site 1 a.cpp 12
stream 0
  thread role=main
  cut work=0 wall=30$rest
END
left_out unmarked zero 70
grep -q "; 70 units before the first oneTBB call left out" <("$TP_ANALYZE" -v unmarked --from first-use 2>/dev/null) || fail "not in the text"
trace paused_zero <<END
site 1 a.cpp 12
stream 0
  thread role=main
  cut work=0 wall=30
  pause
  cut
  resume
  cut work=0 wall=40$rest
END
left_out paused paused_zero 70
trace marked_zero <<END
site 1 a.cpp 12
region 0 setup a.cpp 8
region 1 small a.cpp 9
stream 0
  thread role=main
  region id=0 work=0
  region id=1 work=0
  cut work=0 wall=60$rest
END
left_out marked marked_zero 70
# Attributed work counts what was left out.
exits 0 -q unmarked --from first-use --json with.json
exits 0 -q unmarked --json without.json
python3 -c 'import json
a, b = (json.load(open(name))["attribution"] for name in ("with.json", "without.json"))
assert a == b and a["attributed"] == 100, (a, b)' || fail "attribution"
finish
