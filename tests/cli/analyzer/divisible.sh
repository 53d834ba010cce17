#!/bin/bash
# As divisible is said to be unknown wherever it is: in no output, check or comparison does the figure as executed take its place.
: "${TP_DIFF:?TP_DIFF must name tp-diff}"
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
# loop DIR CONSTRUCT TAG [WORK]: a loop of four tasks side by side, after code of 10 units; recompiled loops tell their body calls.
loop() {
  local task
  task=$([ "$3" = explicit ] && echo 'loop-begin work=0 ; loop-end work=10 n=4 grain=1 ; end' || echo 'end work=10')
  {
    echo "run virtual_work=$((40 + ${4:-10}))"
    echo "site 1 x.cpp 15 construct=$2 tag=$3"
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

exits 0 recompiled --json recompiled.json
in_out "2.5 as executed, 4.17 as divisible"
exits 0 recompiled --check 'divisible_parallelism>=4.1' --check 'divisible_span==12'

for construct in parallel_for parallel_reduce parallel_sort; do
  loop asis $construct address
  exits 0 asis --json asis.json -P 64
  in_out "2.5 as executed, as divisible is not known (loops were not recompiled)"
  not_in_out "(2.5 as divisible)"
  python3 -c 'import json
p = json.load(open("asis.json"))
assert not p["divisible_is_known"] and p["divisible_not_known_because"] == "not_recompiled"' || fail "the JSON of $construct"
done
exits 0 --format md asis
in_out "parallelism 2.5; as divisible is not known (loops were not recompiled)."
in_out "| not known |"
not_in_out "2.5 as divisible"
for format in table md; do
  exits 0 --format $format asis --grain x.cpp:15=4
  in_out "grain 4 at x.cpp:15: no body call of a loop was seen there"
  not_in_out "2.5 as divisible"
done
exits 0 -q asis --warnings
in_err "parallelism is 2.5 as executed [-Wspan]"
exits 0 -q recompiled --warnings
in_err "parallelism is 4.17 as divisible [-Wspan]"
for check in 'divisible_parallelism>=64' 'divisible_parallelism>=1' 'divisible_span<100'; do
  exits 2 asis --check "$check"
  explained
  in_err "loops were not recompiled"
done
exits 0 asis --check 'parallelism>=2'

# diff_exits STATUS ARG...
diff_exits() {
  local expected=$1 status=0
  shift
  "$TP_DIFF" "$@" >out 2>err || status=$?
  [ $status -eq "$expected" ] || fail "tp-diff $*: exit status $status, expected $expected: $(cat err)"
}
for base in recompiled recompiled.json; do
  for now in asis asis.json; do
    diff_exits 2 $base $now --fail-if 'divisible_parallelism<-10%'
    explained
    in_err "NEW has no such figure: as divisible is not known (loops were not recompiled)"
    diff_exits 2 $now $base --fail-if 'divisible_span>0%'
    in_err "BASE has no such figure: "
  done
done
diff_exits 0 recompiled asis --fail-if 'parallelism<-10%'
in_out "  as divisible              4.17       not known"
diff_exits 0 recompiled asis --format md
in_out "|   as divisible | 4.17 | not known |  |"
diff_exits 0 recompiled asis --json -
python3 -c 'import json
p = json.load(open("out"))
assert p["program"]["divisible_parallelism"]["new"] is None and not p["new"]["divisible_is_known"]' || fail "the JSON of tp-diff"
# Profiles that do not tell are of programs where it was known.
grep -v divisible_is_known recompiled.json >older.json
diff_exits 1 older.json recompiled.json --fail-if 'divisible_parallelism>=0'

# A loop that is too small to matter.
loop small parallel_for address 5000
exits 0 small --check 'divisible_parallelism<1.01'
finish
