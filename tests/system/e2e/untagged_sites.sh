# SPDX-License-Identifier: Apache-2.0
# Sites of unmodified binaries: file and line if there is debug information (inlined, PIE or not, of
# clang, which writes no .debug_aranges, split, compressed, in a separate file), else the symbol,
# else the type of the task, else module and offset; the profile reports which. One line of the site
# table per call, however often it runs.
. "$(dirname "$0")/common.inc"
[ -e /usr/include/oneapi/tbb/version.h ] || skip "no libtbb-dev"
cat >sites.cpp <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#include <functional>
#include <thread>
#include <vector>
namespace shop {
static inline void crunch(int n) {
  tbb::parallel_for(0, n, [](int) {});
}
struct Body { void operator()(const tbb::blocked_range<int>&) const {} };
__attribute__((noinline)) void sell(int n) {
  tbb::parallel_for(tbb::blocked_range<int>(0, n), Body());
}
__attribute__((noinline)) void hidden(tbb::task_group& group, const std::function<void()>& f) {
  group.run(f);
  group.wait();
}
}
int main() {
  for (int i = 0; i < 100; ++i) shop::crunch(4);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([] { for (int j = 0; j < 20; ++j) shop::sell(3); });
  for (std::thread& thread : threads) thread.join();
  tbb::task_group group;
  shop::hidden(group, [] {});
}
X
# sites: those of ./tp-data, sorted, with found_by; numbers of addresses are not compared. Without the
# places where threads are created (program_threads.sh).
sites() {
  rm -rf tp-data
  "$tp_run" -q -- "$@" >out 2>&1 || fail "$*: exit status $?: $(cat out)"
  analyze tp-data
  python3 -c 'import json, re
for site in json.load(open("profile.json"))["sites"][1:]:
    if site["constructs"] == ["thread"]:
        continue
    place = "%s:%d" % (site["file"].split("/")[-1], site["line"]) if site["line"] else re.sub("0x[0-9a-f]+", "*", site["file"])
    print(place, *site["found_by"], *site["constructs"])' | sort
}
lines="sites.cpp:12 debug_info parallel_for
sites.cpp:26 debug_info task_group
sites.cpp:8 debug_info parallel_for"
libraries="-ltbb -lpthread"

"$cxx" -std=c++17 -O2 -g -c sites.cpp -o sites.o || { fail "does not build"; finish; }
# shellcheck disable=SC2086  # several libraries
"$cxx" -o whole sites.o $libraries
same "position-independent" "$lines" "$(sites ./whole)"
"$tp_analyze" -v tp-data >analysis.out 2>/dev/null
in_file analysis.out "for loops split to their grain size"
is 'not p["divisible_is_known"]'
same "call sites looked up" 3 "$(grep '"tag":"address"' tp-data/sites.jsonl | grep -vc '"construct":"thread"')"
# shellcheck disable=SC2086  # several libraries
"$cxx" -std=c++17 -O2 -g -gz -fno-pie -no-pie sites.cpp -o fixed $libraries
same "at a fixed address, compressed" "$lines" "$(sites ./fixed)"
# shellcheck disable=SC2086  # several libraries
"$cxx" -std=c++17 -O1 -g -gsplit-dwarf -c sites.cpp -o split.o && "$cxx" -o split split.o $libraries
same "split" "$lines" "$(sites ./split)"
if command -v clang++-19 >/dev/null; then
  # shellcheck disable=SC2086  # several libraries
  clang++-19 -std=c++17 -O2 -g sites.cpp -o of_clang $libraries
  readelf -S of_clang | grep -q debug_aranges && fail "clang writes .debug_aranges now: nothing is tested here"
  same "clang" "$lines" "$(sites ./of_clang)"
fi

# Calls in lambdas and local classes, which g++ describes below the enclosing function; without
# optimization nothing is inlined.
cat >lambdas.cpp <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <functional>
template <class T> void twice(T n) {
  auto left = [=] {
    tbb::parallel_for(T(0), n, [](T) {});
  };
  tbb::parallel_invoke(left, [] {});
}
int main() {
  struct Local {
    void operator()(int n) const {
      tbb::parallel_for(0, n, [](int) {});
    }
  };
  std::function<void(int)> f = [](int n) {
    tbb::parallel_for(0, n, [](int) {});
  };
  f(10);
  Local()(10);
  twice(20);
}
X
# The parallel algorithms of the standard library are library code as well. A sort returns tasks
# from tasks: the stack of a worker thread does not contain any call of them.
cat >standard.cpp <<'X'
#include <algorithm>
#include <execution>
#include <vector>
int main() {
  std::vector<int> v(300000);
  unsigned random = 1;
  for (int& x : v) x = int(random = random * 1664525u + 1013904223u);
  std::for_each(std::execution::par, v.begin(), v.end(), [](int) {});
  std::for_each(std::execution::par, v.begin(), v.end(), [](int x) { (void)x; });
  std::sort(std::execution::par, v.begin(), v.end(), [](int a, int b) { return a < b; });
}
X
for level in -O0 -O2; do
  for program in lambdas standard; do
    # shellcheck disable=SC2086  # several libraries
    "$cxx" -std=c++17 $level -g $program.cpp -o $program $libraries || fail "$level: $program does not build"
  done
  same "$level: lambdas" "lambdas.cpp:13 debug_info parallel_for
lambdas.cpp:17 debug_info parallel_for
lambdas.cpp:6 debug_info parallel_for
lambdas.cpp:8 debug_info parallel_invoke" "$(sites ./lambdas)"
  same "$level: standard library" "standard.cpp:10 debug_info task_group_context
standard.cpp:8 debug_info parallel_for
standard.cpp:9 debug_info parallel_for" "$(sites ./standard)"
  strip -g standard
  same "$level: standard library, symbols" "main" "$(sites ./standard | sed 's/+.*//' | uniq)"
done

# Debug information in a separate file, found by .gnu_debuglink in the program's folder, or by build
# id.
objcopy --only-keep-debug whole apart.debug && strip -o apart whole && objcopy --add-gnu-debuglink=apart.debug apart
mkdir .debug && mv apart.debug .debug
same "debug link" "$lines" "$(sites ./apart)"
id=$(readelf -n whole | sed -n 's/.*Build ID: //p')
strip -o by_id whole
cat >in_namespace.sh <<X
mount -t tmpfs none /usr/lib/debug && mkdir -p /usr/lib/debug/.build-id/${id:0:2} &&
  cp .debug/apart.debug /usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug || exit 77
"$tp_analyze" -q --json profile.json -d tp-data -o analysis >/dev/null
X
sites ./by_id >/dev/null
if [ -d /usr/lib/debug ] && unshare -rm bash in_namespace.sh 2>err; then
  is '{(s["line"], *s["found_by"]) for s in p["sites"][1:] if s["constructs"] != ["thread"]} == {(8, "debug_info"), (12, "debug_info"), (26, "debug_info")}'
else
  echo "build ids are not tried: $(cat err)"
fi

strip -g -o symbols whole
same "symbols" "main+* symbol parallel_for
main+* symbol task_group
shop::sell+* symbol parallel_for" "$(sites ./symbols)"
strip -o stripped whole
same "types" "shop::Body@stripped+* type parallel_for
shop::crunch::{lambda(int)#1}@stripped+* type parallel_for
stripped+* module task_group" "$(sites ./stripped)"

# The program was deleted: no site can be looked up, and the profile reports it.
rm stripped && analyze tp-data
is 'all(s["line"] == 0 and s["found_by"] in (["type"], ["module"]) for s in p["sites"][1:] if s["constructs"] != ["thread"])'
finish
