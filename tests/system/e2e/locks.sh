# SPDX-License-Identifier: Apache-2.0
# Locks of every kind, by arithmetic with the virtual clock: how often each is acquired, and the work inside of
# its sections, on several numbers of threads. Waiting for them is not work.
. "$(dirname "$0")/common.inc"
sums() { "$tp_analyze" -q --dump -d "$1" | python3 -B "$here/../../support/lock_sums.py"; }

build kinds -std=c++20 <<'X'
#line 2 "kinds.cpp"
#include <oneapi/tbb/concurrent_hash_map.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/queuing_rw_mutex.h>
#include <oneapi/tbb/rw_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>
#include <oneapi/tbb/task_group.h>
#include <tp/lock.h>
#include <tp/virtual_clock.h>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <unistd.h>
using tp::spend;
template <typename Mutex, typename... Mode> void hold(Mutex& mutex, int units, Mode... mode) { typename Mutex::scoped_lock lock(mutex, mode...); spend(units); }
struct Ticket {
  std::atomic<unsigned> next{0}, serving{0};
  void lock() { const unsigned mine = next++; tp::LockWait wait; while (serving != mine) wait.begin(); tp_lock_taken(this, "ticket"); }
  void unlock() { tp_lock_given(this); ++serving; }
};
int main(int, char** arguments) {
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, std::atoi(arguments[1]));
  static tbb::spin_mutex spin; tbb::mutex mutex; tbb::queuing_mutex queuing; tbb::spin_rw_mutex spin_rw; tbb::rw_mutex rw; tbb::queuing_rw_mutex queuing_rw;
  static std::mutex standard; std::timed_mutex timed; std::recursive_mutex recursive; std::shared_mutex shared; Ticket ticket;
  pthread_spinlock_t spinlock; pthread_spin_init(&spinlock, 0);
  tbb::concurrent_hash_map<int, int> map; { tbb::concurrent_hash_map<int, int>::accessor a; map.insert(a, 7); }
  tbb::parallel_for(0, 100, [&](int i) {
    spend(1);
    hold(spin, 2); { std::lock_guard lock(spin); spend(1); } if (spin.try_lock()) { spend(1); spin.unlock(); } else { hold(spin, 1); }
    hold(mutex, 3);
    hold(queuing, 4);
    hold(rw, 5); hold(rw, 1, false);
    { tbb::rw_mutex::scoped_lock lock(rw, false); if (lock.upgrade_to_writer()) {} spend(2); lock.downgrade_to_reader(); spend(1); }
    hold(queuing_rw, 6); hold(queuing_rw, 1, false);
    { tbb::queuing_rw_mutex::scoped_lock lock(queuing_rw); spend(2); lock.downgrade_to_reader(); spend(3); lock.upgrade_to_writer(); spend(4); }
    { std::lock_guard lock(standard); spend(7); }
    if (timed.try_lock_for(std::chrono::hours(1))) { spend(8); timed.unlock(); }
    { std::lock_guard one(recursive); std::lock_guard two(recursive); spend(9); }
    { std::unique_lock lock(shared); spend(10); } { std::shared_lock lock(shared); spend(2); }
    pthread_spin_lock(&spinlock); spend(11); pthread_spin_unlock(&spinlock);
    { std::lock_guard lock(ticket); spend(12); }
    if (i < 10) { tbb::concurrent_hash_map<int, int>::accessor a; map.find(a, 7); spend(20); }
  }, tbb::simple_partitioner());
  // Held over a nested loop, and over another lock's wait.
  { std::lock_guard lock(standard); spend(1); tbb::parallel_for(0, 10, [](int) { tbb::spin_mutex::scoped_lock lock(spin); spend(5); }, tbb::simple_partitioner()); spend(2); }
  spend(3);
  _exit(0); // libtbbmalloc takes locks in its destructor
}
X
for threads in 1 2 4; do
  "$tp_run" -q --locks all -o kinds.data ./kinds $threads || fail "kinds: exit status"
  sums kinds.data >sums.txt
  same "$threads threads: spin_mutex" "spin_mutex sections=310 work=450 takes=0 gives=0 locks=1" "$(grep '^spin_mutex ' sums.txt)"
  same "$threads threads: mutex" "mutex sections=100 work=300 takes=0 gives=0 locks=1" "$(grep '^mutex ' sums.txt)"
  same "$threads threads: queuing_mutex" "queuing_mutex sections=100 work=400 takes=0 gives=0 locks=1" "$(grep '^queuing_mutex ' sums.txt)"
  same "$threads threads: rw_mutex" "rw_mutex sections=200 work=700 takes=0 gives=0 locks=1" "$(grep '^rw_mutex s.*=' sums.txt | grep -v shared)"
  same "$threads threads: rw_mutex, readers" "rw_mutex shared sections=300 work=200 takes=0 gives=0 locks=1" "$(grep '^rw_mutex shared' sums.txt)"
  same "$threads threads: queuing_rw_mutex" "queuing_rw_mutex sections=300 work=1200 takes=0 gives=0 locks=1" "$(grep '^queuing_rw_mutex s.*=' sums.txt | grep -v shared)"
  same "$threads threads: queuing_rw_mutex, readers" "queuing_rw_mutex shared sections=200 work=400 takes=0 gives=0 locks=1" "$(grep '^queuing_rw_mutex shared' sums.txt)"
  same "$threads threads: C library's mutexes" "pthread_mutex sections=300 work=2400 takes=1 gives=1 locks=3" "$(grep '^pthread_mutex ' sums.txt)"
  same "$threads threads: shared_mutex" "pthread_rwlock sections=100 work=1000 takes=0 gives=0 locks=1" "$(grep '^pthread_rwlock sec' sums.txt)"
  same "$threads threads: shared_mutex, readers" "pthread_rwlock shared sections=100 work=200 takes=0 gives=0 locks=1" "$(grep '^pthread_rwlock shared' sums.txt)"
  same "$threads threads: pthread_spinlock" "pthread_spinlock sections=100 work=1100 takes=0 gives=0 locks=1" "$(grep '^pthread_spinlock' sums.txt)"
  same "$threads threads: user's lock" "user_lock sections=100 work=1200 takes=0 gives=0 locks=1" "$(grep '^user_lock' sums.txt)"
  # Nothing is done in sections of the map's buckets but to acquire the element.
  same "$threads threads: accessors" "accessor sections=10 work=200 takes=0 gives=0 locks=1" "$(grep '^accessor s.*=' sums.txt | grep -v shared)"
  # Who waits for long looks for the element again.
  buckets=$(sed -n 's/^hash_map_bucket shared sections=\([0-9]*\) work=0 .*/\1/p' sums.txt)
  [ "${buckets:-0}" -ge 10 ] || fail "buckets: $(grep bucket sums.txt)"
  same "$threads threads: no spin_rw_mutex" "" "$(grep '^spin_rw_mutex' sums.txt)"
  analyze kinds.data
  # What is waited for a lock is charged to its places, and to sites, but for what it is not known who held.
  is 'all(lock["wait_blame"] == sum(place["wait_blame"] for place in lock["places"]) for lock in p["locks"])'
  is 'all(lock["wait_blame"] + lock["waited_no_holder"] == lock["waited"] and lock["wait_blame"] <= lock["waited"] for lock in p["locks"])'
  is 'sum(lock["wait_blame"] for lock in p["locks"]) == sum(site["wait_blame"] for site in p["sites"])'
  is 'sum(site["idle_blame_ns"] for site in p["sites"]) + p["run_path"]["idle_beside_nothing_ns"] == p["run_path"]["idle_ns"]'
  is 'p["complete"] and p["work"] == 100 * (1 + 4 + 3 + 4 + 5 + 1 + 3 + 6 + 1 + 9 + 7 + 8 + 9 + 12 + 11 + 12) + 200 + 1 + 50 + 2 + 3'
