# SPDX-License-Identifier: Apache-2.0
# Where the number of tokens is why the items of a pipeline come one after the other, the report says so, with
# the number.
. "$(dirname "$0")/common.inc"
build_stock pipelines <<'C'
#line 2 "pipelines.cpp"
#include <oneapi/tbb/parallel_pipeline.h>
#include <tp/virtual_clock.h>
#include <atomic>
#include <cstdlib>
#include <thread>
void pipeline(int tokens, int items, int input, bool in_pairs) {
  int left = items;
  std::atomic<int> begun = 0;
  tbb::parallel_pipeline(tokens, // 10
    tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
      if (left == 0) control.stop();
      else tp::spend(input);
      return left == 0 ? 0 : left--;
    }) &
    tbb::make_filter<int, void>(tbb::filter_mode::parallel, [&](int) {
      // The items of a pair are inside at the same time, so that each token has every second item, also where
      // threads get CPUs one after the other.
      if (const int mine = ++begun; in_pairs)
        while (begun < (mine + 1) / 2 * 2) std::this_thread::yield();
      tp::spend(100);
    }));
}
int main(int, char** argv) {
  for (int turn = 0; turn < std::atoi(argv[3]); ++turn)
    pipeline(std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[4]), std::atoi(argv[5]) != 0);
}
C
finding() { # TOKENS ITEMS PIPELINES INPUT IN-PAIRS: span, shape and tokens of the first finding
  "$tp_run" -q -e virtual -o data ./pipelines "$@" || fail "pipelines $*: exit status"
  analyze data
  python3 -c 'import json
p = json.load(open("profile.json"))
f = max((f for f in p["findings"] if f["shape"] != "tiny_tasks"), key=lambda f: f["critical_work"])
print(p["span"], f["shape"], f.get("tokens"))'
}
if [ "$(nproc)" -gt 1 ]; then # in pairs needs two threads
  same "two tokens" "1000 few_tokens 2" "$(finding 2 20 1 0 1)"
  "$tp_analyze" -q data >report.txt 2>&1
  in_file report.txt "the pipeline has 2 tokens, and so at most 2 items"
fi
same "one token" "2020 few_tokens 1" "$(finding 1 20 1 1 0)"
# The input is what limits it, then; and calls of one pipeline after the other need no token.
same "enough tokens" "120 long_task None" "$(finding 20 20 1 1 0)"
same "pipelines one after the other" "1020 serial_tasks None" "$(finding 2 2 10 1 0)"
finish
