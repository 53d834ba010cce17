#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Options that only g++ accepts, and ccache before or after tp-c++: sites are tagged, and a second
# compilation is a cache hit.
. "$(dirname "$0")/common.inc"
echo 'int main() { tbb::parallel_for(0, 1, [](int) {}); }' > a.cpp
is_tagged() { nm -C "$1" | grep -q 'tp::sites::s_'; }

TP_CXX=g++ "$TP_CXX_TOOL" -include tbb/tbb.h -O2 -fipa-pta -fno-tree-vectorize -fconserve-stack -fno-gnu-unique -Wlogical-op \
  -Wno-maybe-uninitialized -mno-vzeroupper --param max-inline-insns-auto=20 -fdiagnostics-show-location=once -c a.cpp -o g.o 2> notes.txt ||
  fail "options of g++: $(cat notes.txt)"
[ -s notes.txt ] && fail "options of g++: $(cat notes.txt)"
is_tagged g.o || fail "options of g++: not tagged"

command -v ccache > /dev/null || { echo "no ccache"; finish; }
export CCACHE_DIR=$work/cache
hits() { ccache --print-stats | awk '$1 ~ /_cache_hit$/ { sum += $2 } END { print sum }'; }
compile() { "$@" -include tbb/tbb.h -g -c a.cpp -o c.o || fail "$*"; is_tagged c.o || fail "$*: not tagged"; }
for _ in first second; do TP_CXX="ccache g++" compile "$TP_CXX_TOOL"; done
[ "$(hits)" -eq 1 ] || fail "ccache behind tp-c++: $(hits) hits"
ccache --zero-stats --clear > /dev/null
for _ in first second; do TP_CXX=g++ compile ccache "$TP_CXX_TOOL"; done
[ "$(hits)" -eq 1 ] || fail "ccache before tp-c++: $(hits) hits"
finish
