# SPDX-License-Identifier: Apache-2.0
# Each filter of a pipeline is a site of its own, in all three ways, with its own work and its part
# of the critical path, whichever thread ran it. A filter that is made once and used in two pipelines
# is the n-th of each; filters made in one place differ by their number.
. "$(dirname "$0")/common.inc"
one=$(taskset -cp $$ | sed 's/.*[: ]\([0-9]*\).*/\1/') # the first CPU that may be used
cat >pipe.cpp <<'X'
#line 2 "pipe.cpp"
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
using tbb::filter_mode;
struct Read {
  int* next;
  int operator()(tbb::flow_control& control) const {
    tp::spend(1);
    if (*next == 20)
      control.stop();
    return (*next)++;
  }
};
struct Resize {
  int operator()(int item) const { tp::spend(30); return item; }
};
tbb::filter<int, int> stage(filter_mode mode, unsigned cost) {
  return tbb::make_filter<int, int>(mode, [=](int item) { tp::spend(cost); return item; });
}
void run(tbb::task_group_context& context) {
  int next = 0;
  const auto resize = tbb::make_filter<int, int>(filter_mode::parallel, Resize());
  tbb::parallel_pipeline(
      50, tbb::make_filter<void, int>(filter_mode::serial_in_order, Read{&next}) & resize &
              stage(filter_mode::serial_out_of_order, 10) & stage(filter_mode::parallel, 5) &
              tbb::filter<int, void>(filter_mode::serial_in_order, [](int) { tp::spend(3); }),
      context);
}
int main() {
  tbb::task_group_context own(tbb::task_group_context::isolated);
  run(own);
}
X
# table DIR: number and mode of each filter, exclusive work, work, tasks; sites that are no filters.
table() {
  "$tp_analyze" -q "$1" p.csv --json p.json --format csv >/dev/null || fail "$1: tp-analyze"
  python3 -c 'import json
p = json.load(open("p.json"))
for s in sorted(p["sites"], key=lambda s: s["filter"]):
    if s["filter"]: print("%d %s %d %d %d" % (s["filter"], " ".join(s["filter_modes"]), s["exclusive_work"], s["work"], s["invocations"]))
    elif s["file"] != "main": print("no filter:", s["name"], s["invocations"])
print("span", p["span"], "critical", sum(s["critical_work"] for s in p["sites"]), p["sites"][0]["critical_work"])'
}
names() { python3 -c 'import json; print(" | ".join(s["name"] for s in sorted(json.load(open("p.json"))["sites"], key=lambda s: s["filter"]) if s["filter"]))'; }
span=$((20 * 10 + 1 + 30 + 5 + 3))
expected="1 serial_in_order 21 21 21
2 parallel 600 600 20
3 serial_out_of_order 200 200 20
4 parallel 100 100 20
5 serial_in_order 60 60 20
span $span critical $span 0"
check() {
  local got
  got=$(table "$1") # the span depends on the order of arrival, except on one thread
  [ "$(sed 's/^span.*//' <<<"$got")" = "$(sed 's/^span.*//' <<<"$expected")" ] || fail "$1: $got"
  [ "$(names)" = "$2" ] || fail "$1: names: $(names)"
}
build_stock unmodified -O1 <pipe.cpp
"$tp_run" -q -e virtual -o way1 ./unmodified || fail "tp-run"
check way1 "filter 1 of pipe.cpp:24 | filter 2 of pipe.cpp:24 | filter 3 of pipe.cpp:24 | filter 4 of pipe.cpp:24 | filter 5 of pipe.cpp:24"
taskset -c "$one" "$tp_run" -q -e virtual -o way1.one ./unmodified || fail "tp-run"
[ "$(table way1.one)" = "$expected" ] || fail "on one thread: $(table way1.one)"
strip -o stripped unmodified
"$tp_run" -q -e virtual -o way1.stripped ./stripped || fail "tp-run"
table way1.stripped >out
names >>out
grep -q "filter 2 of Resize" out || fail "stripped: $(cat out)"
made="filter 1 of pipe.cpp:25 | filter 2 of pipe.cpp:23 | filter 3 of pipe.cpp:19 | filter 4 of pipe.cpp:19 | filter 5 of pipe.cpp:27"
build with_headers -O1 <pipe.cpp
"$tp_run" -q -e virtual -o way2 ./with_headers || fail "tp-run"
check way2 "$made"
if [ -x "$TP_PREFIX/bin/tp-c++" ]; then
  TP_CXX=$cxx "$TP_PREFIX/bin/tp-c++" -q -std=c++17 -O1 -g pipe.cpp -o tagged -ltbb -lpthread || fail "tp-c++"
  "$tp_run" -q -e virtual -o way3 ./tagged || fail "tp-run"
  check way3 "$made"
