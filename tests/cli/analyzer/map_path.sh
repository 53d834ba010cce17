#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --map-path, and TP_MAP_PATH if the option is missing: one rule per line; the longest matching
# prefix applies.
: "${TP_DIFF:?TP_DIFF must name tp-diff}"
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
trace data <<END
site 1 /build/app/a.cpp 7
site 2 /build/lib/b.cpp 8
stream 0
  thread role=main
  spawn work=10 site=1 ctx=new-exclusive
  spawn work=10 site=2 ctx=last
  wait work=1 ctx=last
    task work=20
    task task=-1 work=20
  wait-end
  thread-end
END
# files: prints the files of the sites in the JSON in `out`, without main.
files() { python3 -c 'import json; print(*sorted(s["file"] for s in json.load(open("out"))["sites"] if s["line"]))'; }
# maps EXPECTED ARG...: checks the files under the rules of the arguments and of TP_MAP_PATH.
maps() {
  local expected=$1
  shift
  exits 0 -q --format json data "$@"
  [ "$(files)" = "$expected" ] || fail "TP_MAP_PATH='${TP_MAP_PATH-}' $*: expected $expected, got $(files)"
}
maps "/build/app/a.cpp /build/lib/b.cpp"
maps "/home/app/a.cpp /home/lib/b.cpp" --map-path /build=/home
export TP_MAP_PATH=/build=/src
maps "/src/app/a.cpp /src/lib/b.cpp"
maps "/home/app/a.cpp /home/lib/b.cpp" --map-path /build=/home
maps "/build/app/a.cpp /build/lib/b.cpp" --map-path /nowhere=/home
export TP_MAP_PATH=$'/build=/src\n\n/build/lib=/odd:,; name\n'
maps "/odd:,; name/b.cpp /src/app/a.cpp"
export TP_MAP_PATH=
maps "/build/app/a.cpp /build/lib/b.cpp"
for wrong in x =y $'/build=/src\nx'; do
  export TP_MAP_PATH=$wrong
  exits 2 data
  explained
  in_err "TP_MAP_PATH: expected OLD=NEW, got '${wrong#*$'\n'}'"
done
# --map-path of tp-diff applies to BASE, TP_MAP_PATH to both profiles.
unset TP_MAP_PATH
exits 0 -q --json other.json data --map-path /build=/elsewhere
exits 0 -q --json here.json data
# matched 1|0 BASE NEW ARG...: checks whether sites are in both profiles.
matched() {
  local expected=$1 found=0
  shift
  "$TP_DIFF" "$@" >out 2>err || fail "tp-diff $*: $(cat err)"
  grep -q "no site is in both" err || found=1
  [ $found -eq "$expected" ] || fail "TP_MAP_PATH='${TP_MAP_PATH-}' tp-diff $*: $(cat out err)"
}
matched 0 other.json here.json
matched 1 other.json here.json --map-path /elsewhere=/build
matched 0 other.json here.json --map-path /build=/elsewhere
export TP_MAP_PATH=$'/elsewhere=/src\n/build=/src'
matched 1 other.json here.json
matched 1 here.json other.json
matched 1 data other.json
matched 0 other.json here.json --map-path /nowhere=/home
export TP_MAP_PATH=x
"$TP_DIFF" data data >out 2>err && fail "tp-diff with TP_MAP_PATH=x: exit status 0"
explained
finish
