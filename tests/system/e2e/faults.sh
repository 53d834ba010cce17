# SPDX-License-Identifier: Apache-2.0
# Whatever result perf_event_open, the page of an event or read() gives, at any time: the program
# behaves as without us, the clock is the best of those left, and run.json contains the reason
# for the choice.
. "$(dirname "$0")/common.inc"
export TP_SAMPLE=off # samples open events as well, and the cases below count those of the clock
: "${TP_INJECT:?TP_INJECT must name inject_faults}"
"$TP_INJECT" -- true 2>err || skip "no faults can be injected: $(cat err)"
# On any number of CPUs, however busy: the main thread and one worker thread, which takes part, then
# a third thread.
build faulty <<'EOF'
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <atomic>
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
static void meet() {
  std::atomic<int> here{0};
  tbb::task_group group;
  for (int i = 0; i < 2; ++i)
    group.run([&] {
      for (++here; here < 2;) std::this_thread::yield();
    });
  group.wait();
}
int main() {
  tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
  tbb::task_arena(2).execute([] {
    meet();
    tasks(50, 200);
  });
  std::thread([] { tasks(10, 200); }).join();  // comes late
  tasks(50, 200);
  std::puts("done");
  return 3;
}
EOF
chmod 755 "$work"
unset TP_EVENT

# with CLOCK REASON EXPRESSION INJECTION...: the clock of this run must be CLOCK, `reason` must
# contain REASON, and EXPRESSION must hold for its profile p. Leaves data.
with() {
  local clock=$1 reason=$2 expression=$3
  shift 3
  # A folder that every user can write to: an unprivileged user cannot write into this one.
  rm -rf data && mkdir -m 777 data
  status=0
  env TP_DATA="$work/data/run" "$TP_INJECT" "$@" -- ./faulty >out 2>err || status=$?
  same "$*: exit status" 3 $status
  same "$*: stdout" "done" "$(cat out)"
  analyze data/run
  is "('$*' and (p['clock']['clock'], p['complete'], p['conservation']['exclusive_work_equals_work']) == ('$clock', True, True) and
       '$reason' in p['clock']['reason'] and ($expression))"
}
counted='p["work"] > 0 and not [w for w in p["warnings"] if w["name"] == "not_counted"]'
not_counted='p["work"] > 0 and [w for w in p["warnings"] if w["name"] == "not_counted"]'
no_rseq() { GLIBC_TUNABLES=glibc.pthread.rseq=0 "$@"; }

declare -A reasons=(
  [ENOENT]='no hardware counter' [ENODEV]='no hardware counter' [EOPNOTSUPP]='no hardware counter'
  [EACCES]='kernel.perf_event_paranoid=1' [EPERM]='kernel.perf_event_paranoid=1' [ENOSYS]='no perf_event_open'
  [EMFILE]='ulimit -n' [ENFILE]='fs.file-max' [EBUSY]='another user of the PMU' [EINVAL]='refuses' [ENOMEM]='no locked memory'
  [E2BIG]='too old' [ENOSPC]='No space left')

TP_DATA=data ./faulty >out 2>err
analyze data
python3 -c 'import json; exit(json.load(open("profile.json"))["clock"]["clock"] != "tsc-rseq")' ||
  skip "needs rseq of glibc 2.35 and a machine without hardware counters"

# No event can be opened, or no hardware event: with rseq and without it, as any user.
[ "$(id -u)" -ne 0 ] || user=--unprivileged
for error in "${!reasons[@]}"; do
  with tsc-rseq "${reasons[$error]}" "$counted" --open "$error" --hardware
  # shellcheck disable=SC2086  # user: several words or none
  with tsc-rseq "${reasons[$error]}" "$counted" ${user-} --open "$error" --hardware
  # shellcheck disable=SC2086  # user: several words or none
  no_rseq with thread-cpu "${reasons[$error]}" "$counted" ${user-} --open "$error"
