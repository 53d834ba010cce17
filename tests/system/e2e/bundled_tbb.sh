# SPDX-License-Identifier: Apache-2.0
# A program that brings the distribution's libtbb in its own folder (DT_RPATH, DT_RUNPATH), under
# another name, or in a plugin's folder is recorded nevertheless: ours is loaded first, and its
# functions replace those of the others.
. "$(dirname "$0")/common.inc"
stock=$(readlink -f "$("$cxx" -print-file-name=libtbb.so.12)")
[ -e /usr/include/oneapi/tbb/version.h ] && [ -e "$stock" ] || skip "no libtbb-dev"
mkdir own other plugins
cp "$stock" own/libtbb.so.12 && cp "$stock" plugins/libtbb.so.12
sed 's/libtbb\.so\.12/libtbX.so.12/g' "$stock" >other/libtbX.so.12
cat >work.cpp <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <atomic>
#include <cstdio>
extern "C" void work() {
  std::atomic<long> sum{0};
  tbb::parallel_for(0, 10000, [&](int i) { sum += i; });
  std::printf("%ld\n", sum.load());
}
X
cat >main.cpp <<'X'
extern "C" void work();
int main() { work(); }
X
cat >loader.cpp <<'X'
#include <dlfcn.h>
int main() {
  void* plugin = dlopen("plugins/plugin.so", RTLD_NOW);
  if (plugin == nullptr) return 1;
  reinterpret_cast<void (*)()>(dlsym(plugin, "work"))();
}
X
"$cxx" -std=c++17 -O1 -g -fPIC -c work.cpp -o work.o && "$cxx" -c main.cpp -o main.o &&
  "$cxx" -o rpath main.o work.o -Wl,--disable-new-dtags,-rpath,"$work/own" own/libtbb.so.12 &&
  "$cxx" -o runpath main.o work.o -Wl,--enable-new-dtags,-rpath,"$work/own" own/libtbb.so.12 &&
  "$cxx" -o renamed main.o work.o -Wl,-rpath,"$work/other" other/libtbX.so.12 &&
  "$cxx" -shared -o plugins/plugin.so work.o -Wl,-rpath,'$ORIGIN' plugins/libtbb.so.12 &&
  "$cxx" -o loader loader.cpp -ldl || { fail "does not build"; finish; }
for program in rpath runpath renamed loader; do
  rm -rf tp-data
  status=0
  "$tp_run" -q -- "./$program" >out 2>err || status=$?
  same "$program: exit status" 0 $status
  same "$program: output" 49995000 "$(cat out)"
  is_empty err
  analyze tp-data
  is 'p["complete"] and p["trace"]["tasks_spawned"] > 0 and [s["line"] for s in p["sites"][1:]] == [6]'
done
finish
