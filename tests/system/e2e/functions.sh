# SPDX-License-Identifier: Apache-2.0
# Functions by samples: names, shares and what-if of functions whose time the program measures itself; with inlined
# functions, in main and in tasks; what is recorded where samples are not allowed.
. "$(dirname "$0")/common.inc"
export TP_EVENT=auto

cat >known.cpp <<'X'
#line 2 "known.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <cmath>
#include <cstdio>
#include <ctime>
double sink[64];
static double now() { timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1e3 + t.tv_nsec / 1e6; }
// Runs for so many ms of CPU time.
[[gnu::always_inline]] static inline void burn(double ms, int slot) { for (const double end = now() + ms; now() < end;) for (int i = 0; i < 2000; ++i) sink[slot] += std::sqrt(sink[slot] + i); }
[[gnu::noinline]] void alpha(double ms, int slot) { burn(ms, slot); }
[[gnu::noinline]] void beta(double ms, int slot) { burn(ms, slot); }
[[gnu::always_inline]] inline void gamma_inlined(double ms, int slot) { burn(ms, slot); }
[[gnu::noinline]] void serial_part(double ms) { burn(ms, 0); }
int main() {
  tbb::parallel_for(0, 2, [](int) {});
  serial_part(600);
  tbb::parallel_for(tbb::blocked_range<int>(0, 30, 1), [](const tbb::blocked_range<int>& r) { for (int i = r.begin(); i < r.end(); ++i) { alpha(12, i); beta(6, i); gamma_inlined(2, i); } }, tbb::simple_partitioner());
  std::puts("done");
}
X
build known -O2 <known.cpp

# The default takes samples.
"$tp_run" -q -o data ./known >out 2>err || fail "tp-run: exit status $?: $(cat err)"
same "the program's output" "done" "$(cat out)"
if grep -q '"method":""' data/end.json; then
  skip "$(cat data/end.json)"
fi
python3 -B "$here/../../support/validate_json.py" data || fail "data: not as documented"
analyze data
python3 -B "$here/../../support/validate_json.py" profile.json || fail "profile.json: not as documented"
# The page has the source of lines that were sampled, far from any site.
"$tp_analyze" -q -o csv --export html:page.html data || fail "the page"
in_file page.html 'const double end = now() + ms'
python3 -B - <<'X' || fail "figures of functions"
import json, sys
p = json.load(open("profile.json"))
f = {row["short_name"]: row for row in p["functions"]}
problems = []
def check(condition, text):
    if not condition: problems.append(text)
check(p["sampling"]["damage"] is None, "damage")
check(p["sampling"]["in_steps"] > (60 if p["sampling"]["method"] == "timer" else 300), f"few samples: {p['sampling']}")
# Exact: the sums.
selves = sum(row["self_work"] for row in p["functions"]), sum(row["self_critical_work"] for row in p["functions"])
check(selves[0] + p["sampling"]["not_sampled_work"] == p["work"], "work does not add up")
check(selves[1] + p["sampling"]["not_sampled_critical_work"] == p["span"], "critical work does not add up")
# Estimates: with much room.
def share(name, whole, key="work"): return f[name][key] / p[whole] if name in f else 0
def near(name, expected, whole="work", key="work"):
    got = share(name, whole, key)
    check(abs(got - expected) < 0.12, f"{name}: {got:.3f} of the {whole}, expected {expected:.3f}")
near("serial_part", 0.5); near("alpha", 0.3); near("beta", 0.15); near("gamma_inlined", 0.05); near("main", 0.5)
near("serial_part", 0.968, "span", "critical_work")
check(f["alpha"]["rank"] > f["serial_part"]["rank"], "ranks")
check(not any("oneapi" in row["name"] or "start_for" in row["name"] for row in p["functions"] if row["kind"] == "function" and row["short_name"].startswith("tbb")), "functions of oneTBB")
check(f["alpha"]["file"].endswith("known.cpp"), f["alpha"]["file"])
for row in p["functions"]:
    for name in ("work", "critical_work", "self_work", "self_critical_work"):
        low, high = row[name + "_interval"]
        check(low <= row[name] <= high, f"{row['name']}: {name} outside of its interval")
