# SPDX-License-Identifier: Apache-2.0
# tp-run says once, and rightly, why nothing was recorded: no writable place, a cleared environment,
# a program of another C library.
. "$(dirname "$0")/common.inc"
any_program | build_stock any
run() { status=0; "$tp_run" "$@" >out 2>err || status=$?; }
once() { # WHAT TEXT: one warning or error, which contains TEXT
  same "$1: messages of $(cat err)" 1 "$(grep -cE '^tp: (warning|error): ' err)"
  in_file err "$2"
}
# No writable place: before the program runs, perhaps for hours.
run -o /proc/no/data ./any
same "unwritable: exit status" 125 $status
once unwritable '/proc/no/data: cannot record there: '
is_empty out
echo file >plain
run -o plain ./any
same "a file: exit status" 125 $status
once "a file" 'plain: cannot record there: it is not a directory'
run -o plain/data ./any
once "below a file" 'cannot record there: Not a directory'
if [ "$(id -u)" -ne 0 ]; then
  mkdir closed && chmod a-w closed
  run -o closed/data ./any
  once closed 'closed/data: cannot record there: Permission denied'
  run -o closed ./any
  once "closed and empty" 'closed: cannot record there: Permission denied'
fi
mkdir small
if mount -t tmpfs -o size=64k none small 2>/dev/null; then
  trap 'cd /; umount "$work/small"; rm -rf "$work"' EXIT
  dd if=/dev/zero of=small/fill bs=1k count=64 2>/dev/null
  run -o small/data ./any
  once "full" 'small/data: cannot record there: No space left on device'
  is_missing small/data
  rm small/fill
  # It becomes full, or unwritable, while the program runs.
  printf '#!/bin/sh\ndd if=/dev/zero of=small/fill bs=1k count=64 2>/dev/null\n./any\n' >fills
  chmod +x fills
  run -o small/data ./fills
  same "filled: exit status" 0 $status
  same "filled: one diagnosis, by the runtime and by tp-run" 0 "$(grep -c 'is a script\|started no' err)"
fi
# The environment is cleared on the way to the program.
printf '#!/bin/sh\n# env -i is next\nexec env -i ./any\n' >clears
printf '#!/bin/sh\nunset -v LD_PRELOAD LD_LIBRARY_PATH\n./any\n' >unsets
chmod +x clears unsets
for command in 'env -i ./any' 'env -u LD_PRELOAD -u LD_LIBRARY_PATH ./any' './clears' './unsets' "sh -c 'unset LD_PRELOAD LD_LIBRARY_PATH; ./any'"; do
  eval "run -o data $command"
  same "$command: exit status" 0 $status
  once "$command" "nothing was recorded: "
  grep -qE "cleared|unset" err || fail "$command: $(cat err)"
  same "$command: other causes" 0 "$(grep -c 'does not use\|is a script\|started no' err)"
done
run -o data env NAME=value true
in_file err 'true does not use libtbb.so.12'
# Processes that become other programs all the time, whose environment is empty: neither of the two used our library without
# the settings of tp-run.
build_stock becomes <<'X'
#include <oneapi/tbb/task_group.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int, char** arguments) {
  tbb::task_group group;
  group.run([] {});
  group.wait();
  char* none[] = {nullptr};
  for (int i = 0; i < 1500; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      execve("/bin/true", arguments, none);
      _exit(1);
    }
    waitpid(child, nullptr, 0);
  }
}
X
run -q -o becomes-data ./becomes
same "becomes others: exit status" 0 $status
is_empty err
# A program that fails at its start gets no advice on its input.
echo 'int main() { return 127; }' | build_stock fails -Wl,--no-as-needed
run -o data ./fails
same "a failure: exit status" 127 $status
once "a failure" "nothing was recorded: ./fails ended before it started a oneTBB task"
same "hints" 0 "$(grep -c ^hint: err)"
# By a program whose text does not show it, one that another program in the same run hides.
# It runs until tp-run, which looks at the libraries of its processes now and then, has slept six times since: then it has
# looked, however busy the machine is.
build_stock slow <<'END'
#include <oneapi/tbb/task_group.h>
#include <fstream>
#include <string>
#include <unistd.h>
// The value of a line of /proc/PID/status.
std::string status(const std::string& pid, const std::string& name) {
  std::ifstream file("/proc/" + pid + "/status");
  std::string word;
  while (file >> word)
    if (word == name + ":" && file >> word) return word;
  return "";
}
int main() {
  tbb::task_group group;
  group.run([] {});
  group.wait();
  std::string run = "self";
  while (status(run, "Name") != "tp-run")
    if ((run = status(run, "PPid")).empty() || run == "0") return 1;
  const auto sleeps = [&] { return std::stol(status(run, "voluntary_ctxt_switches")); };
  for (const long before = sleeps(); sleeps() < before + 6;) usleep(10'000);
}
END
run -o data python3 -c 'import os; os.execve("./slow", ["slow"], {})'
same "execve: exit status" 0 $status
once "execve" "nothing was recorded: $work/slow used /"
in_file err "the environment was cleared"
run -o data python3 -c 'import os, subprocess; subprocess.run("./any"); subprocess.run("./slow", env={})'
once "the second program" "$work/slow used /"
is_directory data
rm -rf data
run -o data ./slow
same "nothing to say" 0 "$(grep -c warning err)"
finish