done
grep -q '"kind":"spin_mutex".*"at":\[' kinds.data/sites.jsonl || fail "a lock in static data has no place there"
grep -q '"kind":"user_lock","name":"ticket"' kinds.data/sites.jsonl || fail "the annotation's name is missing"
# The table, and locks.csv.
"$tp_analyze" -q --locks -d kinds.data -o csv >locks.txt || fail "--locks: exit status"
in_file locks.txt "user_lock ticket (kinds.cpp:24)"
python3 - <<'Y' || fail "locks.csv: $(cat csv/locks.csv)"
import csv, json
rows = {(row["Kind"], row["Lock"]): row for row in csv.DictReader(open("csv/locks.csv"))}
locks = json.load(open("profile.json"))
assert len(rows) == len(locks["locks"]) >= 7
for lock in locks["locks"]:
    row = rows[lock["kind"], lock["name"]]
    assert int(row["Acquisitions"]) == lock["acquisitions"] and int(row["Held"]) == lock["held"] and int(row["Bound"]) == lock["bound"]
    assert int(row["Contended"]) == lock["contended"] and int(row["Line number"]) == lock["line"] and row["Kind of bound"] == lock["bound_kind"]
    assert abs(float(row["Percent of work held"]) - 100 * lock["held"] / locks["work"]) < 0.01
    assert abs(float(row["Percent contended"]) - 100 * lock["contended"] / lock["acquisitions"]) < 0.01
    each = row["Waited ns per contended"]
    assert each == "" if lock["contended"] == 0 else int(each) == lock["waited_ns"] // lock["contended"]
