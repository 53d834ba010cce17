#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Steps that are shorter than the cost of measuring them: every report marks their sites, except for
# exports, whose names other tools compare. No figure becomes negative where costs are subtracted,
# where clocks of two CPUs differ, or where CPU times are too small.
: "${TP_DIFF:?TP_DIFF must name tp-diff}"
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
# Without the page: its data is the JSON, and its script has any kind of text.
formats=$(tr ' ' '\n' <<<"$formats" | grep -v '^html$' | tr '\n' ' ')
trace short <<'END'
run unit=ticks clock=tsc-rseq hz=1000000000 same_as_time=1 step_cost=100 cpu_ns=10
site 1 short.cpp 1
site 2 long.cpp 2
stream 0 base=5000
  thread role=main prior=7
  spawn work=30000 site=1 ctx=new-exclusive
  spawn work=2 lead=1 site=2 ctx=last
  wait work=2 lead=1 ctx=last
    task task=newest lead=1 work=9000
  wait-end idle=1
  loop-begin work=1 lead=1
  loop-end work=2 lead=1 n=64 grain=1
  end work=2 lead=1
  thread-end cpu=3 paused=1000000
# By its clock, this thread began the task before it was created, and had ended before that.
stream 1 base=10
  thread role=worker
    begin task=0.0 idle=4000
    end work=30 lead=1
  cut
  thread-end cpu=0 paused=5
END
# marked FILE: checks that short.cpp:1 is marked and long.cpp:2 is not.
marked() {
  grep -q 'short\.cpp.* ~' "$1" || fail "$1: short.cpp is not marked: $(cat "$1")"
  ! grep -q 'long\.cpp.* ~' "$1" || fail "$1: long.cpp is marked: $(cat "$1")"
}
# shellcheck disable=SC2086
# shellcheck disable=SC2046,SC2183,SC2086  # two words per format
exits 0 short --top 15 --explore always --simulate always --burden auto --warnings --json short.json $(printf -- '--export %s:%s ' $(for f in $formats; do echo $f $f; done))
marked out
in_out "~ unreliable: reading the clock"
in_err "short.cpp:1: warning"
cp out table
for format in $formats; do
  if [ "$format" = pprof ]; then gzip -dc pprof >plain; else cp "$format" plain; fi
  strings -n 4 plain >words
  grep -q main words || fail "$format: no frame main: $(cat words)"
  ! grep -q '~' words || fail "$format: marked: $(cat words)"
done
exits 0 short --format csv
grep -q "^tp: short.cpp:1 ~ unreliable" err || fail "CSV: $(cat err)"
not_in_err() { ! grep -qF -- "$1" err || fail "'$1' found in: $(cat err)"; }
not_in_err long.cpp
cp out csv
exits 0 short --format md
grep -F .cpp out >cells
marked cells
in_out "~ unreliable: reading the clock"
cp out md
"$TP_DIFF" short short >"diff" || fail "tp-diff: $?"
marked diff
"$TP_DIFF" --format md short.json short.json >diff.md || fail "tp-diff: $?"
marked diff.md
"$TP_DIFF" --format json short.json short.json >diff.json || fail "tp-diff: $?"

# For a profile of an earlier version this is unknown.
sed '/"too_short"/d' short.json >old.json
"$TP_DIFF" old.json old.json >old || fail "tp-diff of an old profile: $?"
! grep -q '~' old || fail "marked: $(cat old)"

PYTHONPATH=$here/../../support python3 -B - <<'END' || fail "JSON"
import json
from comparison import negative_figures
profile, diff = json.load(open("short.json")), json.load(open("diff.json"))
assert {site["file"]: site["too_short"] for site in profile["sites"]} == {"main": False, "short.cpp": True, "long.cpp": False}
assert {site["file"]: site["too_short"] for site in diff["sites"]} == {"main": False, "short.cpp": True, "long.cpp": False}
assert profile["clock"]["step_cost_ns"] == 100
assert not negative_figures(profile), negative_figures(profile)
END
# shellcheck disable=SC2086  # one word per format
mapfile -t texts < <(grep -lI . $formats)
! grep -nE '(^|[ ,|:=])-[0-9]|[0-9]{19}' table csv md "${texts[@]}" || fail "a negative figure"
finish
