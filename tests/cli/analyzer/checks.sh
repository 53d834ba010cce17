#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --check and --strict: the exit status that a CI job uses.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
paper data

exits 0 data --check 'parallelism>=1.2' --check 'work==175' --check 'span<146'
is_empty <(grep 'check failed' err)
exits 1 data --check 'parallelism>=1.21' # 1.2068..., which is shown as 1.21
in_err "check failed: parallelism>=1.21: parallelism is 1.21"
exits 1 data --check 'work==175' --check 'span>145'
in_err "span is 145"
in_out "3 tasks, 1 thread, 175 ns (data)"
[ -f ws_profile.csv ] || fail "a failed check must not keep the profile from being written"

exits 2 data --check 'speed>1'
explained
exits 2 data --check 'parallelism'
explained

# Of a site, named by its place or by the end of its path.
exits 0 data --check 'site(paper.cpp:25).critical<13.8%' --check 'site(paper.cpp:13).parallelism==1' --check 'site(main).share>48'
exits 1 data --check 'site(paper.cpp:13).critical<27%'
in_err "check failed: site(paper.cpp:13).critical<27%: critical is 27.58 %"
exits 2 data --check 'site(paper.cpp:99).work>1'
explained
for wrong in 'site(paper.cpp:25).speed>1' 'work<30%' 'work<-3' 'site(paper.cpp:25)work>1'; do
  exits 2 data --check "$wrong"
  explained
done

# Of any length: an error repeats no more of it than fits on a line.
long=$(head -c 100000 /dev/zero | tr '\0' a)
for wrong in "site($long).work>0" "$long>0" "$long" "work>1$long"; do
  exits 2 data --check "$wrong"
  explained
  [ "$(wc -c <err)" -lt 600 ] || fail "too much is said: $(wc -c <err) bytes"
done
exits 0 data --check "work<$(head -c 100000 /dev/zero | tr '\0' 9)"

# What limits scaling, in the form of compiler messages.
exits 0 -q data --warnings
grep -qx 'paper.cpp:13: warning: critical path: 27.58 % is in the tasks that are spawned here; parallelism is 1.21 if loops were split to their grain size \[-Wspan\]' err ||
  fail "--warnings: $(cat err)"
in_err "paper.cpp:25: warning: critical path: 55.17 % is main before the spawn at paper.cpp:25"
in_err 'paper.cpp:8: warning: critical path: 27.58 % is in the marked region "compute"'
in_err 'paper.cpp:20: warning: critical path: 55.17 % is in the marked region "initialize"'
[ "$(grep -c . err)" = 5 ] || fail "--warnings: $(cat err)"
exits 0 -q data
is_empty err

# A figure that does not exist is neither true nor false.
sed 's/^run .*/run complete=0 virtual_work=175/' "$here/../../golden/taskprof_paper.trace.txt" >script
"$TP_MAKE_TRACE" script killed
exits 2 killed --check 'attributed>=90'
explained
in_err "tp: error: --check attributed>=90: the profile has no such figure: "
exits 0 killed
in_out incomplete
exits 2 killed --strict
explained
exits 0 data --strict
finish
