#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The command line of tp-rewrite: options, exit status, and which files are written.
. "$(dirname "$0")/common.inc"
cat > a.cpp <<'X'
#include <tbb/tbb.h>
#define EACH(f) tbb::parallel_for(0, 3, f)
using namespace tbb;
template <typename T> void t(T f) { parallel_for(0, 3, f); }
int main() {
  parallel_for(0, 3, [](int) {});
  EACH([](int) {});
}
X
cp a.cpp a.orig
"$TP_REWRITE" --list-sites a.cpp > sites.txt || fail "--list-sites"
diff - sites.txt <<'X' || fail "other sites"
a.cpp:4:37  parallel_for  t     left to header: unqualified name in a template
a.cpp:6:3   parallel_for  main  explicit
a.cpp:7:3   parallel_for  main  left to header: written by a macro
X
"$TP_REWRITE" --diff a.cpp > a.patch || fail "--diff"
"$TP_REWRITE" a.cpp > a.new || fail "stdout"
cmp a.cpp a.orig || fail "source touched"
patch -s -o patched.cpp a.cpp a.patch && cmp patched.cpp a.new || fail "the diff does not lead to the new text"
"$TP_REWRITE" --out out a.cpp 2> notes.txt && cmp out/a.cpp a.new || fail "--out"
grep -q 'next:' notes.txt || fail "no next command"
"$TP_REWRITE" -q --out out a.cpp 2> notes.txt; [ -s notes.txt ] && fail "-q is not quiet"
# --out replaces its own copies, and nothing else: not a file of the user's, not a copy that was edited.
refuses() { # WHY FILE TEXT ARG...
  printf '%s\n' "$3" > "$2"
  "$TP_REWRITE" -q "${@:4}" 2> err.txt; [ $? -eq 2 ] || fail "--out over $2: status"
  grep -q "^tp: error: .*$1.*: not overwritten" err.txt && grep -q '^hint: ' err.txt || fail "--out over $2: $(cat err.txt)"
  [ "$(cat "$2")" = "$3" ] || fail "$2 is overwritten"
}
refuses "edited since" out/a.cpp "// my change" --out out a.cpp
mkdir -p mine && refuses "not a copy" mine/a.cpp "// mine" --out mine a.cpp
[ ! -e mine/.tp-rewrite ] || fail "something was written"
"$TP_REWRITE" -q --out . a.cpp 2> err.txt; [ $? -eq 2 ] && cmp a.cpp a.orig || fail "--out over the source itself"
cp a.new out/a.cpp && "$TP_REWRITE" -q --out out a.cpp && cmp out/a.cpp a.new || fail "--out over its own copy"
chmod 640 a.cpp; "$TP_REWRITE" -q --in-place a.cpp && [ "$(stat -c %a a.cpp)" = 640 ] || fail "--in-place"
"$TP_REWRITE" --list-sites a.cpp | grep -q 'a.cpp:6:3 .* explicit (in the source)' || fail "in the source"
cp a.orig a.cpp

printf '#include <tbb/tbb.h>\nint main() { tbb::parallel_for(0, 1, [](int) {}) }\n' > bad.cpp
"$TP_REWRITE" --out bad.out a.cpp bad.cpp 2> err.txt; [ $? -eq 2 ] || fail "syntax error: status"
[ -e bad.out ] && fail "something was written"
grep -q '^tp: error: bad.cpp: cannot be parsed' err.txt && grep -q 'bad.cpp:2:' err.txt && grep -q '^hint:' err.txt || fail "$(cat err.txt)"
"$TP_REWRITE" none.cpp 2> err.txt; [ $? -eq 2 ] && grep -q '^tp: error: none.cpp: no such source file' err.txt || fail "missing file"
echo '#include <no/such.h>' > inc.cpp
"$TP_REWRITE" inc.cpp 2> err.txt; [ $? -eq 2 ] && grep -q "'no/such.h' file not found" err.txt || fail "missing include"
for usage in "" "--bogus a.cpp" "--diff --in-place a.cpp" "--color=pink a.cpp"; do
  # shellcheck disable=SC2086  # several options
  "$TP_REWRITE" $usage > /dev/null 2>&1; [ $? -eq 2 ] || fail "usage: $usage"
done
"$TP_REWRITE" --help | grep -q -- --list-sites && "$TP_REWRITE" --version | grep -q tp-rewrite || fail "--help, --version"

mkdir -p build src && mv a.cpp src/
cat > build/compile_commands.json <<X
[{"directory": "$PWD/build", "command": "g++ -DX=3 -std=gnu++17 -fno-such-flag -o a.o -c ../src/a.cpp", "file": "../src/a.cpp"}]
X
"$TP_REWRITE" -p build --list-sites src/a.cpp | grep -q 'src/a.cpp:6:3 .*explicit' || fail "-p"
"$TP_REWRITE" -p src src/a.cpp > /dev/null 2> err.txt; [ $? -eq 2 ] && grep -q "compile_commands.json: no such file" err.txt || fail "-p without database"
finish
