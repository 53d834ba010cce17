#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: skips.sh RUN.PY PROGRAM TP-ANALYZE: run.py fails if more programs are skipped than
# --most-skipped allows.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
printf '#!/bin/sh\n[ "$1" != 3 ] || { echo "{\\"skipped\\":true}"; exit 0; }\nexec "%s" "$@"\n' "$2" >"$work/program"
chmod +x "$work/program"
unset TP_RANDOM_RUNS
run() { python3 -B "$1" "$work/program" --analyze "$2" --runs 5 "${@:3}" >"$work/out" 2>&1; }
if run "$1" "$3"; then
  echo "FAILED: one of five programs was skipped: $(tail -n 1 "$work/out")"
  exit 1
fi
grep -q 'skipped: expected at most 0 % of 5' "$work/out" || { echo "FAILED: another reason: $(cat "$work/out")"; exit 1; }
run "$1" "$3" --most-skipped 20 || { echo "FAILED: one of five is a fifth: $(cat "$work/out")"; exit 1; }
