# SPDX-License-Identifier: Apache-2.0
# Sites by caller where the stack lacks calls, because a function's last act is a call, by a jump; and
# without optimization, where oneTBB's headers have many calls on it. The same rows in the three ways.
# long: shapes of calls that are rare, each compiled in three ways; CI runs callers.
. "$(dirname "$0")/common.inc"
cat >pool.h <<'X'
#include <functional>
struct Job {
  virtual ~Job() = default;
  virtual void run() = 0;
};
struct Pool {
  Pool();
  ~Pool();
  void add(std::function<void()> f);
  void add(Job* job);
  void defer(Job* job);
  void wait();
  struct Group;
  Group* group;
};
void loop(int n, void (*f)(int));
void any(const std::function<void(int)>& f);
X
cat >pool.cpp <<'X'
#include "pool.h"
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
struct Pool::Group {
  tbb::task_group tasks;
};
Pool::Pool() : group(new Group) {}
Pool::~Pool() { delete group; }
void Pool::add(std::function<void()> f) { group->tasks.run(std::move(f)); }
void Pool::add(Job* job) { group->tasks.run([job] { job->run(); }); }
void Pool::defer(Job* job) { add(job); }
void Pool::wait() { group->tasks.wait(); }
static __attribute__((noinline)) void split(int n, std::function<void(int)> f) {
  tbb::parallel_for(0, n, [&](int i) { f(i); });
}
void any(const std::function<void(int)>& f) { split(2, f); }
void loop(int n, void (*f)(int)) { tbb::parallel_for(0, n, [=](int i) { f(i); }); }
X
cat >main.cpp <<'X'
#include "pool.h"
#include <tp/virtual_clock.h>
#define FUNCTION __attribute__((noinline)) void
struct Load : Job { void run() override { tp::spend(5); } } load;
struct Save : Job { void run() override { tp::spend(7); } } save;
static void dark(int) { tp::spend(10); }
static void light(int) { tp::spend(20); }
FUNCTION blur() { loop(3, dark); }
FUNCTION sharpen() { loop(3, light); }
FUNCTION keep(Pool& pool) { pool.add(&load); }
FUNCTION hold(Pool& pool) { keep(pool); }
int main() {
  Pool pool;
  pool.add(&load);
  pool.add(&save);
  hold(pool);
  pool.defer(&save);
  pool.defer(&load);
  pool.add([] { tp::spend(100); });
  pool.add([] { tp::spend(200); });
  pool.wait();
  blur();
  sharpen();
  any([](int) { tp::spend(1000); });
  any([](int) { tp::spend(2000); });
}
X
compile() {
  local way=$1 compiler=$2
  shift 2
  case $way in
  1) "$compiler" -std=c++17 -fPIC -shared pool.cpp -o libpool.so "$@" -ltbb &&
    "$compiler" -std=c++17 main.cpp ./libpool.so -idirafter "$TP_PREFIX/include" -o program "$@" -ltbb ;;
  2) "$compiler" -std=c++17 -fPIC -shared pool.cpp -o libpool.so -I"$TP_PREFIX/include" -L"$TP_PREFIX/lib" "$@" -ltbb &&
    "$compiler" -std=c++17 main.cpp ./libpool.so -I"$TP_PREFIX/include" -L"$TP_PREFIX/lib" -o program "$@" -ltbb ;;
  3) TP_CXX=$compiler "$TP_PREFIX/bin/tp-c++" -q -std=c++17 -fPIC -shared pool.cpp -o libpool.so "$@" -ltbb &&
    TP_CXX=$compiler "$TP_PREFIX/bin/tp-c++" -q -std=c++17 main.cpp ./libpool.so -o program "$@" -ltbb ;;
  esac || fail "way $way: does not build"
}
ways=2
[ -e /usr/include/oneapi/tbb/version.h ] && ways="1 $ways"
[ -x "$TP_PREFIX/bin/tp-c++" ] && ways="$ways 3"
expected="main.cpp:10 <- pool.cpp:10 5
main.cpp:14 <- pool.cpp:10 5
main.cpp:15 <- pool.cpp:10 7
main.cpp:17 <- pool.cpp:10 7
main.cpp:18 <- pool.cpp:10 5
main.cpp:19 <- pool.cpp:9 100
main.cpp:20 <- pool.cpp:9 200
main.cpp:24 <- pool.cpp:14 2000
main.cpp:25 <- pool.cpp:14 4000
main.cpp:8 <- pool.cpp:17 30
main.cpp:9 <- pool.cpp:17 60"
for way in $ways; do
  for options in "-O2 -g" "-O0 -g" "-O2 -gdwarf-4"; do
    # shellcheck disable=SC2086  # several options
    compile "$way" "$cxx" $options
    same "way $way, $options" "$expected" "$(rows ./program)"
  done
done
# Another compiler describes jumps in another way, and those to member functions not at all; nor the interface.
case "$ways" in
1*)
  if command -v clang++-19 >/dev/null; then
    compile 1 clang++-19 -O2 -g
    same "clang, way 1" "$(sed '/^main.cpp:1[78] /d; s/cpp:10 <- pool.cpp:10 5/cpp:16 <- pool.cpp:10 5/' <<<"$expected" | LC_ALL=C sort)" \
      "$(rows ./program | grep -v 'pool.cpp:11 ')"
  fi
  # Without debug information in the wrapper's module the jump is unknown: the caller is the site.
  compile 1 "$cxx" -O2 -g
  strip -g libpool.so
  same "way 1, without the wrapper's debug information" "main.cpp:14 5
main.cpp:15 7
main.cpp:16 5" "$(rows ./program | grep -E ':1[456] ')"
  ;;
esac
finish
