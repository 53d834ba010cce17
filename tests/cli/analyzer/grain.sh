#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --grain: the parallelism of a loop with another grain size, and the warning where figures depend
# on the schedule.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
trace data <<'END'
run virtual_work=64
site 1 loop.cpp 7
stream 0
  thread role=main
  spawn-wait work=0 site=1 ctx=new-exclusive
  begin
  loop-begin work=0
  loop-end work=64 n=64 grain=1
  end
  wait-end
  end
  thread-end
END

exits 0 data -v
in_out "1.00 in this run; 1.00 to 64.00 if loops were split to their grain size"
exits 0 -q data --json data.json
python3 -c 'import json
warning, = json.load(open("data.json"))["warnings"]
assert not warning["certain"] and warning["name"] == "divisible", warning
assert "depends on its thread count if iterations cost the same (loops of loop.cpp:7)" in warning["text"], warning' || fail "the warning"
exits 0 data --grain loop.cpp:7=16
in_out "grain size 16 at loop.cpp:7: parallelism 4.00 if loops were split"

# With portions of 3 iterations of 2 units, but for one of 20: parts of 3 iterations, or of 6.
portions() {
  echo 'run virtual_work=44
site 1 loop.cpp 7
stream 0
  thread role=main
  spawn-wait work=0 site=1 ctx=new-exclusive
  begin
  loop-begin work=0'
  for work in 2 2 20; do echo "  portion-end work=$work n=3"; done
  echo '  loop-end work=20 n=12 grain=3
  end
  wait-end
  end
  thread-end'
}
portions | trace portions
exits 0 portions --grain loop.cpp:7=3 --grain loop.cpp:7=6 --grain loop.cpp:7=12 -v
in_out "2.20 if loops were split to their grain size"
in_out "grain size 3 at loop.cpp:7: parallelism 2.20 if"
in_out "grain size 6 at loop.cpp:7: parallelism 1.10 if"
in_out "grain size 12 at loop.cpp:7: parallelism 1.00 if"

# Each dimension has a grain size of its own: 8 iterations may be 8 x 1, 4 x 2, ...
{
  portions | sed '/portion-end/d; s/  loop-end.*/  shape rows=4 row_grain=1 cols=10 col_grain=1000\n  loop-end work=44 n=40 grain=1000/'
} | trace plane
exits 0 plane --grain loop.cpp:7=1000 -v
in_out "1.00 to 4.00 if loops were split"
in_out "grain size 1000 at loop.cpp:7: its ranges have several dimensions"

# A site of tasks has no grain size.
paper tasks
exits 0 tasks --grain paper.cpp:10=16
in_out "grain size 16 at paper.cpp:10: no body call of a loop was recorded there"
exits 0 tasks --grain paper.cpp:10=16 --format md
in_out "grain size 16 at paper.cpp:10: no body call of a loop was recorded there"
finish
