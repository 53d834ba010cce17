#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# With and without tp-c++ the same headers are found, even if the source's folder contains one of
# the same name.
. "$(dirname "$0")/common.inc"
mkdir src lib conf
echo '#define WHICH 1' > src/config.h
echo '#define WHICH 2' > conf/config.h
echo '#include "config.h"' > lib/lib.h
echo '#include "near.h"' > lib/own.h
: > lib/near.h
: > src/near.h
echo 'int module = 0; int main() { tbb::parallel_for(0, 1, [](int) {}); return WHICH - EXPECTED; }' > body.h
{ echo '#include <tbb/tbb.h>'; echo '#include "config.h"'; cat body.h; } > src/mine.cpp
{ echo '#include <tbb/tbb.h>'; echo '#include "lib.h"'; cat body.h; } > src/theirs.cpp
{ echo '#include <tbb/tbb.h>'; echo '#include "config.h"'; echo '#include "own.h"'; cat body.h; } > src/near.cpp
{ echo '#include <tbb/tbb.h>'; cat body.h; } > src/forced.cpp
check() {  # expected tagged name flags...
  local expected=$1 tagged=$2 name=$3 compiler
  shift 3
  for compiler in $(compilers); do
    TP_CXX=$compiler "$TP_CXX_TOOL" -DEXPECTED="$expected" "$@" -Iconf -Ilib "src/$name.cpp" -o prog 2> notes.txt && ./prog ||
      fail "$compiler $name: other header"
    [ "$(nm -C prog | grep -c 'tp::sites::s_')" -eq "$tagged" ] || fail "$compiler $name: expected $tagged tags"
    [ "$(grep -c '^tp: src/.*: compiled untagged: a copy of it elsewhere would include another file than conf/config.h' notes.txt)" -eq $((1 - tagged)) ] || fail "$compiler $name: $(cat notes.txt)"
  done
}
check 1 1 mine
check 2 0 theirs
check 1 1 near
check 2 0 forced -include config.h
finish
