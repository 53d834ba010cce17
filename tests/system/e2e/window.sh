# SPDX-License-Identifier: Apache-2.0
# tp-run --delay, --duration, --pause and --resume: what is recorded, by arithmetic with the virtual clock, and
# that the program goes on untouched.
. "$(dirname "$0")/common.inc"
server=

# The program does a part of its work when the test says so: it makes the file at.N and waits for go.N.
cat >parts.h <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
inline void meet(int n) {
  close(open(("at." + std::to_string(n)).c_str(), O_CREAT | O_WRONLY, 0666));
  while (access(("go." + std::to_string(n)).c_str(), F_OK) != 0) usleep(2000);
}
inline void loop(int tasks, int each) {
  tbb::parallel_for(0, tasks, [=](int) { tp::spend(each); }, tbb::simple_partitioner());
}
X
met() { # N: until the program is there
  local tries=0
  until [ -e "at.$1" ]; do
    sleep 0.02
    tries=$((tries + 1))
    [ $tries -lt 3000 ] || { fail "the program does not reach part $1"; finish; }
  done
}
go() { touch "go.$1"; }
anew() { rm -f at.* go.*; }

build_stock server -I. <<'X'
#line 2 "server.cpp"
#include "parts.h"
int main() {
  tp::spend(10);
  tbb::parallel_for(0, 100, [](int) { tp::spend(1); }, tbb::simple_partitioner()); // 5
  meet(1);       // paused here, from outside
  tp::spend(7);  // of a step that began before
  tbb::parallel_for(0, 50, [](int) { tp::spend(10); }, tbb::simple_partitioner()); // 8
  tbb::task_group group;
  group.run_and_wait([] {
    tp::spend(1000);
    meet(2);  // resumed, in a task that began in the pause, while main waits for it
    tp::spend(2000);
    tbb::parallel_for(0, 10, [](int) { tp::spend(2); }, tbb::simple_partitioner()); // 14
    tp::spend(4);
  });
  tp::spend(5);
  meet(3);
  std::puts("served");
  return 9;
}
X
serve() { # COMMAND...: server is its process id
  anew
  "$@" >server.out 2>server.err &
  server=$!
}
# $1: what --pause gets, the process or tp-run, whose child it is.
control() {
  met 1
  "$tp_run" --pause "$1" 2>control.err || fail "--pause: exit status $?"
  in_file control.err 'is paused; so far'
  "$tp_run" --pause "$1" 2>control.err || fail "--pause again: exit status $?"
  in_file control.err 'was already paused'
  go 1
  met 2
  "$tp_run" --resume "$1" 2>control.err || fail "--resume: exit status $?"
  in_file control.err 'is recording; so far'
  go 2
  met 3
  go 3
  wait "$server"
  same "$2: exit status" 9 "$?"
  same "$2: stdout" served "$(cat server.out)"
  analyze "$2"
  is 'p["complete"] and p["work"] == 10 + 100 + 7 + 20 + 4 + 5 and p["span"] == 10 + 1 + 7 + 2 + 4 + 5'
  is '{s["line"]: (s["exclusive_work"], s["invocations"]) for s in p["sites"]} == {0: (22, 0), 5: (100, 100), 8: (0, 0), 10: (4, 1), 14: (20, 10)}'
  is 'p["recorded"]["window_count"] == 2 and len(p["recorded"]["windows"]) == 2 and p["recorded"]["ended_by"] == "exit"'
  is 'sum(w["end_ns"] - w["begin_ns"] for w in p["recorded"]["windows"]) == p["recorded"]["recorded_ns"] < p["recorded"]["run_ns"]'
  "$tp_analyze" -q -d "$2" >report.txt 2>&1
  in_file report.txt ', recorded '
  is_missing "$2/control"
}
serve "$tp_run" -q -e virtual -o outside ./server
control "$server" outside
serve env LD_LIBRARY_PATH="$TP_PREFIX/lib" TP_EVENT=virtual TP_DATA=without ./server # without tp-run
control "$server" without

