#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The check that something was recorded, the place of the recording, and the message if there is
# none.
. "$(dirname "$0")/common.inc"
export STUB_RECORDS=1

expect 0 "$tp_run" true;               in_file err 'tp-analyze tp-data'
[ "$(tail -n 1 err)" = "next: $TP_TEST_PREFIX/bin/tp-analyze tp-data" ] || fail "last line: $(tail -n 1 err)"
expect 0 "$tp_run" -q true;            is_empty err
expect 0 "$tp_run" -o 'runs of %p%%' sh -c true; in_file err "tp-analyze 'runs of "
expect 0 env TP_DATA=elsewhere "$tp_run" true;   in_file err 'tp-analyze elsewhere'
expect 0 "$tp_run" -o "$work/[x]" true; in_file err "tp-analyze '[x]'"
mkdir 'per%cent' && cd 'per%cent' || exit 1
expect 0 "$tp_run" true;               in_file err 'tp-analyze tp-data'
cd .. || exit 1
expect 0 "$tp_run" sh -c 'cd /; true'; in_file err 'tp-analyze tp-data'
# Each program of a script makes its own recording; all are listed.
expect 0 "$tp_run" -o 'p%p' sh -c 'true; env true; env true'; in_file err 'recorded to'
expect 125 "$tp_run" --analyze true;   in_file err 'tp-analyze: No such file'
expect 4 "$tp_run" --analyze sh -c 'exit 4'

# tp-analyze gets the data and the profile; its exit status counts if the program's is 0.
mkdir -p own/bin && cp -r "$TP_TEST_PREFIX"/* own && printf '#!/bin/sh\necho "$@"; exit 2\n' >own/bin/tp-analyze
chmod +x own/bin/tp-analyze
expect 2 own/bin/tp-run --analyze true;             in_file out 'tp-data ws_profile.csv'
expect 2 own/bin/tp-run --analyze=other.csv -q true; in_file out '--quiet tp-data other.csv'
expect 3 own/bin/tp-run --analyze sh -c 'exit 3';   in_file out 'tp-data ws_profile.csv'
# So does tp-report, after it.
expect 125 "$tp_run" --report sh -c 'echo ran';     in_file err 'node and npm were missing when Taskpath was built'
is_empty out
printf '#!/bin/sh\necho "report $@"; exit 3\n' >own/bin/tp-report && chmod +x own/bin/tp-report
expect 3 own/bin/tp-run --report true;              in_file out 'report -o report.html tp-data'
expect 3 own/bin/tp-run --report=a.html -q true;    in_file out 'report -o a.html --quiet tp-data'
expect 2 own/bin/tp-run --analyze --report true;    in_file out 'report -o report.html tp-data'

# An old recording is not mistaken for a new one.
unset STUB_RECORDS
expect 0 "$tp_run" true
in_file err 'nothing was recorded'; in_file err 'does not use libtbb.so.12'; in_file err 'hint:'

# A process that goes on alone, with the environment of the program, may still record.
expect 0 "$tp_run" sh -c 'sleep 3 >/dev/null 2>&1 &'
in_file err 'nothing is recorded so far: sh has ended, and a process that it started still runs, and may record'
in_file err 'hint: wait until it has ended, then: tp-analyze --list '
wait
sleep 3
# AddressSanitizer's library ends the program if another one comes first. (Not by GCC's name of it: where tp-run is built with
# it, that is the library that tp-run itself loads.)
asan=$work/libclang_rt.asan-test.so
: >"$asan" && : >other.so
expect 0 env LD_PRELOAD="$work/other.so:$asan" "$tp_run" env
grep -q "^LD_PRELOAD=$asan:.*/libtbb.so.12.*:$work/other.so\$" out || fail "LD_PRELOAD: $(grep ^LD_PRELOAD out)"
expect 0 env TP_DISABLE=1 "$tp_run" true;           in_file err 'TP_DISABLE is set'
printf '#!/bin/sh\ntrue\n' >script && chmod +x script
expect 0 "$tp_run" ./script;                        in_file err 'is a script'

echo 'int main() {}' >program.cpp
if "$CXX" -static -o program program.cpp 2>/dev/null; then
  expect 0 "$tp_run" ./program;                     in_file err 'is linked statically'
