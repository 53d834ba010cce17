#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Long analyses show progress on a terminal: one line, rewritten, and erased before other output.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
tasks=$(for i in $(seq 4000); do
  printf 'spawn work=5 site=1 ctx=last\nspawn work=%s site=2 ctx=last\ncut work=1\n' "$i"
done)
trace data <<END
run cpus=2
site 1 a.cpp 1
site 2 b.cpp 2
stream 0
  thread role=main
  spawn work=1 site=1 ctx=new-exclusive
$tasks
  wait ctx=last
$(for i in $(seq 0 8000); do echo "task task=0.$i work=7"; done)
  wait-end
  thread-end
END

cat >on_terminal.py <<'END'
# on_terminal.py COLUMNS COMMAND...: stdout goes to the file `out`; stderr goes to a terminal, and
# from there to the file `err`.
import fcntl, os, pty, struct, subprocess, sys, termios
master, terminal = pty.openpty()
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
with open("out", "wb") as out, open("err", "wb") as err:
    process = subprocess.Popen(sys.argv[2:], stdout=out, stderr=terminal)
    os.close(terminal)
    while True:
        try:
            data = os.read(master, 65536)
        except OSError: # EIO: no process has the terminal open any more
            break
        if not data:
            break
        err.write(data)
sys.exit(process.wait())
END
# shown COLUMNS STATUS ARG...: runs tp-analyze with its progress line due at once.
shown() {
  local columns=$1 expected=$2 status=0
  shift 2
  NO_COLOR=1 TERM=${term-xterm} python3 on_terminal.py "$columns" "$TP_ANALYZE" --progress-after 0 "$@" || status=$?
  [ $status -eq "$expected" ] || fail "tp-analyze $*: exit status $status, expected $expected: $(cat -v err)"
}
# said PATTERN: checks for lines that were shown and erased again, then only lines that match.
said() {
  python3 - "$1" <<'END' || fail "on the terminal: $(tr '\r' '\n' <err | cat -v | head -40)"
import re, sys
*shown, rest = open("err", newline="").read().replace("\r\n", "\n").split("\r")
assert shown.pop(0) == "" and shown, "nothing was shown"
assert rest.startswith("\x1b[K") and all(each.endswith("\x1b[K") and "\n" not in each for each in shown), shown
for each in shown:
    assert re.fullmatch(r"tp: [a-z -]+( \d+)?(, reading \d+ of \d+, \d+ %)?, \d+ s\x1b\[K", each), each
rest = rest.removeprefix("\x1b[K").splitlines()
assert all(re.match(sys.argv[1], each) for each in rest), rest
assert bool(rest) == bool(sys.argv[1]), rest
END
}

shown 80 0 --explore always --simulate always --target 64 data
said "tp: wrote "
cp out kept
shown 80 2 --explore always --simulate always --target 64 -o /dev/null/nowhere data
said "tp: error: |hint: "
# Narrow terminals: a line that wraps could not be erased.
shown 20 0 --explore always --target 64 data
! tr '\r' '\n' <err | grep -q '^tp: [^w].\{18\}' || fail "wider than the terminal: $(cat -v err)"

# No progress in files, on terminals without the capability, or when disabled; the answer is the
# same.
exits 0 --progress-after 0 --explore always --simulate always --target 64 data
cmp -s out kept || fail "the answer depends on the terminal"
! grep -q "[^[:print:]]" err || fail "in a file: $(cat -v err)"
shown 80 0 -q data
is_empty err
term=dumb shown 80 0 data
! tr -d '\r' <err | grep -qv '^tp: wrote' || fail "on a dumb terminal: $(cat -v err)"
# Nothing is shown before the line is due.
TERM=xterm python3 on_terminal.py 80 "$TP_ANALYZE" --progress-after 600000 data || fail "exit status $?"
! tr -d '\r' <err | grep -qv '^tp: wrote' || fail "too early: $(cat -v err)"
exits 0 --help
not_in_out "--progress"
finish
