# SPDX-License-Identifier: Apache-2.0
# Restrictions of containers and sandboxes: tp-doctor reports what is available and why not more,
# and a run uses the clock that it names.
. "$(dirname "$0")/common.inc"
: "${TP_INJECT:?TP_INJECT must name inject_faults}"
"$TP_INJECT" -- true 2>err || skip "no faults can be injected: $(cat err)"
any_program >program.cpp
build program <program.cpp
chmod 755 "$work"
unset TP_EVENT
doctor=$TP_PREFIX/bin/tp-doctor

# in_sandbox NAME COMMAND...: COMMAND runs the command that follows it in a sandbox. Leaves the
# doctor's table.
in_sandbox() {
  local name=$1
  shift
  rm -rf data && mkdir -m 777 data
  "$@" "$doctor" -q >table 2>err || fail "$name: tp-doctor: exit status $?: $(cat err)"
  is_empty err
  "$@" "$doctor" -q --json >doctor.json 2>err || fail "$name: tp-doctor --json: exit status $?: $(cat err)"
  "$@" "$tp_run" -q -o "$work/data/run" ./program >out 2>err || fail "$name: tp-run: exit status $?: $(cat err)"
  same "$name: stdout" "done" "$(cat out)"
  python3 - data/run/run.json <<'EOF' || fail "$name: $(cat doctor.json)"
import json, sys
doctor, run = json.load(open("doctor.json")), json.load(open(sys.argv[1]))["work"]
assert (doctor["auto"]["clock"], doctor["auto"]["reason"]) == (run["clock"], run["reason"]), run
chosen = [s for s in doctor["sources"] if s["clock"] == run["clock"] and s["works"]]
assert chosen and chosen[0]["kernel_included"] == run["kernel_included"], chosen
for source in doctor["sources"]:
    assert source["ns_per_read"] > 0 if source["works"] else source["reason"], source
EOF
}
command_is() { grep -qF "To enable a better clock: $2" table || fail "$1: the command is not '$2': $(tail -1 table)"; }
no_rseq() { GLIBC_TUNABLES=glibc.pthread.rseq=0 "$@"; }
# shellcheck disable=SC2086  # several words or none
hidden() { unshare ${user_namespace-} --mount sh -c 'for f in $1; do mount -t tmpfs none $f; done; shift; exec "$@"' sh "$@"; }

in_sandbox "seccomp: not permitted" "$TP_INJECT" --open EPERM --
command_is "seccomp: not permitted" 'as root: sysctl kernel.perf_event_paranoid=1 (in a container: --cap-add PERFMON)'
in_sandbox "seccomp: no such call" "$TP_INJECT" --open ENOSYS --
in_sandbox "no call, no rseq" no_rseq "$TP_INJECT" --open ENOSYS --
command_is "no call, no rseq" 'unset GLIBC_TUNABLES'
in_sandbox "no locked memory" no_rseq "$TP_INJECT" --mmap EPERM --
[ "$(id -u)" -ne 0 ] || in_sandbox "unprivileged, not permitted" "$TP_INJECT" --unprivileged --open EACCES --
hidden /sys true 2>/dev/null || user_namespace=--map-root-user
if hidden /sys true 2>/dev/null; then
  in_sandbox "no /sys" hidden /sys
  in_sandbox "no /proc, no /sys" hidden '/proc /sys'
else
  echo "not tried: without /proc and /sys (no mount namespace)"
fi
finish
