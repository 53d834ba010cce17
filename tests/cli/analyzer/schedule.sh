#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A warning names constructs whose DAG depends on the schedule of the run. If the
# schedule-independent parallelism depends on it as well, it is reported as unknown.
: "${TP_DIFF:?TP_DIFF must name tp-diff}"
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
# side_by_side DIR BEFORE SITE CONTEXT: two parallel tasks of 50 units, after BEFORE units of other
# code.
side_by_side() {
  trace "$1" <<END
run virtual_work=$((100 + $2))
site 1 c.cpp 9 $3
stream 0
  thread role=main
  spawn work=$2 site=1 ctx=new-exclusive $4
  spawn work=0 site=1 ctx=last
  wait ctx=last
  begin task=0.1
  end work=50
  begin task=0.0
  end work=50
  wait-end
  end
  thread-end
END
}
# two DIR CONSTRUCT BEFORE: the tasks of a site whose record contains the construct.
two() {
  side_by_side "$1" "$3" "construct=$2" ""
}
# in_context DIR CONSTRUCT: the tasks of a site that the headers recorded; the context of the tasks
# contains the construct.
in_context() {
  side_by_side "$1" 0 "construct= tag=header" "construct=$2"
}
# of_std DIR: the tasks of a C++17 algorithm that tp-c++ tagged; oneTBB's algorithm below it has its
# own context.
of_std() {
  side_by_side "$1" 0 "construct=std::inclusive_scan" "construct=parallel_scan"
}
# is DIR EXPRESSION: checks a Python expression of the profile p and of the names w of its warnings.
is() {
  exits 0 -q --format json "$1"
  python3 -c 'import json, sys
p = json.load(open("out"))
w = [each["name"] for each in p["warnings"]]
sys.exit(not eval(sys.argv[1]))' "$2" || fail "$1: $2"
}
two scan parallel_scan 0
is scan 'w == ["schedule"] and not p["divisible_is_known"] and p["divisible_not_known_because"] == "schedule"'
of_std std_scan
is std_scan 'w == ["schedule"] and not p["divisible_is_known"] and p["divisible_not_known_because"] == "schedule"'
exits 2 std_scan --check 'divisible_parallelism>=1'
exits 0 scan -v
in_out "2.00 in this run; unknown for loops split to their grain size (parallel_scan"
in_out "! all figures depend on the schedule of this run (parallel_scan of c.cpp:9)"
exits 0 scan --format md
in_out "unknown for loops split to their grain size (parallel_scan depends on the schedule)"
exits 2 scan --check 'divisible_parallelism>=1'
explained
in_err "parallel_scan depends on the schedule"
exits 2 scan --strict
explained
exits 0 -q -v scan
in_err "tp: warning: all figures depend on the schedule of this run"
exits 0 -q --json scan.json scan
"$TP_DIFF" scan.json scan.json --fail-if 'divisible_parallelism<0' >out 2>err
[ $? = 2 ] && grep -q "parallel_scan depends" err || fail "tp-diff: $(cat err)"
# It takes less than a hundredth of the span, which is insignificant.
two small_scan parallel_scan 100000
is small_scan 'w == [] and p["divisible_is_known"]'

in_context scan_by_context parallel_scan
is scan_by_context 'w == ["schedule"] and not p["divisible_is_known"]'
in_context pipeline_by_context parallel_pipeline
is pipeline_by_context 'w == ["arrival"] and p["divisible_is_known"]'
in_context graph_by_context flow_graph
is graph_by_context 'w == ["arrival"] and p["divisible_is_known"]'
in_context group_by_context task_group
is group_by_context 'w == [] and p["divisible_is_known"]'

# The trace does not record whether there are such filters and nodes.
two pipeline parallel_pipeline 0
is pipeline 'w == ["arrival"] and p["divisible_is_known"]'
exits 0 pipeline --strict
in_out "order of arrival in this run if a filter is serial_out_of_order"
in_out "(parallel_pipeline of c.cpp:9)"
for construct in flow_graph function_node multifunction_node async_node; do
  two graph $construct 0
  is graph 'w == ["arrival"] and p["divisible_is_known"]'
