# SPDX-License-Identifier: Apache-2.0
# Sites by caller: each caller of a wrapper has a row of its own, in the three ways the same one;
# functions that are not wrappers have one row, for all of their callers.
. "$(dirname "$0")/common.inc"
# compile WAY OUTPUT ARGUMENT...
compile() {
  local way=$1 output=$2
  shift 2
  case $way in
  1) "$cxx" -std=c++17 -g -O2 "$@" -idirafter "$TP_PREFIX/include" -o "$output" -ltbb -lpthread ;;
  2) "$cxx" -std=c++17 -g -O2 "$@" -I"$TP_PREFIX/include" -L"$TP_PREFIX/lib" -o "$output" -ltbb -lpthread ;;
  3) TP_CXX=$cxx "$TP_PREFIX/bin/tp-c++" -std=c++17 -g -O2 "$@" -o "$output" -ltbb -lpthread ;;
  esac || fail "way $way: $output does not build"
}
ways=2
[ -e /usr/include/oneapi/tbb/version.h ] && ways="1 $ways"
[ -x "$TP_PREFIX/bin/tp-c++" ] && ways="$ways 3"

# Wrappers of every shape: a function that takes a std::function, found by -isystem; a template over
# the body; a class with a virtual run(), of which alloca moves the stack pointer; two layers; one in
# a shared library; a class template whose constructor takes the body.
mkdir -p vendor
cat >vendor/pool.h <<'X'
#include <functional>
#include <oneapi/tbb/parallel_for.h>
namespace pool {
inline void for_all(int n, const std::function<void(int)>& body) {
  tbb::parallel_for(0, n, [&](int i) { body(i); });
  asm volatile("");
}
}
X
cat >wrappers.h <<'X'
#include <functional>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
template <typename Body> __attribute__((noinline)) void each(int n, const Body& body) {
  tbb::parallel_for(0, n, [&](int i) { body(i); });
  asm volatile("");
}
template <typename Body> void inlined(int n, const Body& body) {
  tbb::parallel_for(0, n, [&](int i) { body(i); });
}
struct Job {
  virtual ~Job() = default;
  virtual void run() = 0;
  void start(int times);
};
void twice(int n, void (*body)(int));
void shared(int n, const std::function<void(int)>& body);
template <typename Body> struct Batch {
  __attribute__((noinline)) Batch(int n, Body body) {
    tbb::parallel_for(0, n, [&](int i) { body(i); });
    asm volatile("");
  }
};
X
cat >job.cpp <<'X'
#include "wrappers.h"
#include <alloca.h>
void Job::start(int times) {
  volatile char* const memory = static_cast<char*>(alloca(100 * times));
  memory[0] = 1;
  tbb::task_group group;
  for (int i = 0; i < times; ++i)
    group.run([this] { run(); });
  group.wait();
  memory[99] = 1;
}
static void __attribute__((noinline)) once(int n, void (*body)(int)) {
  tbb::parallel_for(0, n, body);
  asm volatile("");
}
void twice(int n, void (*body)(int)) {
  once(n, body);
  once(n, body);
  asm volatile("");
}
X
cat >shared.cpp <<'X'
#include "wrappers.h"
void shared(int n, const std::function<void(int)>& body) {
  tbb::parallel_for(0, n, [&](int i) { body(i); });
  asm volatile("");
}
void pointed(int n, void (*body)(int)) {
  tbb::parallel_for(0, n, [&](int i) { body(i); });
  asm volatile("");
}
X
cat >main.cpp <<'X'
#include "wrappers.h"
#include <pool.h>
#include <tp/virtual_clock.h>
struct Short : Job { void run() override { tp::spend(1); } };
struct Long : Job { void run() override { tp::spend(5); } };
void blur() {
  pool::for_all(4, [](int) { tp::spend(10); });
  each(4, [](int) { tp::spend(20); });
  each(4, [](int) { tp::spend(30); });
}
void sharpen() {
  pool::for_all(4, [](int) { tp::spend(40); });
  inlined(4, [](int) { tp::spend(50); });
  inlined(4, [](int) { tp::spend(60); });
}
void fast(int) { tp::spend(70); }
void slow(int) { tp::spend(80); }
int main() {
  blur();
  sharpen();
  Short a;
  Long b;
  a.start(3);
  b.start(7);
  twice(2, fast);
  twice(2, slow);
  shared(4, [](int) { tp::spend(90); });
  shared(4, [](int) { tp::spend(100); });
  auto body = [](int) { tp::spend(110); };
  Batch first(4, body);
  Batch second(3, body);
}
X
for way in $ways; do
  compile "$way" libshared.so -shared -fPIC shared.cpp
  compile "$way" "program$way" main.cpp job.cpp -isystem vendor ./libshared.so
  for run in 1 2; do
    same "way $way, run $run: wrappers" "main.cpp:12 <- pool.h:5 160
