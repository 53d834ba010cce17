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
named="serial code before the first oneTBB call (a.cpp:12)"

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
in_json '"name": "from the first oneTBB call to the spawn at a.cpp:12"' unmarked.json

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
  "a.cpp:12: warning: critical path: 40 % is serial code from a join or a pause in the program to the first oneTBB call, before a.cpp:12"
in_json '"name": "from the start of the program to a join or a pause in the program"' paused.json
finish
