#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The outputs and their names are the same as without tp-c++, and contain no temporary path.
. "$(dirname "$0")/common.inc"
mkdir src
echo 'int two();' > src/own.h
cat > src/one.cpp <<'X'
#include "own.h"
#include <tbb/tbb.h>
int main() {
  tbb::parallel_for(0, 1, [](int) {});
  const tp_spawn_site* site = static_cast<const tp_spawn_site*>(tbb::last_site());
  return site->line == 4 && (site->column & TP_SITE_EXPLICIT) ? two() : 1;
}
X
cat > src/two.cpp <<'X'
#include "own.h"
#include <tbb/tbb.h>
int two() { tbb::parallel_for(0, 1, [](int) {}); return 0; }
X
for compiler in $(compilers); do
  export TP_CXX=$compiler
  for flags in "-c" "-S" "-c -g" "-g -c -O2 -flto"; do
    rm -f ./*.o ./*.s
    # shellcheck disable=SC2086  # several options
    "$TP_CXX_TOOL" $flags src/one.cpp || fail "$compiler $flags"
    case $flags in -S) file=one.s ;; *) file=one.o ;; esac
    [ -s $file ] || fail "$compiler $flags: no $file"
    [[ $compiler$flags == clang*lto ]] ||  # bitcode holds the path of the copy
      ! grep -q 'tp-c++-' $file || fail "$compiler $flags: temporary name in $file"
  done
  "$TP_CXX_TOOL" -g src/one.cpp src/two.cpp -o prog && ./prog || fail "$compiler: two sources"
  (cd src && "$TP_CXX_TOOL" one.cpp two.cpp && ./a.out && rm a.out) || fail "$compiler: a.out"
  "$TP_CXX_TOOL" -c "$PWD/src/one.cpp" -o abs.o && "$TP_CXX_TOOL" -c ./src/../src/two.cpp -o two.o &&
    "$TP_CXX_TOOL" abs.o two.o -o prog && ./prog || fail "$compiler: absolute path"
  "$TP_CXX_TOOL" -x c++ - -c -o in.o < src/two.cpp -Isrc || fail "$compiler: stdin"
  cp src/two.cpp src/two.inc && "$TP_CXX_TOOL" -c -x c++ src/two.inc -o inc.o &&
    nm -C inc.o | grep -q 'tp::sites::s_' || fail "$compiler: -x c++ not tagged"
  printf -- '-c\n"src/two.cpp" -o rsp.o' > flags.rsp
  "$TP_CXX_TOOL" @flags.rsp && nm -C rsp.o | grep -q 'tp::sites::s_' || fail "$compiler: response file"
done
# Debug information names the original, as given.
TP_CXX=g++ "$TP_CXX_TOOL" -g -c src/one.cpp
readelf --debug-dump=info one.o | grep -q 'DW_AT_name.*: src/one.cpp' || fail "DW_AT_name"
finish
