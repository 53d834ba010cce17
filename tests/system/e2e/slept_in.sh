# SPDX-License-Identifier: Apache-2.0
# What code slept in, under tp-run: kinds of descriptors, the clock, child processes. On the clock of the machine,
# each kind in code of its own, so that no time has to be right: nearly all of its latency is of its kind.
. "$(dirname "$0")/common.inc"
build_stock kinds -O1 <<'X'
#line 2 "kinds.cpp"
#include <oneapi/tbb/task_group.h>
#include <cstdio>
#include <cstdlib>
#include <pty.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
tbb::task_group group;
char data[1 << 20];
// A child process that after 60 ms writes a line there, or reads what is there.
void child(int end, bool writes) {
  if (fork() != 0) return;
  usleep(60000);
  _exit((writes ? write(end, "x\n", 2) : read(end, data, sizeof data)) > 0 ? 0 : 1);
}
void expect(bool right) { if (!right) std::abort(); }
int main() {
  int ends[2], pair[2], master, slave;
  expect(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  expect(openpty(&master, &slave, nullptr, nullptr, nullptr) == 0);
  FILE* const stream = fdopen(ends[0], "r");
  child(ends[1], true);
  expect(read(ends[0], data, 2) == 2); // before the first task
  group.run_and_wait([&] { usleep(60000); }); // 25
  child(ends[1], true);
  group.run_and_wait([&] { expect(read(ends[0], data, 2) == 2); }); // 27
  child(ends[1], true);
  group.run_and_wait([&] { expect(fgets(data, 9, stream) == data); }); // 29
  child(pair[1], true);
  group.run_and_wait([&] { expect(recv(pair[0], data, 2, 0) == 2); }); // 31
  child(ends[0], false);
  group.run_and_wait([&] { expect(write(ends[1], data, 100000) == 100000); }); // 33
  child(master, true);
  group.run_and_wait([&] { expect(read(slave, data, 9) == 2); }); // 35
  group.run_and_wait([&] { expect(system("sleep 0.06") == 0); }); // 36
  group.run_and_wait([&] { const pid_t one = fork(); // 37
    if (one == 0) { usleep(60000); _exit(0); }
    expect(waitpid(one, nullptr, 0) == one); });
  while (wait(nullptr) > 0) {}
}
X
"$tp_run" -q -e auto -o kinds.data ./kinds || fail "exit status"
"$tp_analyze" -q --wrapper none --json profile.json -d kinds.data >report.txt || fail "analysis"
if grep -q '"sleep_seen":true' kinds.data/run.json; then
  same "what it slept in" "" "$(python3 -c 'import json
hz = json.load(open("kinds.data/run.json"))["time"]["hz"]
profile = json.load(open("profile.json"))
sites = {s["line"]: s for s in profile["sites"]}
for line, kind in ((25, "clock"), (27, "read_pipe"), (29, "read_pipe"), (31, "read_socket"), (33, "write_pipe"),
                   (35, "read_device"), (36, "child_process"), (37, "child_process")):
    slept, latency = sites[line].get("latency_in", {}), sites[line]["latency"]
    if latency < 0.05 * hz or slept.get(kind, 0) < 0.9 * latency or sum(slept.values()) != latency:
        print(line, kind, latency, slept)
if sites[0]["latency_in"].get("read_pipe", 0) < 0.05 * hz:
    print("main", sites[0]["latency_in"])
if sum(profile["latency_in"].values()) != profile["latency"]:
    print("sum", profile["latency_in"], profile["latency"])' || echo "exit status $?")"
fi

# A program that reads its input before it does anything: what it did is named.
build_stock input -O1 <<'X'
#line 2 "input.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <iostream>
#include <string>
int main() {
  std::string line;
  std::getline(std::cin, line);
  tbb::parallel_for(0, 10, [](int) {}, tbb::simple_partitioner());
}
X
(sleep 1 && echo line) | "$tp_run" -q -e auto -o input.data ./input || fail "input: exit status"
"$tp_analyze" -q --json profile.json -d input.data >report.txt || fail "input: analysis"
if grep -q '"sleep_seen":true' input.data/run.json; then
  in_file report.txt "% of the least time is sleep: reading from pipes."
fi
finish
