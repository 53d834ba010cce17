# SPDX-License-Identifier: Apache-2.0
# A machine with two kinds of cores: an event counts on one kind only, so each thread opens one
# event for each kind and adds them. Here two CPUs act as two kinds (inject_faults --hybrid, and a
# simulated sysfs), the task clock as their counters.
. "$(dirname "$0")/common.inc"
: "${TP_INJECT:?TP_INJECT must name inject_faults}"
"$TP_INJECT" -- true 2>err || skip "no faults can be injected: $(cat err)"
cpus=$(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0))[:2], sep=",")')
[[ $cpus == *,* ]] || skip "needs two CPUs"
for kind in 1 2; do
  mkdir -p "sysfs/cores_$kind"
  echo $((1000 + kind)) >"sysfs/cores_$kind/type"
  echo 0 >"sysfs/cores_$kind/cpus"
done
on_hybrid() {
  # shellcheck disable=SC2086  # several words or none
  unshare ${user_namespace-} --mount sh -c 'mount --bind sysfs /sys/bus/event_source/devices && exec "$@"' sh \
    "$TP_INJECT" --hybrid "$cpus" --swap "$@"
}
on_hybrid -- true 2>/dev/null || user_namespace=--map-root-user
on_hybrid -- true 2>err || skip "no folder can be put over sysfs: $(cat err)"

# Each task works on both CPUs, and touches 50 new pages on each.
build moving "-DFIRST=${cpus%,*}" "-DSECOND=${cpus#*,}" <<'SOURCE'
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>
#include <cstdio>
#include <ctime>
#include <sched.h>
#include <sys/mman.h>
static double cpu_ns() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
}
static void work_on(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
  const size_t bytes = 50 * 4096;
  char* const memory = static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  for (size_t at = 0; at < bytes; at += 4096) memory[at] = 1;
  munmap(memory, bytes);
  for (const double until = cpu_ns() + 1e6; cpu_ns() < until;) {}
}
int main() {
  oneapi::tbb::global_control alone(oneapi::tbb::global_control::max_allowed_parallelism, 1);
  tbb::task_group group;
  double in_tasks = 0;
  for (int i = 0; i < 50; ++i)
    group.run([&] {
      const double start = cpu_ns();
      work_on(FIRST);
      work_on(SECOND);
      in_tasks += cpu_ns() - start;
    });
  group.wait();
  std::printf("%.0f\n", in_tasks);
}
SOURCE
# with EVENT [INJECTION...]: leaves the profile, and the tasks' own measurements in out.
with() {
  export TP_EVENT=$1 TP_DATA=data
  shift
  on_hybrid "$@" -- ./moving >out 2>err || fail "$TP_EVENT $*: exit status $?: $(cat err)"
  analyze data
}
counted='not [w for w in p["warnings"] if w["name"] == "not_counted"]'
# A task's own measurement excludes a few percent of its step; a kind left out or counted twice
# gives half or double.
ratio='sum(s["exclusive_work"] for s in p["sites"] if s["line"] > 0) / float(open("out").read())'

with auto
is "$counted and p['clock']['clock'] == 'perf-read' and p['unit'] == 'instructions' and 0.75 < $ratio < 1.5"
with instructions,cycles,page-faults
is "$counted and 0.75 < $ratio < 1.5 and abs(p['trace']['extra_events']['cycles'] / p['work'] - 1) < 0.2"
is '5000 <= sum(s["extra_events"]["page-faults"] for s in p["sites"] if s["line"] > 0) < 6250'
# An event of one PMU counts on its cores only, and the profile reports it.
with 1002:8
is "not ($counted) and 0.2 < $ratio < 0.75"
# A kernel that cannot count on the second kind: a count of one kind is useless.
with auto --open ENOENT --from 2
is "p['clock']['clock'] != 'perf-read' and 'no hardware counter' in p['clock']['reason'] and '2 kinds of cores' in p['clock']['reason']"
finish
