#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Dependency files name the original source, for every option that requests them.
. "$(dirname "$0")/common.inc"
mkdir -p "sub dir/inc"
echo 'int main() { tbb::parallel_for(0, 1, [](int) {}); }' > body.txt
{ echo '#include "inc/x.h"'; echo '#include <tbb/tbb.h>'; cat body.txt; } > "sub dir/a.cpp"
cp "sub dir/a.cpp" a.cpp
mkdir inc && : > inc/x.h && : > "sub dir/inc/x.h"

check() {  # source flags...
  local source=$1 compiler name
  shift
  for compiler in $(compilers); do
    rm -rf plain ours && mkdir plain ours
    ln -s ../inc ../a.cpp "../sub dir" plain/ && ln -s ../inc ../a.cpp "../sub dir" ours/
    (cd plain && "$compiler" -isystem "$TP_PREFIX/include" "$@" "$source")
    (cd ours && TP_CXX=$compiler "$TP_CXX_TOOL" "$@" "$source")
    diff <(cd plain && ls) <(cd ours && ls) || fail "$compiler $*: other files"
    for name in plain/*.d; do
      [ -e "$name" ] || fail "$compiler $*: no dependency file"
      diff <(tr -s ' \\\n' '\n' < "$name" | grep -v 'tp/site.h' | sed 's|/[^/]*/[.][.]/|/|' | sort -u) \
           <(tr -s ' \\\n' '\n' < "ours/${name#plain/}" | grep -v 'tp/site.h' | sed 's|/[^/]*/[.][.]/|/|' | sort -u) ||
        fail "$compiler $*: other dependencies"
      grep -q tp-c++- "ours/${name#plain/}" && fail "$compiler $*: temporary name left"
    done
  done
}
check a.cpp -c -MD
check a.cpp -c -MD -o a.o
check a.cpp -c -MD -MT x/a.o -MF deps.d -o out.o
check a.cpp -c -MMD -MP -MFdeps.d
check a.cpp -c -Wp,-MD,deps.d
check a.cpp -MD -o prog
check "sub dir/a.cpp" -c -MD -o a.o
check "sub dir/a.cpp" -c -MD
finish
