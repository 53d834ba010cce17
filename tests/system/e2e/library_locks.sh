# SPDX-License-Identifier: Apache-2.0
# A lock inside of oneTBB's flow graph, which tasks of the graph acquire, is named by what it protects, with a remedy
# that a program can apply: it can neither split such a lock nor hold it for a shorter time.
. "$(dirname "$0")/common.inc"
cat >graph.cpp <<'X'
#include <oneapi/tbb/flow_graph.h>
#include <tp/virtual_clock.h>
struct Image {
  Image() = default;
  Image(const Image&) { tp::spend(100); }
  Image& operator=(const Image&) { tp::spend(100); return *this; }
};
int main() {
  tbb::flow::graph graph;
  tbb::flow::function_node<int, Image> load(graph, tbb::flow::unlimited, [](int) {
    tp::spend(10);
    return Image();
  });
  tbb::flow::function_node<Image> show(graph, tbb::flow::unlimited, [](const Image&) {
    tp::spend(10);
    return tbb::flow::continue_msg();
  });
  tbb::flow::make_edge(load, show);
  for (int i = 0; i < 64; ++i)
    load.try_put(i);
  graph.wait_for_all();
}
X
build graph <graph.cpp
TP_EVENT=virtual ours "$tp_run" -q -o data ./graph
[ $status -eq 0 ] || fail "the graph: exit status $status: $(cat err)"
analyze data
what="spin_rw_mutex of the successors of a flow graph's nodes that send Image"
is "\"$what\" in [lock['name'] for lock in p['locks']]"
words() { tr -s ' \n' ' ' <"$1"; }
words analysis.out | grep -qF "send large messages by std::shared_ptr or pointer" ||
  fail "the report does not say what to do: $(cat analysis.out)"
"$tp_analyze" -q --target 16 -o csv data >target
for report in analysis.out target; do
  [ "$(wc -l <$report)" -le 25 ] || fail "$report: more than 25 lines: $(cat $report)"
  ! words $report | grep -qE "split (it|the spin_rw_mutex)|readers share it" || fail "$report: a remedy that no program can apply: $(cat $report)"
done
finish
