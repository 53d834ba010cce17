#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Headers of the project, with --out and --in-place: tagged for every includer, one record per site
# in the program.
. "$(dirname "$0")/common.inc"
mkdir -p inc src
cat > inc/once.h <<'X'
#pragma once
#include <tbb/tbb.h>
inline const void* once() { tbb::parallel_for(0, 1, [](int) {}); return tbb::last_site(); }
X
cat > inc/guard.h <<'X'
#ifndef GUARD_H
#define GUARD_H
#include "once.h"
template <typename T>
const void* guard(T n) { tbb::parallel_for(0, n, [](T) {}); return tbb::last_site(); }
#endif
X
cat > inc/twice.h <<'X'
static inline void NAME() { tbb::parallel_for(0, 1, [](int) {}); }
X
cat > src/one.cpp <<'X'
#include "guard.h"
#include "once.h"
#define NAME first
#include "twice.h"
#undef NAME
#define NAME second
#include "twice.h"
const void* other_once();
const void* other_guard();
int main() { first(); second(); return once() == other_once() && guard(1) == other_guard() ? 0 : 1; }
X
cat > src/two.cpp <<'X'
#include "../inc/guard.h"
const void* other_once() { return once(); }
const void* other_guard() { return guard(1); }
X
cp -r inc src "$work/"
"$TP_REWRITE" -q --out out src/one.cpp src/two.cpp -- -Iinc || fail "--out"
diff -r inc "$work/inc" && diff -r src "$work/src" || fail "--out changed the sources"
for compiler in $(compilers); do
  "$compiler" -isystem "$TP_PREFIX/include" -Iout/inc out/src/one.cpp out/src/two.cpp -o prog && ./prog || fail "$compiler: --out"
  count=$(nm -C prog | grep -c 'tp::sites::s_')
  [ "$count" -eq 3 ] || fail "$compiler: expected 3 records, got $count"
done
"$TP_REWRITE" -q --in-place src/one.cpp src/two.cpp -- -Iinc || fail "--in-place"
for compiler in $(compilers); do
  "$compiler" -isystem "$TP_PREFIX/include" -Iinc src/one.cpp src/two.cpp -o prog && ./prog || fail "$compiler: --in-place"
done
cp -r inc inc.once
"$TP_REWRITE" -q --in-place src/one.cpp src/two.cpp -- -Iinc && diff -r inc inc.once || fail "--in-place twice"
finish
