#!/bin/bash
# --check and --strict: the exit status that a CI job looks at.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
paper data

exits 0 data --check 'parallelism>=1.2' --check 'work==175' --check 'span<146'
is_empty <(grep 'check failed' err)
exits 1 data --check 'parallelism>=1.21' # 1.2068..., which is shown as 1.21
in_err "check failed: parallelism>=1.21: parallelism is 1.21"
exits 1 data --check 'work==175' --check 'span>145'
in_err "span is 145"
in_out "Taskpath profile"
[ -f ws_profile.csv ] || fail "a failed check must not keep the profile from being written"

exits 2 data --check 'speed>1'
explained
exits 2 data --check 'parallelism'
explained

# A figure that does not exist is neither true nor false.
sed 's/^run .*/run complete=0 virtual_work=175/' "$here/../golden/taskprof_paper.trace.txt" >script
"$TP_MAKE_TRACE" script killed
exits 2 killed --check 'attributed>=90'
explained
exits 0 killed
in_out incomplete
exits 2 killed --strict
explained
exits 0 data --strict
finish
