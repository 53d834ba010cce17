#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --wrapper: calls of the user's own function are sites if the callee can be wrapped; the program
# behaves the same.
. "$(dirname "$0")/common.inc"
cat > w.cpp <<'X'
#include <tbb/tbb.h>
#include <cstdio>
namespace ns {
template <typename F> int each(int n, F&& f) { tbb::parallel_for(0, n, f); return n; }
struct Box { template <typename F> static int each(F f) { f(0); return 1; } };
void old(const char* text, int* out) { *out += text[1]; }
}
template <typename T> int twice(T n) { return ns::each(n, [](int) {}) + ns::each(n, [](int) {}); }
struct Member { int n = ns::each(2, [](int) {}); };
#define EACH(n) ns::each(n, [](int) {})
int main() {
  using ns::each;
  const char* where = __func__;
  int sum = ns::each(1, [&](int) { std::printf("%s %d\n", where, __LINE__); }) + each(ns::each(2,
    [](int) {}), [](int) {}), other = (ns::each<void (*)(int)>)(3, [](int) {});
  sum += twice(4) + Member().n + EACH(5) + ns::Box::each([](int) {});
  ns::old("ab", &sum); ns::old("ab", 0 ? nullptr : &other);
  auto* address = &ns::old;
  std::printf("%d %d %d\n", sum, other, address == ns::old);
}
X
list() { "$TP_REWRITE" --list-sites --wrapper ns::each --wrapper ns::Box::each,ns::old w.cpp -- -std=c++17; }
list | grep ns:: | sed 's/  */ /g' > sites.txt
diff - sites.txt <<'X' || fail "sites"
w.cpp:4:53 parallel_for ns::each explicit
w.cpp:8:51 ns::each twice explicit
w.cpp:8:77 ns::each twice explicit
w.cpp:9:29 ns::each Member::n explicit
w.cpp:14:17 ns::each main explicit
w.cpp:14:82 ns::each main explicit
w.cpp:14:91 ns::each main explicit
w.cpp:15:44 ns::each main explicit
w.cpp:16:34 ns::each main not named: written by a macro
w.cpp:16:53 ns::Box::each main explicit
w.cpp:17:7 ns::old main explicit
w.cpp:17:28 ns::old main explicit
X
export TP_WRAPPERS=ns::each,ns::Box::each,ns::old
"$TP_REWRITE" -q w.cpp -- -std=c++17 > tagged.cpp || fail "tp-rewrite"
grep -c 'return$' tagged.cpp | grep -qx 10 || fail "$(grep -c 'return$' tagged.cpp) wrapped calls"
"$TP_REWRITE" -q tagged.cpp -- -std=c++17 | cmp - tagged.cpp || fail "not idempotent"
for compiler in "g++ -std=c++17" "g++ -std=c++20" "clang++-19 -std=c++17"; do
  $compiler -Wall -Wextra -pedantic-errors -isystem "$TP_PREFIX/include" w.cpp -o plain && ./plain > plain.txt || fail "$compiler: plain"
  $compiler -Wall -Wextra -pedantic-errors -isystem "$TP_PREFIX/include" tagged.cpp -o tagged 2> messages.txt && ./tagged > tagged.txt || fail "$compiler: tagged"
  [ -s messages.txt ] && { head messages.txt; fail "$compiler: messages"; }
  diff plain.txt tagged.txt || fail "$compiler: runs differently"
  # shellcheck disable=SC2086  # the compiler has options
  TP_CXX=${compiler% *} "$TP_CXX_TOOL" ${compiler#* } w.cpp -o ours 2> notes.txt && ./ours | diff plain.txt - || fail "$compiler: tp-c++"
  [ -s notes.txt ] && { cat notes.txt; fail "$compiler: notes"; }
done
# C++11 has no generic lambdas.
printf 'namespace ns { inline void each(int) {} }\nint main() { ns::each(1); }\n' > old.cpp
"$TP_REWRITE" --list-sites old.cpp -- -std=c++11 | grep -q 'not named: C++11' || fail "C++11"
finish
