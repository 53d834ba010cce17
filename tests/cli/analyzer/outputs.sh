#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# stdout contains only the answer, files are in their places, and equal questions have equal
# answers.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
paper data

exits 0 -o files data
in_err "tp: wrote files/ws_profile.csv"
not_in_out "wrote"
[ "$(wc -l <out)" -le 25 ] || fail "more than 25 lines: $(cat out)"
for file in ws_profile.csv region_all.csv region_1.csv region_2.csv; do
  [ -f files/$file ] || fail "no files/$file among: $(ls files)"
done
exits 0 -q -o files data
is_empty err
! grep -q $'\033' out || fail "colors though stdout is not a terminal"
exits 0 -q -o files data --color always
grep -q $'\033' out || fail "no colors with --color always"

exits 0 -q -o files --format csv data
cmp -s out files/ws_profile.csv || fail "--format csv is not ws_profile.csv"
exits 0 -q -o files --format md data
in_out "## Taskpath profile"
in_out "if loops were split to their grain size"
exits 0 -q -o files --json kept.json data
exits 0 -q -o files --json - data
cmp -s out kept.json || fail "--json - differs from --json FILE"

# Places where nothing can be written.
for question in "--json /proc/x/y" "-o /proc/x"; do
  # shellcheck disable=SC2086
  exits 2 -q data $question
  explained
  in_err ": cannot be written: "
  in_err "hint: choose a directory that you can write to (-o DIR)"
  in_out "Critical path" # the answer needs no file
done
exits 2 -q -o /proc/x --json - data
python3 -c 'import json; json.load(open("out"))' || fail "no JSON on stdout where no file can be written"
# A name that a shell would take apart.
cp -r data "d a'ta"
exits 0 -q -o files "d a'ta"
in_out "next: tp-analyze --target 8 'd a'\\''ta'"
for question in "" --dump; do
  status=0
  # shellcheck disable=SC2086
  "$TP_ANALYZE" -q -o files data $question >/dev/full 2>err || status=$?
  [ $status -eq 2 ] || fail "a full standard output: exit status $status"
  explained
  in_err "tp: error: standard output: cannot be written: No space left on device"
  ! grep -q "records it again" err || fail "the wrong hint: $(cat err)"
done

# The answer is also the same with another number of threads, and in every run.
exits 0 -q -o files -j 4 --format json data
cmp -s out kept.json || fail "the profile depends on -j"
python3 - <<'END' || fail "the JSON lacks something"
import json
p = json.load(open("kept.json"))
assert p["schema"] == "taskpath.profile/1"
assert (p["work"], p["span"]) == (175, 145)
assert sum(s["on_work"]["local"]["work"] for s in p["sites"]) == 175
assert sum(s["on_span"]["local"]["span"] for s in p["sites"]) == 145
assert p["scalability"]["spawns"] == 3 and p["scalability"]["joins"] == 2
assert p["what_if"]["explored"] and p["what_if"]["basis"] == "as_executed"
assert all(point["speedups"] for c in p["what_if"]["curves"] for point in c["points"])
END

# Questions that are answered only on request.
exits 0 -q -o files --explore never --format json data
python3 -c 'import json; w = json.load(open("out"))["what_if"]; assert not w["explored"] and w["not_explored"]' ||
  fail "--explore never"
exits 0 -q -o files --target 4 data
in_out "to reach parallelism 4"
exits 0 -q -o files -P 2,64 data
in_out "   64 "
not_in_out "Burdened"
exits 0 -v -o files -P 2,64 --burden 10 data
in_out 'predicted: by simulated work stealing, which may take longer than T1/P + Tinf'
in_out "(given 10 units per steal)"
exits 0 -q -o files -P 2,4,8,16,32,1024 data
in_out "    2 "
in_out " 1024 "
exits 0 -q -o files -P 5000 data
in_out "no prediction: at most 1024 CPUs can be simulated"
exits 0 -q -o files -P 5000 --format json data
python3 -c 'import json; p = json.load(open("out"))["prediction"]; assert p["not_made"] and not p["runs"]' || fail "-P 5000"

# Code that is too short to gain anything is not analyzed, but counted.
exits 0 -q -o files --format json data
python3 -c 'import json; w = json.load(open("out"))["what_if"]
assert (w["explored_least_critical_percent"], w["explored_left_out"]) == (1, 1), w["explored_left_out"]' || fail "left out"

# Names from the profiled program may contain anything; texts for people and output on a terminal
# contain no terminal commands.
escape=$(printf '\033[2J')
trace odd <<END
site 1 aESCAPEb.cpp 7
region 0 rESCAPE cESCAPE.cpp 9
stream 0
  thread role=main
  region id=0 work=10
  spawn work=10 site=1 ctx=new-exclusive
  wait work=1 ctx=last
    task work=20
  wait-end
  thread-end
END
sed -i 's/ESCAPE/\\u001b[2J/g' odd/sites.jsonl
exits 0 -q -o files --format md odd
in_out 'a?[2Jb.cpp'
not_in_out "$escape"
exits 0 -q -o files --format csv odd
cmp -s out files/ws_profile.csv || fail "--format csv is not ws_profile.csv"
in_out "a${escape}b.cpp,7,"
script -qec "'$TP_ANALYZE' -q -o files --format csv odd" /dev/null </dev/null >out
in_out "a?[2Jb.cpp,7,"
not_in_out "$escape"
grep -qF "a${escape}b.cpp,7," files/ws_profile.csv || fail "ws_profile.csv has other names: $(cat -v files/ws_profile.csv)"
finish
