# SPDX-License-Identifier: Apache-2.0
# Names of sites without lines: the user's function or class, not the wrapper around it; functions
# that differ in template arguments, parameters, or translation unit only are rows of their own, and
# have different names; the same names in all outputs.
. "$(dirname "$0")/common.inc"
[ -e /usr/include/oneapi/tbb/version.h ] || skip "no libtbb-dev"
export LC_ALL=C
cat >ours.h <<'X'
#include <oneapi/tbb/parallel_for.h>
inline void spin() { for (int i = 0; i < 100000; ++i) asm volatile(""); }
namespace ours {
template <class F> struct Functor { F f; void operator()(int i) const { f(i); } };
template <class F> struct FuncCall { F f; void operator()(const tbb::blocked_range<int>& r) const { for (int i : {r.begin()}) f(i); } };
template <class F> __attribute__((noinline)) void parallel_for(int n, const F& f) {
  tbb::parallel_for(tbb::blocked_range<int>(0, n), FuncCall<F>{f});
}
}
X
cat >one.cpp <<'X'
#include "ours.h"
static __attribute__((noinline)) void local(int n) { tbb::parallel_for(0, n, [](int) { spin(); }); }
void one(int n) { local(n); }
X
sed 's/one/two/' one.cpp >two.cpp
cat >main.cpp <<'X'
#include "ours.h"
#include <functional>
struct Probe { void operator()(int) const {} };
struct Builder { __attribute__((noinline)) void rebuild(int n) { ours::parallel_for(n, [](int) { spin(); }); } };
template <class T> struct List { T t; };
template <class T> struct Reducer { T t; void operator()(const tbb::blocked_range<int>&) const {} };
struct Items {};
template <class T> __attribute__((noinline)) void fill(T n) { tbb::parallel_for(T(0), n, [](T) { spin(); }); }
__attribute__((noinline)) void over(int n) { tbb::parallel_for(0, n, [](int) { spin(); }); }
__attribute__((noinline)) void over(long n) { tbb::parallel_for(0l, n, [](long) { spin(); }); }
__attribute__((noinline)) void twice(int n) {
  tbb::parallel_for(0, n, [](int) { spin(); });
  tbb::parallel_for(0, n, [](int) { asm volatile(""); });
}
struct Learner { void learn(int n) { tbb::parallel_for(0, n, [](int) { spin(); }); } }; // inlined into main
inline void each(int n, const std::function<void(int)>& f) { tbb::parallel_for(0, n, [&](int i) { f(i); }); } // a wrapper
__attribute__((noinline)) void gray(int n) { each(n, [](int) { spin(); }); }
void one(int);
void two(int);
int main() {
  ours::parallel_for(10, ours::Functor<Probe>());
  Builder().rebuild(10);
  tbb::parallel_for(tbb::blocked_range<int>(0, 10), Reducer<Items>());
  fill(10), fill(10l), fill('c');
  over(10), over(10l);
  twice(10);
  one(10), two(10);
  Learner().learn(10);
  gray(10);
}
X
sources="main.cpp one.cpp two.cpp"
# names FILE: those of the rows in ./tp-data, sorted, with addresses and offsets left out.
names() {
  rm -rf tp-data
  "$tp_run" -q -- "$1" || fail "$1: exit status $?"
  analyze tp-data
  python3 -c 'import json, re
names = [site["name"] for site in json.load(open("profile.json"))["sites"][1:]]
assert len(set(names)) == len(names), names
print(*sorted(re.sub("0x[0-9a-f]+", "*", name) for name in names), sep="\n")'
}
for compiler in "$cxx" clang++-19; do
  command -v "$compiler" >/dev/null || continue
  # shellcheck disable=SC2086  # several files
  "$compiler" -std=c++17 -O2 $sources -o symbols -ltbb || { fail "$compiler: does not build"; finish; }
  same "$compiler, symbols" "Builder::rebuild
Learner::learn
Reducer<Items>
fill<char>
fill<int>
fill<long>
gray
local@symbols+*
local@symbols+*
ours::parallel_for<Probe>
over [int]
over [long]
twice+*
twice+*" "$(names ./symbols | sed 's/local+\*@/local@/')"
  strip symbols -o stripped
  same "$compiler, types" "$(printf '%s\n' "Builder::rebuild" Probe "Reducer<Items>")" "$(names ./stripped | grep -E 'Builder|Probe|Reducer')"
  is 'len(p["sites"]) == 15'
done

# The same names everywhere.
"$tp_run" -q -e auto -- ./symbols >/dev/null 2>&1
formats="folded speedscope pprof callgrind dot perfetto"
exports=()
for format in $formats; do exports+=(--export "$format:out.$format"); done
"$tp_analyze" -q --json profile.json -d tp-data --top 50 -o analysis "${exports[@]}" >table || fail "exports: $?"
gzip -dc <out.pprof >pprof.raw
for name in Builder::rebuild "fill<int>" "over [long]"; do
  grep -qF "\"$name\"" profile.json || fail "JSON: no $name"
  for file in table out.folded out.speedscope pprof.raw out.callgrind out.perfetto; do
    grep -aqF "$name" "$file" || fail "$file: no $name"
  done
  grep -qF "$name" out.dot || grep -qF "${name//</\\<}" out.dot || fail "out.dot: no $name"
done
finish