main.cpp:13 <- wrappers.h:9 200
main.cpp:14 <- wrappers.h:9 240
main.cpp:23 <- job.cpp:8 3
main.cpp:24 <- job.cpp:8 35
main.cpp:25 <- job.cpp:13 280
main.cpp:26 <- job.cpp:13 320
main.cpp:27 <- shared.cpp:3 360
main.cpp:28 <- shared.cpp:3 400
main.cpp:30 <- wrappers.h:20 440
main.cpp:31 <- wrappers.h:20 330
main.cpp:7 <- pool.h:5 40
main.cpp:8 <- wrappers.h:5 80
main.cpp:9 <- wrappers.h:5 120" "$(rows "./program$way")"
  done
  cp profile.json "way$way.json"
done
for way in $ways; do
  "$TP_PREFIX/bin/tp-diff" --top 50 way2.json "way$way.json" >diff.txt 2>err || true
  ! grep -E ' (new|gone)$' diff.txt || fail "way $way: sites without a partner"
  grep -q 'main.cpp:31 <- wrappers.h:20' diff.txt || fail "way $way: no comparison of sites: $(cat err)"
done

# No wrappers: a recursive function, although it takes a comparison; a function with a loop of its
# own that several functions call; one that takes a container with an index operator, or a stream.
cat >plain.cpp <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <ostream>
#include <tp/virtual_clock.h>
#include <vector>
struct Image {
  std::vector<int> pixels = std::vector<int>(64);
  int& operator()(int x, int y) { return pixels[8 * y + x]; }
  int width() const { return 8; }
};
template <typename Less> __attribute__((noinline)) void sort(int n, Less less) {
  tp::spend(less(1, n) ? 1 : 2);
  if (n > 1)
    tbb::parallel_invoke([&] { sort(n / 2, less); }, [&] { sort(n / 2, less); });
  asm volatile("");
}
__attribute__((noinline)) void normalize(Image& image, std::ostream* = nullptr) {
  tbb::parallel_for(0, 8, [&](int y) { tp::spend(1 + image(0, y)); });
  asm volatile("");
}
__attribute__((noinline)) void one(Image& image) { normalize(image); asm volatile(""); }
__attribute__((noinline)) void two(Image& image) { normalize(image); asm volatile(""); }
int main() {
  sort(16, [](int a, int b) { return a < b; });
  sort(8, [](int a, int b) { return b < a; });
  Image image;
  one(image);
  two(image);
  normalize(image);
}
X
for way in $ways; do
  compile "$way" plain plain.cpp
  same "way $way: no wrappers" "plain.cpp:14 74
plain.cpp:18 24" "$(rows ./plain)"
done

# A wrapper that the user names; by the end of its name.
rm -rf tp-data
ours ./plain
"$TP_PREFIX/bin/tp-analyze" -q --wrapper normalize --json named.json tp-data >/dev/null || fail "--wrapper: $?"
python3 -c 'import json
names = [s["name"] for s in json.load(open("named.json"))["sites"] if s["wrapper"]]
assert sorted(name.split("/")[-1] for name in names) == ["plain.cpp:%d <- plain.cpp:18" % n for n in (21, 22, 29)], names' ||
  fail "--wrapper"
"$TP_PREFIX/bin/tp-analyze" -q --wrapper normalise tp-data >/dev/null 2>err && fail "an unknown wrapper: exit status 0"
grep -q -e '--wrapper: there is no such function: expected .*, got normalise' err || fail "an unknown wrapper: $(cat err)"

# 64 callers of one wrapper have a row each; of 10,000 the ones that came too late share one.
for count in 64 10000; do
  {
    echo '#include <tp/virtual_clock.h>'
    echo 'void pointed(int n, void (*body)(int)); int cost; static void body(int) { tp::spend(cost); }'
    for i in $(seq $count); do
      echo "void __attribute__((noinline)) f$i() { cost = $i; pointed(1, body); asm volatile(\"\"); }"
    done
    echo 'int main() {'
    for i in $(seq $count); do echo "  f$i();"; done
    echo '}'
  } >many.cpp
  "$cxx" -std=c++17 -g -O1 many.cpp ./libshared.so -I"$TP_PREFIX/include" -L"$TP_PREFIX/lib" -o many -ltbb ||
    fail "$count callers: does not build"
  rows ./many >many.txt
  if [ $count = 64 ]; then
    same "64 callers" "$(for i in $(seq 64); do echo "many.cpp:$((i + 2)) <- shared.cpp:7 $i"; done | sort)" \
      "$(sort many.txt)"
  else
    same "10,000 callers" "513 $((count * (count + 1) / 2 - 512 * 513 / 2))" \
      "$(wc -l <many.txt) $(sed -n 's/^shared.cpp:7 (other callers) //p' many.txt)"
  fi
done
finish
