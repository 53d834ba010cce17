# SPDX-License-Identifier: Apache-2.0
# No writable place: the program continues, and one line reports why nothing is recorded.
. "$(dirname "$0")/common.inc"
any_program | build_stock any
mkdir closed && chmod a-w closed
if [ "$(id -u)" -ne 0 ]; then TP_DATA=closed/data ours ./any; else TP_DATA=/proc/no/data ours ./any; fi
same "exit status" 0 $status
same "stdout" "done" "$(cat out)"
same "lines on stderr" 1 "$(wc -l <err)"
in_file err "nothing is recorded"
TP_DATA=/dev/null/x ours ./any
same "exit status" 0 $status
same "lines on stderr" 1 "$(wc -l <err)"
build_stock busy <<'EOF'
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <cstdio>
int main() {
  for (int turn = 0; turn < 300; ++turn)
    tbb::parallel_for(0, 1000, [](int) { tp::spend(1); }, tbb::simple_partitioner());
  std::puts("done");
}
EOF
# Files may be no larger than that: a write beyond it would end the program by a signal.
ulimit -S -f 64
TP_DATA=limited/data ours ./busy
ulimit -S -f unlimited
same "limit of files: exit status" 0 $status
same "limit of files: stdout" "done" "$(cat out)"
in_file err "recording stopped: File too large"
same "limit of files: lines on stderr" 1 "$(wc -l <err)"
analyze limited/data
is 'not p["complete"]'
# The disk is full.
mkdir small
mount -t tmpfs -o size=64k none small 2>/dev/null || skip "cannot mount a small tmpfs"
trap 'cd /; umount "$work/small"; rm -rf "$work"' EXIT
TP_DATA=small/data ours ./busy
same "exit status" 0 $status
same "stdout" "done" "$(cat out)"
in_file err "recording stopped"
in_file err incomplete
same "lines on stderr" 1 "$(wc -l <err)"
analyze small/data
is 'not p["complete"]'
rm -rf small/data
dd if=/dev/zero of=small/fill bs=1k count=64 2>/dev/null
TP_DATA=small/data ours ./busy
same "full from the start: exit status" 0 $status
same "full from the start: stdout" "done" "$(cat out)"
finish