done
with tsc-rseq 'not permitted' "$counted" --open EACCES
# A tracer stops the thread at each system call: no pair of readings can be verified.
with thread-cpu 'each system call gives up the CPU' "$counted" --open ENOENT --stop-clock
no_rseq with thread-cpu 'each system call gives up the CPU' "$counted" --open ENOENT --hardware --stop-clock
no_rseq with tsc-perf-page 'switched off by GLIBC_TUNABLES' "$counted" --open EPERM --hardware
no_rseq with thread-cpu 'no locked memory' "$counted" --mmap EPERM

# The N-th opening fails. Hardware events are the task clock here: two are tried for reading in user
# space, two for read(); the fifth is the main thread's, then come those of a worker thread and the
# late thread.
with perf-read 'does not let user space read' "$counted" --swap
for from in 1 2 3 4; do
  with tsc-rseq 'no file descriptors left' "$counted" --swap --open EMFILE --from $from --hardware
done
with perf-read '' 'p["work"] == 0 and p["warnings"]' --swap --open EMFILE --from 5 --hardware
with perf-read '' "$not_counted" --swap --open EMFILE --from 7 --hardware
for error in "${!reasons[@]}"; do
  # shellcheck disable=SC2086  # user: several words or none
  with perf-read '' "$not_counted" ${user-} --swap --open "$error" --from 6 --hardware
done
# Without its page a thread counts by itself.
by_itself='p["work"] > 0 and 50 < p["attribution"]["percent"] < 150'
no_rseq with thread-cpu 'no locked memory' "$by_itself" --mmap EPERM
for from in 2 3 4; do
  no_rseq with tsc-perf-page '' "$by_itself" --mmap EPERM --from $from
done
for error in "${!reasons[@]}"; do
  no_rseq with tsc-perf-page '' "$by_itself" --open "$error" --from 4
done

# A pinned event without a counter: at once, and in the middle of the run. An event counted for half
# of the time.
with tsc-rseq 'another user of the PMU' "$counted" --swap --empty-read 1
with perf-read '' "$not_counted" --swap --empty-read 450
with perf-read '' "$not_counted" --swap --half-counted

# In a group by read(): the first event is the work, here the task clock; its sum is the threads'
# CPU time.
export TP_EVENT=instructions,cycles,page-faults
with perf-read '' "$counted and p['unit'] == 'instructions' and p['work'] < 1.5 * p['run']['cpu_ns'] and
                   abs(p['trace']['extra_events']['cycles'] / p['work'] - 1) < 0.2" --swap
with perf-read '' "$not_counted" --swap --empty-read 450
with tsc-rseq 'instructions: not permitted' "$counted and p['trace']['extra_events'] == {}" --open EPERM --hardware
in_file err "'instructions' cannot be counted"
in_file err 'no extra events are counted: cycles: not permitted'
unset TP_EVENT

# All numbers of an event of libpfm4 reach the kernel.
export TP_EVENT=4:1b7:3f803c0001:7=OFFCORE
with perf-read '' "$counted and p['unit'] == 'OFFCORE'" --swap --log "$work/log"
in_file log '4 1b7 3f803c0001 7'
unset TP_EVENT

# An explicit event that is not available is an error of tp-run with the cause and, if there is one,
# the command that fixes it.
refused() {
  local events=$1 reason=$2 status=0
  shift 2
  "$TP_INJECT" "$@" -- "$tp_run" -e "$events" ./faulty >out 2>err || status=$?
  same "$*: exit status of tp-run -e $events" 125 $status
  in_file err "tp: error: -e $events: cannot be measured here: "
  in_file err "$reason"
  in_file err 'hint: '
  is_empty out
}
for error in "${!reasons[@]}"; do
  refused instructions "${reasons[$error]}" --open "$error" --hardware
  # shellcheck disable=SC2086  # user: several words or none
  refused tsc,cycles "${reasons[$error]}" ${user-} --open "$error"
done
refused tsc,page-faults 'hint: as root: sysctl kernel.perf_event_paranoid=1' --open EACCES

# As a user without permissions.
if [ "$(id -u)" -eq 0 ]; then
  with tsc-rseq 'instructions' "$counted" --unprivileged
  no_rseq with thread-cpu 'not permitted' "$counted" --unprivileged --open EACCES
fi
finish
