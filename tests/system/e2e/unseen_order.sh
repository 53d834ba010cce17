# SPDX-License-Identifier: Apache-2.0
# Order that only recompiled code records, by code with next to no work of its own: in an unmodified
# binary spans are lower bounds, and checks that would need more end with 2; recompiled they are exact.
. "$(dirname "$0")/common.inc"
[ -e /usr/include/oneapi/tbb/version.h ] || skip "no libtbb-dev"
cat >order.cpp <<'X2'
#include <oneapi/tbb/collaborative_call_once.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
#include <atomic>
#include <string>
#include <thread>
int main(int, char** arguments) {
  const std::string what = arguments[1];
  tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 2);
  if (what == "once") {
    tbb::collaborative_once_flag flag;
    std::atomic<bool> is_called{false};
    tbb::task_group group;
    group.run([&] {
      tp::spend(1000);
      tbb::collaborative_call_once(flag, [&] { is_called = true; tp::spend(1); });
    });
    group.run([&] {
      while (!is_called)
        std::this_thread::yield();
      tbb::collaborative_call_once(flag, [] {});
      tp::spend(1000);
    });
    group.wait();
  } else {
    tbb::flow::graph graph;
    graph.reserve_wait();
    std::thread thread([&] { tp::spend(1000); graph.release_wait(); });
    graph.wait_for_all();
    tp::spend(1001);
    thread.join();
  }
}
X2
build_stock stock <order.cpp
build recompiled <order.cpp
for what in once release; do
  rm -rf tp-data*
  "$tp_run" -q -- ./stock $what || fail "$what: exit status $?"
  analyze tp-data
  is 'p["work"] == 2001 and p["span"] < 2001'
  is 'not p["span_is_exact"] and "unseen_order" in [w["name"] for w in p["warnings"]]'
  case $what in
  once) is 'len(p["unseen_order"]) == 1 and p["unseen_order"] != ["wait_for_all"]' ;;
  *) is 'p["unseen_order"] == ["wait_for_all"]' ;;
  esac
  "$tp_analyze" -q --check 'parallelism>=1.5' -d tp-data -o analysis >/dev/null 2>err
  [ $? -eq 2 ] || fail "$what: --check: expected exit status 2"
  in_file err "known on one side only"
  rm -rf tp-data*
  "$tp_run" -q -- ./recompiled $what || fail "$what, recompiled: exit status $?"
  analyze tp-data
  is 'p["span"] == 2001 and p["span_is_exact"] and p["unseen_order"] == []'
done
finish
