# SPDX-License-Identifier: Apache-2.0
# Every construct whose header names its place, compiled by tp-c++: each call is an explicit site
# with the construct's name, and the program prints the same as without tp-c++.
. "$(dirname "$0")/common.inc"
[ -x "$TP_PREFIX/bin/tp-c++" ] || skip "tp-c++ is not installed"
cat >all.cpp <<'X'
#include <oneapi/tbb.h>
#include <cstdio>
#include <vector>
using Range = tbb::blocked_range<int>;
int main() {
  std::vector<int> v{3, 1, 2};
  const auto add = [](int a, int b) { return a + b; };
  const auto sum = [](const Range& r, int x) { return x + r.end() - r.begin(); };
  tbb::parallel_for(0, 9, [](int) {});
  tbb::parallel_for_each(v, [](int& x) { ++x; });
  tbb::parallel_for_each(v.begin(), v.end(), [](int x, tbb::feeder<int>& f) { if (x == 2) f.add(9); });
  int total = tbb::parallel_reduce(Range(0, 9), 0, sum, add);
  total += tbb::parallel_deterministic_reduce(Range(0, 9), 0, sum, add);
  total += tbb::parallel_scan(Range(0, 9), 0, [&](const Range& r, int x, bool) { return sum(r, x); }, add);
  tbb::parallel_sort(v);
  int token = 0;
  const auto input = [&token](tbb::flow_control& c) { if (++token > 5) c.stop(); return token; };
  const auto source = tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, input);
  const auto sink = tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order, [&](int x) { total += x; });
  tbb::parallel_pipeline(4, source & sink);
  token = 0;
  tbb::parallel_pipeline(4, source, sink);
  tbb::parallel_invoke([] {}, [] {});
  tbb::collaborative_once_flag once;
  tbb::collaborative_call_once(once, [&] { ++total; });
  tbb::task_group group;
  group.run([] {});
  group.run(group.defer([] {}));
  group.run_and_wait([] {});
  tbb::task_arena arena(2);
  arena.enqueue([] {});
  arena.execute([&] { tbb::this_task_arena::enqueue([] {}); });
  tbb::parallel_for(Range(0, 9), [](const Range&) {}, tbb::static_partitioner()); group.wait();
  std::printf("%d %d\n", total, v[0]);
}
X
expected="9 parallel_for
10 parallel_for_each
11 feeder::add
11 parallel_for_each
12 parallel_reduce
13 parallel_deterministic_reduce
14 parallel_scan
15 parallel_sort
20 parallel_pipeline
22 parallel_pipeline
23 parallel_invoke
25 collaborative_call_once
27 task_group::run
28 task_group::run
29 task_group::run_and_wait
31 task_arena::enqueue
32 this_task_arena::enqueue
33 parallel_for"
build plain -I. <all.cpp
for compiler in "$cxx -std=c++17" "$cxx -std=c++20" "clang++-19 -std=c++17"; do
  command -v "${compiler% *}" >/dev/null || continue
  # shellcheck disable=SC2086  # the compiler has options
  TP_CXX=${compiler% *} "$TP_PREFIX/bin/tp-c++" ${compiler#* } -g -Wall -Wextra -pedantic-errors all.cpp -o all -ltbb -lpthread 2>err ||
    { fail "$compiler: $(cat err)"; continue; }
  is_empty err
  rm -rf tp-data
  same "$compiler: output" "$(TP_DISABLE=1 ./plain)" "$(./all)"
  same "$compiler: sites" "$expected" "$(python3 -c 'import json
sites = [json.loads(line) for line in open("tp-data/sites.jsonl")]
print(*sorted({(s["line"], s["construct"]) for s in sites if s.get("tag") == "explicit"}), sep="\n")' |
    sed "s/[(',)]//g")"
done
finish
