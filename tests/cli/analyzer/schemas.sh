#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The schemas of docs/reference/schemas: valid, complete, and strict enough to detect a change.
# common.inc validates the output of tp-analyze and tp-diff in the other tests; this test validates
# the golden traces, and options that add fields.
: "${TP_DIFF:?TP_DIFF must name tp-diff}"
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
validate() { python3 -B "$here/../../support/validate_json.py" "$@"; }
validate --schemas || fail "a schema is wrong"

for golden in "$here"/../../golden/*.trace.txt; do
  "$TP_MAKE_TRACE" "$golden" data || fail "make_trace $golden"
  validate data || fail "the files of $golden are not what the schemas say"
  exits 0 -q --format json data --target 4 -P 1,2,64,5000 --burden auto --explore always --simulate always
  cp out full.json
  exits 0 -q --format json data --explore never --simulate never --what-if-mode optimize
  rm -rf data
done
[ $kept -ge 2 ] || fail "no golden traces in $here/../../golden"

# A loop whose grain size can be changed, and a region.
trace data <<END
site 1 a.cpp 7 construct=parallel_for
region 0 sort a.cpp 3
stream 0
  thread role=main
  region id=0 work=5
  spawn work=10 site=1 ctx=new-exclusive
  wait work=1 ctx=last
    begin
    loop-begin
    loop-end work=40 n=64 grain=1
    end
  wait-end
  thread-end
END
exits 0 -q --format json data --grain a.cpp:7=8 --region sort -P 4
# Without end.json.
rm data/end.json
exits 0 -q --format json data
validate data || fail "without end.json"

# broken EXPECTED FILE CHANGE: checks that the document is invalid after CHANGE, a Python statement
# that modifies its value v.
broken() {
  python3 -c 'import json, sys
v = json.load(open(sys.argv[1]))
exec(sys.argv[2])
json.dump(v, open("broken.json", "w"))' "$2" "$3"
  validate broken.json >out && fail "$3: no difference is seen"
  in_out "$1"
}
broken "/sites/1: Additional properties are not allowed ('wrk' was unexpected)" full.json 'v["sites"][1]["wrk"] = 1'
broken "'work' is a required property" full.json 'v["wrk"] = v.pop("work")'
broken "/trace/forks: -1 is less than the minimum of 0" full.json 'v["trace"]["forks"] = -1'
broken "/work: 1.5 is not of type 'integer'" full.json 'v["work"] = 1.5'
broken "/work: 18446744073709551616 is greater than the maximum" full.json 'v["work"] = 2**64'
broken "/what_if/explored/0: 'grain' is a required property" full.json 'v["what_if"]["explored"][0]["kind"] = "grain"'
broken "no schema" full.json 'v["schema"] = "taskpath.profile/2"'
paper data
broken "/threads" data/end.json 'v["threads"] = 1'
broken "/session" data/run.json 'v["session"] = "0x1"'
sed -i 's/"column"/"colum"/' data/sites.jsonl
validate data >out && fail "a renamed field of sites.jsonl is not seen"
in_out "line 1: sites: /: "
python3 -c 'print(2**64 - 1)' >most
sed "s/\"work\": 175/\"work\": $(cat most)/" full.json >most.json
validate most.json || fail "2^64 - 1 is not valid"
finish
