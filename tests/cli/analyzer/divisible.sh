#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Where the schedule-independent parallelism is unknown, every output, check and comparison reports
# that: none uses the figure of this run instead.
: "${TP_DIFF:?TP_DIFF must name tp-diff}"
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
# loop DIR CONSTRUCT TAG [WORK]: a loop of four parallel tasks, after code of 10 units. Recompiled
# loops record their body calls: of four iterations each, or in two portions (tag=portions).
loop() {
  local task='end work=10' tag=$3
  [ "$tag" != explicit ] || task='loop-begin work=0 ; loop-end work=10 n=4 grain=1 ; end'
  if [ "$tag" = portions ]; then
    task='loop-begin work=0 ; portion-end work=1 n=1 ; portion-end work=7 n=1 ; loop-end work=2 n=4 ; end'
    tag=explicit
  fi
  {
    echo "run virtual_work=$((40 + ${4:-10}))"
    echo "site 1 x.cpp 15 construct=$2 tag=$tag"
    echo 'stream 0
  thread role=main'
    for i in 1 2 3 4; do
      echo "  spawn work=$([ $i = 1 ] && echo "${4:-10}" || echo 0) site=1 ctx=$([ $i = 1 ] && echo new-exclusive || echo last)"
    done
    echo '  wait ctx=last'
    for i in 3 2 1 0; do
      printf '  begin task=0.%s\n' $i
      tr ';' '\n' <<<"$task"
    done
    echo '  wait-end
  end
  thread-end'
  } | trace "$1"
}
loop asis parallel_for address
loop recompiled parallel_for explicit
loop measured parallel_for portions

# What a body call was not measured for is an interval. A check holds if it holds for both ends.
exits 0 recompiled --json recompiled.json -v
in_out "2.50 to 4.17 if loops were split to their grain size: the upper"
exits 0 recompiled --check 'divisible_parallelism>=2.5' --check 'divisible_span<=20' --check 'divisible_span_at_most==20'
exits 1 recompiled --check 'divisible_parallelism>=4.2'
for check in 'divisible_parallelism>=4.1' 'divisible_parallelism<4' 'divisible_span==12'; do
  exits 2 recompiled --check "$check"
  explained
  in_err "depending on whether the iterations of loops cost the same"
done
exits 0 measured -v
in_out "2.50 in this run; 2.94 if loops were split to their grain size"
exits 0 measured --check 'divisible_parallelism>=2.9' --check 'divisible_span==17' --check 'divisible_span_at_most==17'

for construct in parallel_for parallel_reduce parallel_sort; do
  loop asis $construct address
  exits 0 asis --json asis.json -P 64 -v
  in_out "2.50 in this run; unknown for loops split to their grain size (loops not"
  not_in_out "2.50 if loops were split"
  python3 -c 'import json
p = json.load(open("asis.json"))
assert not p["divisible_is_known"] and p["divisible_not_known_because"] == "not_recompiled"' || fail "the JSON of $construct"
done
exits 0 --format md asis
in_out "parallelism 2.50; unknown for loops split to their grain size (loops not compiled with tp-c++)."
in_out "| unknown |"
not_in_out "2.50 if loops were split"
for format in table md; do
  exits 0 --format $format asis --grain x.cpp:15=4
  in_out "grain size 4 at x.cpp:15: no body call of a loop was recorded there"
  not_in_out "2.50 if loops were split"
done
exits 0 -q asis --warnings
in_err "parallelism is 2.50 in this run [-Wspan]"
exits 0 -q recompiled --warnings
in_err "parallelism is at least 2.50 if loops were split to their grain size [-Wspan]"
exits 0 -q measured --warnings
in_err "parallelism is 2.94 if loops were split to their grain size [-Wspan]"
for check in 'divisible_parallelism>=64' 'divisible_parallelism>=1' 'divisible_span<100'; do
  exits 2 asis --check "$check"
  explained
  in_err "loops not compiled with tp-c++"
done
exits 0 asis --check 'parallelism>=2'

for base in recompiled recompiled.json; do
  for now in asis asis.json; do
    diff_exits 2 $base $now --fail-if 'divisible_parallelism<-10%'
    explained
    in_err "NEW has no such figure: unknown for loops split to their grain size (loops not compiled with tp-c++)"
    diff_exits 2 $now $base --fail-if 'divisible_span>0%'
    in_err "BASE has no such figure: "
  done
done
diff_exits 0 recompiled asis --fail-if 'parallelism<-10%'
in_out "  loops split               4.17         unknown"
diff_exits 0 recompiled asis --format md
in_out "|   loops split | 4.17 | unknown |  |"
diff_exits 0 recompiled asis --json -
python3 -c 'import json
p = json.load(open("out"))
assert p["program"]["divisible_parallelism"]["new"] is None and not p["new"]["divisible_is_known"]' || fail "the JSON of tp-diff"
# In profiles without the field divisible_is_known, it was known.
grep -v divisible_is_known recompiled.json >older.json
diff_exits 1 older.json recompiled.json --fail-if 'divisible_parallelism>=0'

# A loop that is too small to matter.
loop small parallel_for address 5000
exits 0 small --check 'divisible_parallelism<1.01'
finish
