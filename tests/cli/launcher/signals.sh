#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# TERM, HUP, USR1 and USR2 are forwarded; INT and QUIT do not end tp-run; ignored signals stay
# ignored.
. "$(dirname "$0")/common.inc"

# Waits until the program reports that it is ready.
wait_ready() { for _ in $(seq 200); do [ -e ready ] && return; sleep 0.05; done; fail 'the program did not start'; }

for signal in TERM HUP USR1 USR2; do
  rm -f ready
  "$tp_run" -q sh -c "trap 'echo got; exit 7' $signal; touch ready; while :; do sleep 0.05; done" >out 2>err &
  child=$!
  wait_ready
  kill -$signal $child
  wait $child; status=$?
  [ $status -eq 7 ] || fail "$signal: exit status $status, expected 7"
  in_file out got
done

for signal in INT QUIT; do
  rm -f ready
  bash -c "trap - $signal; exec '$tp_run' -q sh -c 'touch ready; sleep 1; exit 5'" >out 2>err &
  child=$!
  wait_ready
  kill -$signal $child
  wait $child; status=$?
  [ $status -eq 5 ] || fail "$signal: exit status $status, expected 5"
done

rm -f ready
( trap '' HUP; exec "$tp_run" -q sh -c 'touch ready; sleep 1; exit 6' ) >out 2>err &
child=$!
wait_ready
kill -HUP $child
wait $child; status=$?
[ $status -eq 6 ] || fail "ignored HUP: exit status $status, expected 6"
finish
