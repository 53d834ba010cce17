#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Clocks and events whose reading takes long: the report says what it costs, blames no grain size for
# it, and praises no parallelism that consists of it. Predicted times leave it out.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
# tasks RUN WORK LEAD CPU: 200 tasks of WORK, LEAD ticks after one another; CPU time of the thread.
tasks() {
  echo "run clock=$1"
  echo 'site 1 a.cpp 1'
  echo 'stream 0'
  echo 'thread role=main'
  echo "spawn work=5 lead=$3 site=1 ctx=new-exclusive"
  for _ in $(seq 199); do echo "spawn work=5 lead=$3 site=1 ctx=last"; done
  echo "wait work=$2 lead=$3 ctx=last"
  for i in $(seq 0 199); do echo "task task=0.$i lead=$3 work=$2"; done
  echo 'wait-end idle=1'
  echo "end work=$2 lead=$3"
  echo "thread-end cpu=$4"
}
# The reading is most of each step (-e task-clock).
tasks 'perf-read unit=ns hz=1000000000 step_cost=700 cpu_ns=400000' 800 900 400000 | trace clock
exits 0 clock --check 'parallelism>=1'
in_out '! reading the clock adds 700 ns to each step: 100 % of the work'
in_out 'code outside tasks ~'
not_in_out 'too small'
not_in_out 'ample'
exits 2 clock --strict
in_err 'reading the clock adds'
exits 0 clock --json -
python3 -c 'import json; p = json.load(open("out"))
assert [w["certain"] for w in p["warnings"] if w["name"] == "recording"] == [True], p["warnings"]
assert p["sites"][0]["too_short"], p["sites"][0]' || fail "JSON of the clock"
# The reading of extra events between the steps (-e tsc,page-faults).
tasks 'tsc-rseq unit=ticks hz=1000000000 same_as_time=1 step_cost=10 gap_cost_ns=1200 cpu_ns=600000' 200 1300 600000 | trace events
exits 0 events -v
in_out '93 % overhead (86 % for reading the clock and events)'
in_out "events between steps, 1.20 us each: up to 482 us"
not_in_out 'too small'
exits 0 events --json events.json
python3 -c 'import json; p = json.load(open("events.json"))
assert p["clock"]["gap_cost_ns"] == 1200
cost = [c["cost_ns"] for c in p["prediction"]["event_costs"] if c["event"] == "task_begin"]
assert 50 < cost[0] < 200, cost' || fail "the cost of reading events counts as tasking overhead"
# Without that, as before: the tasks are too small.
tasks 'tsc-rseq unit=ticks hz=1000000000 same_as_time=1 step_cost=10 cpu_ns=600000' 200 1300 600000 | trace small
exits 0 small
in_out 'tasks are too small'
finish
