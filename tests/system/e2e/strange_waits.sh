# SPDX-License-Identifier: Apache-2.0
# Programs in the manner of strangers that wait and sleep in ways of their own, as they were built: what reports say of
# them is true. What others do to the machine only makes times longer.
. "$(dirname "$0")/common.inc"

# report NAME: runs and analyzes it on the clock of the machine; report.txt in one line, profile.json
report() {
  rm -rf data
  "$tp_run" -q -e auto -o data "./$1" || fail "$1: exit status $?"
  "$tp_analyze" -q --wrapper none --json profile.json -d data | tr '\n' ' ' | tr -s ' ' >report.txt
}
sleep_is_seen() { grep -q '"sleep_seen":true' data/run.json; }

# A thread that reads while main computes, by the virtual clock: the table contradicts neither itself nor arithmetic, and
# the thread is named.
build_stock reader <<'X'
#line 2 "reader.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <thread>
int main() {
  std::thread reader([] { tp::sleep(4000); tp::spend(200); }); // 6
  for (int i = 0; i < 20; ++i)
    tbb::parallel_for(0, 8, [](int) { tp::spend(10); }, tbb::simple_partitioner()); // 8
  reader.join();
}
X
"$tp_run" -q -e virtual -o data ./reader || fail "reader: exit status"
"$tp_analyze" -q --json profile.json --procs 1,2,8 -d data | tr '\n' ' ' | tr -s ' ' >report.txt
is 'p["work"] == 1800 and p["latency"] == 4000 and p["span_with_latency"] == 4200'
# 80 of main's 1600 before the thread can begin, at most; the rest is done while it sleeps.
is '4200 <= p["prediction"]["serial"] <= 4280'
is '[r["time"] for r in p["prediction"]["runs"]] == [p["prediction"]["serial"], 4200, 4200]'
in_file report.txt "Hardly faster on more CPUs (threads slept, and it is not known whether for each other): speedup at most 1.0"
in_file report.txt "95 % of the least time is sleep of the thread at reader.cpp:6"

# Event descriptors order threads; timers, and poll and select of nothing, are clocks; a process that is stopped sleeps.
build_stock events <<'X'
#line 2 "events.cpp"
#include <oneapi/tbb/task_group.h>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <thread>
#include <threads.h>
#include <unistd.h>
tbb::task_group group;
void expect(bool right) { if (!right) std::abort(); }
void stop_for_60_ms() {
  const pid_t stopped = getpid(), child = fork();
  if (child == 0) { usleep(20000); kill(stopped, SIGSTOP); usleep(60000); kill(stopped, SIGCONT); _exit(0); }
  for (const clock_t end = clock() + CLOCKS_PER_SEC / 10; clock() < end;) {}
  expect(waitpid(child, nullptr, 0) == child);
}
int main() {
  const int event = eventfd(0, 0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
  std::thread thread([&] { usleep(60000); eventfd_write(event, 1); });
  group.run_and_wait([&] { eventfd_t value; expect(eventfd_read(event, &value) == 0); }); // 25
  thread.join();
  group.run_and_wait([] { expect(poll(nullptr, 0, 60) == 0); }); // 27
  group.run_and_wait([] { timeval time{0, 60000}; expect(select(0, nullptr, nullptr, nullptr, &time) == 0); }); // 28
  group.run_and_wait([] { const timespec time{0, 60000000}; expect(thrd_sleep(&time, nullptr) == 0); }); // 29
  const itimerspec once{{0, 0}, {0, 60000000}};
  expect(timerfd_settime(timer, 0, &once, nullptr) == 0);
  group.run_and_wait([&] { uint64_t times; expect(read(timer, &times, 8) == 8); }); // 32
  group.run_and_wait(stop_for_60_ms); // 33
}
X
report events
if sleep_is_seen; then
  same "events" "" "$(python3 -c 'import json
hz = json.load(open("data/run.json"))["time"]["hz"]
sites = {s["line"]: s for s in json.load(open("profile.json"))["sites"]}
for line in (27, 28, 29, 32):
    slept, latency = sites[line].get("latency_in", {}), sites[line]["latency"]
    if latency < 0.05 * hz or slept.get("clock", 0) < 0.9 * latency:
        print(line, latency, slept)
if sites[25]["latency"] > 0.1 * sites[25]["asleep"]:
    print(25, sites[25]["latency"], sites[25]["asleep"])
if sites[33].get("latency_in", {}).get("unknown", 0) < 0.05 * hz:
    print(33, sites[33]["latency"], sites[33].get("latency_in"))' || echo "exit status $?")"
fi

# Main waits for a future, by asking every 5 ms: it holds no lock.
build_stock future <<'X'
#line 2 "future.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <chrono>
#include <future>
#include <unistd.h>
int main() {
  auto value = std::async(std::launch::async, [] { usleep(300000); return 2; });
  while (value.wait_for(std::chrono::milliseconds(5)) != std::future_status::ready) {}
  tbb::parallel_for(0, value.get(), [](int) {});
}
X
report future
if sleep_is_seen; then
  in_file report.txt "until another thread had done something."
  ! grep -q "in a lock\|Hold the lock" report.txt || fail "future: there is no lock in: $(cat report.txt)"
fi

# A body that is a function, as optimized code calls it: its row is not named by a built-in type; time in child processes is.
build_stock convert -O2 <<'X'
#line 2 "convert.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <sys/wait.h>
#include <unistd.h>
void convert(int) {
  const pid_t child = fork();
  if (child == 0) { execlp("sleep", "sleep", "0.06", nullptr); _exit(127); }
  waitpid(child, nullptr, 0);
}
int main() { tbb::parallel_for(0, 4, convert, tbb::simple_partitioner()); }
X
report convert
same "rows of convert" "" "$(python3 -c 'import json
print(*(s["name"] for s in json.load(open("profile.json"))["sites"] if s["name"].split()[0] in ("void", "int")))')"
if sleep_is_seen; then
  in_file report.txt "% of the least time is sleep: until child processes had ended."
fi
finish
