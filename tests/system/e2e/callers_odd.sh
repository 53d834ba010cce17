# SPDX-License-Identifier: Apache-2.0
# Sites by caller: wrappers of odd shapes, in the three ways.
# long: shapes of calls that are rare, each compiled in three ways; CI runs callers.
. "$(dirname "$0")/common.inc"
cat >wrappers.h <<'X'
#include <functional>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
#define FUNCTION __attribute__((noinline)) void
#define END asm volatile("")
#include <memory>
struct Item { virtual ~Item() = default; virtual void work() = 0; };
struct Queue { // objects by smart pointers
  tbb::task_group group;
  FUNCTION put(std::unique_ptr<Item> item) { group.run([job = std::shared_ptr<Item>(std::move(item))] { job->work(); }); END; }
  FUNCTION share(const std::shared_ptr<Item>& item) { group.run([item] { item->work(); }); END; }
};
X
cat >other.cpp <<'X'
#include "wrappers.h"
namespace { FUNCTION pool(int n, const std::function<void(int)>& f) { tbb::parallel_for(0, n, [&](int i) { f(i); }); END; } }
FUNCTION other() { pool(2, [](int) { tp::spend(20); }); END; }
X
cat >main.cpp <<'X'
#include "wrappers.h"
#include <alloca.h>
namespace { FUNCTION pool(int n, const std::function<void(int)>& f) { tbb::parallel_for(0, n, [&](int i) { f(i); }); END; } }
void other(); // of a file with a function of the same name
FUNCTION unnamed() { pool(3, [](int) { tp::spend(30); }); END; }

FUNCTION each(int n, const std::function<void(int)>& f) { tbb::parallel_for(0, n, [&](int i) { f(i); }); END; }
FUNCTION tree(int depth) { // what the wrapper runs calls the wrapper
  tp::spend(1);
  if (depth > 0)
    each(2, [depth](int) { tree(depth - 1); });
  END;
}
static const int before_main = [] { each(4, [](int) { tp::spend(3); }); return 1; }();

template <typename F> FUNCTION twice(F f) { tbb::task_group group; group.run(f); group.run(f); group.wait(); END; }
struct Step { FUNCTION go(int units) { tp::spend(units); END; } };
FUNCTION bound() { Step step; twice(std::bind(&Step::go, &step, 7)); END; }
FUNCTION bound_again() { Step step; twice(std::bind(&Step::go, &step, 9)); END; }

FUNCTION pointed(int n, void (*f)(int)) { tbb::parallel_for(0, n, [=](int i) { f(i); }); END; }
static void body(int) { tp::spend(2); }
void (*volatile pointer)(int, void (*)(int)) = pointed;

FUNCTION add(tbb::task_group& group, int room, const std::function<void()>& f) {
  volatile char* const memory = static_cast<char*>(alloca(16 * room));
  memory[0] = 1;
  group.run(f);
  memory[1] = 1;
  END;
}
FUNCTION add_all(tbb::task_group& group, int n) {
  for (int i = 1; i < n; ++i) {
    volatile char* const memory = static_cast<char*>(alloca(64));
    memory[0] = 1;
    add(group, i, [] { tp::spend(1); });
  }
  END;
}

template <typename Derived> struct Stepper {
  FUNCTION start(int n) { tbb::parallel_for(0, n, [this](int i) { static_cast<Derived*>(this)->step(i); }); END; }
};
struct First : Stepper<First> { void step(int) { tp::spend(7); } };
struct Second : Stepper<Second> { void step(int) { tp::spend(8); } };
template <typename... F> FUNCTION together(F&&... f) { tbb::task_group group; (group.run(f), ...); group.wait(); END; }

struct Runner {
  FUNCTION operator()(int n, const std::function<void(int)>& f) const { tbb::parallel_for(0, n, [&](int i) { f(i); }); END; }
};

FUNCTION in_arena(int n, const std::function<void(int)>& f) {
  tbb::task_arena arena(2);
  arena.execute([&] { tbb::parallel_for(0, n, [&](int i) { f(i); }); });
  END;
}
template <typename F> FUNCTION isolated(int n, const F& f) {
  tbb::this_task_arena::isolate([&] { tbb::parallel_for(0, n, [&](int i) { f(i); }); });
  END;
}
struct Worker { virtual ~Worker() = default; virtual void run(int i) const = 0; }; // by a function object, in two layers
struct Executor {
  void operator()() const { tbb::parallel_for(0, n, [this](int i) { worker.run(i); }); END; }
  int n;
  const Worker& worker;
};
FUNCTION arena_for(int n, const Worker& worker) { tbb::task_arena arena(2); arena.execute(Executor{n, worker}); END; }
FUNCTION parallel(int n, const Worker& worker) { arena_for(n, worker); END; }
struct Few : Worker { void run(int) const override { tp::spend(1); } };
struct Much : Worker { void run(int) const override { tp::spend(100); } };
FUNCTION plain(int n) { // no wrapper: it is the user's own code that runs there
  tbb::task_arena arena(2);
  arena.execute([&] { tbb::parallel_for(0, n, [&](int) { tp::spend(1000); }); });
  END;
}

