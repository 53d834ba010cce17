# SPDX-License-Identifier: Apache-2.0
# One rule for library code, in the three ways: the parallel algorithms of the standard library have
# the line of their call, also inside tasks and inside each other; a user's file is the user's in
# whatever folder it is, also below a system include folder; and a file has one name.
. "$(dirname "$0")/common.inc"
libraries="-ltbb -lpthread"
# sites PROGRAM: main, then file:line and own work of each site.
sites() {
  rm -rf tp-data
  ours "$1"
  [ $status -eq 0 ] || fail "$1: exit status $status: $(cat err)"
  analyze tp-data
  python3 -c 'import json
for s in sorted(json.load(open("profile.json"))["sites"], key=lambda s: (s["line"] > 0, s["file"].split("/")[-1], s["line"])):
    print("%s:%d" % (s["file"].split("/")[-1], s["line"]), s["exclusive_work"])'
}
# compile WAY FILE FLAG...: ./program in that way; relative paths as they are given.
compile() {
  local way=$1 file=$2
  shift 2
  # shellcheck disable=SC2086  # several libraries
  case $way in
  1) "$cxx" -std=c++17 -g -O1 "$@" "$file" -idirafter "$TP_PREFIX/include" -o program $libraries ;;
  2) "$cxx" -std=c++17 -g -O1 "$@" "$file" -I"$TP_PREFIX/include" -L"$TP_PREFIX/lib" -o program $libraries ;;
  3) TP_CXX=$cxx "$TP_PREFIX/bin/tp-c++" -std=c++17 -g -O1 "$@" "$file" -o program $libraries ;;
  esac || fail "way $way: $file does not build"
}
ways=2
[ -e /usr/include/oneapi/tbb/version.h ] && ways="1 $ways"
[ -x "$TP_PREFIX/bin/tp-c++" ] && ways="$ways 3"

# Each construct of libstdc++'s backend inside a task: a loop, a reduction, a strict scan with its
# recursion, a sort with tasks of its own, a partition, whose reduction contains loops of the
# library, a loop inside a loop, and one that the user isolates. The scan transforms its first element
# before it makes tasks.
cat >algorithms.cpp <<'X'
#include <algorithm>
#include <execution>
#include <functional>
#include <numeric>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
#include <vector>
using std::execution::par;
int main() {
  std::vector<int> v(2048), w(8);
  std::vector<double> d(2048);
  for (unsigned i = 0; i < v.size(); ++i) v[i] = int(i * 7919u % 2048u);
  tbb::task_group g;
  g.run([&] {
    tp::spend(5);
    std::for_each(par, v.begin(), v.end(), [](int) { tp::spend(1); });
    std::transform_reduce(par, v.begin(), v.end(), 0, [](int a, int b) { return a + b; }, [](int x) { tp::spend(2); return x; });
    std::transform_inclusive_scan(par, d.begin(), d.end(), d.begin(), std::plus<>(), [](double x) { tp::spend(1); return x; });
    std::stable_sort(par, v.begin(), v.end(), [](int a, int b) { tp::spend(1); return b < a; });
    std::partition(par, v.begin(), v.end(), [](int x) { tp::spend(6); return x % 3 == 0; });
    std::for_each(par, w.begin(), w.end(), [&](int) {
      std::for_each(par, v.begin(), v.end(), [](int&) { tp::spend(3); });
    });
    tbb::this_task_arena::isolate([&] { std::for_each(par, w.begin(), w.end(), [](int&) { tp::spend(4); }); });
  });
  g.wait();
}
X
for way in $ways; do
  compile "$way" algorithms.cpp
  for run in 1 2 3; do
    same "way $way, run $run: algorithms" "main:0 0
algorithms.cpp:15 6
algorithms.cpp:17 2048
algorithms.cpp:18 4096
algorithms.cpp:19 some
algorithms.cpp:20 some
algorithms.cpp:21 12288
algorithms.cpp:22 0
algorithms.cpp:23 49152
algorithms.cpp:25 32" "$(sites ./program | sed -E 's/^(algorithms.cpp:(19|20)) [1-9][0-9]*$/\1 some/')"
    # One file has one name: in ways 2 and 3 the one that the compiler was given.
    is 'len({s["file"] for s in p["sites"][1:]}) == 1'
    [ "$way" = 1 ] || is 'all(s["file"] == "algorithms.cpp" for s in p["sites"][1:])'
  done
done

# A user's folders may be named like those of libraries.
cat >nested.cpp <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
int main() {
  tbb::task_group g;
  g.run([] {
    tbb::parallel_for(0, 8, [](int) { tp::spend(10); });
  });
  g.wait();
}
X
for folder in pstl oneapi/tbb include/tbb bits/stl_ include/shop/c++ plain; do
  mkdir -p "home/$folder" && cp nested.cpp "home/$folder/parallel.cpp"
  for way in $ways; do
    compile "$way" "$PWD/home/$folder/parallel.cpp"
    same "way $way: a file in $folder" "main:0 0
parallel.cpp:6 0
parallel.cpp:7 80" "$(sites ./program)"
  done
done

# A header of another library, found by -isystem, and shown as if it were below /usr/include: its
# functions are wrappers.
mkdir -p vendor/shop
cat >vendor/shop/order.h <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
namespace shop {
inline void order(int n) {
  tbb::parallel_for(0, n, [](int) { tp::spend(10); });
}
}
X
cat >buyer.cpp <<'X'
#include <oneapi/tbb/task_group.h>
#include <shop/order.h>
int main() {
  tbb::task_group g;
  g.run([] { shop::order(8); });
  g.wait();
}
X
for way in $ways; do
  compile "$way" buyer.cpp -isystem vendor "-ffile-prefix-map=vendor/=/usr/include/"
  same "way $way: a header below /usr/include" "buyer.cpp:5 0
buyer.cpp:5 80
main:0 0" "$(sites ./program | sort)"
  is '[s["wrapper"]["file"] for s in p["sites"] if s["wrapper"]] == ["/usr/include/shop/order.h"]'
done

# A header that two units name differently, in an unmodified binary: relative to the folder of the
# one, absolute in the other.
if [[ $ways == 1* ]]; then
  mkdir -p two/folder
  cat >two/loop.h <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
inline void loop(int n) { tbb::parallel_for(0, n, [](int) { tp::spend(10); }); }
X
  printf '#include "loop.h"\nvoid far() { loop(5); }\n' >two/far.cpp
  printf '#include "loop.h"\nvoid far();\nint main() { loop(2); far(); }\n' >two/near.cpp
  (cd two/folder && "$cxx" -std=c++17 -g -O2 -c ../far.cpp -idirafter "$TP_PREFIX/include") || fail "far.cpp does not build"
  compile 1 "$PWD/two/near.cpp" -O2 two/folder/far.o
  same "way 1: a header by two names" "main:0 0
loop.h:3 70" "$(sites ./program)"
  is 'p["sites"][1]["file"].startswith("/")'
fi
finish
