# SPDX-License-Identifier: Apache-2.0
# A parallel_pipeline in a header that is not the user's own (found by -isystem) keeps its construct
# and the warning `arrival` in all three ways: the order of a filter may be that of arrival, wherever
# the call is written.
. "$(dirname "$0")/common.inc"
mkdir -p vendor
cat >vendor/assembly.h <<'X'
#include <oneapi/tbb/parallel_pipeline.h>
#include <tp/virtual_clock.h>
inline void assemble(int items) {
  tbb::parallel_pipeline(
      4,
      tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                  [&items](tbb::flow_control& control) {
                                    if (items == 0)
                                      control.stop();
                                    return items == 0 ? 0 : items--;
                                  }) &
          tbb::make_filter<int, int>(tbb::filter_mode::parallel, [](int i) { tp::spend(10); return i; }) &
          tbb::make_filter<int, void>(tbb::filter_mode::serial_out_of_order, [](int) { tp::spend(1); }));
}
X
cat >line.cpp <<'X'
#include <assembly.h>
int main() { assemble(20); }
X
# check WAY: the profile of ./line, run with our library.
check() {
  rm -rf tp-data
  ours ./line
  same "$1: exit status" 0 $status
  analyze tp-data
  same "$1" "assembly.h 1 parallel_pipeline 0, assembly.h 2 parallel_pipeline 200, assembly.h 3 parallel_pipeline 20; arrival" "$(python3 -c 'import json, os
p = json.load(open("profile.json"))
print(", ".join("%s %d %s %d" % (os.path.basename(s["file"]), s["filter"], "".join(s["constructs"]), s["work"])
                for s in sorted(p["sites"], key=lambda s: s["filter"]) if s["line"]) + "; " +
      " ".join(w["name"] for w in p["warnings"] if w["name"] == "arrival"))')"
}
build_stock line -isystem vendor <line.cpp
check "as it is"
build line -isystem vendor <line.cpp
check "our headers"
[ -x "$TP_PREFIX/bin/tp-c++" ] || finish
"$TP_PREFIX/bin/tp-c++" -std=c++17 -g -O1 -isystem vendor line.cpp -ltbb -o line || fail "tp-c++: does not build"
check "tp-c++"
finish
