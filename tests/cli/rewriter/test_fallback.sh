#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Code that Clang cannot parse is compiled unchanged, with one note; errors are the real compiler's.
. "$(dirname "$0")/common.inc"
export TP_CXX=g++
cat > gnu.cpp <<'X'
#include <tbb/tbb.h>
int f() { int n = 1; auto nested = [] {}; int only_gcc __attribute__((aligned(16))) = n; nested(); return only_gcc; }
#ifdef __clang__
#error Clang must not see this
#endif
int main() { tbb::parallel_for(0, f(), [](int) {}); }
X
"$TP_CXX_TOOL" gnu.cpp -o prog 2> err.txt && ./prog || fail "fallback did not compile"
[ "$(wc -l < err.txt)" -eq 1 ] || fail "expected one note: $(cat err.txt)"
grep -q '^tp: gnu.cpp: compiled untagged: cannot be parsed: .*gnu.cpp:4:2: Clang must not' err.txt || fail "note: $(cat err.txt)"
"$TP_CXX_TOOL" -q gnu.cpp -o prog 2> err.txt; [ -s err.txt ] && fail "-q is not quiet"

# Code that g++ accepts, and Clang by default does not, is tagged nevertheless.
cat > lenient.cpp <<'X'
#include <tbb/tbb.h>
enum E { a, b };
constexpr E e = static_cast<E>(-1);
template <typename T> struct S { template <typename U> int get(U) { return 1; } };
template <typename T> int f(S<T> s) { return s.template get(1); }
int main() { tbb::parallel_for(0, f(S<int>()), [](int) {}); return e == a; }
X
"$TP_CXX_TOOL" -w lenient.cpp -o prog 2> err.txt && ./prog || fail "lenient.cpp"
[ -s err.txt ] && fail "lenient.cpp: $(cat err.txt)"
nm -C prog | grep -q 'tp::sites::s_' || fail "lenient.cpp: not tagged"

echo 'int main() { run(; }' > bad.cpp
g++ -c bad.cpp 2> plain.txt; plain=$?
"$TP_CXX_TOOL" -q -c bad.cpp 2> ours.txt; ours=$?
[ $plain -eq $ours ] && diff plain.txt ours.txt || fail "errors differ"
"$TP_CXX_TOOL" -q -c missing.cpp 2> ours.txt && fail "missing source"
grep -q 'missing.cpp' ours.txt || fail "missing source not named"

# Clang does not terminate on this code: it is killed after some CPU time, and the compiler reports
# the error.
cat > endless.cpp <<'X'
#include <tbb/tbb.h>
int size(int (*)());
int main() {
#pragma omp parallel for num_threads(size([] { return 1;  2))
  for (int i = 0; i < 3; ++i) tbb::parallel_for(0, 1, [](int) {});
}
X
g++ -fopenmp -c endless.cpp 2> plain.txt; plain=$?
(ulimit -S -t 3; "$TP_CXX_TOOL" -fopenmp -c endless.cpp 2> ours.txt); [ $? -eq $plain ] || fail "endless.cpp: status"
grep -q '^tp: endless.cpp: compiled untagged: cannot be parsed within 3 s of CPU time' ours.txt || fail "endless.cpp: $(cat ours.txt)"
sed 1d ours.txt | diff plain.txt - || fail "endless.cpp: errors differ"
(ulimit -t 1; "$TP_CXX_TOOL" -fopenmp -c endless.cpp 2> ours.txt); [ $? -eq $plain ] || fail "killed: status"
grep -q '^tp: endless.cpp: compiled untagged: tp-rewrite was ended by signal 9' ours.txt || fail "killed: $(cat ours.txt)"
(ulimit -S -t 1; "$TP_REWRITE" endless.cpp -- -fopenmp > out.txt 2> ours.txt); [ $? -eq 2 ] || fail "tp-rewrite: status"
grep -q '^tp: error: endless.cpp: cannot be parsed within 1 s of CPU time' ours.txt || fail "tp-rewrite: $(cat ours.txt)"

# A compiler that a signal kills, one that does not exist, and tp-c++ itself.
printf '#!/bin/bash\nkill -TERM $$\n' > dies && chmod +x dies
echo 'int main() {}' > plain.cpp
TP_CXX=./dies "$TP_CXX_TOOL" -c plain.cpp; [ $? -eq 143 ] || fail "signal of the compiler"
TP_CXX=no-such-compiler "$TP_CXX_TOOL" -c plain.cpp 2> err.txt; [ $? -eq 127 ] || fail "no compiler"
grep -q '^hint:' err.txt || fail "no hint"
TP_CXX=$TP_CXX_TOOL timeout 10 "$TP_CXX_TOOL" -c plain.cpp 2> err.txt; [ $? -eq 2 ] || fail "calls itself"
grep -q 'tp-c++ itself' err.txt || fail "self call: $(cat err.txt)"

# With headers without site parameters, nothing may be tagged.
echo 'int main() { tbb::parallel_for(0, 1, [](int) {}); }' > stock.cpp
"$TP_CXX_TOOL" -DTP_STUB_STOCK -include tbb/tbb.h stock.cpp -o prog && ./prog || fail "stock headers"
"$TP_REWRITE" --list-sites stock.cpp -- -DTP_STUB_STOCK -include tbb/tbb.h |
  grep -q "not named: the oneTBB headers" || fail "stock headers not reported"
finish
