#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A loop of tiny bodies, each a task of its own: the profile reports that the overhead exceeds the
# work, and which grain size would be better; with that grain size the overhead is lower. Checks
# directions only: times depend on the machine.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
unset TP_EVENT
build loop <<'EOF2'
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <cstdlib>
volatile double sink;
int main(int, char** argv) {
  using range = tbb::blocked_range<int>;
  tbb::parallel_for(range(0, 1 << 17, std::atoi(argv[1])), [](const range& part) {
    double x = 0;
    for (int i = part.begin(); i < part.end(); ++i)
      for (int j = 0; j < 2; ++j)
        x += i * 0.5 / (j + 1);
    sink = x;
  }, tbb::simple_partitioner());
}
EOF2
loop='max((s for s in p["sites"] if s["tasking"]["body_calls"]), key=lambda s: s["invocations"])["tasking"]'
advised='p["what_if"]["advised_grains"]'

ours env TP_DATA=fine ./loop 1
same "exit status" 0 "$status"
analyze fine
is "${loop}['body_calls'] == 1 << 17 and ${loop}['iterations'] == 1 << 17"
is "${loop}['modelled_percent'] > 8"
is "len($advised) == 1 and ${advised}[0]['grain'] >= 16"
is "${advised}[0]['loop']['overhead_percent'] < ${advised}[0]['loop']['overhead_percent_now'] / 2"
is "${advised}[0]['loop']['body_calls'] <= ${advised}[0]['loop']['body_calls_now'] / 16"

# With the recommended grain size it costs less.
fine_cost=$(python3 -c "import json; p = json.load(open('profile.json')); print(${loop}['modelled_cost'])")
grain=$(python3 -c 'import json; print(json.load(open("profile.json"))["what_if"]["advised_grains"][0]["grain"])')
in_file analysis.out "grain size $grain at <stdin>:7"
ours env TP_DATA=coarse ./loop "$grain"
analyze coarse
is "${loop}['modelled_cost'] < $fine_cost / 4"
finish
