# SPDX-License-Identifier: Apache-2.0
# Sites by caller where a library has symbols but no debug information, as a distribution's has: its
# wrappers are known by the types of their parameters.
. "$(dirname "$0")/common.inc"
[ -e /usr/include/oneapi/tbb/version.h ] || skip "no headers of the distribution's oneTBB"

cat >pool.h <<'X'
#include <functional>
namespace pool {
struct Body { // what oneTBB is given
  virtual ~Body() = default;
  virtual void operator()(int i) const = 0;
};
struct Job { // what a function of no name gives it
  Job();
  virtual ~Job();
  virtual void run(int i) const = 0;
};
struct Image { int rows; };
void all(int n, const Body& body);
void hidden(const Job& job, int n);
void twice(const Job& job, int n);
void blur(const Image& image);
void both(const std::function<void()>& a, const std::function<void()>& b); // waits for them
}
X
cat >pool.cpp <<'X'
#include "pool.h"
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
#include <vector>
namespace pool {
Job::Job() = default;
Job::~Job() = default;
void all(int n, const Body& body) {
  std::vector<int> items(n);
  tbb::parallel_for_each(items.begin(), items.end(), body);
  asm volatile("");
}
namespace {
struct Proxy {
  const Job* job;
  void operator()(const tbb::blocked_range<int>& range) const {
    for (int i = range.begin(); i != range.end(); ++i)
      job->run(i);
  }
};
}
static void __attribute__((noinline)) no_name(const Job& job, int n) {
  tbb::parallel_for(tbb::blocked_range<int>(0, n), Proxy{&job});
  asm volatile("");
}
void hidden(const Job& job, int n) {
  no_name(job, n);
  asm volatile("");
}
void twice(const Job& job, int n) {
  tbb::parallel_for(0, n, [&](int i) { job.run(i); });
  asm volatile("");
}
void blur(const Image& image) {
  tbb::parallel_for(0, image.rows, [](int) { tp::spend(1); });
  asm volatile("");
}
void both(const std::function<void()>& a, const std::function<void()>& b) {
  tbb::task_group group;
  group.run(a);
  group.run(b);
  group.wait();
  asm volatile("");
}
}
X
cat >main.cpp <<'X'
#include "pool.h"
#include <tp/virtual_clock.h>
struct Add : pool::Body { void operator()(int) const override { tp::spend(10); } };
struct Mul : pool::Job { void run(int) const override { tp::spend(20); } };
#define FUNCTION __attribute__((noinline)) void
#define END asm volatile("")
FUNCTION sum() { pool::all(4, Add()); END; }
FUNCTION total() { pool::all(2, Add()); END; }
FUNCTION product() { pool::hidden(Mul(), 5); END; }
FUNCTION area() { pool::twice(Mul(), 6); END; }
FUNCTION volume() { pool::twice(Mul(), 7); END; }
FUNCTION first() { pool::blur({8}); END; }
FUNCTION second() { pool::blur({9}); END; }
FUNCTION pair() { pool::both([] { tp::spend(30); }, [] { tp::spend(300); }); END; }
FUNCTION couple() { pool::both([] { tp::spend(400); }, [] { tp::spend(40); }); END; }
int main() {
  sum();
  total();
  product();
  area();
  volume();
  first();
  second();
  pair();
  tp::spend(1);
  couple();
  tp::spend(1);
}
X
"$cxx" -std=c++17 -O2 -shared -fPIC -s pool.cpp -idirafter "$TP_PREFIX/include" -o libpool.so -ltbb &&
  "$cxx" -std=c++17 -O2 main.cpp ./libpool.so -idirafter "$TP_PREFIX/include" -o program -ltbb ||
  fail "does not build"
rm -rf tp-data
ours ./program
[ $status -eq 0 ] || fail "exit status $status: $(cat err)"
analyze tp-data
same "wrappers" "area <- pool::twice 120
couple <- pool::both+N 400
couple <- pool::both+N 40
pair <- pool::both+N 30
pair <- pool::both+N 300
pool::blur 17
product <- pool::Proxy 100
sum <- pool::all 40
total <- pool::all 20
volume <- pool::twice 140" "$(python3 -c 'import json
for s in sorted(json.load(open("profile.json"))["sites"][1:], key=lambda s: s["name"]):
    print(s["name"], s["exclusive_work"])' | sed 's/+0x[0-9a-f]*/+N/')"
# The program cannot leave out a wait inside a library's function.
python3 -c 'import json
waits = [c for c in json.load(open("profile.json"))["what_if"]["explored"] if c["kind"] == "wait"]
assert waits and not any(wait["removable"] for wait in waits), waits' || fail "waits of a library"
finish
