# SPDX-License-Identifier: Apache-2.0
# parallel_invoke gets its site from the place of its call for 2 to 16 functions and a context, with
# explicit template arguments, and from a leading site argument; in each language and compiler that
# oneTBB's headers support. Calls with more functions get it from debug information.
. "$(dirname "$0")/common.inc"
cat >invoke.cpp <<'X'
#include <oneapi/tbb/parallel_invoke.h>
#include <tp/virtual_clock.h>
struct Unit { void operator()() const { tp::spend(1); } };
void unit() { tp::spend(1); }
int main(int argc, char**) {
  auto f = [] { tp::spend(1); };
  const Unit u, v;
  tbb::task_group_context context;
  static const tp_spawn_site place = {"place.h", "main", 7, 3 | TP_SITE_EXPLICIT, "parallel_invoke", 7};
  tbb::parallel_invoke(f, u);
  tbb::parallel_invoke(unit, &unit, Unit(), u, f, f, f, f, f, f);
  if (argc > 1) tbb::parallel_invoke(f, f, f, f, f, f, f, f, f, f, context);
  tbb::parallel_invoke(f, u, context);
  tbb::parallel_invoke<Unit, Unit>(Unit(), Unit());
  tbb::parallel_invoke<const Unit&, const Unit&, tbb::task_group_context&>(u, v, context);
  tbb::parallel_invoke(f, f, f, f, f, f, f, f, f, f, f);
  tbb::parallel_invoke(f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, context);
  tbb::parallel_invoke(::tp::site(place), f, f, f, f, f, f, f, f, f, f, f, f);
  tbb::parallel_invoke(f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f);
}
X
expected="invoke.cpp:10 2, invoke.cpp:11 10, invoke.cpp:13 2, invoke.cpp:14 2, invoke.cpp:15 2, invoke.cpp:16 11, invoke.cpp:17 16, invoke.cpp:19 18, place.h:7 12"
for compiler in "$cxx" clang++-19; do
  command -v "$compiler" >/dev/null || continue
  for standard in 11 17 20; do
    "$compiler" -std=c++$standard -g -Wall -Wextra -pedantic-errors invoke.cpp -o invoke -isystem "$TP_PREFIX/include" \
      -L"$TP_PREFIX/lib" -Wl,-rpath,"$TP_PREFIX/lib" -ltbb || { fail "$compiler C++$standard"; continue; }
    rm -rf tp-data
    ours ./invoke
    analyze tp-data
    same "$compiler C++$standard" "$expected" "$(python3 -c 'import json, os
sites = json.load(open("profile.json"))["sites"]
print(", ".join("%s:%d %d" % s for s in sorted((os.path.basename(s["file"]), s["line"], s["work"]) for s in sites if s["line"])))')"
  done
done
finish
