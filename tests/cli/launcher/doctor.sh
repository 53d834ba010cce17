#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tp-doctor prints the library's answers as a table, and the one command that enables a better
# clock.
support=$(cd "$(dirname "$0")/../../support" && pwd)
. "$(dirname "$0")/common.inc"
doctor=$TP_TEST_PREFIX/bin/tp-doctor

expect 0 "$doctor";            in_file out '* tsc-rseq'; in_file out '9.5  included'; in_file out 'To enable a better clock: open it'
[ "$(cat err)" = "next: $TP_TEST_PREFIX/bin/tp-run --analyze ./your-program" ] || fail "stderr: $(cat err)"
grep -q 'perf-user .* no .* locked' out || fail "no line of the clock that is locked: $(cat out)"
grep -q 'no need' out && fail "a command for a clock that would not be better: $(cat out)"
expect 0 env TP_LIBOMP=/nowhere/libomp.so.5 "$doctor"; in_file out 'OpenMP: not recorded: /nowhere/libomp.so.5: no such file'; in_file out 'To enable it: '
expect 0 env TP_LIBOMP=/bin/true "$doctor" -q --json
python3 -c 'import json; o = json.load(open("out"))["openmp"]; assert not o["works"] and "LLVM 16" in o["reason"] and o["runtime"] == "/bin/true"' ||
  fail "openmp: $(cat out)"
# libomp as we need it, and what the user has set against tools.
echo 'extern "C" void __kmpc_omp_taskwait_deps_51() {}' | "${CXX:-c++}" -shared -fPIC -x c++ - -o libomp.so.5 || fail "libomp.so.5 does not build"
expect 0 env -u OMP_TOOL -u OMP_TOOL_LIBRARIES TP_LIBOMP=./libomp.so.5 "$doctor"; in_file out 'OpenMP: recorded on ./libomp.so.5, which reports the chunks of loops'
expect 0 env OMP_TOOL=ENABLED TP_LIBOMP=./libomp.so.5 "$doctor"; in_file out 'OpenMP: recorded on'
expect 0 env OMP_TOOL=Disabled TP_LIBOMP=./libomp.so.5 "$doctor"; in_file out 'OpenMP: not recorded: OMP_TOOL=Disabled is set'; in_file out 'To enable it: unset OMP_TOOL'
expect 0 env OMP_TOOL_LIBRARIES=/other.so TP_LIBOMP=./libomp.so.5 "$doctor" -q --json
python3 -c 'import json; o = json.load(open("out"))["openmp"]; assert not o["works"] and o["reports_chunks"] and "/other.so" in o["reason"] and o["command"] == "unset OMP_TOOL_LIBRARIES"' ||
  fail "openmp: $(cat out)"
expect 0 "$doctor" -q --json;  is_empty err
# No clock is better than the one that auto uses: no command, though a worse clock has one.
expect 0 env STUB_CLOCKS='{"auto":{"clock":"tsc-rseq","event":"x","reason":"no counters"},"sources":[
  {"clock":"tsc-rseq","event":"tsc","works":true,"unit":"ticks","kernel_included":true,"ns_per_read":9.5},
  {"clock":"tsc-perf-page","event":"tsc","works":false,"reason":"closed","command":"no need"}]}' "$doctor" -q
in_file out 'No better clock can be enabled on this machine: no counters'
expect 0 "$doctor" -q --json
python3 -c 'import json; r = json.load(open("out")); assert r["schema"] == "taskpath.doctor/1" and len(r["sources"]) == 3' ||
  fail "JSON: $(cat out)"
python3 -B "$support/validate_json.py" out || fail "the JSON is not what the schema says: $(cat out)"
expect 0 "$doctor" -q --color=never; is_empty err
expect 0 "$doctor" --help;     in_file out '--json'
expect 0 "$doctor" -V;         in_file out 'tp-doctor '
expect 2 "$doctor" --bogus;    in_file err 'hint: tp-doctor --help'
expect 2 "$doctor" argument

# Without its library it reports that.
mkdir -p own/bin && cp "$doctor" own/bin
expect 2 own/bin/tp-doctor;    in_file err 'lib/libtbb.so.12: No such file'; in_file err 'hint: install Taskpath again'; is_empty out
expect 2 env STUB_CLOCKS='{"auto":' "$doctor"; in_file err 'its answer about clocks is not valid JSON'; is_empty out
finish