Y
"$tp_run" -q --locks off -o off.data ./kinds 2 || fail "off: exit status"
same "off" "" "$(sums off.data)"
grep -q '"locks":"off","c_locks_seen":false' off.data/run.json || fail "run.json does not say that locks are off"

# A program whose locks were not recorded, or of whose sections ends are missing, may scale: 64 locks at once are remembered.
build missing <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/spin_mutex.h>
#include <tp/virtual_clock.h>
#include <cstdlib>
#include <mutex>
std::mutex outer;
tbb::spin_mutex others[64][64];
int main(int, char** arguments) {
  const int count = std::atoi(arguments[1]);
  tbb::parallel_for(0, 64, [&](int i) {
    std::lock_guard<std::mutex> guard(outer);
    for (int k = 0; k < count; ++k) others[i][k].lock();
    tp::spend(100);
    for (int k = 0; k < count; ++k) others[i][k].unlock();
  }, tbb::simple_partitioner());
}
X
headline_is() { # TEXT: part of the first line of the verdict
  is "'$1' in p['verdict']['headline']"
}
rm -rf missing.data
TP_DATA=missing.data ./missing 1 || fail "missing without tp-run: exit status $?"
analyze missing.data
headline_is "locks of the C library were not recorded"
"$tp_run" -q --locks off -o missing_off.data ./missing 1 || fail "missing --locks off: exit status $?"
analyze missing_off.data
headline_is "May scale"
headline_is "its locks were not recorded"
"$tp_analyze" -q --locks -o csv missing_off.data >table 2>err || fail "tp-analyze --locks: $(cat err)"
in_file table "Locks were not recorded"
"$tp_run" -q --locks all -o missing_63.data ./missing 63 || fail "missing 63: exit status $?"
analyze missing_63.data
headline_is "speedup at most 1.00 on any number of them, by the pthread_mutex outer"
"$tp_run" -q --locks all -o missing_64.data ./missing 64 || fail "missing 64: exit status $?"
analyze missing_64.data
headline_is "ends of locks"
is "[l['unmatched'] for l in p['locks'] if l['kind'] == 'pthread_mutex'] == [64]"

