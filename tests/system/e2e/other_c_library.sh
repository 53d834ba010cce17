# SPDX-License-Identifier: Apache-2.0
# A program of another C library (musl) cannot load ours: it runs as it does alone, and one line
# says that it is not recorded.
. "$(dirname "$0")/common.inc"
command -v musl-gcc >/dev/null || skip "no musl-gcc: scripts/setup installs it (musl-tools)"
cat >program.c <<'END'
#include <stdio.h>
int main(int argc, char** argv) { printf("argument %s\n", argv[1]); return 3 + (argc == 9); }
END
musl-gcc -o program program.c || { fail "program does not build"; finish; }
readelf -l program | grep -q 'ld-musl' || fail "the program does not use musl"
./program x >alone 2>&1
same "alone" 3 $?
status=0
"$tp_run" -o data ./program x >out 2>err || status=$?
same "exit status" 3 $status
cmp -s alone out || fail "stdout: $(cat out)"
same "messages" 1 "$(grep -cE '^tp: (warning|error): ' err)"
in_file err "./program uses another C library than our libtbb.so.12 does: its dynamic linker is /lib/ld-musl"
in_file err "hint: build it for the GNU C library"
is_missing data
# A script of such a program.
printf '#!%s/program\n' "$work" >script
chmod +x script
status=0
"$tp_run" -o data ./script >out 2>err || status=$?
same "script: exit status" 3 $status
in_file err "program uses another C library"
finish
