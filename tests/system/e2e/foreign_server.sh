# SPDX-License-Identifier: Apache-2.0
# Windows of a server that was written without us, and uses oneTBB in a library of others: RPyC's, which calls OpenVDB
# for its clients. The calls inside of the window count, those before and after do not, and the server goes on.
. "$(dirname "$0")/common.inc"
python=/usr/bin/python3
server_program=$(command -v rpyc_classic) && $python -c 'import pyopenvdb, rpyc' 2>/dev/null ||
  skip "no python3-rpyc, or no python3-openvdb"
run=
trap '[ -z "$run" ] || kill $run 2>/dev/null; rm -rf "$folder_of_test"' EXIT
cat >client.py <<'X'
import sys, time, rpyc
def connect():
    for _ in range(600):  # until it listens
        try:
            return rpyc.classic.connect("localhost", port=int(open("port").read()))
        except (OSError, ValueError):
            time.sleep(0.1)
    sys.exit("no server")
server = connect()
for _ in range(int(sys.argv[1])):
    print(server.modules.pyopenvdb.createLevelSetSphere(radius=10.0).activeVoxelCount())
X
$python -c 'import socket; s = socket.socket(); s.bind(("localhost", 0)); print(s.getsockname()[1])' >port
"$tp_run" -q -e auto --paused -o data env --default-signal=INT $python "$server_program" --host localhost -p "$(cat port)" >server.log 2>&1 &
run=$!
calls() { timeout 300 $python client.py "$@" >voxels || fail "client: $(cat voxels)"; }

calls 2
"$tp_run" --resume "$run" 2>control.err || fail "--resume: exit status $?: $(cat control.err)"
calls 5
same "answers" 5 "$(grep -cE '^[1-9][0-9]*$' voxels)"
"$tp_run" --pause "$run" 2>control.err || fail "--pause: exit status $?: $(cat control.err)"
calls 3
kill -INT "$(pgrep -P "$run")" # it ends as it does for its users
wait "$run"
same "exit status" 0 $?
run=
analyze data
is 'p["complete"] and p["recorded"]["window_count"] == 1 and p["recorded"]["ended_by"] == "exit"'
# One loop over the slices of each sphere, and nothing of the calls before and after.
is '{s["invocations"] for s in p["sites"] if "rasterSphere" in s["name"]} == {5}'

finish
