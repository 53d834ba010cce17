# SPDX-License-Identifier: Apache-2.0
# The clocks of real programs: after fork, together with another user of rseq, with few descriptors;
# and what tp-doctor reports of them.
. "$(dirname "$0")/common.inc"
unset TP_EVENT
clock_of() { python3 -c "import json; w = json.load(open('$1/run.json'))['work']; print(w['clock'], '|', w['reason'])"; }

# tp-doctor names the clock that a run then uses, and reports a cost for each clock that works.
build simple <<'EOF'
#include <oneapi/tbb/task_group.h>
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
static void tasks() {
  tbb::task_group group;
  for (int i = 0; i < 10; ++i) group.run([] { for (volatile int k = 0; k < 10000; k = k + 1) {} });
  group.wait();
}
int main(int count, char**) {
  tasks();
  if (count > 1) {
    if (fork() == 0) return tasks(), 7;
    int status = 0;
    wait(&status);
    std::printf("%d\n", WEXITSTATUS(status));
  }
  std::puts("done");
}
EOF
"$TP_PREFIX/bin/tp-doctor" -q --json >doctor.json || fail "tp-doctor: exit status $?"
ours env TP_DATA=data ./simple
python3 - <<'EOF' || fail "tp-doctor: $(cat doctor.json)"
import json
doctor, run = json.load(open("doctor.json")), json.load(open("data/run.json"))
assert doctor["schema"] == "taskpath.doctor/1"
assert doctor["auto"]["clock"] == run["work"]["clock"]
for source in doctor["sources"]:
    assert source["works"] and source["ns_per_read"] > 0 or source["reason"]
assert any(s["clock"] == doctor["auto"]["clock"] and s["works"] for s in doctor["sources"])
EOF

# The child of a fork keeps the clock and the reason for its choice.
ours env TP_DATA=forked/%p GLIBC_TUNABLES=glibc.pthread.rseq=0 ./simple fork
same "stdout of a fork" "7 done" "$(xargs <out)"
same "clocks of parent and child" 1 "$(for data in forked/*; do clock_of "$data"; done | sort -u | wc -l)"
same "processes" 2 "$(ls forked | wc -l)"

# Another user of rseq: each task leaves a critical section of its own in the thread's area.
build critical <<'EOF'
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#if defined(__x86_64__)
extern "C" {
[[gnu::weak]] extern const std::ptrdiff_t __rseq_offset;
[[gnu::weak]] extern const unsigned int __rseq_size;
}
asm(".pushsection .text; .long 0x53053053; abort_here: ud2; section_here: nop; .popsection");
extern "C" char abort_here[], section_here[];
struct alignas(32) { std::uint32_t version, flags; std::uint64_t start, length, abort; } section;
static void use_rseq() {
  if (!&__rseq_size || __rseq_size == 0) return;
  section = {0, 0, reinterpret_cast<std::uint64_t>(section_here), 1, reinterpret_cast<std::uint64_t>(abort_here)};
  char* const area = static_cast<char*>(__builtin_thread_pointer()) + __rseq_offset;
  *reinterpret_cast<void* volatile*>(area + 8) = &section;
}
#else
static void use_rseq() {}
#endif
int main() {
  tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2); // more may look for work longer than they work
  tbb::task_group group;
  for (int i = 0; i < 200; ++i)
    group.run([] {
      use_rseq();
      for (volatile int k = 0; k < 100000; k = k + 1) {}
    });
  group.wait();
  std::puts("done");
}
EOF
ours env TP_DATA=critical.data ./critical
same "stdout with another user of rseq" "done" "$(cat out)"
analyze critical.data
is 'p["complete"] and p["attribution"]["basis"] == "cpu_time" and 50 < p["attribution"]["percent"] < 150'

# Descriptors: the program can open as many as without us, though each thread counts three events;
# it loses none when it closes all descriptors, and we report that ours were lost.
build_stock descriptors <<'EOF'
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <atomic>
#include <cstdio>
#include <fcntl.h>
#include <thread>
#include <unistd.h>
// On two threads, so that both exist before the descriptors are used up.
static void meet() {
  std::atomic<int> here{0};
  tbb::task_group group;
  for (int i = 0; i < 2; ++i)
    group.run([&] {
      for (++here; here < 2;) std::this_thread::yield();
    });
  group.wait();
}
static void tasks() {
  tbb::task_group group;
  for (int i = 0; i < 20; ++i) group.run([] { for (volatile int k = 0; k < 100000; k = k + 1) {} });
  group.wait();
}
int main(int count, char**) {
  tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
  tbb::task_arena(2).execute(meet);
  tasks();
  int opened = 0, last = -1;
  for (int fd; (fd = open("/dev/null", O_RDONLY)) >= 0; ++opened) last = fd;
  while (last > 2) close(last--);
  if (count > 1) close_range(3, ~0u, 0);
  tasks();
  std::printf("%d\n", opened);
}
EOF
export TP_EVENT=task-clock,page-faults,minor-faults TP_DATA=few
for limit in 40 1000; do
  ulimit -S -n $limit
  as_stock ./descriptors
  analyze few
  is 'p["complete"] and p["clock"]["clock"] == "perf-read" and not [w for w in p["warnings"] if w["name"] == "not_counted"]'
done
as_stock ./descriptors close
analyze few
is 'p["complete"] and p["work"] > 0 and [w for w in p["warnings"] if w["name"] == "not_counted"]'
finish
