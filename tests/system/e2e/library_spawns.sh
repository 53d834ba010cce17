# SPDX-License-Identifier: Apache-2.0
# A unit that only includes the real source, whose calls contain a library's calls in their
# arguments and bodies; the library was compiled with other headers. What the library spawns has a
# site of its own, wherever it is called, and the enclosing calls keep theirs.
. "$(dirname "$0")/common.inc"
[ -x "$TP_PREFIX/bin/tp-c++" ] || skip "tp-c++ is not installed"
[ -e /usr/include/oneapi/tbb/version.h ] || skip "no libtbb-dev"
touch CMakeLists.txt
cat >library.cpp <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
int library(int n) {
  tbb::parallel_for(0, n, [](int) { tp::spend(100); });
  return n;
}
X
cat >real.cc <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
int library(int n);
int main() {
  tbb::task_group group;
  tbb::parallel_for(0, library(4), [](int) { tp::spend(1); });
  tbb::parallel_for(0, TIMES, [](int) { library(2); tp::spend(1); });
  group.run([n = library(1)] { tp::spend(n); library(1); });
  group.wait();
}
X
printf '#define TIMES 3\n#include "real.cc"\n' >main.cpp
for compiler in "$cxx" clang++-19; do
  command -v "$compiler" >/dev/null || continue
  "$compiler" -std=c++17 -g -O1 -c library.cpp -o library.o -idirafter "$TP_PREFIX/include" || fail "$compiler: library"
  TP_CXX=$compiler "$TP_PREFIX/bin/tp-c++" -std=c++17 -O1 main.cpp library.o -ltbb -o main 2>err || { fail "$compiler: $(cat err)"; continue; }
  is_empty err
  rm -rf tp-data
  ours ./main
  analyze tp-data
  same "$compiler" "library.cpp:4 1200, real.cc:7 4 main, real.cc:8 603 main, real.cc:9 101 main" "$(python3 -c 'import json, os
sites = json.load(open("profile.json"))["sites"]
rows = [[os.path.basename(s["file"]), s["line"], s["work"], *s["functions"] * ("real" in s["file"])] for s in sites if s["line"]]
print(", ".join("%s:%d " % (row[0], row[1]) + " ".join(map(str, row[2:])) for row in sorted(rows)))')"
done
finish