# serial_part in an eighth of its time.
eight = next(point for point in f["serial_part"]["points"] if point["factor"] == 8)
expected = p["work"] / (p["span"] * (0.032 + 0.968 / 8))
check(0.6 < eight["parallelism"] / expected < 1.5, f"what-if: {eight['parallelism']}, expected about {expected}")
check(any(line["file"].endswith("known.cpp") for line in p["lines"]), "no lines")
sys.exit("\n".join(problems) if problems else 0)
X

"$tp_analyze" -q -o csv --functions data >table 2>err || fail "tp-analyze --functions: exit status $?: $(cat err)"
in_file table 'serial_part (known.cpp:'
# What makes most of a code segment is named with it; a search for a target answers with functions.
is 'any(f.get("mostly", "").startswith("function serial_part (known.cpp:") and ", mostly function serial_part (" in f["text"] for f in p["findings"])'
is 'any(c.get("mostly", "").startswith("function serial_part") for c in p["what_if"]["explored"] if c["kind"] == "stretch")'
"$tp_analyze" -q -o csv --target 8 --json target.json data >table 2>err || fail "tp-analyze --target: exit status $?: $(cat err)"
grep -q -e '->.*function serial_part (known.cpp:' table || fail "the search names no function: $(cat table)"
python3 -B "$here/../../support/validate_json.py" target.json || fail "target.json: not as documented"
python3 -B -c '
import json
first = json.load(open("target.json"))["what_if"]["target"]["regions"][0]
assert first["kind"] == "function" and first["name"].startswith("function serial_part ("), first' || fail "target.json"
in_file csv/functions.csv 'Rank,Function,Source file'
in_file csv/functions.csv '"alpha(double, int)"'

# The source, and the stacks of other tools: below the chain of spawn sites, and with the same sums.
"$tp_analyze" -q -o csv --annotate known.cpp data >table 2>err || fail "tp-analyze --annotate: exit status $?: $(cat err)"
grep -q '[0-9] %.*static inline void burn' table || fail "--annotate: no samples in burn(): $(cat table)"
"$tp_analyze" -q -o csv --annotate missing.cpp data >table 2>err
same "--annotate of a file without samples" 2 $?
"$tp_analyze" -q -o csv --export folded:data.folded --export speedscope:data.speedscope.json --export pprof:data.pb.gz data >/dev/null 2>err ||
  fail "exports: exit status $?: $(cat err)"
# A second time: the files are recognized as ours.
"$tp_analyze" -q -o csv --export folded:data.folded --export speedscope:data.speedscope.json --export pprof:data.pb.gz data >/dev/null 2>err ||
  fail "exports are not replaced: exit status $?: $(cat err)"
python3 -B - <<'X' || fail "exports"
import json
p, s = json.load(open("profile.json")), json.load(open("data.speedscope.json"))
folded = [line.rstrip("\n").rsplit(" ", 1) for line in open("data.folded")]
assert sum(int(value) for _, value in folded) == p["work"], "the folded stacks do not add up"
assert any("main;" in stack and "serial_part" in stack for stack, _ in folded), folded[:3]
assert any(stack.count("known.cpp") >= 2 and "alpha" in stack for stack, _ in folded), folded[:3]
names = [frame["name"] for frame in s["shared"]["frames"]]
work = s["profiles"][0]
assert sum(work["weights"]) == work["endValue"] == p["work"]
assert any(any("alpha" in names[frame] for frame in stack) for stack in work["samples"])
X

# Without debug information of the program no lines are listed, not even those of libraries that it calls.
strip --strip-debug -o stripped known || fail "strip"
"$tp_run" -q -o stripped_data ./stripped >out 2>err || fail "tp-run: exit status $?: $(cat err)"
analyze stripped_data
is '{"alpha", "serial_part"} <= {row["short_name"] for row in p["functions"]} and p["lines"] == []'

