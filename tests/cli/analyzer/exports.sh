#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --export: each file is read back, complete, and identical in a second run; errors for invalid
# input.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
paper paper
# A recursion of two sites in each other, one of which has a name that formats have to escape.
trace recursion <<'END'
run virtual_work=140
site 1 a;b<.cpp 1
site 2 b.cpp 2
stream 0
  thread role=main
  spawn work=10 site=1 ctx=new-exclusive
  wait ctx=last
    begin task=newest
    spawn work=20 site=2 ctx=new-exclusive
    wait ctx=last
      begin task=newest
      spawn work=30 site=1 ctx=new-exclusive
      spawn work=5 site=2 ctx=last
      wait ctx=last
        task task=newest work=25
        task task=-1 work=40
      wait-end
      end work=4
    wait-end
    end work=5
  wait-end
  cut work=1
  thread-end cpu=1
END

for data in paper recursion; do
  for turn in 1 2; do
    options=
    for format in $formats; do options="$options --export $format:$data.$turn/$format"; done
    # shellcheck disable=SC2086
    exits 0 $data --json $data.json $options
  done
  for format in $formats; do
    in_err "wrote $data.2/$format"
    cmp "$data.1/$format" "$data.2/$format" || fail "$format differs the second time"
  done
  python3 "$here/read_exports.py" $data.json $data.1 || fail "$data: an export does not add up"
done
grep -q 'a,b<.cpp:1 (f());b.cpp:2 (f()) 64$' recursion.1/folded || fail "folded: $(cat recursion.1/folded)"

for wrong in dot dot: :file svg:file folded-span:file; do
  exits 2 paper --export $wrong
  in_err "perfetto|"
  in_err "|dot:FILE, got "
done
exits 2 paper --export dot:/proc/nowhere/file
explained

# Consumers of the formats, if they are installed.
if command -v dot >/dev/null; then
  for data in paper recursion; do dot -Tsvg $data.1/dot >svg || fail "Graphviz rejects dot"; done
fi
if command -v callgrind_annotate >/dev/null; then
  callgrind_annotate --inclusive=yes paper.1/callgrind >annotated || fail "callgrind_annotate: $(cat annotated)"
  grep -q '175 (100.0%).*main' annotated || fail "callgrind_annotate: $(cat annotated)"
fi
finish
