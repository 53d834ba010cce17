# SPDX-License-Identifier: Apache-2.0
# C++17's parallel algorithms, compiled by tp-c++: each call is a site, also in templates.
. "$(dirname "$0")/common.inc"
[ -x "$TP_PREFIX/bin/tp-c++" ] || skip "tp-c++ is not installed"
cat >algorithms.cpp <<'X'
#include <algorithm>
#include <execution>
#include <numeric>
#include <tp/virtual_clock.h>
#include <vector>
using namespace std;
template <typename C>
void visit(C& c) {
  std::for_each(execution::par, c.begin(), c.end(), [](int) { tp::spend(1); });
}
int main() {
  vector<int> v(1000, 1);
  visit(v);
  const int sum = std::transform_reduce(std::execution::par_unseq, v.begin(), v.end(), 0, plus<>(),
                                        [](int x) { tp::spend(2); return x; });
  for_each(execution::par, v.begin(), v.end(), [](int&) { tp::spend(3); });
  std::for_each(execution::seq, v.begin(), v.end(), [](int) { tp::spend(4); });
  return sum == 1000 ? 0 : 1;
}
X
for compiler in "$cxx" clang++-19; do
  command -v "$compiler" >/dev/null || continue
  TP_CXX=$compiler "$TP_PREFIX/bin/tp-c++" -std=c++17 -g -O1 -Wall -Wextra algorithms.cpp -o algorithms -ltbb -lpthread 2>err ||
    { fail "$compiler: $(cat err)"; continue; }
  is_empty err
  rm -rf tp-data
  ours ./algorithms
  same "$compiler: exit status" 0 $status
  analyze tp-data
  same "$compiler: sites" "algorithms.cpp:9 std::for_each explicit 1000
algorithms.cpp:14 std::transform_reduce explicit 2000
algorithms.cpp:16 std::for_each explicit 3000" "$(python3 -c 'import json
for s in sorted(json.load(open("profile.json"))["sites"], key=lambda s: s["line"]):
    if s["file"] == "algorithms.cpp": print("%s:%d %s %s %d" % (s["file"], s["line"], ",".join(s["constructs"]), ",".join(s["found_by"]), s["work"]))')"
done
finish