# A window of two seconds: of what is before and after nothing counts, and while the program runs on the
# recording is complete.
build_stock windowed -I. <<'X'
#line 2 "windowed.cpp"
#include "parts.h"
int main() {
  tp::spend(1000);
  tbb::parallel_for(0, 100, [](int) { tp::spend(1); }, tbb::simple_partitioner());
  meet(1);
  tp::spend(3000);
  tbb::parallel_for(0, 50, [](int) { tp::spend(10); }, tbb::simple_partitioner()); // 8
  tp::spend(6);
  loop(1, 1);
  meet(2);
  tp::spend(5000);
  loop(500, 1);
  std::puts("served");
  return 9;
}
X
serve "$tp_run" -e virtual -o window --delay 2 --duration 2000ms ./windowed
met 1
[ -e window/end.json ] && fail "window: ended before it began"
sleep 2.5
go 1
met 2
for _ in {1..500}; do [ -e window/end.json ] && break; sleep 0.02; done
analyze window
is 'p["complete"] and p["work"] == 500 + 6 + 1 and p["span"] == 10 + 6 + 1'
is '[(s["line"], s["exclusive_work"], s["invocations"]) for s in p["sites"] if s["exclusive_work"] >= 10] == [(8, 500, 50)]'
is 'p["recorded"]["window_count"] == 1 and p["recorded"]["ended_by"] == "window"'
is '1.9e9 < p["recorded"]["windows"][0]["begin_ns"] < 2.5e9 and 1.9e9 < p["recorded"]["recorded_ns"] < 2.5e9'
same 'window: --list' 1 "$("$tp_analyze" --list window 2>/dev/null | grep -c complete)"
sum=$(cat window/*.tps | cksum)
"$tp_run" --pause "$server" 2>control.err
same '--pause after the end: exit status' 125 "$?"
in_file control.err "process $server: "
in_file control.err 'its recording has ended'
go 2
wait "$server"
same 'window: exit status' 9 "$?"
same 'window: stdout' served "$(cat server.out)"
same 'window: the streams after its end' "$sum" "$(cat window/*.tps | cksum)"
in_file server.err 'recorded 2.0 s to window and runs on'

# A process that begins to use oneTBB in the window, or after it; one that ends before it.
build_stock late <<'X'
#line 2 "late.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>
int main(int, char** argv) {
  if (argv[2] != nullptr) tp::spend(1000);
  usleep(std::atoi(argv[1]) * 1000);
  tbb::parallel_for(0, 10, [](int) { tp::spend(2); }, tbb::simple_partitioner());
  tp::spend(3);
  const pid_t child = fork();
  tbb::parallel_for(0, 10, [](int) { tp::spend(1); }, tbb::simple_partitioner());
  int status = 0;
  if (child > 0) waitpid(child, &status, 0);
  return child > 0 ? WEXITSTATUS(status) + 1 : 3;
}
X
"$tp_run" -q -e virtual -o in --delay 0.2 ./late 600 early
same 'in the window: exit status' 4 "$?"
analyze in
is 'p["complete"] and p["work"] == 20 + 3 + 10 and p["span"] == 2 + 3 + 1'
for child in in.*; do
  analyze "$child"
  is 'p["complete"] and p["work"] == 10'
done
"$tp_run" -e virtual -o after --duration 0.2 ./late 700 2>err
same 'after the window: exit status' 4 "$?"
in_file err 'nothing was recorded: no process used oneTBB before the time to record was over'
is_missing after
"$tp_run" -e virtual -o before --delay 1h ./late 0 early 2>err
same 'before the window: exit status' 4 "$?"
in_file err 'before --delay was over: no work was recorded'
analyze before
is 'p["complete"] and p["work"] == 0 and p["recorded"]["windows"] == []'
in_file analysis.out 'recording was paused for a part of the run'

# What cannot be paused.
sleep 100 &
sleeper=$!
"$tp_run" --pause $sleeper 2>err
same 'not recorded: exit status' 125 "$?"
in_file err "tp: error: process $sleeper: it is not recorded: expected a process"
in_file err 'hint: tp-run PROGRAM'
kill $sleeper
wait $sleeper 2>/dev/null
"$tp_run" --resume $sleeper 2>err
same 'no such process: exit status' 125 "$?"
in_file err "tp: error: process $sleeper: there is no such process"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  serve "$tp_run" -q -e virtual -o others ./server
  met 1
  chmod 755 .
  if setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$tp_run"; then
    setpriv --reuid 65534 --regid 65534 --clear-groups "$tp_run" --pause "$(pgrep -P "$server")" 2>err
    same 'of another user: exit status' 125 "$?"
    in_file err 'it belongs to another user'
  fi
  for part in 1 2 3; do go $part; done
  wait "$server"
fi
finish