fi
# tp-diff matches every filter, whichever way a recording was made.
compare() {
  local diff
  diff=$("$TP_PREFIX/bin/tp-diff" --top 50 "$1" "$2" 2>&1)
  ! grep -E ' (new|gone|was line [0-9]+)$' <<<"$diff" || fail "tp-diff $1 $2: $diff"
  [ "$(grep -cE '^(filter|\.\.\.).*->' <<<"$diff")" = "$3" ] || fail "tp-diff $1 $2: $3 filters expected: $diff"
}
ways=2
[ ! -d way3 ] || ways="2 3"
for way in $ways; do
  compare way1 "way$way" 5
  compare "way$way" way1 5
done

# A call begins after all that it depends on: its filter's previous call, and the item whose token it
# takes. So the spans of its two parts in parallel are 10 each.
cat >token.cpp <<'X'
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <tp/virtual_clock.h>
#include <cstdlib>
int main(int, char** argv) {
  const int tokens = std::atoi(argv[1]);
  int next = 0;
  const auto mode = tbb::filter_mode::serial_in_order;
  tbb::parallel_pipeline(tokens, tbb::make_filter<void, int>(mode, [&](tbb::flow_control& control) {
    if (next == tokens + 1)
      control.stop();
    else
      tbb::parallel_invoke([] { tp::spend(10); }, [] { tp::spend(10); });
    return next++;
  }) & tbb::make_filter<int, void>(mode, [](int) { tp::spend(40); }));
}
X
build_stock token -O1 <token.cpp
for tokens in 1 3; do
  calls=$((tokens + 1))
  "$tp_run" -q -e virtual -o token.data ./token $tokens || fail "tp-run"
  "$tp_analyze" -q token.data --json p.json --format csv >/dev/null || fail "token: tp-analyze"
  same "spans with $tokens tokens" "$((20 * calls)) $((10 * calls)) $((40 * calls)) $((40 * calls))" "$(python3 -c 'import json
sites = json.load(open("p.json"))["sites"]
print(*(s[what] for s in sorted(sites, key=lambda s: s["filter"]) if s["filter"] for what in ("work", "span")))')"
done

