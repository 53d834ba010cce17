#!/bin/bash
# The check that something was recorded, where it is found, and what is said when it was not.
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
# A script's programs record each on its own; all are named.
expect 0 "$tp_run" -o 'p%p' sh -c 'true; env true; env true'; in_file err 'recorded to'
expect 125 "$tp_run" --analyze true;   in_file err 'tp-analyze: No such file'
expect 4 "$tp_run" --analyze sh -c 'exit 4'

# tp-analyze gets the data and the profile; its status counts when the program's is 0.
mkdir -p own/bin && cp -r "$TP_TEST_PREFIX"/* own && printf '#!/bin/sh\necho "$@"; exit 2\n' >own/bin/tp-analyze
chmod +x own/bin/tp-analyze
expect 2 own/bin/tp-run --analyze true;             in_file out 'tp-data ws_profile.csv'
expect 2 own/bin/tp-run --analyze=other.csv -q true; in_file out '--quiet tp-data other.csv'
expect 3 own/bin/tp-run --analyze sh -c 'exit 3';   in_file out 'tp-data ws_profile.csv'

# An old recording is not taken for a new one.
unset STUB_RECORDS
expect 0 "$tp_run" true
in_file err 'nothing was recorded'; in_file err 'does not use libtbb.so.12'; in_file err 'hint:'
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
"$CXX" -o program copy.cpp && expect 0 "$tp_run" ./program && in_file err 'program has its own copy of TBB inside'
# Inside a library of the program; and without symbols, where only names of classes are left.
"$CXX" -shared -fPIC -o libcopy.so copy.cpp && "$CXX" -Wl,--no-as-needed -o program program.cpp ./libcopy.so &&
  expect 0 "$tp_run" ./program && in_file err 'libcopy.so has its own copy of TBB inside'
cat >copy.cpp <<'EOF'
namespace tbb::detail::r1 { struct delegated_task { virtual ~delegated_task() {} }; }
int main() { tbb::detail::r1::delegated_task task; }
EOF
"$CXX" -s -o program copy.cpp && expect 0 "$tp_run" ./program &&
  in_file err 'seems to have its own copy of TBB inside: names of its classes are there, but no symbols, so that what calls it cannot be known'
"$CXX" -shared -o libtbb.so.2 -Wl,-soname,libtbb.so.2 program.cpp && "$CXX" -Wl,--no-as-needed -o program program.cpp ./libtbb.so.2 -Wl,-rpath,"$work" &&
  expect 0 "$tp_run" ./program && in_file err 'uses libtbb.so.2, which is TBB before oneTBB, expected libtbb.so.12'
"$CXX" -Wl,--no-as-needed -o program program.cpp "$TP_TEST_PREFIX/lib/libtbb.so.12" &&
  expect 0 "$tp_run" ./program && in_file err 'libtbb.so.12'
finish
