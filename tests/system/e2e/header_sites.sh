# SPDX-License-Identifier: Apache-2.0
# A CMake project built by tp-c++: calls in a header of the project that three units include, in a
# unity source, a static library, a plugin and behind a precompiled header, are named like tagged
# ones (callee's line, qualified function, construct, last line), once each, by both compilers.
. "$(dirname "$0")/common.inc"
[ -x "$TP_PREFIX/bin/tp-c++" ] || skip "tp-c++ is not installed"
command -v ninja >/dev/null || skip "no ninja"
mkdir -p project/src/deep project/include && cd project || exit 1
cat >CMakeLists.txt <<'X'
cmake_minimum_required(VERSION 3.18)
project(demo LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXE_LINKER_FLAGS "-Wl,--gc-sections -Wl,-s")
add_compile_options(-ffunction-sections -fdata-sections)
find_package(TBB REQUIRED)
include_directories(include)
link_libraries(TBB::tbb)
add_library(part STATIC src/part.cpp)
add_library(plugin MODULE src/deep/plugin.cpp)
add_executable(demo src/main.cpp src/empty.cpp)
set_target_properties(demo PROPERTIES UNITY_BUILD ON)
target_link_libraries(demo part ${CMAKE_DL_LIBS})
target_precompile_headers(demo PRIVATE include/work.h)
X
cat >include/work.h <<'X'
#pragma once
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
namespace lib {
template <typename T>
struct Loop {
  void each(T n) {
    tbb::parallel_for(T(0), n,
                      [](T) {
                        tp::spend(1);
                      });
  }
};
static void here() {
  tbb::task_group g; g.run([] { tbb::parallel_invoke([] { tp::spend(1); }, [] { tp::spend(1); }); });
  g.wait();
}
}
#define LOOP(n) tbb::parallel_for(0, n, [](int) { tp::spend(1); })
X
cat >src/part.cpp <<'X'
#include "../include/work.h"
void part() { lib::Loop<int>().each(10); lib::here(); }
X
cat >src/deep/plugin.cpp <<'X'
#include "../../include/work.h"
extern "C" void plugin() { lib::Loop<int>().each(100); lib::here(); }
X
cat >src/main.cpp <<'X'
#include "work.h"
#include <dlfcn.h>
void part();
int main(int, char** argv) {
  lib::Loop<int>().each(1000); lib::here();
  LOOP(5);
  part();
  if (void* plugin = dlopen(argv[1], RTLD_NOW)) reinterpret_cast<void (*)()>(dlsym(plugin, "plugin"))();
  tbb::parallel_for(0, 7, [](int) { tp::spend(1); });
}
X
echo "int unused;" >src/empty.cpp
expected="/mapped/include/work.h:10-13 lib::Loop::each parallel_for explicit 1110
/mapped/include/work.h:17-17 lib::here task_group::run,parallel_invoke explicit 6
/mapped/src/main.cpp:6-6 main parallel_for explicit 5
/mapped/src/main.cpp:9-9 main parallel_for explicit 7"
sites() {
  python3 - <<'X'
import json
for site in sorted(json.load(open("profile.json"))["sites"], key=lambda s: (s["file"], s["line"])):
    if site["line"]:
        names = [",".join(site[key]) for key in ("functions", "constructs", "found_by")]
        print("%s:%d-%d" % (site["file"], site["line"], site["end_line"]), *names, site["work"])
X
}
for compiler in "$cxx" clang++-19; do
  command -v "$compiler" >/dev/null || continue
  rm -rf ../build tp-data
  export TP_CXX=$compiler
  CXXFLAGS="-ffile-prefix-map=$PWD/=/mapped/" cmake -G Ninja -B ../build -DCMAKE_CXX_COMPILER="$TP_PREFIX/bin/tp-c++" -DCMAKE_PREFIX_PATH="$TP_PREFIX" >log 2>&1 &&
    cmake --build ../build >>log 2>&1 || { fail "$compiler: $(cat log)"; continue; }
  grep -q 'tp-c++: note' log && fail "$compiler: $(grep note log)"
  cmake --build ../build | grep -q 'no work to do' || fail "$compiler: built twice"
  ours ../build/demo ../build/libplugin.so
  same "$compiler: exit status" 0 $status
  analyze tp-data
  same "$compiler: sites" "$expected" "$(sites)"
  # A source in the current directory: the copy that is compiled finds the header as ./work.h.
  cp include/work.h . && rm -rf tp-data
  printf '#include "work.h"\nint main() { lib::Loop<long>().each(3); }\n' >single.cpp
  "$TP_PREFIX/bin/tp-c++" -std=c++17 single.cpp -ltbb -o single && ours ./single
  analyze tp-data
  same "$compiler: single" "work.h:10-13 lib::Loop::each parallel_for explicit 3" "$(sites)"
done
finish