# No function is most of the start: those that are together are named, the larger one first.
cat >halves.cpp <<'X'
#line 2 "halves.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <cmath>
#include <ctime>
double sink;
static double now() { timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1e3 + t.tv_nsec / 1e6; }
#define BURN(ms) for (const double end = now() + ms; now() < end;) for (int i = 0; i < 20000; ++i) sink += std::sqrt(sink + i)
[[gnu::noinline]] void read_all() { BURN(400); }
[[gnu::noinline]] void build_index() { BURN(250); }
[[gnu::noinline]] void check_input() { BURN(30); }
int main() {
  check_input();
  read_all();
  build_index();
  tbb::parallel_for(0, 2, [](int) {});
}
X
build halves -O2 <halves.cpp
"$tp_run" -q -o halves.data ./halves >out 2>err || fail "tp-run: exit status $?: $(cat err)"
analyze halves.data
is 'p["findings"][0].get("mostly") == "functions read_all (halves.cpp:8) and build_index (halves.cpp:9)"'
is '"mostly functions read_all (halves.cpp:8) and build_index (halves.cpp:9)" in p["advice"]'

# Main before its first event: its samples are kept until there is a recording.
build early -O2 <<'X'
#line 2 "early.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <cmath>
double sink;
[[gnu::noinline]] void early_part() { for (int i = 0; i < 60000000; ++i) sink = std::sqrt(sink + i); }
int main() { early_part(); tbb::parallel_for(0, 10, [](int) {}); }
X
"$tp_run" -q -o early-data ./early >out 2>err || fail "early: exit status $?: $(cat err)"
analyze early-data
is 'next(f for f in p["functions"] if f["short_name"] == "early_part")["critical_work"] > 0.8 * p["span"]'
is 'p["sampling"]["not_sampled_critical_work"] < 0.2 * p["span"]'

# Where perf events are not permitted: timers, which is said.
if [ -n "${TP_INJECT-}" ] && "$TP_INJECT" -- true 2>/dev/null; then
  "$TP_INJECT" --open EPERM -- "$tp_run" -q --sample 1000 -o timers ./known >out 2>err || fail "timers: exit status $?: $(cat err)"
  same "the program's output with timers" "done" "$(cat out)"
  in_file err 'stacks are sampled by timers and a signal'
  in_file timers/end.json '"method":"timer"'
  python3 -B "$here/../../support/validate_json.py" timers || fail "timers: not as documented"
  analyze timers
  in_file timers/end.json 'perf_event_open is not permitted'
  "$tp_analyze" -q -o csv --functions timers >table 2>err || fail "tp-analyze --functions: exit status $?: $(cat err)"
  in_file table 'sampled by timers, since perf_event_open is not permitted: as root: sysctl'
  # By default without a word on stderr; and without tp-run without a signal.
  "$TP_INJECT" --open EPERM -- "$tp_run" -q -o by-default ./known >out 2>err || fail "timers by default: exit status $?: $(cat err)"
  is_empty err
  in_file by-default/end.json '"method":"timer"'
  TP_DATA=alone "$TP_INJECT" --open EPERM -- ./known >out 2>err || fail "without tp-run: exit status $?: $(cat err)"
  is_empty err
  in_file alone/end.json '"method":""'
  "$tp_analyze" -q -o csv --functions alone >table 2>err
  same "--functions where none could be taken" 2 $?
  in_file err 'the recording has no samples: perf_event_open is not permitted'
  analyze timers
  is 'p["sampling"]["method"] == "timer" and any(f["short_name"] == "serial_part" and f["critical_work"] > 0.6 * p["span"] for f in p["functions"])'
fi

# Code that is compiled at run time, by the names that its compiler gives it.
if [ "$(uname -m)" = x86_64 ]; then
  build made -O1 <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
