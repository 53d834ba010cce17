#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A tagged text that does not compile: the original is compiled, with one note; messages, status and
# files are those of the original.
. "$(dirname "$0")/common.inc"
export TP_CXX=$PWD/picky TMPDIR=$PWD/tmp
mkdir tmp
cat > picky <<'X'
#!/bin/bash
# A compiler that rejects tagged text, with messages in stdout and stderr like g++.
for a; do case $a in */tp-c++-*.cpp) echo "$a:7:1: error: I do not like this" >&2; exit 3 ;; esac; done
exec g++ "$@"
X
chmod +x picky
echo 'int main() { int unused; tbb::parallel_for(0, 1, [](int) {}); }' > a.cpp
g++ -Wall -isystem "$TP_PREFIX/include" -include tbb/tbb.h -MD -c a.cpp -o plain.o 2> plain.txt
"$TP_CXX_TOOL" -Wall -include tbb/tbb.h -MD -c a.cpp -o ours.o 2> ours.txt || fail "not compiled"
grep -v '^tp: ' ours.txt | diff plain.txt - || fail "other messages"
[ "$(grep -c '^tp: a.cpp: compiled untagged: the tagged text does not compile: .*: error: I do not' ours.txt)" -eq 1 ] ||
  fail "note: $(cat ours.txt)"
diff <(sed s/plain/ours/ plain.d | tr -d ' \\\n') <(tr -d ' \\\n' < ours.d) || fail "dependencies"
"$TP_CXX_TOOL" -q -include tbb/tbb.h -c a.cpp 2> ours.txt; [ -s ours.txt ] && fail "-q is not quiet"

# An error in the user's code that only the real compiler finds is reported once, with the
# compiler's status.
export TP_CXX=g++
cat > late.cpp <<'X'
#include <tbb/tbb.h>
template <typename T> void f() { tbb::parallel_for(0, 1, [](T) {}); static_assert(sizeof(T) == 1, "late"); }
int main() { f<int>(); }
X
g++ -isystem "$TP_PREFIX/include" -c late.cpp 2> plain.txt; plain=$?
"$TP_CXX_TOOL" -c late.cpp 2> ours.txt; ours=$?
[ $plain -eq $ours ] && diff plain.txt ours.txt || fail "late.cpp: other messages"
ls -d "$TMPDIR"/tp-c++-*/messages 2>/dev/null && fail "files left behind"

# Warnings of a tagged text that compiles are shown.
"$TP_CXX_TOOL" -Wall -include tbb/tbb.h -c a.cpp 2>&1 | grep -q 'a.cpp:1:.*unused' || fail "no warning"
finish
