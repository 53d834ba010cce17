#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The command line: help, version, and errors for invalid options.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
paper data

exits 0 --help
in_out "Usage: tp-analyze [OPTIONS] [DATA_DIR] [PROFILE.csv]"
in_out "--format table|csv|json|md"
for group in Input Analysis What-if Prediction Output Gates General; do in_out "$group:"; done
for wrong in '0x' '{' 'paths' ':INT'; do not_in_out "$wrong"; done
is_empty err
# The contract and the reference name every option.
grep -oE -- '--[a-z][a-z-]+' out | sort -u >options
while read -r option; do
  for page in contract.md reference/cli.md; do
    grep -qE -e "$option([^a-z-]|\$)" "$here/../../../docs/$page" || fail "docs/$page lacks $option"
  done
done <options
exits 0 --version
in_out "tp-analyze "

for wrong in "--factors 0" "--factors 2,x" "--what-if-mode faster" "--burden fast" "--burden -1" "--procs 0" \
  "--procs 2,,4" "-j 0" "--target 1" "--grain a.cpp" "--grain =4" "--grain a.cpp:1=0" "--sort size" "--format xml" \
  "--explore some" "--map-path x" "--top x" "--color red"; do
  # shellcheck disable=SC2086
  exits 2 data $wrong
  is_empty out
  explained
  grep -qE "^tp: error: --[a-z-]+: expected .+, got '" err || fail "no 'expected ..., got ...' in: $(cat err)"
  in_err "hint: tp-analyze --help"
done
exits 2 data --target 1
in_err "--target: expected an integer from 2 to 1048576, got '1'"
exits 2 data --nonsense
in_err "tp: error: unknown option '--nonsense'"
in_err "hint: tp-analyze --help"
exits 2 data --region nowhere
explained
in_err "--region: there is no such causal region: expected one of compute, initialize, got nowhere"
exits 2 data --grain nowhere.cpp:1=4
explained
in_err "--grain: there is no such site: expected the FILE:LINE of a site of the profile, got nowhere.cpp:1"
finish
