# Whatever perf_event_open, the page of an event or read() answer, and whenever: the program does what it does without us,
# the clock is the best of those left, and run.json says why it is no better.
. "$(dirname "$0")/common.inc"
: "${TP_INJECT:?TP_INJECT must name inject_faults}"
"$TP_INJECT" -- true 2>err || skip "no faults can be injected: $(cat err)"
build faulty <<'EOF'
#include <oneapi/tbb/task_group.h>
#include <cstdio>
#include <thread>
static volatile double sink;
static void work(int n) {
  double sum = 0;
  for (int i = 1; i < n * 1000; ++i) sum += 1.0 / i;
  sink = sum;
}
static void tasks(int count, int n) {
  tbb::task_group group;
  for (int i = 0; i < count; ++i) group.run([n] { work(n); });
  group.wait();
}
int main() {
  tasks(50, 200);
  std::thread([] { tasks(10, 200); }).join();  // comes late
  tasks(50, 200);
  std::puts("done");
  return 3;
}
EOF
chmod 755 "$work"
unset TP_EVENT

# with CLOCK REASON EXPRESSION INJECTION...: the clock of this run must be CLOCK, `reason` hold REASON, and EXPRESSION be
# true of its profile p. Leaves data.
with() {
  local clock=$1 reason=$2 expression=$3
  shift 3
  # A folder of the user's: nobody could not write into this one.
  rm -rf data && mkdir -m 777 data
  status=0
  env TP_DATA="$work/data/run" "$TP_INJECT" "$@" -- ./faulty >out 2>err || status=$?
  same "$*: exit status" 3 $status
  same "$*: stdout" done "$(cat out)"
  analyze data/run
  is "'$*' and (p['clock']['clock'], p['complete'], p['conservation']['exclusive_work_equals_work']) == ('$clock', True, True)"
  is "'$*' and '$reason' in p['clock']['reason'] and ($expression)"
}
counted='p["work"] > 0 and not [w for w in p["warnings"] if w["name"] == "not_counted"]'
not_counted='p["work"] > 0 and [w for w in p["warnings"] if w["name"] == "not_counted"]'
no_rseq() { GLIBC_TUNABLES=glibc.pthread.rseq=0 "$@"; }

declare -A reasons=(
  [ENOENT]='no hardware counter' [ENODEV]='no hardware counter' [EOPNOTSUPP]='no hardware counter'
  [EACCES]='kernel.perf_event_paranoid=1' [EPERM]='kernel.perf_event_paranoid=1' [ENOSYS]='no perf_event_open'
  [EMFILE]='ulimit -n' [EBUSY]='another user of the PMU' [EINVAL]='refuses')

TP_DATA=data ./faulty >out 2>err
analyze data
python3 -c 'import json; exit(json.load(open("profile.json"))["clock"]["clock"] != "tsc-rseq")' ||
  skip "needs rseq of glibc 2.35 and a machine without hardware counters"

# Nothing can be opened, or no hardware event: with rseq, and without it.
for error in "${!reasons[@]}"; do
  with tsc-rseq "${reasons[$error]}" "$counted" --open "$error" --hardware
  no_rseq with thread-cpu "${reasons[$error]}" "$counted" --open "$error"
done
with tsc-rseq 'not permitted' "$counted" --open EACCES
no_rseq with tsc-perf-page 'switched off by GLIBC_TUNABLES' "$counted" --open EPERM --hardware
no_rseq with thread-cpu 'no locked memory' "$counted" --mmap EPERM

# The N-th opening fails. Hardware events are the task clock here: two are tried for reading in user space, two for read(),
# the fifth is the main thread's, then a worker's and the late thread's.
with perf-read 'does not let user space read' "$counted" --swap
for from in 1 2 3 4; do
  with tsc-rseq 'no file descriptors left' "$counted" --swap --open EMFILE --from $from --hardware
done
with perf-read '' 'p["work"] == 0 and p["warnings"]' --swap --open EMFILE --from 5 --hardware
for from in 6 7; do
  with perf-read '' "$not_counted" --swap --open EMFILE --from $from --hardware
done
# Without its page a thread counts by itself.
by_itself='p["work"] > 0 and 50 < p["attribution"]["percent"] < 101'
no_rseq with thread-cpu 'no locked memory' "$by_itself" --mmap EPERM
for from in 2 3 4; do
  no_rseq with tsc-perf-page '' "$by_itself" --mmap EPERM --from $from
done
no_rseq with tsc-perf-page '' "$by_itself" --open EMFILE --from 4

# A pinned event without a counter: at once, and in the middle of the run. Counted for half of the time.
with tsc-rseq 'another user of the PMU' "$counted" --swap --empty-read 1
with perf-read '' "$not_counted" --swap --empty-read 450
with perf-read '' "$not_counted" --swap --half-counted

# In a group by read(): the first is the work, the task clock in its place; its sum is the threads' CPU time.
export TP_EVENT=instructions,cycles,page-faults
with perf-read '' "$counted and p['unit'] == 'instructions' and p['work'] < 1.01 * p['run']['cpu_ns'] and
                   abs(p['trace']['extra_events']['cycles'] / p['work'] - 1) < 0.05" --swap
with perf-read '' "$not_counted" --swap --empty-read 450
with tsc-rseq 'instructions: not permitted' "$counted and p['trace']['extra_events'] == {}" --open EPERM --hardware
in_file err "'instructions' cannot be counted"
in_file err 'no extra events are counted: cycles: not permitted'
unset TP_EVENT

# An explicit event that cannot be had is tp-run's error.
status=0
"$TP_INJECT" --open EACCES -- "$tp_run" -e tsc,page-faults ./faulty >out 2>err || status=$?
same "exit status of tp-run" 125 $status
in_file err 'hint: as root: sysctl kernel.perf_event_paranoid=1'
is_empty out

# As somebody who may nothing.
if [ "$(id -u)" -eq 0 ]; then
  with tsc-rseq 'instructions' "$counted" --nobody
  no_rseq with thread-cpu 'not permitted' "$counted" --nobody --open EACCES
  with perf-read '' "$not_counted" --nobody --swap --open EMFILE --from 6 --hardware
fi
finish
