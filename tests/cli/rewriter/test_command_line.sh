#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The arguments that tp-c++ adds to a command line, and the cases in which it adds none.
. "$(dirname "$0")/common.inc"
touch "$TP_PREFIX/lib/libtbb.so.12"
printf '#!/bin/bash\nprintf "%%s|" "$@"\n' > show && chmod +x show
export TP_CXX=$PWD/show
inc="-isystem|$TP_PREFIX/include|"
lib="-L$TP_PREFIX/lib|-Wl,-rpath,$TP_PREFIX/lib|"
echo 'int main() {}' > a.cpp
echo 'int main() {}' > a.c
: > a.o; : > a.s
expect() {  # expected arguments...
  local expected=$1 got
  shift
  got=$("$TP_CXX_TOOL" "$@")
  [ "$got" = "$expected" ] || fail "tp-c++ $*: expected $expected, got $got"
}
expect "${inc}-c|a.cpp|" -c a.cpp
expect "${inc}-c|-I|x|a.cpp|-o|y.o|" -c -I x a.cpp -o y.o
expect "${inc}${lib}a.cpp|-ltbb|" a.cpp -ltbb
expect "${lib}a.o|-o|prog|-ltbb|" a.o -o prog -ltbb
expect "${lib}-shared|a.o|$TP_PREFIX/lib/libtbb.so.12|-o|x.so|" -shared a.o /usr/lib/x86_64-linux-gnu/libtbb.so.12.8 -o x.so
expect "${lib}a.o|$TP_PREFIX/lib/libtbb.so.12|" a.o /usr/lib/libtbb.so
expect "${lib}a.o|/x/libtbbmalloc.so|" a.o /x/libtbbmalloc.so
expect "${inc}-E|a.cpp|" -E a.cpp
expect "${inc}-MM|a.cpp|" -MM a.cpp
expect "${inc}-fsyntax-only|a.cpp|" -fsyntax-only a.cpp
expect "${inc}-c|a.c|" -c a.c
expect "${inc}-x|c++-header|a.h|-o|a.h.gch|" -x c++-header a.h -o a.h.gch
expect "${inc}-x|c++|-|-c|" -x c++ - -c
for argument in --version -dumpversion -dumpmachine -v -print-search-dirs --help; do
  expect "$argument|" $argument
done
expect "|"
TP_CXX="$PWD/show -first" expect "-first|${inc}-c|a.cpp|" -c a.cpp
TP_PREFIX=/nonexistent expect "-c|a.cpp|" -c a.cpp
[ "$("$TP_CXX_TOOL" -V)" ] || fail "-V"
"$TP_CXX_TOOL" -h | grep -q TP_CXX || fail "-h"

# A tagged compilation: the copy, the option for the original's folder, and no leftover files.
mkdir d && echo 'int main() { tbb::parallel_for(0, 1, [](int) {}); }' > d/t.cpp
printf '#!/bin/bash\nfor a; do case $a in /dev/null) exec g++ "$@";; esac; done\nprintf "%%s|" "$@"\n' > show
TMPDIR=$work expect_tagged=$("$TP_CXX_TOOL" -include tbb/tbb.h -c d/t.cpp)
[[ $("$TP_CXX_TOOL" -include tbb/tbb.h -c d/t.cpp) =~ ^"$inc"-iquote\|d/\|-include\|tbb/tbb.h\|-c\|.*/tp-c\+\+-.*/t.cpp\|-ffile-prefix-map=.*/=d/\|$ ]] ||
  fail "tagged: $expect_tagged"
TMPDIR=$work "$TP_CXX_TOOL" -include tbb/tbb.h -c d/t.cpp > /dev/null
ls -d "$work"/tp-c++-* 2>/dev/null && fail "temporary directory left"
finish
