# SPDX-License-Identifier: Apache-2.0
# --as-if-cores N: loops, reductions and sorts are split as by N threads on any machine: the span of
# this run is the one that arithmetic or a run with N real threads gives. What the program sees, and
# what does not change.
. "$(dirname "$0")/common.inc"
cat >split.cpp <<'X'
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task_arena.h>
#include <tp/virtual_clock.h>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <execution>
#include <random>
#include <string>
#include <vector>
using Range = tbb::blocked_range<int>;
constexpr int kSize = 8192; // iterations of one unit
constexpr auto each = [](const Range& range) { tp::spend(range.size()); };
constexpr auto total = [](const Range& range, long sum) { each(range); return sum + long(range.size()); };
constexpr auto join = [](long a, long b) { tp::spend(1); return a + b; };

static long sort() {
  std::mt19937 random(7);
  std::vector<int> values(20000);
  for (int& value : values) value = static_cast<int>(random());
  tbb::parallel_sort(values.begin(), values.end(), [](int a, int b) { tp::spend(1); return a < b; });
  return std::is_sorted(values.begin(), values.end());
}
static long work(const std::string& name) {
  tbb::affinity_partitioner kept;
  const tbb::static_partitioner fixed;
  if (name == "auto") tbb::parallel_for(Range(0, kSize), each);
  if (name == "static") tbb::parallel_for(Range(0, kSize), each, fixed);
  if (name == "simple") tbb::parallel_for(Range(0, kSize, 64), each, tbb::simple_partitioner());
  if (name == "affinity") tbb::parallel_for(Range(0, kSize), each, kept);
  if (name == "nested") tbb::parallel_for(0, 64, [&](int) { tbb::parallel_for(Range(0, kSize / 64), each, fixed); }, fixed);
  if (name == "reduce") return tbb::parallel_reduce(Range(0, kSize), 0L, total, join);
  if (name == "deterministic") return tbb::parallel_deterministic_reduce(Range(0, kSize), 0L, total, join, fixed);
  if (name == "sort") return sort();
  if (name == "for_each") {
    std::vector<int> values(kSize);
    std::for_each(std::execution::par, values.begin(), values.end(), [](int) { tp::spend(1); });
  }
  if (name == "explicit") tbb::task_arena(5).execute([&] { tbb::parallel_for(Range(0, 5 * 64), each, fixed); });
  if (name == "seen") {
    std::atomic<int> last{0};
    tbb::parallel_for(0, 10000, [&](int) {
      int mine = tbb::this_task_arena::current_thread_index(), old = last;
      while (old < mine && !last.compare_exchange_weak(old, mine)) {}
    });
    std::printf("%d %d %d %d\n", tbb::this_task_arena::max_concurrency(), tbb::task_arena(5).max_concurrency(),
                tbb::info::default_concurrency(), last < tbb::info::default_concurrency());
  }
  return 0;
}
int main(int, char** argv) { // case, real threads in an arena of as many slots; 0: as they come, alone: one only
  const std::string how = argv[2];
  const int threads = std::atoi(argv[2]);
  long result = 0;
  if (how == "alone") {
    tbb::global_control control(tbb::global_control::max_allowed_parallelism, 1);
    result = work(argv[1]);
  } else if (threads > 0) {
    tbb::global_control control(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
    tbb::task_arena(threads).execute([&] { result = work(argv[1]); });
  } else {
    result = work(argv[1]);
  }
  std::printf("%ld\n", result);
}
X
build split <split.cpp
build_stock swapped <split.cpp

# span_of PROGRAM CASE CORES THREADS: runs as if on that many cores (0: unchanged); prints the span
# of the run.
span_of() {
  rm -rf tp-data
  local as_if=()
  [ "$3" -gt 0 ] && as_if=(--as-if-cores "$3")
  "$tp_run" -q "${as_if[@]}" -- "./$1" "$2" "$4" >out 2>err || fail "$*: exit status $?: $(cat err)"
  analyze tp-data
  python3 -c 'import json; print(json.load(open("profile.json"))["span"])'
}
# exactly CASE CORES SPAN: with one thread there are no steals, which would split further. The
# result does not change.
exactly() {
  same "$1 as if on $2 cores: span" "$3" "$(span_of split "$1" "$2" alone)"
  same "$1 as if on $2 cores: result" "$(TP_DISABLE=1 ./split "$1" 0)" "$(cat out)"
}
# between CASE CORES THREADS LOW HIGH: the span is in this range, whatever is stolen.
between() {
  local span
  span=$(span_of split "$1" "$2" "$3")
  [ "$span" -ge "$4" ] && [ "$span" -le "$5" ] || fail "$1, $2 cores, $3 threads: expected a span of $4 to $5, got $span"
}
all_split=$(span_of split sort 65535 alone)
for n in 2 8 32 128; do
  exactly auto $n $((8192 / n / 4))
  exactly reduce $n $((8192 / n / 4))
  exactly for_each $n $((8192 / n / 4)) # std::execution::par
  exactly static $n $((8192 / n))
  exactly simple $n 64
  outer=$((n < 64 ? n : 64))
  exactly nested $n $((8192 / outer / n))
  exactly deterministic $n $((8192 / n + $(python3 -c "print(($n).bit_length() - 1)"))) # and its joins
  # There is no arithmetic for these: n real threads, which may steal, give the same or split
  # further.
  for name in affinity sort; do
    alone=$(span_of split $name $n alone)
    low=$((alone / 2))
    [ $name = affinity ] || low=$all_split
    between "$name" "$n" 0 "$low" "$alone"
    between "$name" 0 "$n" "$low" "$alone"
  done
done
between auto 32 0 $((8192 / 32 / 16)) $((8192 / 32 / 4))
between auto 0 32 $((8192 / 32 / 16)) $((8192 / 32 / 4))
same "real threads" $((8192 / 8)) "$(span_of split static 0 8)"
same "not recompiled" $((8192 / 32)) "$(span_of swapped static 32 0)"

# An arena with an explicit size keeps it. The program sees N; no thread has a higher index.
same "explicit arena" 64 "$(span_of split explicit 32 0)"
cores=$(./split seen 0 | cut -d ' ' -f 3 | head -n 1)
rm -rf tp-data
for n in 1 2 128; do
  same "seen as if on $n" "$n 5 $((n < cores ? n : cores)) 1" "$("$tp_run" -q --as-if-cores $n ./split seen 0 | head -n 1)"
done
same "disabled" "$cores 5 $cores 1" "$(TP_DISABLE=1 TP_AS_IF_CORES=128 ./split seen 0 | head -n 1)"
"$tp_run" -q --as-if-cores 7 ./split auto 0 >out && "$tp_analyze" -q tp-data >out
in_file out "as if on 7 cores"
finish
