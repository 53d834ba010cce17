#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Options end at the first word that is not an option; each invalid one has its own error and exit
# status 125.
. "$(dirname "$0")/common.inc"

expect 0 "$tp_run" --help;            in_file out 'Usage: tp-run'; in_file out 'Examples:'; is_empty err
expect 0 "$tp_run" --version;         in_file out 'tp-run '
expect 125 "$tp_run";                 in_file err 'tp: error: no program given'; in_file err 'hint: tp-run --help'
expect 125 "$tp_run" --;              in_file err 'no program given'
expect 125 "$tp_run" --bogus true;    in_file err "tp: error: unknown option '--bogus'"
expect 125 "$tp_run" -e nonsense true
in_file err "tp: error: -e nonsense: cannot be measured here: unknown event 'nonsense': hint: \"x\""; in_file err 'hint: tp-doctor'
[ "$(wc -l <err)" -eq 2 ] || fail "an error and a hint: $(cat err)"
expect 125 "$tp_run" -e branches true; in_file err 'libtbb.so.12: its answer about events is not valid JSON'
expect 125 "$tp_run" -e cycles true;  in_file err 'no hardware counters on this machine'; in_file err 'hint: buy one'
expect 125 "$tp_run" -e tsc,cycles true
expect 125 "$tp_run" -e '' true;      in_file err "--event: expected auto or an event"
expect 125 env TP_EVENT=cycles "$tp_run" true; in_file err 'TP_EVENT=cycles: cannot be measured here'; in_file err 'hint: buy one'
expect 0 env TP_EVENT=cycles "$tp_run" -e virtual env; in_file out 'TP_EVENT=virtual'
expect 0 "$tp_run" -e auto true
expect 0 "$tp_run" -e virtual true
# Names of libpfm4 events are replaced by numbers, or rejected with the name in the error.
expect 125 "$tp_run" -e NO_SUCH_EVENT true; in_file err 'NO_SUCH_EVENT'
if "$tp_run" -e tsc,PERF_COUNT_SW_PAGE_FAULTS env >out 2>err; then
  in_file out 'TP_EVENT=tsc,1:2=PERF_COUNT_SW_PAGE_FAULTS'
  expect 0 env TP_EVENT=tsc,PERF_COUNT_SW_PAGE_FAULTS "$tp_run" env
  in_file out 'TP_EVENT=tsc,1:2=PERF_COUNT_SW_PAGE_FAULTS'
  # All numbers of an event of Skylake, without those that only sampling or the kernel could count.
  if [ "$(uname -m)" = x86_64 ]; then
    export LIBPFM_FORCE_PMU=skx
    offcore=OFFCORE_RESPONSE_0:DMND_DATA_RD:L3_HIT:SNP_ANY
    expect 0 "$tp_run" -e INST_RETIRED:ANY_P,$offcore env
    in_file out "TP_EVENT=4:c0=INST_RETIRED:ANY_P,4:1b7:3f803c0001:0=$offcore"
    for modifier in k u:k precise=1 pinned cpu=1; do
      expect 125 "$tp_run" -e INST_RETIRED:ANY_P:$modifier true; in_file err 'expected an event to count in user mode'
    done
    unset LIBPFM_FORCE_PMU
  fi
else
  in_file err 'without libpfm4'
fi
expect 0 "$tp_run" -e 1:2=faults,1:3 env; in_file out 'TP_EVENT=1:2=faults,1:3'
expect 125 "$tp_run" --as-if-cores 0 true
expect 125 "$tp_run" --as-if-cores many true
for size in 0 5X -1 M 1e6 1iB 99999999999T 18446744073709551616; do
  expect 125 "$tp_run" "--max-size=$size" true; in_file err '--max-size'
done
expect 0 "$tp_run" --max-size=512mb env; in_file out 'TP_MAX_SIZE=536870912'
for time in x -1 5x 1.2.3 '' 1e400 .; do
  expect 125 "$tp_run" "--delay=$time" true; in_file err '--delay: expected a time in seconds'
done
expect 125 "$tp_run" --duration 0 true;         in_file err '--duration: expected a time in seconds'
expect 125 "$tp_run" --paused --delay 1 true;   in_file err '--paused: expected no --delay and no --duration'
expect 125 "$tp_run" --pause 1 --resume 1;      in_file err '--pause: expected either --pause or --resume'
expect 125 "$tp_run" --pause 4711 true;         in_file err "--pause: expected no program, got 'true'"
expect 125 "$tp_run" --resume 0;                in_file err '--resume'
expect 0 "$tp_run" --delay 0.5 --duration 2min env
[ "$(sed -n 's/^TP_WINDOW=//p' out | awk -F- '{ printf "%.0f", ($2 - $1) / 1e9 }')" = 120 ] || fail "TP_WINDOW: $(cat out)"
expect 125 "$tp_run" --analyze=profile true; in_file err '.csv'
expect 125 "$tp_run" --report=page true;     in_file err '.html'

# The program's own options, and words that look like options of tp-run.
expect 0 "$tp_run" echo -o d --help -- -q; [ "$(cat out)" = '-o d --help -- -q' ] || fail "arguments: $(cat out)"
expect 0 "$tp_run" -q -- echo -- x;        [ "$(cat out)" = '-- x' ] || fail "arguments after --: $(cat out)"
expect 0 "$tp_run" --paused echo 'a  b' ''; [ "$(cat out)" = 'a  b ' ] || fail "quoting: $(cat out)"

# The environment of the program.
export LD_LIBRARY_PATH=/nonexistent
expect 0 "$tp_run" -o 'd%p' -e tsc --paused --max-size 5M --as-if-cores 32 env
in_file out "LD_PRELOAD=$TP_TEST_PREFIX/lib/libtbb.so.12"
in_file out "LD_LIBRARY_PATH=$TP_TEST_PREFIX/lib:/nonexistent"
in_file out "TP_DATA=$work/d%p"
in_file out 'TP_EVENT=tsc'
in_file out 'TP_PAUSED=1'
in_file out 'TP_MAX_SIZE=5242880'
in_file out 'TP_AS_IF_CORES=32'
finish
