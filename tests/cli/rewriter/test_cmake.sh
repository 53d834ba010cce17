#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A CMake project with CMAKE_CXX_COMPILER=tp-c++: compiler tests, precompiled header, libraries, a
# second build that does nothing, and a rebuild after a change of a header.
. "$(dirname "$0")/common.inc"
command -v cmake >/dev/null && command -v ninja >/dev/null || { echo "skip: no cmake or ninja"; exit 0; }
cat > CMakeLists.txt <<'X'
cmake_minimum_required(VERSION 3.18)
project(demo LANGUAGES C CXX)
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("int main() { return 0; }" works)
add_library(part STATIC src/part.cpp)
target_compile_features(part PUBLIC cxx_std_17)
target_precompile_headers(part PRIVATE <vector>)
add_executable(demo src/main.cpp src/c.c)
target_link_libraries(demo part)
X
mkdir src
echo 'int c(void) { return 0; }' > src/c.c
echo 'int part();' > src/part.h
cat > src/part.cpp <<'X'
#include "part.h"
#include <tbb/tbb.h>
int part() { std::vector<int> v{2, 1}; tbb::parallel_sort(v); return v[0] - 1; }
X
cat > src/main.cpp <<'X'
#include "part.h"
#include <tbb/tbb.h>
int main() { tbb::parallel_for(0, 1, [](int) {}); return part(); }
X
for compiler in $(compilers); do
  rm -rf build
  export TP_CXX=$compiler
  cmake -G Ninja -S . -B build -DCMAKE_CXX_COMPILER="$TP_CXX_TOOL" > log.txt 2>&1 || { cat log.txt; fail "$compiler: configure"; continue; }
  case $compiler in g++) id=GNU ;; *) id=Clang ;; esac
  grep -q "CXX compiler identification is $id" log.txt || fail "$compiler: $(grep identification log.txt)"
  cmake --build build > log.txt 2>&1 && build/demo || { cat log.txt; fail "$compiler: build"; }
  grep -q 'compiled untagged' log.txt && { grep untagged log.txt; fail "$compiler: untagged"; }
  [ "$(nm -C build/demo | grep -c 'tp::sites::s_')" -eq 2 ] || fail "$compiler: expected 2 records"
  cmake --build build | grep -q 'no work to do' || fail "$compiler: built twice"
  sleep 0.01; touch src/part.h
  [ "$(cmake --build build 2>&1 | grep -c 'Building CXX object')" -eq 2 ] || fail "$compiler: header change"
  touch src/main.cpp
  [ "$(cmake --build build 2>&1 | grep -c 'Building CXX object')" -eq 1 ] || fail "$compiler: source change"
done
finish
