# SPDX-License-Identifier: Apache-2.0
# Extra events per step: page faults are counted for each site, whatever clock counts the work.
. "$(dirname "$0")/common.inc"
build faults <<'EOF'
#include <oneapi/tbb/task_group.h>
#include <sys/mman.h>
#include <tp/virtual_clock.h>
#include <cstdio>
// Touches that many new pages: one fault each.
static void touch(int pages) {
  const size_t bytes = static_cast<size_t>(pages) * 4096;
  char* const memory = static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  for (int i = 0; i < pages; ++i) memory[i * 4096] = 1;
  munmap(memory, bytes);
  tp::spend(10);
}
int main() {
  for (int round = 0; round < 20; ++round) {
    tbb::task_group group;
    for (int i = 0; i < 10; ++i) group.run([] { touch(64); });
    for (int i = 0; i < 5; ++i)
      group.run([] { touch(30); });
    group.wait();
  }
  std::puts("done");
}
EOF
[ "$(getconf PAGESIZE)" = 4096 ] || skip "pages are not of 4096 bytes"
for events in tsc,page-faults task-clock,page-faults virtual,context-switches,page-faults,cpu-migrations \
              auto,page-faults,minor-faults,major-faults,task-clock; do
  if ! "$tp_run" -o data -e "$events" ./faults >out 2>err; then
    in_file err 'not permitted' # of context switches: no counter for an unprivileged user
    continue
  fi
  [ "$(cat out)" = "done" ] || fail "$events: stdout: $(cat out)"
  analyze data
  # No fault is missing. First touches of stacks, and program pages that the kernel reclaimed, are
  # added.
  is 'all(least <= count < 1.25 * least for count, least in zip(
      sorted(s["extra_events"]["page-faults"] for s in p["sites"] if s["line"] > 0), [3000, 12800], strict=True))'
  is 'sum(s["extra_events"]["page-faults"] for s in p["sites"]) == p["trace"]["extra_events"]["page-faults"]'
  is 'p["conservation"]["exclusive_work_equals_work"] and p["complete"] and not [w for w in p["warnings"] if w["name"] == "not_counted"]'
done
# Reading these costs more than 200 ns at each step: one line says so while recording.
for events in tsc,page-faults task-clock; do
  "$tp_run" -q -o data -e $events ./faults >out 2>err || continue
  same "$events: lines on stderr" 1 "$(grep -c "^tp: warning: TP_EVENT=$events: reading these events takes [0-9]* ns at each step" err)"
  python3 -c 'import json; w = json.load(open("data/run.json"))["work"]; assert max(w["step_cost_ns"], w["gap_cost_ns"]) > 200, w' || fail "$events: cost"
done
"$tp_run" -q -o data -e tsc ./faults >out 2>err && is_empty err
# With the virtual clock the work remains an integer.
"$tp_run" -q -o data -e virtual,page-faults ./faults >out 2>err && { analyze data; is 'p["work"] == 3000'; }
finish
