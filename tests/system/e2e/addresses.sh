# SPDX-License-Identifier: Apache-2.0
# The address of a construct has the same type as with stock headers, though ours add a parameter:
# the same program compiles, in any dialect and with tp-c++, prints the same, and all its tasks are
# found.
# long: compiles one large program in every dialect; CI runs all_constructs and overloads_called.
. "$(dirname "$0")/common.inc"
cat >addresses.cpp <<'EOF'
#define TBB_PREVIEW_ISOLATED_TASK_GROUP 1
#include <oneapi/tbb.h>
#include <cstdio>
#include <functional>
#include <vector>
using Range = tbb::blocked_range<int>;
using Vector = std::vector<int>;
using Item = Vector::iterator;
std::atomic<int> count(0);
struct Body {
  void operator()(const Range& r) const { count += r.end() - r.begin(); }
  void operator()(int) const { ++count; }
  void operator()() const { ++count; }
  int operator()(const Range& r, int x) const { return x + r.end() - r.begin(); }
  int operator()(const Range& r, int x, bool) const { return x + r.end() - r.begin(); }
};
struct Counter {
  Counter() {}
  Counter(Counter&, tbb::split) {}
  void operator()(const Range& r) { count += r.end() - r.begin(); }
  void join(Counter&) {}
};
struct Scanner {
  Scanner() {}
  Scanner(Scanner&, tbb::split) {}
  template <typename Tag> void operator()(const Range& r, Tag) { if (Tag::is_final_scan()) count += r.end() - r.begin(); }
  void reverse_join(Scanner&) {}
  void assign(Scanner&) {}
};
struct Feed {
  void operator()(int x, tbb::feeder<int>& feeder) const {
    void (tbb::feeder<int>::*const add)(const int&) = &tbb::feeder<int>::add;
    ++count;
    if (x > 0) (feeder.*add)(x - 1);
  }
};
typedef std::plus<int> Plus;

int main() {
  const Range range(0, 9);
  const Body body = Body();
  Counter counter;
  Scanner scanner;
  Vector v(5, 3);
  tbb::task_group_context context;
  tbb::task_group group;
  tbb::isolated_task_group isolated;
  tbb::affinity_partitioner affinity;
  const int zero = 0;

  void (*loop)(const Range&, const Body&) = &tbb::parallel_for<Range, Body>;
  loop(range, body);
  void (*deduced)(const Range&, const Body&, const tbb::simple_partitioner&) = tbb::parallel_for;
  deduced(range, body, tbb::simple_partitioner());
  static_cast<void (*)(int, int, const Body&)>(tbb::parallel_for<int, Body>)(0, 9, body);
  static_cast<void (*)(int, int, int, const Body&, tbb::affinity_partitioner&, tbb::task_group_context&)>(tbb::parallel_for)(0, 9, 2, body, affinity, context);
  static_cast<void (*)(const Range&, Counter&)>(&tbb::parallel_reduce<Range, Counter>)(range, counter);
  int (*reduce)(const Range&, const int&, const Body&, const Plus&) = &tbb::parallel_reduce<Range, int, Body, Plus>;
  count += reduce(range, zero, body, Plus());
  reduce = &tbb::parallel_deterministic_reduce<Range, int, Body, Plus>;
  count += reduce(range, zero, body, Plus());
  void (*scan)(const Range&, Scanner&) = tbb::parallel_scan;
  scan(range, scanner);
  void (*each)(Item, Item, const Body&) = tbb::parallel_for_each<Item, Body>;
  each(v.begin(), v.end(), body);
  void (*each_of)(Vector&, const Feed&) = tbb::parallel_for_each<Vector, Feed>;
  each_of(v, Feed());
  void (*sort)(Item, Item) = tbb::parallel_sort<Item>;
  sort(v.begin(), v.end());
  void (*sort_by)(Item, Item, const std::greater<int>&) = tbb::parallel_sort;
  sort_by(v.begin(), v.end(), std::greater<int>());
  void (*invoke)(const Body&, const Body&) = tbb::parallel_invoke<const Body&, const Body&>;
  invoke(body, body);
  int token = 0;
  const tbb::filter<void, void> chain = tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& c) {
      if (++token > 5) c.stop();
      return token;
    }) & tbb::make_filter<int, void>(tbb::filter_mode::parallel, body);
  void (*pipeline)(std::size_t, const tbb::filter<void, void>&) = &tbb::parallel_pipeline;
  pipeline(2, chain);

  void (tbb::task_group::*run)(const Body&) = &tbb::task_group::run<const Body&>;
  (group.*run)(body);
  tbb::task_group_status (tbb::task_group::*run_and_wait)(const Body&) = &tbb::task_group::run_and_wait;
  (group.*run_and_wait)(body);
  void (tbb::task_group::*run_handle)(tbb::task_handle&&) = &tbb::task_group::run;
  (group.*run_handle)(group.defer(body));
  group.wait();
  void (tbb::isolated_task_group::*run_isolated)(const Body&) = &tbb::isolated_task_group::run;
  (isolated.*run_isolated)(body);
  isolated.wait();
  tbb::task_arena arena(1);
  void (tbb::task_arena::*enqueue)(tbb::task_handle&&) = &tbb::task_arena::enqueue;
  (arena.*enqueue)(group.defer(body));
  void (*enqueue_here)(tbb::task_handle&&) = &tbb::this_task_arena::enqueue;
  enqueue_here(group.defer(body));
  group.wait();
  tbb::collaborative_once_flag once;
  void (*call_once)(tbb::collaborative_once_flag&, const Body&, int&&) = tbb::collaborative_call_once<const Body&, int>;
  call_once(once, body, 7);
  call_once(once, body, 7);
  std::printf("%d\n", int(count));
}
EOF
build_stock stock <addresses.cpp
expected=$(./stock)
for compiler in "$cxx -std=c++11" "$cxx -std=c++20" "clang++-19 -std=c++17"; do
  command -v "${compiler% *}" >/dev/null || continue
  $compiler -pedantic-errors addresses.cpp -o headers -I"$TP_PREFIX/include" -L"$TP_PREFIX/lib" -Wl,-rpath,"$TP_PREFIX/lib" -ltbb -lpthread ||
    { fail "$compiler"; continue; }
  same "$compiler" "$expected" "$(TP_DISABLE=1 ./headers)"
done
[ -x "$TP_PREFIX/bin/tp-c++" ] || finish
TP_CXX=$cxx "$TP_PREFIX/bin/tp-c++" -std=c++17 -g -O1 addresses.cpp -o tagged -ltbb 2>err || fail "tp-c++: $(cat err)"
is_empty err
ours ./tagged
same "tp-c++" "$expected" "$(cat out)"
analyze tp-data
is 'p["complete"] and p["trace"]["inconsistencies"] == {}'
# Each call through an address is a site of its own, identified by its return address.
is '{s["file"].rsplit("/", 1)[-1] for s in p["sites"] if s["line"]} == {"addresses.cpp"} and len(p["sites"]) == 1 + 20'
finish