int main() {
  // mov rcx, rdi; loop: dec rcx; jnz loop; ret
  const unsigned char code[] = {0x48, 0x89, 0xf9, 0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc3};
  void* at = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return 1;
  std::memcpy(at, code, sizeof code);
  char name[64];
  std::snprintf(name, sizeof name, "/tmp/perf-%d.map", getpid());
  std::FILE* map = std::fopen(name, "w");
  std::fprintf(map, "%lx 10 replaced later\n# no line of a map\n%lx %zx made at run time\n", (long)at, (long)at, sizeof code);
  std::fclose(map);
  tbb::parallel_for(0, 20, [at](int) { reinterpret_cast<void (*)(long)>(at)(20'000'000); });
  std::puts(name);
}
X
  "$tp_run" -q -o made-data ./made >out 2>err || fail "made: exit status $?: $(cat err)"
  rm -f "$(cat out)"
  analyze made-data
  is 'next(f for f in p["functions"] if f["name"] == "made at run time")["self_work"] > 0.8 * p["work"]'
fi

# Where no sample is taken in the kernel, that is said if it matters.
build kernel -O2 <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <fcntl.h>
#include <unistd.h>
#include <vector>
int main() {
  tbb::parallel_for(0, 100, [](int) {
    const int fd = open("/dev/zero", O_RDONLY);
    std::vector<char> buffer(1 << 20);
    for (int i = 0; i < 20; ++i) if (read(fd, buffer.data(), buffer.size()) < 0) return;
    close(fd);
  });
}
X
as_user=
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  as_user="setpriv --reuid=65534 --regid=65534 --clear-groups"
  $as_user test -x "$tp_run" && chmod 777 . || as_user=
fi
for who in "" "$as_user"; do
  rm -rf kernel-data
  $who "$tp_run" -q -o kernel-data ./kernel >out 2>err || fail "kernel: exit status $?: $(cat err)"
  analyze kernel-data
  is 'p["sampling"]["system_ns"] > 0.3 * p["sampling"]["cpu_ns"]'
  "$tp_analyze" -q -o csv --functions kernel-data >table 2>err || fail "tp-analyze --functions: exit status $?: $(cat err)"
  if python3 -B -c 'import json, sys; sys.exit(not json.load(open("profile.json"))["sampling"]["in_kernel"])'; then
    ! grep -qF "is in the kernel" table || fail "kernel time is said though it was sampled"
  else
    in_file table '% of the CPU time is in the kernel, where no sample is taken'
  fi
done

# A program whose threads give their CPU away all the time is sampled less often, unless the rate was asked for.
build turns -O2 <<'X'
#include <oneapi/tbb/parallel_invoke.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <ctime>
#include <thread>
#include <unistd.h>
int turn;
double sink;
void play(int me) {
  for (int i = 0; i < 30000; ++i) {
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != me) syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, 1 - me, nullptr, nullptr, 0);
    for (int j = 0; j < 2000; ++j) sink = sink * 0.5 + j;
    __atomic_store_n(&turn, 1 - me, __ATOMIC_RELEASE);
    syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
}
int main() { // two threads, whatever the machine has
  std::thread other([] { tbb::parallel_invoke([] { play(1); }, [] {}); });
  tbb::parallel_invoke([] { play(0); }, [] {});
  other.join();
}
X
"$tp_run" -q -o turns-data ./turns >out 2>err || fail "turns: exit status $?: $(cat err)"
if grep -q '"method":"cpu-clock"' turns-data/end.json; then
  python3 -B "$here/../../support/validate_json.py" turns-data || fail "turns-data: not as documented"
  python3 -B - <<'X' || fail "turns: not sampled less often"
import json, sys
end = json.load(open("turns-data/end.json"))
sampling, cpu_ns = end["sampling"], end["cpu_ns"]
if not (sampling["sparse_ns"] > 0.5 * cpu_ns and 0 < sampling["samples"] < 500e-9 * cpu_ns):
    sys.exit(f"{sampling} in {cpu_ns} ns")
