# SPDX-License-Identifier: Apache-2.0
# All recordings of one tp-run are kept and listed; the recordings of an earlier one are renamed.
. "$(dirname "$0")/common.inc"
any_program | build_stock any
build_stock chain <<'END'
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
#include <cstdlib>
#include <string>
#include <unistd.h>
// chain N: does N units of work, and becomes chain N - 1 without being forked.
int main(int, char** argv) {
  const int n = std::atoi(argv[1]);
  tbb::task_group group;
  group.run([&] { tp::spend(static_cast<std::uint64_t>(n)); });
  group.wait();
  if (n > 1) execl("/proc/self/exe", "chain", std::to_string(n - 1).c_str(), nullptr);
}
END
works() { # DIR...: the work of each recording
  local each
  for each in "$@"; do
    analyze "$each"
    python3 -c 'import json; print(json.load(open("profile.json"))["work"])'
  done | sort -n | tr '\n' ' '
}
run() { status=0; "$tp_run" "$@" >out 2>err || status=$?; }
printf '#!/bin/sh\n./any; ./any; ./any; ./any\n' >four
chmod +x four
run -o d ./four
same "exit status" 0 $status
is_missing d.old
same "recordings" 4 "$(ls -d d d.[0-9]* | wc -l)"
same "their work" "100 100 100 100 " "$(works d d.[0-9]*)"
same "recordings that tp-run lists" 4 "$(grep -c 'recorded to d' err)"
in_file err 'tp-analyze --list d'
"$tp_analyze" --list d >out 2>err || fail "--list: exit status $?: $(cat err)"
same "recordings of --list" 4 "$(grep -c ' any .* complete$' out)"
# The next tp-run renames the one of that name only, and keeps its own.
run -o d ./four
is_directory d.old
same "recordings of two runs" 8 "$(ls -d d d.* | wc -l)"
same "listed: those of this run" 4 "$(grep -c 'recorded to d' err)"
run -o d ./any
same "a run of one process" 8 "$(ls -d d d.* | wc -l)"
same "its list" 0 "$(grep -c 'recorded to d' err)"
# A process that becomes another program; and a child that records after its parent has ended.
rm -rf d d.*
run -o d ./chain 4
same "work of a chain" "1 2 3 4 " "$(works d d.*)"
same "recordings that tp-run lists of a chain" 4 "$(grep -c 'recorded to d' err)"
rm -rf d d.*
run -o d sh -c './chain 3; ./chain 2'
same "work of two chains" "1 1 2 2 3 " "$(works d d.*)"
# Patterns.
run -o 'of/%e' sh -c './any; ./chain 1; ./any'
same "work by %e" "1 100 100 " "$(works of/*)"
run -o 'by/%p' ./chain 3
same "work by %p" "1 2 3 " "$(works by/*)"
# A tp-run in a script belongs to the outer one, which lists all.
rm -rf d d.*
run -o d sh -c "'$tp_run' -q -o d ./any; '$tp_run' -q -o d ./any; '$tp_run' -q -o d ./any"
same "work of runs in a run" "100 100 100 " "$(works d d.*)"
same "recordings that the outer tp-run lists" 3 "$(grep -c 'recorded to d' err)"
# Without tp-run an earlier recording is renamed.
rm -rf d d.*
for _ in 1 2 3; do TP_DATA=d ours ./any; done
same "without tp-run" "d d.old" "$(echo d d.*)"
finish