fi
cat >copy.cpp <<'EOF'
namespace tbb::detail::r1 { struct task; void spawn(task*) {} }
int main() {}
EOF
"$CXX" -o program copy.cpp && expect 0 "$tp_run" ./program && in_file err 'program contains its own copy of TBB'
# Inside a library of the program; and without symbols, where only names of classes remain.
"$CXX" -shared -fPIC -o libcopy.so copy.cpp && "$CXX" -Wl,--no-as-needed -o program program.cpp ./libcopy.so &&
  expect 0 "$tp_run" ./program && in_file err 'libcopy.so contains its own copy of TBB'
cat >copy.cpp <<'EOF'
namespace tbb::detail::r1 { struct delegated_task { virtual ~delegated_task() {} }; }
int main() { tbb::detail::r1::delegated_task task; }
EOF
"$CXX" -s -o program copy.cpp && expect 0 "$tp_run" ./program &&
  in_file err "seems to contain its own copy of TBB: it has the names of TBB's classes, but no symbols that would show whether TBB is called"
"$CXX" -shared -o libtbb.so.2 -Wl,-soname,libtbb.so.2 program.cpp && "$CXX" -Wl,--no-as-needed -o program program.cpp ./libtbb.so.2 -Wl,-rpath,"$work" &&
  expect 0 "$tp_run" ./program && in_file err 'uses libtbb.so.2, which is older than oneTBB: expected libtbb.so.12'
"$CXX" -Wl,--no-as-needed -o program program.cpp "$TP_TEST_PREFIX/lib/libtbb.so.12" &&
  expect 0 "$tp_run" ./program && in_file err 'libtbb.so.12'

# The dynamic linker finds the libraries, by the program's search path and LD_LIBRARY_PATH; their
# code runs only in the program.
cat >library.cpp <<'EOF'
#include <cstdio>
namespace tbb::detail::r1 { struct task; void spawn(task*) {} }
__attribute__((constructor)) static void ran() { if (FILE* file = std::fopen("ran", "a")) { std::fputs("x", file); std::fclose(file); } }
EOF
cat >auditor.cpp <<'EOF'
#include <cstdio>
extern "C" unsigned la_version(unsigned version) { if (FILE* file = std::fopen("audited", "a")) { std::fputs("x", file); std::fclose(file); } return version; }
EOF
mkdir -p deep && "$CXX" -shared -fPIC -o deep/libinner.so library.cpp &&
  "$CXX" -shared -fPIC -o deep/libouter.so -x c++ /dev/null -Wl,--no-as-needed -Ldeep -linner &&
  "$CXX" -Wl,--no-as-needed -o program program.cpp -Ldeep -louter -Wl,-rpath-link,deep || fail 'the programs do not build'
rm -f ran
LD_LIBRARY_PATH=$work/deep expect 0 "$tp_run" ./program
in_file err 'libinner.so contains its own copy of TBB'
[ "$(cat ran)" = x ] || fail "a constructor ran in tp-run: $(cat ran)"
"$CXX" -shared -fPIC -o auditor.so auditor.cpp && "$CXX" -Wl,--no-as-needed -o program program.cpp -Ldeep -linner -Wl,-rpath,"$work/deep" -Wl,--audit="$work/auditor.so" || fail 'the audited program does not build'
rm -f audited
expect 0 "$tp_run" ./program;                       in_file err 'does not use libtbb.so.12'
[ "$(cat audited)" = x ] || fail "an auditor ran in tp-run: $(cat audited)"
# A program that names another dynamic linker: tp-run does not start that linker, so the program's
# libraries are unknown.
cp "$(ldd /bin/sh | grep -o '/[^ ]*/ld-[^ ]*')" linker &&
  "$CXX" -Wl,--no-as-needed -Wl,--dynamic-linker="$work/linker" -o program program.cpp -Ldeep -linner -Wl,-rpath,"$work/deep" || fail 'the program with its own linker does not build'
rm -f ran
expect 0 "$tp_run" ./program;                       in_file err 'does not use libtbb.so.12'
[ "$(cat ran)" = x ] || fail "the program did not run: $(cat ran)"
finish