# Wrappers: of the pipeline, and of make_filter; a pipeline in a member function.
cat >wrapped.cpp <<'X'
#line 2 "wrapped.cpp"
#include <oneapi/tbb/parallel_pipeline.h>
#include <tp/virtual_clock.h>
using tbb::filter_mode;
template <typename Work, typename Write>
__attribute__((noinline)) void three(int items, const Work& work, const Write& write) {
  int next = 0;
  const auto read = tbb::make_filter<void, int>(
      filter_mode::serial_in_order, [&](tbb::flow_control& control) {
        tp::spend(1);
        if (next == items)
          control.stop();
        return next++;
      });
  tbb::parallel_pipeline(
      8, read & tbb::make_filter<int, int>(filter_mode::parallel, work) &
             tbb::make_filter<int, void>(filter_mode::serial_out_of_order, write));
  asm volatile("");
}
template <typename Body> tbb::filter<int, int> stage(const Body& body) {
  return tbb::make_filter<int, int>(filter_mode::parallel, body);
}
struct Encoder {
  int next = 0;
  void run() {
    tbb::parallel_pipeline(8, tbb::make_filter<void, int>(filter_mode::serial_in_order,
                                                          [this](tbb::flow_control& control) {
                                                            if (next == 10)
                                                              control.stop();
                                                            return next++;
                                                          }) &
        stage([](int item) { tp::spend(7); return item; }) &
        stage([](int item) { tp::spend(9); return item; }) &
        tbb::make_filter<int, void>(filter_mode::serial_in_order, [](int) { tp::spend(2); }));
  }
};
int main() {
  three(10, [](int item) { tp::spend(20); return item; }, [](int) { tp::spend(3); });
  three(5, [](int item) { tp::spend(40); return item; }, [](int) { tp::spend(6); });
  Encoder().run();
}
X
rows() {
  "$tp_analyze" -q "$@" --json p.json --format csv >/dev/null || fail "$1: tp-analyze"
  python3 -c 'import json
for s in sorted(json.load(open("p.json"))["sites"], key=lambda s: s["name"]):
    if s["file"] != "main": print(s["name"], s["exclusive_work"])'
}
made="filter 1 of wrapped.cpp:26 0
filter 1 of wrapped.cpp:38 <- wrapped.cpp:8 11
filter 1 of wrapped.cpp:39 <- wrapped.cpp:8 6
filter 2 of wrapped.cpp:32 <- wrapped.cpp:21 70
filter 2 of wrapped.cpp:38 <- wrapped.cpp:16 200
filter 2 of wrapped.cpp:39 <- wrapped.cpp:16 200
filter 3 of wrapped.cpp:33 <- wrapped.cpp:21 90
filter 3 of wrapped.cpp:38 <- wrapped.cpp:17 30
filter 3 of wrapped.cpp:39 <- wrapped.cpp:17 30
filter 4 of wrapped.cpp:34 20"
build_stock wrapped1 -O1 <wrapped.cpp
build wrapped2 -O1 <wrapped.cpp
[ "$ways" = 2 ] || TP_CXX=$cxx "$TP_PREFIX/bin/tp-c++" -q -std=c++17 -O1 -g wrapped.cpp -o wrapped3 -ltbb -lpthread || fail "tp-c++"
for way in 1 $ways; do
  "$tp_run" -q -e virtual -o "wrapped.way$way" "./wrapped$way" || fail "tp-run"
  [ "$way" = 1 ] || same "wrappers, way $way" "$made" "$(rows "wrapped.way$way")"
done
same "wrappers, way 1" "filter 1 of wrapped.cpp:26 0
filter 1 of wrapped.cpp:38 <- wrapped.cpp:15 11
filter 1 of wrapped.cpp:39 <- wrapped.cpp:15 6
filter 2 of wrapped.cpp:26 70
filter 2 of wrapped.cpp:38 <- wrapped.cpp:15 200
filter 2 of wrapped.cpp:39 <- wrapped.cpp:15 200
filter 3 of wrapped.cpp:26 90
filter 3 of wrapped.cpp:38 <- wrapped.cpp:15 30
filter 3 of wrapped.cpp:39 <- wrapped.cpp:15 30
filter 4 of wrapped.cpp:26 20" "$(rows wrapped.way1)"
for way in $ways; do
  compare wrapped.way1 "wrapped.way$way" 10
done
same "--wrapper none" "filter 1 of wrapped.cpp:26 0
filter 1 of wrapped.cpp:8 17
filter 2 of wrapped.cpp:16 400
filter 2 of wrapped.cpp:21 70
filter 3 of wrapped.cpp:17 60
filter 3 of wrapped.cpp:21 90
filter 4 of wrapped.cpp:34 20" "$(rows --wrapper none wrapped.way2)"
same "--wrapper none, way 1" "filter 1 of wrapped.cpp:15 17
filter 1 of wrapped.cpp:26 0
filter 2 of wrapped.cpp:15 400
filter 2 of wrapped.cpp:26 70
filter 3 of wrapped.cpp:15 60
filter 3 of wrapped.cpp:26 90
filter 4 of wrapped.cpp:26 20" "$(rows --wrapper none wrapped.way1)"
finish
