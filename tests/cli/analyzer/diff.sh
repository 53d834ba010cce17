#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tp-diff: profiles of both kinds, matching of sites, exit status, formats, errors for invalid
# input.
: "${TP_DIFF:?TP_DIFF must name tp-diff}"
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
paper base
# The task of line 13 does 80 instead of 40, and all code moved two lines down.
sed 's/work=40 .*/work=80/; s/work=40$/work=80/; s/virtual_work=175/virtual_work=215/; s/paper.cpp 25/paper.cpp 27/
     s/paper.cpp 10/paper.cpp 12/; s/paper.cpp 13/paper.cpp 15/' "$here/../../golden/taskprof_paper.trace.txt" >script
"$TP_MAKE_TRACE" script now
exits 0 base --procs 2,8,64 --json base.json
exits 0 now --procs 2,8,64 --json now.json

diff_exits 0 base base
in_out "Parallelism stayed at 1.21."
[ "$(wc -l <out)" -le 25 ] || fail "more than 25 lines: $(cat out)"
diff_exits 0 base now
in_out "Work T1                      175             215        +22.86 %"
in_out "Time, 64 CPUs                145             185        +27.59 %"
in_out "The predicted time on 64 CPUs rose by 27.59 %. Parallelism fell from 1.21 to 1.16"
cp out of_data
diff_exits 0 base.json now.json
cmp -s <(sed s/.json// out | tail -n +2) <(tail -n +2 of_data) || fail "of JSON: $(diff out of_data)"
# A prediction that --fail-if needs is made for recordings; JSON has those that it was written with.
diff_exits 1 base now --fail-if 'time(1000)>+5%'
in_err "time went from 145 to 185 (+27.59 %)"
diff_exits 0 base now --fail-if 'speedup(16)<-50%' --fail-if 'overhead>1' --fail-if 'off_cpu>1'
diff_exits 2 base.json now.json --fail-if 'time(1000)>+5%'
explained
in_err "no prediction for 1000 CPUs"
in_err "hint: tp-analyze --procs 1000"

# With functions the output says that a site moved; without them that is unknown.
in_out "was line 13"
diff_exits 0 -v base now
in_err "paper.cpp:15: was line 13"
for file in base now; do
  python3 -c '
import json, sys
p = json.load(open(sys.argv[1]))
for s in p["sites"]: s["functions"] = []
json.dump(p, open(sys.argv[2], "w"))' $file.json $file.bare.json
done
diff_exits 0 base.bare.json now.bare.json
in_out "gone"
not_in_out "was line"
diff_exits 0 --format json base.json now.json
python3 - <<'END' || fail "the JSON is wrong"
import json
d = json.load(open("out"))
assert d["schema"] == "taskpath.diff/1" and d["same_unit"]
assert d["program"]["span"] == {"base": 145, "new": 185, "change_percent": 100 * 40 / 145}
site = next(s for s in d["sites"] if s["line"] == 15)
assert (site["match"], site["base_line"], site["critical_work"]["new"]) == ("moved", 13, 80)
END
diff_exits 0 --json kept.json base.json now.json
diff_exits 0 --json - base.json now.json
cmp -s out kept.json || fail "--json - differs from --json FILE"
diff_exits 0 --format md base now
in_out "| Span Tinf | 145 | 185 | +27.59 % |"

diff_exits 0 base.json now.json --fail-if 'parallelism<-10%' --fail-if 'work>40' --fail-if 'site(main).critical>0'
diff_exits 1 base.json now.json --fail-if 'parallelism<-3%'
in_err "parallelism went from 1.21 to 1.16 (-3.71 %)"
diff_exits 1 base.json now.json --fail-if 'work>=40'
diff_exits 1 base.json now.json --fail-if 'site(paper.cpp:15).work>+99%'
diff_exits 1 base.json now.json --fail-if 'site(paper.cpp:13).critical>15'
diff_exits 1 base.bare.json now.bare.json --fail-if 'site(paper.cpp:15).tasks>0%' # new: from nothing
diff_exits 2 base now --fail-if 'site(paper.cpp:99).work>0'
explained
diff_exits 0 base now --fail-if "work>$(head -c 100000 /dev/zero | tr '\0' 9)"
diff_exits 2 base now --fail-if "site($(head -c 100000 /dev/zero | tr '\0' a)).work>0"
explained
diff_exits 2 base
explained
in_err "tp: error: BASE NEW: expected two profiles, got only base"
diff_exits 2 base now --top x
explained
diff_exits 2 base now --fail-if 'speed>0'
in_err "hint: tp-diff --help"

# What a user measures: elapsed time, waiting, times of sites; in ms or s where the unit is a time.
timed() { # DIR WORK IDLE
  trace "$1" <<END
run unit=ticks clock=tsc-rseq hz=1000000000 same_as_time=1 cpu_ns=$((2 * $2))
site 1 hot.cpp 1
stream 0
  thread role=main
  spawn work=0 site=1 ctx=new-exclusive
  wait work=0 ctx=last
    task task=newest work=$2
  wait-end idle=$3
  end work=$2
  thread-end cpu=$((2 * $2))
END
}
timed slow 20000000 10000000
timed fast 10000000 30000000
diff_exits 0 slow fast
in_out 'Elapsed                  50.0 ms         50.0 ms             0 %'
in_out 'Waiting (idle)              20 %            60 %   +40.00 points'
in_out 'Work T1                  40.0 ms         20.0 ms        -50.00 %'
grep -qE '^hot.cpp:1 +20.0 ms -> +10.0 ms ' out || fail "the time of a site: $(cat out)"
diff_exits 1 slow fast --fail-if 'idle>10'
diff_exits 0 slow fast --fail-if 'elapsed>1%'
exits 0 slow --procs 64 --json slow.json
exits 0 fast --procs 64 --json fast.json
diff_exits 0 slow fast
cp out of_data
diff_exits 0 slow.json fast.json
cmp -s <(sed s/.json// out | tail -n +2) <(tail -n +2 of_data) || fail "of JSON: $(diff out of_data)"
diff_exits 0 --format json slow fast
python3 -c 'import json; d = json.load(open("out"))["program"]
assert d["elapsed_ns"] == {"base": 50000000, "new": 50000000, "change_percent": 0}, d["elapsed_ns"]
assert d["idle"]["change_points"] == 40, d["idle"]' || fail "the JSON of times"
exits 0 slow --check 'elapsed<=50000000' --check 'idle<=20%'

# A different unit: only ratios and shares can be compared.
sed 's/"unit": "units"/"unit": "ticks"/' now.json >ticks.json
diff_exits 0 base.json ticks.json
in_out "other unit"
in_out "was units (virtual)"
diff_exits 2 base.json ticks.json --fail-if 'work>10%'
explained
diff_exits 1 base.json ticks.json --fail-if 'parallelism<0'

for bad in '' '{}' '[]' 'null' '{"schema":"other/1"}' '{"schema":"taskpath.profile/1"}' '{"schema":7}'; do
  echo "$bad" >bad.json
  diff_exits 2 base bad.json
  explained
  in_err bad.json
done
sed 's/"line": 25/"line": -25/' base.json >bad.json
diff_exits 2 bad.json base
in_err "line"
diff_exits 2 base nowhere
explained
diff_exits 2 base
in_err "hint: tp-diff --help"
diff_exits 0 --help
in_out "Usage: tp-diff [OPTIONS] BASE NEW"
diff_exits 0 --version
in_out "tp-diff "
diff_exits 0 --color always base now
grep -q $'\033' out || fail "no colors with --color always"
finish
