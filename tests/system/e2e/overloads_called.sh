# SPDX-License-Identifier: Apache-2.0
# Calls every overload of every function that names its place: each call is a site of its own with
# tp-c++, and the program prints the same as without. TP_ALL_COMPILERS=1: also in C++20 and with
# clang++, which takes twice as long again.
. "$(dirname "$0")/common.inc"
[ -x "$TP_PREFIX/bin/tp-c++" ] || skip "tp-c++ is not installed"
python3 - >calls.txt <<'X'
def calls(before, partitioners, contexts=("", "context")):
    for partitioner in partitioners:
        for context in contexts:
            print(", ".join(filter(None, [before, partitioner, context])) + ");")

ALL = ["", "simple", "automatic", "fixed", "affinity"]
calls("tbb::parallel_for(range, count_range", ALL)
calls("tbb::parallel_for(0, 9, count_index", ALL)
calls("tbb::parallel_for(0, 9, 2, count_index", ALL)
calls("tbb::parallel_reduce(range, counter", ALL)
calls("total += tbb::parallel_reduce(range, 0, sum, add", ALL)
calls("tbb::parallel_deterministic_reduce(range, counter", ["", "simple", "fixed"])
calls("total += tbb::parallel_deterministic_reduce(range, 0, sum, add", ["", "simple", "fixed"])
calls("tbb::parallel_scan(range, scanner", ["", "simple", "automatic"], [""])
calls("total += tbb::parallel_scan(range, 0, scan, add", ["", "simple", "automatic"], [""])
for sequence in ("v", "constant", "v.begin(), v.end()"):
    calls(f"tbb::parallel_for_each({sequence}, count_item", [""])
for sequence in ("v", "v.begin(), v.end()"):
    calls(f"tbb::parallel_sort({sequence}", ["", "std::greater<int>()"], [""])
calls("token = 0; tbb::parallel_pipeline(2, whole", [""])
calls("token = 0; tbb::parallel_pipeline(2, source, sink", [""])
for functions in range(2, 17):
    calls("tbb::parallel_invoke(" + ", ".join(["call"] * functions), [""])
for group in ("group", "isolated"):
    for function in ("run", "run_and_wait"):
        for what in ("call", f"{group}.defer(call)"):
            if (group, function, what) != ("isolated", "run_and_wait", "isolated.defer(call)"):
                print(f"{group}.{function}({what}); {group}.wait();")
for arena in ("arena.", "tbb::this_task_arena::"):
    print(f"{arena}enqueue(call_released); wait();")
    print(f"{arena}enqueue(group.defer(call_released)); wait(); group.wait();")
print("tbb::collaborative_call_once(once, call_with, 1, 2);")
X
{
  cat <<'X'
#define TBB_PREVIEW_ISOLATED_TASK_GROUP 1
#include <oneapi/tbb.h>
#include <atomic>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>
using Range = tbb::blocked_range<int>;
std::atomic<int> count(0), released(0), waited_for(0);
const auto add = [](int a, int b) { return a + b; };
const auto sum = [](const Range& r, int x) { return x + r.end() - r.begin(); };
const auto scan = [](const Range& r, int x, bool) { return sum(r, x); };
const auto count_range = [](const Range& r) { count += r.end() - r.begin(); };
const auto count_index = [](int) { ++count; };
const auto count_item = [](int x) { count += x; };
const auto call = [] { ++count; };
const auto call_released = [] { ++count, ++released; };
const auto call_with = [](int a, int b) { count += a + b; };
void wait() {
  for (++waited_for; released != waited_for;) std::this_thread::yield();
}
struct Counter {
  Counter() {}
  Counter(Counter&, tbb::split) {}
  void operator()(const Range& r) { count += r.end() - r.begin(); }
  void join(Counter&) {}
};
struct Scanner {
  Scanner() {}
  Scanner(Scanner&, tbb::split) {}
  void operator()(const Range& r, tbb::pre_scan_tag) { (void)r; }
  void operator()(const Range& r, tbb::final_scan_tag) { count += r.end() - r.begin(); }
  void reverse_join(Scanner&) {}
  void assign(Scanner&) {}
};
int main() {
  const Range range(0, 9);
  Counter counter;
  Scanner scanner;
  std::vector<int> v{3, 1, 2};
  const std::vector<int> constant{4, 5};
  const tbb::simple_partitioner simple;
  const tbb::auto_partitioner automatic;
  const tbb::static_partitioner fixed;
  tbb::affinity_partitioner affinity;
  tbb::task_group_context context;
  tbb::task_group group;
  tbb::isolated_task_group isolated;
  tbb::task_arena arena(2);
  tbb::collaborative_once_flag once;
  int total = 0, token = 0;
  const auto source = tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& c) {
    if (++token > 5) c.stop();
    return token;
  });
  const auto sink = tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order, [](int x) { count += x; });
  const auto whole = source & sink;
X
  sed 's/.*/  & std::printf("%d %d\\n", int(count), total);/' calls.txt
  echo "}"
} >calls.cpp
first=$(($(grep -n 'const auto whole' calls.cpp | cut -d: -f1) + 1))
lines=$(seq -s ' ' "$first" $((first + $(wc -l <calls.txt) - 1)))
compilers=("$cxx -std=c++17")
[ -z "${TP_ALL_COMPILERS:-}" ] || compilers+=("$cxx -std=c++20" "clang++-19 -std=c++17")
build plain <calls.cpp
for compiler in "${compilers[@]}"; do
  # shellcheck disable=SC2086  # the compiler has options
  TP_CXX=${compiler% *} "$TP_PREFIX/bin/tp-c++" ${compiler#* } -Wall -Wextra -pedantic-errors calls.cpp -o tagged -ltbb 2>err ||
    { fail "$compiler: tp-c++"; continue; }
  is_empty err
  rm -rf tp-data
  same "$compiler: output" "$(TP_DISABLE=1 ./plain)" "$(./tagged)"
  same "$compiler: sites" "$lines" "$(python3 -c 'import json
sites = [json.loads(line) for line in open("tp-data/sites.jsonl")]
print(*sorted(s["line"] for s in sites if s.get("tag") == "explicit"))')"
done
finish
