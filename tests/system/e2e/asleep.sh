# SPDX-License-Identifier: Apache-2.0
# Time in which a step has no CPU: asleep, or waiting for one. By arithmetic with the virtual clock; by the
# clock of the machine, code that sleeps is not mistaken for code that others keep from running.
. "$(dirname "$0")/common.inc"
build_stock virtual <<'X'
#line 2 "virtual.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <thread>
int main() {
  tp::sleep(7);
  tp::spend(3);
  tbb::parallel_for(0, 10, [](int) { tp::spend(5); tp::sleep(20); }, tbb::simple_partitioner()); // 8
  tp::sleep(100);
  tbb::parallel_for(0, 10, [](int) { tp::spend(1); }, tbb::simple_partitioner()); // 10
}
X
"$tp_run" -q -e virtual -o virtual.data ./virtual || fail "virtual: exit status"
analyze virtual.data
is 'p["work"] == 63 and p["trace"]["sleep_seen"] and p["trace"]["asleep"] == 307'
is '{s["line"]: s["asleep"] for s in p["sites"]} == {0: 107, 8: 200, 10: 0}'
is 'p["span"] == 3 + 5 + 1'
is 'p["latency"] == 307 and p["span_with_latency"] == 7 + 3 + 5 + 20 + 100 + 1'
is '{s["line"]: s["latency"] for s in p["sites"]} == {0: 107, 8: 200, 10: 0}'
# Sleep keeps a worker from running other tasks: 3 + 50 + 10, 307 on one; on ten, the longest path.
"$tp_analyze" -q --json on.json --procs 1,10,100 -d virtual.data || fail "predictions"
same "predicted times" "[370, 136, 136]" \
  "$(python3 -c 'import json; print([r["time"] for r in json.load(open("on.json"))["prediction"]["runs"]])')"

# A thread of the program's needs no worker: while it sleeps, the worker runs other code.
build_stock thread <<'X'
#line 2 "thread.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <thread>
int main() {
  tp::spend(10);
  std::thread thread([] { tp::sleep(100); tp::spend(5); }); // 7
  tp::spend(50);
  tbb::parallel_for(0, 4, [](int) { tp::spend(10); }, tbb::simple_partitioner()); // 9
  thread.join();
  tp::spend(1);
}
X
"$tp_run" -q -e virtual -o thread.data ./thread || fail "thread: exit status"
"$tp_analyze" -q --json profile.json --procs 1,2,8 -d thread.data || fail "thread: analysis"
is 'p["work"] == 106 and p["span"] == 71 and p["latency"] == 100 and p["span_with_latency"] == 116'
# On one CPU: main's 60, the thread's 5, its sleep with the loop's 40 in it, 1; by this all speedups are measured.
is 'p["prediction"]["latency"] == 0 and [r["time"] for r in p["prediction"]["runs"]] == [166, 116, 116]'
is 'p["prediction"]["serial"] == 166'

# What is slept inside of a lock's sections is part of them; a nap outside, in the same task, is not.
build_stock locked <<'X'
#line 2 "locked.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
#include <mutex>
std::mutex first, second;
void a() { std::lock_guard lock(first); tp::spend(2); tp::sleep(30); } // 7
int main() {
  tp::spend(3);
  tbb::parallel_for(0, 10, [](int) { tp::sleep(1000); tp::spend(5); a(); tp::sleep(7); }, tbb::simple_partitioner()); // 10
  std::lock_guard lock(second); // 11
  tp::sleep(2);
  tbb::task_group group;
  group.run([] { tp::sleep(400); tp::spend(1); });
  group.wait();
  tp::sleep(6);
}
X
"$tp_run" -q -e virtual --locks=all -o locked.data ./locked || fail "locked: exit status"
"$tp_analyze" -q --json profile.json --procs 1,2,100 -d locked.data || fail "locked: analysis"
is '{l["line"]: (l["bound_parts"]["sections"], l["sections_with_latency"]) for l in p["locks"]} == {7: (20, 320), 11: (1, 409)}'
is 'p["trace"]["section_sleep_seen"] and not [w for w in p["warnings"] if w["name"] == "sleep_with_lock"]'
is 'all(abs(l["speedup"] - (p["work"] + p["latency"]) / l["bound_with_latency"]) < 0.01 < l["asleep"] for l in p["locks"])'
"$tp_analyze" -q --locks -d locked.data >table || fail "locked: table"
grep -q "leaves: parallelism, with sleep speedup" table || fail "no sleep in: $(cat table)"
# On a hundred CPUs tasks come together: the last one waits for the sections of nine.
is '[r["time"] for r in p["prediction"]["runs"]][2] == 3 + 1000 + 5 + 320 + 7 + 409'
"$tp_analyze" -q --target 8 --json profile.json -d locked.data >table || fail "locked: target"
grep -q "What if         without sleep, " table || fail "no sleep in: $(cat table)"
is '"That is without sleep: with it, the critical path leaves a speedup of at most" in p["what_if"]["target"]["outcome"]'

