#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Damaged, foreign and missing data: exit status 2, the file, what was expected, no profile.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"

# damaged NAME COMMAND: makes a fresh copy of the data and runs COMMAND on it.
damaged() {
  rm -rf "$1" ws_profile.csv
  paper "$1"
  (cd "$1" && eval "$2") || fail "$1: $2"
  exits 2 "$1"
  explained
  is_empty out
  [ ! -e ws_profile.csv ] || fail "$1: a profile was written"
}
# shellcheck disable=SC2059  # an escape sequence
byte() { printf "\\x$2" | dd of=000000.tps bs=1 seek="$1" conv=notrunc status=none; }

damaged record 'byte 100 ff'
in_err 000000.tps
# A wrong record is reported with the file, the byte and the record.
printf 'stream 0\nthread role=main\nwait-end\n' | trace two_records
exits 2 two_records
explained
in_err "000000.tps (byte 102, record 2)"
damaged magic 'byte 0 00'
in_err 000000.tps
damaged version 'byte 4 63'
in_err version
damaged swapped "printf 'KCPT' | dd of=000000.tps bs=1 conv=notrunc status=none"
damaged cut 'truncate -s 80 000000.tps'
damaged no_stream 'rm 000000.tps'
damaged no_run 'rm run.json'
in_err run.json
damaged json 'echo "{" >run.json'
in_err run.json
damaged schema "sed -i s,taskpath.run/1,other.run/9, run.json"
damaged sites 'echo "not json" >sites.jsonl; echo >>sites.jsonl'
in_err sites.jsonl

# A file instead of the directory, and a place without write permission.
echo >file
exits 2 file
explained
paper good
exits 2 good -o /proc/nowhere
explained
finish
