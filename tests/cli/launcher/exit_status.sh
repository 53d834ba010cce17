#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tp-run returns the program's exit status; 125, 126 and 127 are its own.
. "$(dirname "$0")/common.inc"

expect 0 "$tp_run" true
expect 1 "$tp_run" false
expect 255 "$tp_run" sh -c 'exit 255'
for signal in KILL TERM SEGV ABRT INT QUIT HUP USR1 PIPE; do
  expect $((128 + $(kill -l $signal))) "$tp_run" -q sh -c "kill -$signal \$\$"
done
expect 127 "$tp_run" ./nothing;       in_file err 'tp: error: ./nothing: not found'
expect 127 "$tp_run" nothing-on-path
expect 126 "$tp_run" /;               in_file err 'cannot be executed'
touch plain
expect 126 "$tp_run" ./plain;         in_file err 'Permission denied'
printf '#!/no/such/interpreter\n' >script
chmod +x script
expect 126 "$tp_run" ./script;        in_file err 'its interpreter was not found'

# stdout belongs to the program, even with -v.
expect 3 "$tp_run" -v sh -c 'echo answer; exit 3'
[ "$(cat out)" = answer ] || fail "stdout: $(cat out)"
finish
