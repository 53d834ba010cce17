# SPDX-License-Identifier: Apache-2.0
# Samples in surroundings that make them hard: code without symbols, a step much longer than a ring has room for,
# more threads than memory may be locked for, a process that has entered a sandbox.
. "$(dirname "$0")/common.inc"
export TP_EVENT=auto
sampling() { python3 -B -c 'import json, sys; print(json.load(open(sys.argv[1] + "/end.json")).get("sampling", {}).get(sys.argv[2]))' "$1" "$2"; }

cat >burn.h <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <cmath>
#include <ctime>
static double now() { timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1e3 + t.tv_nsec / 1e6; }
static volatile double sink;
// Runs for so many ms of CPU time.
[[gnu::always_inline]] static inline void burn(double ms) { for (const double end = now() + ms; now() < end;) for (int i = 0; i < 2000; ++i) sink = std::sqrt(sink + i); }
X

# Functions of stripped code are kept apart, each by the range of its unwind information.
build named -O2 <<'X'
#include "burn.h"
[[gnu::noinline, gnu::used]] static void most(double ms) { burn(ms * 7); sink = 1; }
[[gnu::noinline, gnu::used]] static void some(double ms) { burn(ms * 2); sink = 2; }
[[gnu::noinline, gnu::used]] static void little(double ms) { burn(ms); sink = 3; }
int main() { tbb::parallel_for(0, 20, [](int) { most(5); some(5); little(5); }); }
X
strip -s -o stripped named
"$tp_run" -q -o stripped-data ./stripped >out 2>err || fail "stripped: exit status $?: $(cat err)"
if [ -z "$(sampling stripped-data method)" ]; then
  skip "no samples here: $(cat stripped-data/end.json)"
fi
analyze stripped-data
nm named >symbols
python3 -B - <<'X' || fail "functions of stripped code"
import json
p = json.load(open("profile.json"))
begins = {line.split()[2].split("(")[0]: int(line.split()[0], 16) for line in open("symbols") if len(line.split()) == 3}
rows = {f["name"]: f for f in p["functions"]}
for name, share in (("_ZL4mostd", 0.7), ("_ZL4somed", 0.2), ("_ZL6littled", 0.1)):
    row = rows[f"stripped+{begins[name]:#x}"]
    assert row["kind"] == "stripped", row
    assert abs(row["self_work"] / p["work"] - share) < 0.1, (name, row["self_work"], p["work"])
X

# What prints numbers has some 3 KiB on the stack: the function that calls it has that time; so has what only calls that function,
# which is not listed among the functions that a programmer would change. What enters the kernel has the time there, if
# samples may be taken in it.
build depth -O2 <<'X'
#include "burn.h"
#include <cstdio>
#include <sys/mman.h>
[[gnu::noinline]] static void print_numbers(double ms) {
  char text[400];
  for (const double end = now() + ms; now() < end;) for (int i = 0; i < 50; ++i) std::snprintf(text, sizeof text, "%.17g", sink + i / 3.0);
  sink = text[0];
}
[[gnu::noinline]] static void touch_memory(double ms) {
  constexpr size_t bytes = 1 << 20;
  for (const double end = now() + ms; now() < end;) {
    char* const memory = static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for (size_t at = 0; at < bytes; at += 4096) memory[at] = 1;
    munmap(memory, bytes);
  }
  sink = 1;
}
[[gnu::noinline]] static void compute(double ms) { burn(ms); sink = 2; }
// In the kernel's code that is mapped into the process, and in entries of the procedure linkage table.
[[gnu::noinline]] static void ask_for_time(double ms) {
  for (const double end = now() + ms; now() < end;) for (int i = 0; i < 1000; ++i) { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); sink = t.tv_nsec; }
}
[[gnu::noinline]] static void report(double ms) { print_numbers(ms); sink = 3; }
int main() { tbb::parallel_for(0, 2, [](int) {}); report(400); touch_memory(400); compute(400); ask_for_time(400); }
X
"$tp_run" -q -o depth-data ./depth >out 2>err || fail "depth: exit status $?: $(cat err)"
analyze depth-data
in_kernel=$(sampling depth-data in_kernel) python3 -B - <<'X' || fail "functions with deep stacks, and in the kernel"
import json, os
p = json.load(open("profile.json"))
rows = {f["short_name"]: f for f in p["functions"]}
share = {name: rows[name]["critical_work"] / p["span"] for name in ("print_numbers", "report", "touch_memory", "compute", "ask_for_time")}
assert p["sampling"]["in_kernel"] == (os.environ["in_kernel"] == "True"), p["sampling"]
assert rows["report"]["passes_to"] == "print_numbers" and rows["print_numbers"]["passes_to"] is None, rows["report"]
assert abs(share["report"] - share["print_numbers"]) < 0.02, share
assert share["print_numbers"] > 0.2 and share["ask_for_time"] > 0.2, share
assert p["sampling"]["cut_stacks"] == 0, p["sampling"]
if p["sampling"]["in_kernel"]:
    for name in ("print_numbers", "touch_memory", "compute", "ask_for_time"):
        assert abs(share[name] - 1 / 4) < 0.08, share
