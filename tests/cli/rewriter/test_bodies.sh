#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Bodies without a site are not parsed. Their text decides which those are, so this text hides the
# sites.
. "$(dirname "$0")/common.inc"
cat > own.h <<'X'
#pragma once
#include <tbb/parallel_for.h>
#define OUTER(n) INNER(n)
#define INNER(n) tbb::parallel_for(0, n, [](int) {})
inline void in_header() { OUTER(1); }
inline int not_parsed() { return (undeclared("site") + 1) ? 2 : 3; }
X
cat > b.cpp <<'X'
#include "own.h"
#define JOIN(a, b) a##b
#define OPEN {
#define IF(x) if (x) {
int in_macro() { OUTER(2); return 1; }
int in_paste() { tbb::JOIN(parallel_, for)(0, 1, [](int) {}); return 1; }
struct Two { int a, b; };
struct S : Two {
  S(int n = Two{1, 2}.a) : Two{n, in_macro()}, x{(tbb::parallel_for(0, 1, [](int) {}), 1)} {}
  S(char) : Two{1, 2}, x{1} { tbb::parallel_for(0, 1, [](int) {}); }
  ~S() noexcept(noexcept(Two{1, 2})) { tbb::parallel_for(0, 1, [](int) {}); }
  int x;
};
void tries() try { in_macro(); } catch (int) {} catch (...) { tbb::parallel_for(0, 1, [](int) {}); }
void opened() OPEN if (in_macro()) {} tbb::parallel_for(0, 1, [](int) {}); }
void half() { IF(in_macro()) } tbb::parallel_for(0, 1, [](int) {}); }
#define DEFINE(name) void name() { in_macro(); }  void name##_too()
DEFINE(defined) { tbb::parallel_for(0, 1, [](int) {}); }
void directive() {
#if 0
  }
#else
  tbb::parallel_for(0, 1, [](int) {});
#endif
}
void spliced() { tbb::parallel_\
for(0, 1, [](int) {}); }
int also_not_parsed() { return another_undeclared; }  // tbb::parallel_for
auto deduced() { return Two{in_macro(), 1}; }
int main() { return deduced().a - also_not_parsed() - 1; }
X
"$TP_REWRITE" --list-sites b.cpp > list.txt || fail "tp-rewrite failed"
sed 's/  */ /g' list.txt | cut -d' ' -f1-3 > sites.txt
diff - sites.txt <<'X' || fail "sites"
b.cpp:5:18 parallel_for in_macro
b.cpp:6:23 parallel_for in_paste
b.cpp:9:56 parallel_for S::S
b.cpp:10:36 parallel_for S::S
b.cpp:11:45 parallel_for S::~S
b.cpp:14:68 parallel_for tries
b.cpp:15:44 parallel_for opened
b.cpp:16:37 parallel_for half
b.cpp:18:24 parallel_for defined_too
b.cpp:23:8 parallel_for directive
b.cpp:26:23 parallel_for spliced
./own.h:5:27 parallel_for in_header
X

# Aliases and variables name nodes and policies outside the body, so that all bodies are parsed
# then.
for line in 'using N = tbb::flow::input_node<int>;' 'auto p = std::execution::par;' '/* continue_node */'; do
  printf '#if 0\n%s\n#endif\nint f() { return undeclared; }\n' "$line" > p.cpp
  "$TP_REWRITE" -q p.cpp > p.out 2> p.err && fail "not parsed next to $line"
done
for line in '/// @par Example: run it' '  // std::execution::par' '/** \par */'; do
  printf '%s\nint f() { return undeclared; }\n' "$line" > p.cpp
  "$TP_REWRITE" -q p.cpp > p.out || fail "parsed next to $line"
done
finish