build_stock inside -O1 <<'X'
#line 2 "inside.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <ctime>
#include <mutex>
std::mutex mutex;
void nap() { const timespec time{0, 20000000}; nanosleep(&time, nullptr); }
void locked() { std::lock_guard lock(mutex); nap(); } // 7
int main() {
  tbb::parallel_for(0, 5, [](int) { nap(); locked(); nap(); }, tbb::simple_partitioner());
}
X
"$tp_run" -q -e auto -o inside.data ./inside || fail "inside: exit status"
"$tp_analyze" -q --json profile.json -d inside.data || fail "inside: analysis"
if grep -q '"sleep_seen":true' inside.data/run.json; then
  is '[l["line"] for l in p["locks"]] == [7]'
  # Five naps, each of which may take longer, but not as long as three.
  is '0.1 <= p["locks"][0]["sections_with_latency"] / p["clock"]["hz"] < 0.3'
  is 'not [w for w in p["warnings"] if w["name"] == "sleep_with_lock"]'
  is '"mutex" in p["verdict"]["detail"] and "asleep for" in p["verdict"]["detail"]'
fi

# Ten naps of 20 ms in each of two places, and 200 ms of computing with twice as many threads as CPUs.
build_stock real -O1 <<'X'
#line 2 "real.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <ctime>
#include <thread>
#include <unistd.h>
#include <vector>
void nap() { const timespec time{0, 20000000}; nanosleep(&time, nullptr); }
void wait_for_input() {
  int ends[2];
  if (pipe(ends) != 0) _exit(1);
  std::thread writer([&] { nap(); if (write(ends[1], "x", 1) != 1) _exit(1); });
  char byte;
  if (read(ends[0], &byte, 1) != 1) _exit(1);
  writer.join();
}
void compute() {
  timespec now{0, 1000000};
  nanosleep(&now, nullptr); // the rest of what it loses it waits for a CPU
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); while (now.tv_nsec < 200000000 && now.tv_sec == 0);
}
int main() {
  tbb::parallel_for(0, 10, [](int) { nap(); }, tbb::simple_partitioner()); // 22
  tbb::parallel_for(0, 10, [](int) { wait_for_input(); }, tbb::simple_partitioner()); // 23
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i)
    threads.emplace_back(compute); // 26
  for (std::thread& thread : threads) thread.join();
}
X
"$tp_run" -q -e auto -o real.data ./real || fail "real: exit status"
analyze real.data
is '[w["name"] for w in p["warnings"] if w["name"] == "asleep"] == []' # it is latency
if grep -q '"sleep_seen":true' real.data/run.json; then
  # At least 200 ms, less what a nap may be too short by: on a busy machine the time until a thread has a CPU
  # again is part of its sleep. The threads that compute are kept from running about as long as they run,
  # and sleep hardly at all.
  same "asleep or kept from running" "" "$(python3 -c 'import json
hz = json.load(open("real.data/run.json"))["time"]["hz"]
sites = {s["line"]: s for s in json.load(open("profile.json"))["sites"]}
for line in (22, 23):
    if sites[line]["asleep"] < 0.19 * hz:
        print(line, "slept", sites[line]["asleep"] / hz)
if sites[26]["asleep"] > 0.05 * sites[26]["exclusive_work"]:
    print("computing threads slept", sites[26]["asleep"] / hz, "of", sites[26]["exclusive_work"] / hz)' || echo "no figures")"
fi

