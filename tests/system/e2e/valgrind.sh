# SPDX-License-Identifier: Apache-2.0
# helgrind and DRD report of a program under tp-run what they report of the program alone, with the suppressions that
# are installed; helgrind no order of locks of ours, where the program forks; and what these leave out of the functions in front of the C library is at most one flag.
. "$(dirname "$0")/common.inc"
command -v valgrind >/dev/null || skip "no valgrind"
[ -e /usr/include/oneapi/tbb/version.h ] || skip "no libtbb-dev"
build_stock locks <<'X'
#line 2 "guarded.cpp"
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <pthread.h>
#include <semaphore.h>
#include <shared_mutex>
#include <thread>
#include <vector>
static std::mutex mutex; static std::condition_variable changed; static std::shared_mutex shared; static std::recursive_mutex recursive; static std::timed_mutex timed;
static int taken, written, unguarded; static bool go; static sem_t ended;
int main() {
  tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  tbb::parallel_for(0, 3, [](int) {});
  sem_init(&ended, 0, 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([] {
    { std::unique_lock lock(mutex); changed.wait(lock, [] { return go; }); }
    for (int k = 0; k < 100; ++k) {
      { std::lock_guard lock(mutex); ++taken; }
      { std::unique_lock lock(shared); ++written; }
      { std::shared_lock lock(shared); if (written < 0) taken = 0; }
      { std::lock_guard first(recursive); std::lock_guard second(recursive); }
      { std::lock_guard lock(timed); }
      pthread_spinlock_t own; pthread_spin_init(&own, 0); pthread_spin_lock(&own); pthread_spin_unlock(&own); pthread_spin_destroy(&own);
    }
    ++unguarded; // a race of the program's
    sem_post(&ended);
  });
  { std::lock_guard lock(mutex); go = true; changed.notify_all(); }
  for (int i = 0; i < 3; ++i) sem_wait(&ended);
  for (auto& thread : threads) thread.join();
  std::printf("%d %d\n", taken, written);
}
X
cat >reports.py <<'X'
# What is reported, without numbers: each report's first line, and where in the program it is.
import re, sys
reports = set()
lines = [re.sub(r"^==\d+== ?", "", line.rstrip()) for line in open(sys.argv[1], errors="replace")]
for i, line in enumerate(lines):
    if not re.match(r"(Possible data race|Conflicting (load|store)|Thread #\d+: |Thread \d+: |Mutex |Probably a race|The impossible|Recursive|Destroying|Lock order)", line):
        continue
    end = next((k for k in range(i + 1, len(lines)) if lines[k] == "" or lines[k].startswith("---")), len(lines))
    block = lines[i:end]
    variables = re.findall(r'data symbol "([^"]*)"', " ".join(lines[i:i + 60]))
    if len(sys.argv) > 2:  # of whom: the first frames
        first = " ".join(line for line in block[1:] if re.match(r" +(at|by) 0x", line))
        first = " ".join(first.split(" by ")[:4])
        if any(name in first for name in sys.argv[2:]):
            reports.add(variables[0] if variables else first)
        continue
    where = re.findall(r"\((guarded\.cpp:\d+)\)", " ".join(block))
    reports.add(re.sub(r"0x[0-9A-Fa-f]+|#?\d+", "N", line.split(" at ")[0]) + " " + (where[0] if where else block[1].split(": ")[-1] if len(block) > 1 else ""))
print("\n".join(sorted(reports)))
X
suppressions=$TP_PREFIX/share/taskpath/valgrind.supp
[ -e "$suppressions" ] || fail "$suppressions is not installed"
python3 -c 'import sys; text = open(sys.argv[1]).read().split("{"); print("{".join(block for block in text if "taskpath-preload" not in block))' "$suppressions" >without.supp
files=() # that name its functions where there is debug information
for file in "$here"/../../../profiler-lib/preload/*; do files+=("(${file##*/}:"); done
for tool in helgrind drd; do
  same "$tool: alone" "300 300" "$(valgrind -q --tool=$tool --suppressions="$suppressions" ./locks 2>$tool.alone)"
  same "$tool: recorded" "300 300" "$("$tp_run" -q --locks all -o $tool.data -- valgrind -q --tool=$tool --suppressions="$suppressions" ./locks 2>$tool.recorded)"
  python3 reports.py $tool.alone >$tool.alone.txt
  grep -q guarded.cpp $tool.alone.txt || fail "$tool does not report the program's own race: $(cat $tool.alone)"
  same "$tool: reports" "$(cat $tool.alone.txt)" "$(python3 reports.py $tool.recorded)"
  "$tp_run" -q --locks all -o $tool.data -- valgrind -q --tool=$tool --suppressions="$PWD/without.supp" ./locks >$tool.out 2>$tool.recorded
  others=$(python3 reports.py $tool.recorded libtaskpath-preload "${files[@]}" | grep -v '^tp_locks_are_on$')
  same "$tool: in front of the C library" "" "$others"
done
# A thread detached and one joined while a lock is held, a fork, and the end of the recording, which joins the sampler.
build_stock forks -Wl,--no-as-needed <<'X'
#line 2 "guarded.cpp"
#include <cstdio>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* take(void*) { pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex); return nullptr; }
int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, take, nullptr);
  pthread_join(thread, nullptr);
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, nullptr, take, nullptr);
  pthread_detach(thread);
  const pid_t child = fork();
  if (child == 0) { pthread_mutex_unlock(&mutex); _exit(7); }
  int status = 0;
  waitpid(child, &status, 0);
  pthread_mutex_unlock(&mutex);
  pthread_create(&thread, nullptr, take, nullptr);
  pthread_join(thread, nullptr);
  std::printf("%d\n", WEXITSTATUS(status));
}
X
same "fork" 7 "$("$tp_run" -q --locks all -e auto -o forks.data -- valgrind -q --tool=helgrind --suppressions="$suppressions" ./forks 2>forks.recorded)"
same "fork: order of locks" "" "$(grep -i 'lock order' forks.recorded)"
finish
