#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Streams that are shorter than end.json records: analyzed up to their end, never called complete,
# and checks of them fail.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
: "${TP_DIFF:?TP_DIFF must name tp-diff}"
two_streams() {
  trace "$1" <<'END'
run complete=1 virtual_work=102
site 1 a.cpp 10
stream 0
thread role=main
spawn work=80 site=1 ctx=new-exclusive
wait ctx=last
wait-end
cut work=5
thread-end
stream 1
thread role=worker
cut work=3
chunk base=3
begin task=0.0
end work=10
cut work=4
thread-end
END
}
chunk() { od -An -tu4 -j 24 -N 4 "$1" | tr -d ' '; }

two_streams whole
exits 0 whole --check 'work==102' --strict
not_in_out "incomplete"
is_empty <(grep -v '^tp: wrote' err | grep '^tp:')

two_streams cut
size=$(chunk cut/000001.tps)
truncate -s "$size" cut/000001.tps
two_streams empty
: >empty/000001.tps
two_streams only
rm only/000001.tps
sed -i 's/"streams":2,"chunks":\[1,2\]/"streams":1,"chunks":[1]/' only/end.json
: >only/000000.tps
lost() { # DATA PLACE EXPECTED GOT
  local reason="$2: the end of the stream is lost: expected $3 chunks, got $4"
  exits 0 "$1"
  in_out "incomplete: $reason"

  exits 0 -q "$1" --format md
  in_out "Incomplete: $reason"
  exits 0 -q "$1" --json "$1.json"
  python3 -c 'import json, sys
p = json.load(open(sys.argv[1]))
assert not p["complete"] and p["records_lost"] and p["incomplete_reasons"] == [sys.argv[2]], p["incomplete_reasons"]' "$1.json" "$reason" ||
    fail "$1.json"
  for claim in --strict --check=work\>=0 "-q --check=work>=0"; do
    # shellcheck disable=SC2086
    exits 2 "$1" $claim
    explained
    in_err "tp: error: $1/$reason"
  done
  for profile in "$1" "$1.json"; do
    status=0
    "$TP_DIFF" "$profile" whole --fail-if 'work<-99%' >out 2>err || status=$?
    [ $status -eq 2 ] || fail "tp-diff $profile: exit status $status"
    explained
    in_err "tp: error: $profile: $reason"
    "$TP_DIFF" "$profile" whole >out 2>err || fail "tp-diff $profile without claims: exit status $?"
    in_out "incomplete: $profile"
  done
}
lost cut "000001.tps (byte $size, record 2)" 2 1
lost empty "000001.tps (byte 0)" 2 0
lost only "000000.tps (byte 0)" 1 0

# A program that was killed can be checked, but with a warning.
sed 's/^run .*/run complete=0/' script >killed.script
"$TP_MAKE_TRACE" killed.script killed
exits 0 -q killed --check 'work>0'
in_err "tp: --check of incomplete data: the end of the program is not recorded"
exits 2 killed --strict
explained
in_err "the end of the program is not recorded"
finish
