#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tp-analyze --list DIR: recordings with related names, and those in DIR, by time.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"

# place DIR PID START_NS PROGRAM: a recording whose run.json says so.
place() {
  paper "$1"
  python3 - "$@" <<'END'
import json, sys
name = sys.argv[1] + "/run.json"
run = json.load(open(name))
run.update(pid=int(sys.argv[2]), start_time_unix_ns=int(sys.argv[3]), program=sys.argv[4])
json.dump(run, open(name, "w"))
END
}
place d 11 1700000003000000000 /bin/third
place d.12 12 1700000001000000000 "/opt/my first"
place d.old 13 1600000000000000000 /bin/oldest
place d.14.2 14 1700000002000000000 /bin/second
place dd 15 1700000000000000000 /bin/other
place d.notes 16 1700000000000000000 /bin/other
rm d.12/end.json
mkdir d.15
echo '{' >d.14.2/sites.jsonl.tmp
TZ=UTC exits 0 --list d
[ "$(wc -l <out)" -eq 5 ] || fail "a title and four recordings: $(cat out)"
[ "$(awk 'NR > 1 { print $1 }' out | tr '\n' ' ')" = "d.old d.12 d.14.2 d " ] || fail "order: $(cat out)"
in_out 'my first'
grep -q '^d\.old  *oldest  *13  *2020-09-13 12:26:40  .* complete$' out || fail "a line: $(cat out)"
grep -q '^d\.12 .* 2023-11-14 22:13:21  .* no clean end$' out || fail "a recording without end: $(cat out)"
in_err "next: tp-analyze d"
exits 0 -q --list d/
is_empty err
# A damaged one is listed with the reason, and does not hide the others.
echo '{"schema"' >d.12/run.json
exits 0 --list d
[ "$(wc -l <out)" -eq 5 ] || fail "with a damaged one: $(cat out)"
grep -q '^d\.12 .*unreadable' out || fail "damaged: $(cat out)"
# A folder of recordings.
mkdir runs && mv d d.12 runs
exits 0 --list runs
grep -q '^runs/d  *third' out || fail "in a folder: $(cat out)"
# None.
exits 2 --list nothing
explained
in_err "nothing: no recordings"
is_empty out
exits 2 --list
explained
exits 2 --list d data
explained
finish
