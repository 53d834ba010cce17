#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# No output replaces a file that Taskpath did not write.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
paper data

# refuses FILE TOOL ARG...: the tool must fail with status 2 and leave FILE, which it names.
refuses() {
  local file=$1 status=0
  shift
  mkdir -p "$(dirname "$file")"
  printf 'Customer,Revenue\nA,5\n' >"$file"
  "$@" >out 2>err || status=$?
  [ $status -eq 2 ] || fail "$*: exit status $status, expected 2: $(cat err)"
  explained
  in_err "$file: it exists, and is not "
  in_err "hint: choose another name for the output, or remove the file"
  [ "$(cat "$file")" = $'Customer,Revenue\nA,5' ] || fail "$file is changed"
  rm "$file"
}

refuses revenue.csv "$TP_ANALYZE" -q revenue.csv data
refuses files/ws_profile.csv "$TP_ANALYZE" -q -o files data
refuses files/region_all.csv "$TP_ANALYZE" -q -o files data
refuses files/region_1.csv "$TP_ANALYZE" -q -o files data
[ ! -e files/ws_profile.csv ] || fail "some outputs were written, though another one cannot be"
refuses out.json "$TP_ANALYZE" -q --json out.json data
for format in $formats; do
  refuses "out.$format" "$TP_ANALYZE" -q --export "$format:out.$format" data
done

# An output of ours is replaced, and so is an empty file. Special files are written to.
: >own.csv
for _ in 1 2; do
  exits 0 -q own.csv -o files --json out.json --export dot:out.dot --export pprof:out.pprof --export folded:out.folded data
done
exits 0 -q -o files --json /dev/null --export pprof:/dev/null data

refuses diff.json "$TP_DIFF" -q out.json out.json --json diff.json
# JSON that only contains one of ours is the user's.
echo '{"all": [{"schema": "taskpath.profile/1"}, {"schema": "taskpath.diff/1"}]}' >mine.json
cp mine.json copy.json
for command in "$TP_ANALYZE -q data --json mine.json" "$TP_DIFF -q out.json out.json --json mine.json"; do
  $command >out 2>err
  [ $? -eq 2 ] || fail "$command: another status than 2"
  in_err "mine.json: it exists, and is not "
  cmp -s mine.json copy.json || fail "mine.json is changed"
done
for _ in 1 2; do
  diff_exits 0 -q out.json out.json --json diff.json
done
finish
