#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The project of a source without a repository: the folder of the topmost build file, across folders
# without one. Calls in the project's headers are sites, calls in other projects' headers are not.
. "$(dirname "$0")/common.inc"
mkdir -p "$work/a/b/c/project/src/module/test" "$work/a/b/c/project/src/module/include" "$work/other" && cd "$work/a/b/c/project" || exit 1
touch CMakeLists.txt src/CMakeLists.txt src/module/test/CMakeLists.txt "$work/CMakeLists.txt"
echo '#include <tbb/tbb.h>' > src/module/include/own.h
echo 'inline void own() { tbb::parallel_for(0, 1, [](int) {}); }' >> src/module/include/own.h
sed 's/own/other/' src/module/include/own.h > "$work/other/other.h"
printf '#include <own.h>\n#include <other.h>\nint main() { own(); other(); }\n' > src/module/test/a.cpp
"$TP_REWRITE" --list-sites src/module/test/a.cpp -- -Isrc/module/include -I../../../../other > sites.txt || fail "--list-sites"
[ "$(awk '{ print $1, $3 }' sites.txt)" = "src/module/include/own.h:2:26 own" ] || fail "sites: $(cat sites.txt)"
TP_CXX=g++ "$TP_CXX_TOOL" -c src/module/test/a.cpp -o a.o -Isrc/module/include -I../../../../other || fail "tp-c++"
[ "$(readelf -n a.o | grep -c Taskpath)" -eq 1 ] || fail "expected one note"
finish
