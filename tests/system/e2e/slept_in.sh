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


# Files, which are too fast here to be slept for: seccomp makes each read() and write() of 7 bytes wait in the kernel.
build_stock files -O1 <<'X'
#line 2 "files.cpp"
#include <oneapi/tbb/task_group.h>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
tbb::task_group group;
char data[7], buffer[7];
void expect(bool right) { if (!right) std::abort(); }
int main() {
  const int file = open("some.file", O_CREAT | O_RDWR | O_TRUNC, 0600);
  FILE* const stream = fopen("some.file", "r");
  setvbuf(stream, buffer, _IOFBF, sizeof buffer);
  group.run_and_wait([&] { expect(write(file, data, 7) == 7); }); // 14
  lseek(file, 0, SEEK_SET);
  group.run_and_wait([&] { expect(read(file, data, 7) == 7); }); // 16
  group.run_and_wait([&] { expect(getc(stream) == 0); }); // 17
}
X
"$TP_INJECT" --slow-files 60 -- "$tp_run" -q -e auto -o files.data ./files
status=$?
if [ $status -eq 77 ]; then
  echo "not tested: reading and writing files, since seccomp notification is not permitted"
elif [ $status -ne 0 ] || ! "$tp_analyze" -q --wrapper none --json profile.json -d files.data >report.txt; then
  fail "files: exit status $status"
elif grep -q '"sleep_seen":true' files.data/run.json; then
  same "files" "" "$(python3 -c 'import json
hz = json.load(open("files.data/run.json"))["time"]["hz"]
sites = {s["line"]: s for s in json.load(open("profile.json"))["sites"]}
for line, kind in ((14, "write_file"), (16, "read_file"), (17, "read_file")):
    slept, latency = sites[line].get("latency_in", {}), sites[line]["latency"]
    if latency < 0.05 * hz or slept.get(kind, 0) < 0.9 * latency or sum(slept.values()) != latency:
        print(line, kind, latency, slept)' || echo "exit status $?")"
fi

# Pages of a mapped file that are not in memory; and in a step that also sleeps by the clock: no time is of two kinds.
build_stock pages -O1 <<'X'
#line 2 "pages.cpp"
#include <oneapi/tbb/task_group.h>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
tbb::task_group group;
constexpr size_t kPage = 4096, kPages = 4096;
void expect(bool right) { if (!right) std::abort(); }
volatile char sum;
const char* file_on_disk(const char* name) {
  static char page[kPage];
  const int file = open(name, O_CREAT | O_RDWR | O_TRUNC, 0600);
  for (size_t i = 0; i < kPages; ++i) expect(write(file, page, kPage) == kPage);
  fsync(file);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  void* const mapped = mmap(nullptr, kPages * kPage, PROT_READ, MAP_SHARED, file, 0);
  expect(mapped != MAP_FAILED && madvise(mapped, kPages * kPage, MADV_RANDOM) == 0);
  return static_cast<const char*>(mapped);
}
long now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000 + time.tv_nsec;
}
// Returns how many pages came from disk and took so long that the recording must have seen the thread sleep.
int touch(const char* pages) {
  int slow = 0;
  for (size_t i = 0; i < kPages; ++i) {
    rusage before, after;
    getrusage(RUSAGE_THREAD, &before);
    const long begin = now();
    sum = sum + pages[i * kPage];
    const long time = now() - begin;
    getrusage(RUSAGE_THREAD, &after);
    slow += after.ru_majflt != before.ru_majflt && after.ru_nvcsw != before.ru_nvcsw && time > 200000;
  }
  return slow;
}
int main() {
  const char* const one = file_on_disk("one.file");
  const char* const two = file_on_disk("two.file");
  int slow = 0, both = 0;
  group.run_and_wait([&] { slow = touch(one); }); // 47
  group.run_and_wait([&] { usleep(60000); both = touch(two); }); // 48
  std::printf("%d %d\n", slow, both);
}
X
"$tp_run" -q -e auto -o pages.data ./pages >pages.out || fail "pages: exit status $?"
"$tp_analyze" -q --wrapper none --json profile.json -d pages.data >report.txt || fail "pages: analysis"
if grep -q '"sleep_seen":true' pages.data/run.json; then
  same "pages" "" "$(python3 -c 'import json, sys
sites = {s["line"]: s for s in json.load(open("profile.json"))["sites"]}
hz = json.load(open("pages.data/run.json"))["time"]["hz"]
for line, slow in zip((47, 48), map(int, open("pages.out").read().split())):
    if slow < 5:
        print("not tested: pages from disk, since here few are slow:", slow, file=sys.stderr)
        continue
    slept, latency = sites[line].get("latency_in", {}), sites[line]["latency"]
    share = slept.get("page_fault", 0) / latency if latency else 0
    if latency < slow * 50e-6 * hz or sum(slept.values()) != latency or share < (0.9 if line == 47 else 0.01):
        print(line, latency, slept)
if sites[48]["latency_in"].get("clock", 0) < 0.05 * hz:
    print("the clock", sites[48]["latency_in"])' || echo "exit status $?")"
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
  in_file report.txt "% of the least time is sleep: reading from pipes (if it does so"
fi
finish