int main() {
  in_arena(4, [](int) { tp::spend(13); });
  in_arena(4, [](int) { tp::spend(17); });
  isolated(4, [](int) { tp::spend(19); });
  isolated(4, [](int) { tp::spend(23); });
  parallel(2, Few());
  parallel(2, Much());
  plain(2);
  plain(3);
  other();
  unnamed();
  tree(3);
  bound();
  bound_again();
  pointer(4, body);
  pointer(5, body);
  tbb::task_group group;
  add_all(group, 100);
  group.wait();
  First().start(3);
  Second().start(4);
  together([] { tp::spend(50); }, [] { tp::spend(60); });
  together([] { tp::spend(70); }, [] { tp::spend(80); }, [] { tp::spend(90); });
  Runner()(2, [](int) { tp::spend(6); });
  const auto local = [](auto f) { tbb::parallel_for(0, 4, [&](int i) { f(i); }); END; };
  local([](int) { tp::spend(10); });
  local([](int) { tp::spend(11); });
  struct Light : Item { void work() override { tp::spend(14); } };
  struct Heavy : Item { void work() override { tp::spend(1400); } };
  Queue queue;
  queue.put(std::make_unique<Light>());
  queue.put(std::make_unique<Heavy>());
  queue.share(std::make_shared<Light>());
  queue.share(std::make_shared<Heavy>());
  queue.group.wait();
}
X
ways=2
[ -e /usr/include/oneapi/tbb/version.h ] && ways="1 $ways"
[ -x "$TP_PREFIX/bin/tp-c++" ] && ways="$ways 3"
for way in $ways; do
  case $way in
  1) "$cxx" -std=c++17 -g -O2 main.cpp other.cpp -idirafter "$TP_PREFIX/include" -o program -ltbb ;;
  2) "$cxx" -std=c++17 -g -O2 main.cpp other.cpp -I"$TP_PREFIX/include" -L"$TP_PREFIX/lib" -o program -ltbb ;;
  3) TP_CXX=$cxx "$TP_PREFIX/bin/tp-c++" -std=c++17 -g -O2 main.cpp other.cpp -o program -ltbb ;;
  esac || fail "way $way: does not build"
  rm -rf tp-data
  ours ./program
  [ $status -eq 0 ] || fail "way $way: exit status $status: $(cat err)"
  analyze tp-data
  same "way $way" "main.cpp:100 <- main.cpp:49 12
main.cpp:102 <- main.cpp:101 40
main.cpp:103 <- main.cpp:101 44
main.cpp:107 <- wrappers.h:12 14
main.cpp:108 <- wrappers.h:12 1400
main.cpp:109 <- wrappers.h:13 14
main.cpp:11 <- main.cpp:7 14
main.cpp:110 <- wrappers.h:13 1400
main.cpp:14 <- main.cpp:7 12
main.cpp:18 <- main.cpp:16 14
main.cpp:19 <- main.cpp:16 18
main.cpp:36 <- main.cpp:28 99
main.cpp:5 <- main.cpp:3 90
main.cpp:73 5000
main.cpp:78 <- main.cpp:54 52
main.cpp:79 <- main.cpp:54 68
main.cpp:80 <- main.cpp:58 76
main.cpp:81 <- main.cpp:58 92
main.cpp:82 <- main.cpp:63 2
main.cpp:83 <- main.cpp:63 200
main.cpp:91 <- main.cpp:21 8
main.cpp:92 <- main.cpp:21 10
main.cpp:96 <- main.cpp:42 21
main.cpp:97 <- main.cpp:42 32
main.cpp:98 <- main.cpp:46 110
main.cpp:99 <- main.cpp:46 240
other.cpp:3 <- other.cpp:2 40" "$(python3 -c 'import json, re
for s in sorted(json.load(open("profile.json"))["sites"][1:], key=lambda s: s["name"]):
    print(re.sub(r"[^ ]*/", "", s["name"]), s["exclusive_work"])')"
done

# Optimized across units, debug information lacks some inlined calls: then the user's line is
# unknown, and never one of oneTBB.
case $ways in
1*)
  "$cxx" -std=c++17 -g -O3 -flto main.cpp other.cpp -idirafter "$TP_PREFIX/include" -o program -ltbb 2>err || fail "-flto: does not build: $(cat err)"
  rm -rf tp-data
  ours ./program
  analyze tp-data
  python3 -c 'import json
names = [s["name"] for s in json.load(open("profile.json"))["sites"]]
assert len(names) > 10 and not any("oneapi" in name for name in names), names' || fail "-flto: lines of oneTBB"
  ;;
esac
finish
