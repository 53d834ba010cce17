#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Where the data comes from, and the error if there is none.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"

exits 2
explained
in_err tp-data
in_err tp-run
is_empty out
exits 2 nowhere
explained
in_err "tp: error: nowhere: no such data directory"
exits 2 missing/
in_err "tp: error: missing: no such data directory"
echo >plain
exits 2 plain
in_err "tp: error: plain: no such data directory: expected a directory written by tp-run, got a file"

# A positional argument that is a directory is the data; one that ends in .csv is the output.
paper data
exits 0 data -v
in_out "Work T1         175 units"
[ -f ws_profile.csv ] || fail "no ws_profile.csv"
exits 0 named.csv -d data
[ -f named.csv ] || fail "no named.csv"
TP_DATA=data exits 0
paper tp-data
exits 0
exits 2 data tp-data
explained
exits 2 one.csv two.csv -d data
explained
in_err "tp: error: two.csv: a second profile to write: the first one is one.csv"

# No data, but an existing profile: it is shown, and nothing is written.
rm -rf tp-data
cp named.csv kept.csv
exits 0 named.csv
in_out "Source file"
in_out "1.21"
in_err "tp: tp-data not found; showing the existing profile named.csv"
in_err "next: tp-run ./your-program"
cmp -s named.csv kept.csv || fail "named.csv was changed"
echo "a,b,c" >foreign.csv
exits 2 foreign.csv
explained
finish
