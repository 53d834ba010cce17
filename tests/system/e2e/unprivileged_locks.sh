# SPDX-License-Identifier: Apache-2.0
# Locks of every kind as a user who may nothing: no memory to lock, no home, a current folder that cannot be
# written, and perf_event_open denied as by perf_event_paranoid 3. Counts, and the work inside of sections, are
# what they are for others. As root, the scripts of locks run as such a user, too.
. "$(dirname "$0")/common.inc"
as_user=()
if [ "$(id -u)" = 0 ]; then
  as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  command -v setpriv >/dev/null || skip "no setpriv"
  for file in "$tp_run" "$tp_analyze" "$TP_INJECT" "$here/locks.sh"; do
    "${as_user[@]}" test -r "$file" || skip "$file: cannot be read by other users"
  done
fi
poor() { (ulimit -l 0 && exec env -u HOME "${as_user[@]}" "$@"); }

build_stock kinds -std=c++20 <<'Y'
#line 2 "kinds.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/queuing_rw_mutex.h>
#include <tp/lock.h>
#include <tp/virtual_clock.h>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <unistd.h>
static long cpu_ns() { timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1000000000L + t.tv_nsec; }
static void spend(unsigned units) { tp::spend(units); for (const long until = cpu_ns() + units * 100L; cpu_ns() < until;) {} }
static pthread_mutex_t posix = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static std::mutex standard; static std::shared_mutex shared; static tbb::queuing_rw_mutex queuing;
struct Own {
  std::atomic<bool> taken{false};
  void lock() { tp::LockWait wait; while (taken.exchange(true)) { wait.begin(this); usleep(1); } tp_lock_taken(this, "own"); }
  void unlock() { tp_lock_given(this); taken = false; }
};
static Own own;
int main() {
  pthread_spin_init(&spin, 0);
  tbb::parallel_for(0, 200, [](int) {
    spend(1);
    pthread_mutex_lock(&posix); spend(2); pthread_mutex_unlock(&posix);
    pthread_spin_lock(&spin); spend(3); pthread_spin_unlock(&spin);
    { std::lock_guard lock(standard); spend(4); }
    { std::unique_lock lock(shared); spend(5); }
    { std::shared_lock lock(shared); spend(6); }
    { tbb::queuing_rw_mutex::scoped_lock lock(queuing); spend(7); }
    { std::lock_guard lock(own); spend(8); }
  }, tbb::simple_partitioner());
  std::puts("done");
  std::fflush(stdout);
  _exit(0);
}
Y
mkdir results results/made closed || exit 1
chmod 777 results results/made && chmod 755 . kinds && chmod 555 closed
rows='sorted((lock["variable"], lock["acquisitions"], lock["shared"], lock["held"]) for lock in p["locks"])'
# run_poor NAME [COMMAND...]
run_poor() {
  local name=$1
  shift
  (cd closed && poor "$@" "$tp_run" --locks all -o "../results/$name" ../kinds) >out 2>err || fail "$name: exit status $?: $(cat err)"
  same "$name" 'done' "$(cat out)"
  analyze "results/$name"
}
run_poor virtual
is "$rows"' == [("own", 200, 0, 1600), ("posix", 200, 0, 400), ("queuing", 200, 0, 1400), ("shared", 400, 200, 2200), ("spin", 200, 0, 600), ("standard", 200, 0, 800)]'
is 'p["complete"] and p["work"] == 200 * 36'
export TP_EVENT=auto
for way in allowed denied; do
  if [ $way = allowed ]; then
    run_poor allowed
  else
    poor "$TP_INJECT" -- true 2>err || continue # where no faults can be injected
    run_poor denied "$TP_INJECT" --open EACCES --
  fi
  is "[row[:3] for row in $rows]"' == [("own", 200, 0), ("posix", 200, 0), ("queuing", 200, 0), ("shared", 400, 200), ("spin", 200, 0), ("standard", 200, 0)]'
  # Each section has its length at least: 100 ns for each of its units.
  is "all(row[3] * 1e9 / p['clock']['hz'] >= 0.9 * 200 * 100 * units for row, units in zip($rows, (8, 2, 7, 11, 3, 4)))"
  is 'p["complete"]'
done
unset TP_EVENT
# The table needs no folder; what writes files says what it cannot write.
(cd closed && poor "$tp_analyze" -q --locks -d ../results/virtual -o ../results/made) >table 2>err || fail "--locks: exit status $?: $(cat err)"
grep -q "pthread_mutex standard" table || fail "--locks: $(cat table)"
if ! [ -w closed ] || [ "$(id -u)" = 0 ]; then
  (cd closed && poor "$tp_run" ../kinds) >out 2>err && fail "recorded in a folder that cannot be written"
  in_file err "tp-data"
fi
if [ "$(id -u)" = 0 ]; then
  for script in locks interposed_locks itt; do
    poor bash "$here/$script.sh" >log 2>&1 || fail "$script without privileges: exit status $?: $(cat log)"
  done
fi
finish
