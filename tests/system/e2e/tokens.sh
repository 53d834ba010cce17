# SPDX-License-Identifier: Apache-2.0
# Where the number of tokens is why the items of a pipeline come one after the other, the report says so, with
# the number.
. "$(dirname "$0")/common.inc"
build_stock pipelines <<'C'
#line 2 "pipelines.cpp"
#include <oneapi/tbb/parallel_pipeline.h>
#include <tp/virtual_clock.h>
#include <cstdlib>
void pipeline(int tokens, int items) {
  int left = items;
  tbb::parallel_pipeline(tokens, // 7
    tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
      if (left == 0) control.stop();
      else tp::spend(1);
      return left == 0 ? 0 : left--;
    }) &
    tbb::make_filter<int, void>(tbb::filter_mode::parallel, [](int) { tp::spend(100); }));
}
int main(int, char** argv) {
  for (int turn = 0; turn < std::atoi(argv[3]); ++turn)
    pipeline(std::atoi(argv[1]), std::atoi(argv[2]));
}
C
finding() { # TOKENS ITEMS PIPELINES: span, shape and tokens of the first finding
  "$tp_run" -q -e virtual -o data ./pipelines "$@" || fail "pipelines $*: exit status"
  analyze data
  python3 -c 'import json
p = json.load(open("profile.json"))
f = max((f for f in p["findings"] if f["shape"] != "tiny_tasks"), key=lambda f: f["critical_work"])
print(p["span"], f["shape"], f.get("tokens"))'
}
same "two tokens" "1011 few_tokens 2" "$(finding 2 20 1)"
"$tp_analyze" -q data >report.txt 2>&1
in_file report.txt "the pipeline has 2 tokens, and so at most 2 items"
same "one token" "2020 few_tokens 1" "$(finding 1 20 1)"
# The input is what limits it, then; and calls of one pipeline after the other need no token.
same "enough tokens" "120 long_task None" "$(finding 20 20 1)"
same "pipelines one after the other" "1020 serial_tasks None" "$(finding 2 2 10)"
finish