# An unmodified program: the C library's locks, and those of oneTBB whose code is in libtbb. A condition
# variable gives and takes its mutex; a lock that is made again at the same address is another one.
build_stock stock -std=c++20 <<'X'
#line 2 "stock.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/queuing_rw_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <tp/virtual_clock.h>
#include <condition_variable>
#include <mutex>
#include <new>
#include <pthread.h>
#include <thread>
#include <unistd.h>
using tp::spend;
int main() {
  tbb::queuing_rw_mutex queuing; tbb::spin_mutex spin;
  tbb::parallel_for(0, 10, [&](int) { { tbb::queuing_rw_mutex::scoped_lock lock(queuing); spend(3); } tbb::spin_mutex::scoped_lock lock(spin); spend(1); }, tbb::simple_partitioner());
  std::mutex mutex; std::condition_variable changed; bool ready = false, done = false;
  std::thread other([&] { std::unique_lock lock(mutex); changed.wait(lock, [&] { return ready; }); spend(5); done = true; changed.notify_one(); });
  { std::lock_guard lock(mutex); spend(7); ready = true; } changed.notify_one();
  { std::unique_lock lock(mutex); changed.wait(lock, [&] { return done; }); spend(9); }
  other.join();
  alignas(pthread_mutex_t) static unsigned char memory[sizeof(pthread_mutex_t)];
  for (int i = 0; i < 3; ++i) {
    auto* const again = new (memory) pthread_mutex_t; pthread_mutex_init(again, nullptr);
    pthread_mutex_lock(again); spend(100); pthread_mutex_unlock(again); pthread_mutex_destroy(again);
  }
  _exit(0);
}
X
"$tp_run" -q --locks all -o stock.data ./stock || fail "stock: exit status"
sums stock.data >sums.txt
same "stock: queuing_rw_mutex" "queuing_rw_mutex sections=10 work=30 takes=0 gives=0 locks=1" "$(grep '^queuing' sums.txt)"
same "stock: mutexes, work" 321 "$(sed -n 's/^pthread_mutex .*work=\([0-9]*\).*/\1/p' sums.txt)"
same "stock: mutexes" 4 "$(sed -n 's/^pthread_mutex .*locks=\([0-9]*\).*/\1/p' sums.txt)"
analyze stock.data
is 'p["complete"] and p["work"] == 361'

# Waits of threads that spin, queue and sleep are charged to the two lines that hold the locks.
build blame <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <chrono>
#include <mutex>
#include <unistd.h>
void burn(int us) { for (auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(us); std::chrono::steady_clock::now() < until;); }
std::mutex standard; tbb::spin_mutex spin; tbb::queuing_mutex queuing;
template <typename Lock, typename Mutex> void run(Mutex& mutex) {
  tbb::parallel_for(0, 200, [&](int i) {
    if (i % 10 == 0) {
#line 100
      Lock lock(mutex); burn(2000);
    } else {
#line 200
      Lock lock(mutex); burn(1);
    }
    burn(30);
  }, tbb::simple_partitioner());
}
int main() {
  run<std::lock_guard<std::mutex>>(standard); run<tbb::spin_mutex::scoped_lock>(spin); run<tbb::queuing_mutex::scoped_lock>(queuing);
  _exit(0);
}
X
if [ "$(nproc)" -gt 1 ]; then
  "$tp_run" -q -e auto --locks all -o blame.data ./blame || fail "blame: exit status"
  analyze blame.data
  is 'sorted(lock["name"] for lock in p["locks"] if {place["line"] for place in lock["places"]} == {100, 200}) == ["queuing", "spin", "standard"]'
  is 'all(lock["wait_blame"] == sum(place["wait_blame"] for place in lock["places"]) for lock in p["locks"])'
  is 'all(lock["wait_blame"] + lock["waited_no_holder"] == lock["waited"] and lock["wait_blame"] <= lock["waited"] for lock in p["locks"])'
  is 'all(lock["wait_blame"] * 10 >= lock["waited"] * 9 for lock in p["locks"] if lock["waited_ns"] > 100000)'
  is 'sum(lock["wait_blame"] for lock in p["locks"]) == sum(site["wait_blame"] for site in p["sites"])'
  is 'sum(segment["idle_blame_ns"] for segment in p["code_segments"]) + p["run_path"]["idle_beside_nothing_ns"] == p["run_path"]["idle_ns"]'