done
for construct in continue_node input_node task_group parallel_for; do
  two other $construct 0
  is other 'w == [] and p["divisible_is_known"]'
done
# Joins of reductions and messages of graphs are seen in recompiled programs only: in others spans
# are lower bounds, and a check holds only if it holds for whatever they are.
for construct in parallel_reduce parallel_deterministic_reduce parallel_scan flow_graph; do
  side_by_side unseen 20 "construct=$construct tag=address" ""
  is unseen '"unseen_order" in w and not p["span_is_exact"] and len(p["unseen_order"]) == 1'
  exits 0 unseen --check 'span>=70' --check 'parallelism<=1.8' --check 'parallelism<2' --check 'work==120'
  exits 1 unseen --check 'parallelism>=2'
  exits 1 unseen --check 'span<60'
  for check in 'parallelism>=1' 'span<=70' 'span==70' 'time(2)<100' 'speedup(2)>1' 'site(main).critical>1'; do
    exits 2 unseen --check "$check"
    explained
    in_err "known on one side only"
  done
done
two seen parallel_reduce 20
is seen '"unseen_order" not in w and p["span_is_exact"] and p["unseen_order"] == []'
exits 0 seen --check 'parallelism>=1' --check 'span<=70' --check 'span==70'
# Less than a hundredth of the span: no warning, and checks do not mind; the field does not say exact.
side_by_side cheap 20000 "construct=parallel_reduce tag=address" ""
is cheap 'w == [] and not p["span_is_exact"] and p["unseen_order"] == ["c.cpp:9"]'
exits 0 cheap --check 'parallelism>=1'
# collaborative_call_once and release_wait order code of others after that of the program that ran
# before them, so the work of the site says nothing about how much.
side_by_side once 20000 "construct=collaborative_call_once tag=address" ""
is once 'w == ["unseen_order"] and not p["span_is_exact"] and p["unseen_order"] == ["c.cpp:9"]'
exits 2 once --check 'parallelism>=1'
explained
in_err "known on one side only"
side_by_side seen_once 20000 "construct=collaborative_call_once" ""
is seen_once 'w == [] and p["span_is_exact"]'
side_by_side small_graph 20000 "construct=flow_graph tag=address" ""
is small_graph '"unseen_order" in w and not p["span_is_exact"]'
# A wait for a graph without tasks ends when release_wait() was called as often as reserve_wait(): an
# edge shows where, in recompiled code.
waits_for_graph() {
  trace "$1" <<END
run virtual_work=100
site 1 c.cpp 9 construct=task_group tag=$2
stream 0
  thread role=main
  spawn work=20 site=1 ctx=new-exclusive construct=task_group
  wait ctx=last
  begin task=0.0
  release work=30
  end work=10
  wait-end
  wait ctx=new-exclusive construct=flow_graph
  wait-end
  $3
  end work=40
  thread-end
END
}
waits_for_graph released address ""
is released 'w == ["unseen_order"] and p["unseen_order"] == ["wait_for_all"]'
exits 2 released --check 'parallelism>=1'
waits_for_graph acquired address "acquire work=0 edge=0.0"
is acquired 'w == [] and p["span_is_exact"]'
waits_for_graph recompiled header ""
is recompiled 'w == [] and p["span_is_exact"]'
# Debug information names the place of what the standard library calls or constructs in recompiled
# code as well: bodies are recorded there, and what they come after.
in_std() {
  trace "$1" <<END
run virtual_work=120
site 1 c.cpp 9 construct= tag=address
stream 0
  thread role=main
  release work=20
  spawn work=0 site=1 ctx=new-exclusive construct=$2
  wait ctx=last
  begin task=0.0
  $3
  end work=50
  wait-end
  end work=50
  thread-end
END
}
in_std bodies parallel_reduce $'loop-begin work=0\n  loop-end work=0'
is bodies 'p["span_is_exact"] and p["unseen_order"] == []'
in_std messages flow_graph 'acquire work=0 edge=0.0 alone=1'
is messages 'p["span_is_exact"] and p["unseen_order"] == []'
in_std without_messages flow_graph ''
is without_messages 'not p["span_is_exact"]'
finish
