# SPDX-License-Identifier: Apache-2.0
# A thousand equal tasks of one task_group: their work has a parallelism of 1000 in the text and in the JSON, whatever
# TaskProf's columns of ws_profile.csv say.
. "$(dirname "$0")/common.inc"
build flat <<'X'
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
#line 9 "flat.cpp"
void task() { tp::spend(100); }
int main() {
  tbb::task_group g;
  for (int i = 0; i < 1000; ++i)
    g.run(task);
  g.wait();
}
X
TP_EVENT=virtual ours ./flat
analyze tp-data
is '[(s["work"], s["longest_chain"], s["chain_parallelism"]) for s in p["sites"] if s["line"]] == [(100000, 100, 1000)]'
is '[(s["span"], s["parallelism"]) for s in p["sites"] if s["line"]] == [(100000, 1)]'
"$tp_analyze" -d tp-data -o analysis >text
grep -Eq ' flat\.cpp:13 +1000 +100 k units +1000 ' text || fail "text: $(cat text)"
grep -q 'flat.cpp,13,100000,100000,1,' analysis/ws_profile.csv || fail "CSV: $(cat analysis/ws_profile.csv)"
finish