else:
    assert share["touch_memory"] < 0.2, share
X
[ "$(strings -a depth-data/samples.bin | grep -c '^PATH=')" = 0 ] || fail "the environment is in the file of samples"

# One step, of which a ring has room for a hundredth.
build long_step -O2 <<'X'
#include "burn.h"
int main() { tbb::parallel_for(0, 2, [](int) {}); burn(1500); }
X
"$tp_run" -q --sample 4000 -o long-data ./long_step >out 2>err || fail "long_step: exit status $?: $(cat err)"
# On a busy machine the thread that empties the ring may come too late now and then.
[ $(($(sampling long-data lost) * 20)) -le "$(sampling long-data samples)" ] || fail "$(sampling long-data lost) samples lost of $(sampling long-data samples)"
if [ "$(sampling long-data method)" != timer ]; then
  [ "$(sampling long-data samples)" -gt 3000 ] || fail "only $(sampling long-data samples) samples in a step of 1.5 s at 4000 per second"
fi

# As a user who may lock little memory, with hundreds of threads: the rings become smaller.
as_user="setpriv --reuid=65534 --regid=65534 --clear-groups"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && $as_user test -x "$tp_run"; then
  build threads -O1 <<'X'
#include "burn.h"
#include <thread>
#include <vector>
int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 300; ++i) threads.emplace_back([] { tbb::parallel_for(0, 1, [](int) { burn(3); }); });
  for (auto& thread : threads) thread.join();
}
X
  chmod 777 .
  (ulimit -l 8192 && $as_user "$tp_run" -q -o threads-data ./threads) >out 2>err ||
    fail "threads: exit status $?: $(cat err)"
  is_empty err
  same "threads without samples" 0 "$(sampling threads-data unsampled_threads)"
  # Timers are looked at by the kernel's tick, which is longer than one of these threads.
  # Where the user may lock the usual 8 MiB, a thousand threads at the same time are sampled.
  build crowd -O1 <<'X'
#include "burn.h"
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>
static std::mutex mutex;
static std::condition_variable all;
static int left = 1000;
int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 1000; ++i)
    threads.emplace_back([] {
      tbb::parallel_for(0, 1, [](int) { burn(1); });
      std::unique_lock lock(mutex);
      if (--left == 0) all.notify_all();
      all.wait(lock, [] { return left == 0; });
      lock.unlock();
      tbb::parallel_for(0, 1, [](int) { burn(2); });
    });
  for (auto& thread : threads) thread.join();
}
X
  (ulimit -l 8192 && $as_user "$tp_run" -q -o crowd-data ./crowd) >out 2>err ||
    fail "crowd: exit status $?: $(cat err)"
  same "of a thousand threads without samples" 0 "$(sampling crowd-data unsampled_threads)"
  [ "$(sampling threads-data samples)" -gt 200 ] || [ "$(sampling threads-data method)" = timer ] || fail "only $(sampling threads-data samples) samples in 300 threads"
  # No memory may be locked: nothing is sampled by events, and it is said why.
  if [ "$(cat /proc/sys/kernel/perf_event_mlock_kb)" -lt 600 ]; then
    (ulimit -l 0 && $as_user "$tp_run" -q -o little-data ./threads) >out 2>err ||
      fail "threads without locked memory: exit status $?: $(cat err)"
    [ "$(sampling little-data samples)" -gt 0 ] || fail "no samples without locked memory"
  fi
fi

# A filter of system calls that is set later kills for perf_event_open: no thread asks for an event from then on.
if [ "$(uname -m)" = x86_64 ]; then
  build sandbox -O1 <<'X'
#include "burn.h"
#include <cstdio>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <thread>
int main() {
  tbb::parallel_for(0, 2, [](int) { burn(20); });
  sock_filter code[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, 0},
                        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 298 /* perf_event_open */},
                        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS},
                        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  sock_fprog program{4, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 77;
  std::thread([] { tbb::parallel_for(0, 2, [](int) { burn(20); }); }).join();
  std::puts("alive");
}
X
  TP_EVENT=tsc "$tp_run" -q -o sandbox-data ./sandbox >out 2>err
  status=$?
  if [ $status != 77 ]; then
    same "exit status in a sandbox" 0 $status
    same "output in a sandbox" alive "$(cat out)"
    [ "$(sampling sandbox-data unsampled_threads)" -gt 0 ] || [ "$(sampling sandbox-data method)" = timer ] || fail "no thread was left out: $(cat sandbox-data/end.json)"
  fi
fi
finish
