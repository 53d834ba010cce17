#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Compiler messages, __LINE__ and __builtin_COLUMN() after a tag are those of the original.
. "$(dirname "$0")/common.inc"
mkdir src
cat > src/warn.cpp <<'X'
#include <tbb/tbb.h>
int main() {
	tbb::task_group g; g.run([] {}); int unused_a; g.run([] { int unused_b; }); int unused_c;
  const char* s = "äö"; g.run([s] { (void)s; }); int unused_d;
  g.run([] {
    int unused_e; }); int unused_f;
  tbb::parallel_invoke([] { int unused_g; }, [] {}); int unused_h;
}
X
cat > src/place.cpp <<'X'
#include <cstdio>
#include <tbb/tbb.h>
#define PLACE(s) std::printf("%s %d " s "\n", __FILE__, __LINE__)
int main() {
  tbb::task_group g; g.run([] {}); PLACE("one"); g.run([] { PLACE("two"); });
  tbb::parallel_invoke([] { PLACE("three"); }, [] {}); PLACE("four");
  PLACE("five"); std::printf("%s\n", __BASE_FILE__);
}
X
sed 's/int unused_h/undeclared(1)/' src/warn.cpp > src/error.cpp
messages() { grep -E '^[^ ]+:[0-9]+:[0-9]+: (warning|error)' "$1" | sort; }
for compiler in $(compilers); do
  flags="-std=c++14 -Wall -isystem $TP_PREFIX/include"
  for name in warn error; do
    # shellcheck disable=SC2086  # several options
    "$compiler" $flags -c src/$name.cpp -o plain.o 2> plain.txt; plain=$?
    # shellcheck disable=SC2086  # several options
    TP_CXX=$compiler "$TP_CXX_TOOL" $flags -c src/$name.cpp -o ours.o 2> ours.txt; ours=$?
    [ $plain -eq $ours ] || fail "$compiler $name: exit status $ours, not $plain"
    # With errors Clang tags nothing: then the text is the original's anyway.
    diff <(messages plain.txt) <(messages ours.txt) || fail "$compiler $name: other messages"
    [ "$(messages ours.txt | wc -l)" -ge 1 ] || fail "$compiler $name: too few messages"
  done
  # shellcheck disable=SC2086  # several options
  "$compiler" $flags src/place.cpp -o plain && ./plain > plain.txt
  # shellcheck disable=SC2086  # several options
  TP_CXX=$compiler "$TP_CXX_TOOL" $flags src/place.cpp -o ours && ./ours > ours.txt
  diff plain.txt ours.txt || fail "$compiler: other __FILE__, __LINE__"
done

# Also if only the real compiler finds the error, after the tagging: a static assertion in an
# instantiation.
cat > late.cpp <<'X'
#include <tbb/tbb.h>
template <typename T> void f() { tbb::parallel_for(0, 1, [](T) {}); static_assert(sizeof(T) == 1, "late"); }
int main() { f<int>(); }
X
"$TP_CXX_TOOL" -c late.cpp 2> ours.txt && fail "late.cpp compiled"
grep -q '^late.cpp:2:' ours.txt || fail "late.cpp: message elsewhere"
grep -q 'cannot parse' ours.txt && fail "late.cpp was not tagged"
finish