# What steps slept in input or output, or by the clock, is latency; what they waited for other threads is not.
build_stock waits -std=c++20 -O1 <<'X'
#line 2 "waits.cpp"
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/task_group.h>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <future>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <semaphore>
#include <semaphore.h>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unistd.h>
void nap() { const timespec time{0, 60000000}; nanosleep(&time, nullptr); }
tbb::task_group group;
std::atomic<int> waits; // the thread that is about to wait
// However long it takes to get there: it waits for 60 ms at least.
void nap_while_it_waits() {
  for (char state = 0; state != 'S';) {
    if (FILE* const file = fopen(("/proc/self/task/" + std::to_string(waits) + "/stat").c_str(), "r")) {
      if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = 0;
      fclose(file);
    }
    usleep(1000);
  }
  waits = 0;
  nap();
}
template <typename Wait, typename Wake> void wait_for(Wait wait, Wake wake) {
  std::thread thread([&] { while (waits == 0) usleep(1000); nap_while_it_waits(); wake(); });
  group.run_and_wait([&] { waits = gettid(); wait(); }); // 35
  thread.join();
}
std::once_flag once, another; std::atomic<int> state; void wait_for_once() { std::thread first([] { std::call_once(once, [] { state = 1; while (state < 2) usleep(1000); }); }); while (state < 1) usleep(1000); wait_for([] { std::call_once(once, [] {}); }, [] { state = 2; }); first.join(); } int main() {
  int ends[2];
  if (system("sleep 0.1") != 0 || pipe(ends) != 0) return 1;
  group.run_and_wait([] {}); // 41
  std::mutex mutex; std::condition_variable changed; bool ready = false;
  wait_for([&] { std::unique_lock lock(mutex); changed.wait(lock, [&] { return ready; }); },
           [&] { std::lock_guard lock(mutex); ready = true; changed.notify_all(); });
  wait_for([&] { std::unique_lock lock(mutex); changed.wait_for(lock, std::chrono::seconds(9), [&] { return !ready; }); },
           [&] { std::lock_guard lock(mutex); ready = false; changed.notify_all(); });
  std::counting_semaphore<8> counting(0);
  wait_for([&] { counting.acquire(); }, [&] { counting.release(); });
  sem_t semaphore; sem_init(&semaphore, 0, 0);
  wait_for([&] { sem_wait(&semaphore); }, [&] { sem_post(&semaphore); });
  std::promise<int> promise; std::future<int> result = promise.get_future();
  wait_for([&] { result.get(); }, [&] { promise.set_value(1); });
  pthread_barrier_t barrier; pthread_barrier_init(&barrier, nullptr, 2);
  wait_for([&] { pthread_barrier_wait(&barrier); }, [&] { pthread_barrier_wait(&barrier); });
  pollfd input{ends[0], POLLIN, 0};
  wait_for([&] { poll(&input, 1, -1); }, [&] { if (write(ends[1], "x", 1) != 1) _exit(1); }); wait_for_once();
  std::thread owner;
  const auto take = [&](auto& lock) {
    lock.lock();
    owner = std::thread([&] { group.run_and_wait([&] { waits = gettid(); lock.lock(); lock.unlock(); }); }); // 60: of these locks, only the last one's wait counts as sleep: that of the others is in their records
    while (waits == 0) usleep(1000);
    nap_while_it_waits();
    lock.unlock();
    owner.join();
  };
  take(mutex);
  std::shared_mutex shared; take(shared);
  tbb::mutex tbb_mutex; take(tbb_mutex);
  group.run_and_wait([] { std::call_once(another, nap); }); // 69
  group.run_and_wait([] { poll(nullptr, 0, 60); }); // 70
}
X
"$tp_run" -q -e auto -o waits.data ./waits || fail "waits: exit status"
"$tp_analyze" -q --wrapper none --json profile.json -d waits.data || fail "waits: analysis"
if grep -q '"sleep_seen":true' waits.data/run.json; then
  is 'p["trace"]["waits_seen"] and p["latency_ns"] is not None'
  same "latency" "" "$(python3 -c 'import json
hz = json.load(open("waits.data/run.json"))["time"]["hz"]
profile = json.load(open("profile.json"))
sites = {s["line"]: s for s in profile["sites"]}
for line, naps, waits in ((35, 0, 8), (60, 0, 1), (69, 1, 0), (70, 1, 0)):
    latency, asleep = sites[line]["latency"] / hz, sites[line]["asleep"] / hz
    # Of naps nearly all is latency, of waits nearly nothing, however long they last.
    if not (0.055 * naps <= latency and (latency >= 0.9 * asleep if naps else latency <= 0.1 * asleep)):
        print(line, "latency", latency, "of", asleep)
    if asleep < 0.055 * (naps + waits):
        print(line, "slept", asleep)
if profile["trace"]["prior_asleep"] < 0.09 * hz:
    print("before the first task", profile["trace"]["prior_asleep"] / hz)
if profile["span_with_latency"] < (0.1 + 0.12) * 0.9 * hz:
    print("path", profile["span_with_latency"] / hz)' || echo "exit status $?")"
fi
finish