X
  "$tp_analyze" -q --functions turns-data >out 2>err || fail "tp-analyze: $(cat err)"
  grep -q 'fewer samples in [0-9]* % of the CPU time' out || fail "turns: fewer samples are not mentioned: $(cat out)"
  "$tp_run" -q --sample 1000 -o turns-data ./turns >out 2>err || fail "turns: exit status $?: $(cat err)"
  in_file turns-data/end.json '"sparse_ns":0,'
  "$tp_analyze" -q --functions turns-data >out 2>err || fail "tp-analyze: $(cat err)"
  grep -q 'fewer samples' out && fail "turns: as many samples as always are said to be fewer"
fi

# What is sampled while a thread spins for a lock does not count as work: three quarters are in the sections, and none in what waits.
build contended -O2 <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/spin_mutex.h>
static tbb::spin_mutex lock;
[[gnu::noinline]] static void in_section() { for (volatile int i = 0; i < 60000; i = i + 1) {} }
[[gnu::noinline]] static void outside() { for (volatile int i = 0; i < 20000; i = i + 1) {} }
int main() {
  tbb::parallel_for(0, 24000, [](int) { { const tbb::spin_mutex::scoped_lock own(lock); in_section(); } outside(); });
}
X
if [ "$(nproc)" -ge 2 ]; then
  # Where others use the CPUs the threads may hardly run at the same time, and wait.
  for _ in 1 2 3 4 5 6 7 8; do
    "$tp_run" -q -o contended-data ./contended >out 2>err || fail "contended: exit status $?: $(cat err)"
    analyze contended-data
    python3 -c 'import json, sys; sys.exit(json.load(open("profile.json"))["sampling"]["in_waits"] <= 4)' && break
  done
  python3 -B - <<'X' || fail "functions where threads wait for a lock"
import json
p = json.load(open("profile.json"))
assert p["sampling"]["in_waits"] > 0, p["sampling"]
share = {f["short_name"]: f["self_work"] / p["work"] for f in p["functions"]}
assert abs(share["in_section"] - 0.75) < 0.12, share
assert abs(share["outside"] - 0.25) < 0.12, share
X
  "$tp_analyze" -q --functions contended-data >out 2>err || fail "tp-analyze: $(cat err)"
  grep -q '; [0-9]* while threads waited; ' out || fail "samples in waits are not mentioned: $(cat out)"
fi

# The samples do not survive damage, the profile does.
python3 -B - <<'X'
data = bytearray(open("data/samples.bin", "rb").read())
data[len(data) // 2] ^= 1
open("data/samples.bin", "wb").write(data)
X
analyze data
is 'p["sampling"]["damage"] and p["sampling"]["samples"] > 0'
rm data/samples.bin
analyze data
is '"functions" not in p and "sampling" not in p'
"$tp_analyze" -q -o csv --functions data >table 2>err
same "--functions without samples" 2 $?

# Without samples nothing is written; the virtual clock has none.
"$tp_run" -q -o off --sample off ./known >/dev/null 2>err || fail "tp-run --sample off"
is_missing off/samples.bin
"$tp_run" -q -o virtual -e virtual --sample 1000 ./known >/dev/null 2>err || fail "tp-run -e virtual --sample"
is_missing virtual/samples.bin
"$tp_run" --sample fast ./known >/dev/null 2>err
same "a bad rate" 125 $?
"$tp_run" --call-graph dwarf,100 ./known >/dev/null 2>err
same "a bad size" 125 $?

# Without debug information, by frame pointers, and by the instruction alone.
for graph in fp none; do
  "$tp_run" -q --sample 1000 --call-graph $graph -o $graph ./known >/dev/null 2>err || fail "tp-run --call-graph $graph"
  analyze $graph
  is "any(f['short_name'] == 'serial_part' for f in p['functions']) and p['sampling']['call_graph'] == '$graph'"
done
finish
