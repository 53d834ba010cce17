#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Two groups of tasks, one after the other: without the wait between them they run in parallel,
# which gains as much as if the tasks of one of them cost nothing.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
trace data <<'END'
run virtual_work=408
site 1 a.cpp 10
site 2 a.cpp 20
stream 0
  thread role=main
  spawn work=1 site=1 ctx=new-exclusive
  spawn work=1 site=1 ctx=last
  wait work=1 ctx=last
  task work=100
  task task=-1 work=100
  wait-end
  spawn work=1 site=2 ctx=new-exclusive
  spawn work=1 site=2 ctx=last
  wait work=1 ctx=last
  task work=100
  task task=-1 work=100
  wait-end
  end work=2
  thread-end
END
exits 0 data
grep -q '^the wait after a.cpp:10  *3.81' out || fail "no wait in: $(cat out)"
finish
