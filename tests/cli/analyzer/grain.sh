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

exits 0 data
in_out "1.00 in this run; 64.00 if loops were split to their grain size"
in_out "warning: parallelism of this run depends on its thread count (loops"
in_out "of loop.cpp:7)"
exits 0 data --grain loop.cpp:7=16
in_out "grain size 16 at loop.cpp:7: parallelism 4.00 if loops were split"

# A site of tasks has no grain size.
paper tasks
exits 0 tasks --grain paper.cpp:10=16
in_out "grain size 16 at paper.cpp:10: no body call of a loop was recorded there"
exits 0 tasks --grain paper.cpp:10=16 --format md
in_out "grain size 16 at paper.cpp:10: no body call of a loop was recorded there"
finish