fi
# Locks in several variables, and of several kinds, that are acquired at one line are rows of their own; those in one
# variable, and without one, are not.
build declarations <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/spin_mutex.h>
#include <tp/virtual_clock.h>
#include <mutex>
#include <unistd.h>
std::mutex heavy, light, shards[4];
struct Both { std::mutex one, other; } both;
tbb::spin_mutex spin;
template <class Mutex> [[gnu::noinline]] void hold(Mutex& mutex, unsigned units) {
#line 300
  const std::lock_guard held(mutex);
  tp::spend(units);
}
int main() {
  std::mutex one, other; tbb::spin_mutex another;
  tbb::parallel_for(0, 100, [&](int i) {
    tp::spend(50);
    if (i % 10 == 0) hold(light, 7);
    hold(heavy, 100); hold(shards[i % 4], 11); hold(both.one, 13); hold(both.other, 17); hold(one, 19); hold(other, 20); hold(spin, 23); hold(another, 2);
  }, tbb::simple_partitioner());
  _exit(0);
}
X
for threads in 1 2; do
  "$tp_run" -q --locks all -o declarations.data ./declarations $threads || fail "declarations: exit status"
  analyze declarations.data --what-if-mode parallelize
  is 'sorted((lock["name"].split(" at ")[0], lock["kind"], lock["objects"], lock["acquisitions"], lock["held"], [place["kinds"] for place in lock["places"]], lock["bound_parts"]["sections"]) for lock in p["locks"]) == [
    ("both", "pthread_mutex", 2, 200, 3000, [["pthread_mutex"]], 1700), ("heavy", "pthread_mutex", 1, 100, 10000, [["pthread_mutex"]], 10000),
    ("light", "pthread_mutex", 1, 10, 70, [["pthread_mutex"]], 70), ("pthread_mutex", "pthread_mutex", 2, 200, 3900, [["pthread_mutex"]], 2000),
    ("shards", "pthread_mutex", 4, 100, 1100, [["pthread_mutex"]], 275), ("spin", "spin_mutex", 1, 100, 2300, [["spin_mutex"]], 2300),
    ("spin_mutex", "spin_mutex", 1, 100, 200, [["spin_mutex"]], 200)]'
  # Before sections of the heavy one comes 50, after them 105. Without it, or with shorter sections, the others are as they are: of
  # the spin_mutex 2300, after 50, a section of the heavy one and 80, and before 2.
  is 'p["locks"][0]["name"] == "heavy" and [(change["change"], change["factor"], change["parallelism"]) for change in p["locks"][0]["what_if"]] == [
    (change, factor, round(p["work"] / least, 2)) for change, factor, least in
    [("shorter", 2, 5155), ("shorter", 4, 2655), ("shorter", 8, 2444.5), ("split", 2, 5155), ("split", 4, 2655), ("split", 8, 2532), ("shared", 1, 2532), ("gone", 1, 2532)]]'
done
# Short and frequent sections are sampled, with a real clock: counts stay exact.
build short <<'X'
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/task_group.h>
#include <mutex>
int main() {
  static tbb::spin_mutex spin; static std::mutex mutex; static long sum = 0;
  for (int task = 0; task < 4; ++task) {
    tbb::task_group group;
    group.run_and_wait([] {
      for (int i = 0; i < 100000; ++i) {
        { const tbb::spin_mutex::scoped_lock lock(spin); ++sum; }
        { const std::lock_guard<std::mutex> lock(mutex); ++sum; }
      }
    });
  }
}
X
for locks in auto all; do
  "$tp_run" -q -e auto --locks $locks -o short.data ./short || fail "short: exit status"
  analyze short.data
  estimate=False
  [ $locks = all ] || estimate=True
  is "p['complete'] and [(lock['acquisitions'], lock['held_is_estimate']) for lock in p['locks'] if lock['name'].startswith('main::')] == [(400000, $estimate)] * 2"
done
finish
