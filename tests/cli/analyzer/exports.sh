#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --export: each file is read back, complete, and identical in a second run; errors for invalid
# input.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
paper paper
# A recursion of two sites in each other, one of which has a name that formats have to escape.
trace recursion <<'END'
run virtual_work=140
site 1 a;b<.cpp 1
site 2 b.cpp 2
stream 0
  thread role=main
  spawn work=10 site=1 ctx=new-exclusive
  wait ctx=last
    begin task=newest
    spawn work=20 site=2 ctx=new-exclusive
    wait ctx=last
      begin task=newest
      spawn work=30 site=1 ctx=new-exclusive
      spawn work=5 site=2 ctx=last
      wait ctx=last
        task task=newest work=25
        task task=-1 work=40
      wait-end
      end work=4
    wait-end
    end work=5
  wait-end
  cut work=1
  thread-end cpu=1
END

# Two threads: one steals two of three tasks, and waits before each; creating tasks takes time, too.
trace threads <<'END'
run virtual_work=1060
site 1 a.cpp 1
stream 0
  thread role=main
  spawn work=10 lead=3 site=1 ctx=new-exclusive
  spawn work=20 lead=4 site=1 ctx=last
  spawn work=10 lead=5 site=1 ctx=last
  wait work=10 lead=6 ctx=last
  task task=newest work=300 lead=7
  wait-end idle=210
  end work=10
  thread-end
stream 1
  thread role=worker
  begin task=0.0 idle=21
  end work=300 lead=2
  begin task=0.1 idle=33
  end work=400 lead=2
  thread-end
END

# A thread that the program created, which was not stolen, and a task that waits for a lock: of the 700 ticks
# in which it was on no CPU, 500 are of the lock.
trace locks <<'END'
run cpus=2 hz=1000000000 same_as_time=1 unit=ns sleep_seen=1
site 1 a.cpp 1
site 2 a.cpp 2
lock-place 0 mutex a.cpp 9 name=q
stream 0
  thread role=main
  spawn work=100 site=1 ctx=new-exclusive construct=thread
  spawn work=50 site=2 ctx=new-exclusive
  lock slot=3 address=64 kind=mutex
  wait work=50 ctx=last
    begin task=newest
    section slot=3 place=0 lead=100 work=300 contended=1 waited=500
    end work=1000 wall=1700
  wait-end idle=10
  end work=10
  thread-end
stream 1
  thread role=external
  begin task=0.0
  end work=400 lead=2
  thread-end
END

# Without node and npm there is no page, and that is what the message says.
case " $formats " in
*" html "*) ;;
*)
  "$TP_ANALYZE" -q paper --export html:page.html 2>err && fail "--export html without a page"
  grep -q 'this build of Taskpath has no page: node and npm were missing' err || fail "--export html: $(cat err)"
  ;;
esac

for data in paper recursion threads locks; do
  for turn in 1 2; do
    options=
    for format in $formats; do options="$options --export $format:$data.$turn/$format"; done
    # shellcheck disable=SC2086
    exits 0 $data --json $data.json $options
  done
  for format in $formats; do
    in_err "wrote $data.2/$format"
    cmp "$data.1/$format" "$data.2/$format" || fail "$format differs the second time"
  done
  python3 "$here/read_exports.py" $data.json $data.1 || fail "$data: an export does not add up"
done
python3 -c 'import json; assert [s["tasking"]["steals"] for s in json.load(open("locks.json"))["sites"]] == [0, 0, 0]' || fail "a thread is a steal"
grep -q 'a,b<.cpp:1 (f());b.cpp:2 (f()) 64$' recursion.1/folded || fail "folded: $(cat recursion.1/folded)"

# All that pages draw, in the JSON; conservation of the timeline.
exits 0 paper --timeline --json all.json
python3 - <<'END' || fail "--timeline: the JSON does not add up"
import json
p = json.load(open("all.json"))
slices = [slice for thread in p["timeline"]["threads"] for slice in thread["slices"]]
assert sum(slice[3] for slice in slices) == p["work"] and sum(slice[4] for slice in slices) == p["trace"]["steps"]
assert sum(map(sum, p["span_profile"]["running"])) + sum(p["span_profile"]["other"]) == p["work"]
assert p["critical_path"]["segments"][-1][1] == p["span_profile"]["extent"] == p["span"]
assert p["run_path"]["segments"][-1][1] == p["run_path"]["path_ticks"]
assert sum(each["spawns"] for site in p["sites"] for each in site["spawned_by"]) == p["trace"]["tasks_spawned"]
assert sum(each["work"] for each in p["code_segments"]) == p["work"] and isinstance(p["source"], list)
best = [point for curve in p["what_if"]["curves"] for point in curve["points"] if "predicted" in point]
assert [point["factor"] for point in best] == [8, 8, 8]
for point in best:  # by TaskProf's arithmetic, and without cost of tasks: never less than span and work allow
    for each in point["predicted"]:
        assert each["time"] >= max(p["work"] / each["procs"], point["span_times_factor"] / 8) - 1, (point, each)
END
exits 0 paper --json less.json
! grep -q '"timeline"\|"span_profile"\|"predicted"' less.json || fail "the JSON has pictures without --timeline"

for wrong in dot dot: :file svg:file folded-span:file; do
  exits 2 paper --export $wrong
  in_err "perfetto|"
  in_err "|dot:FILE, got "
done
exits 2 paper --export dot:/proc/nowhere/file
explained

# Consumers of the formats, if they are installed.
if command -v dot >/dev/null; then
  for data in paper recursion threads; do dot -Tsvg $data.1/dot >svg || fail "Graphviz rejects dot"; done
fi
if command -v callgrind_annotate >/dev/null; then
  callgrind_annotate --inclusive=yes paper.1/callgrind >annotated || fail "callgrind_annotate: $(cat annotated)"
  grep -q '175 (100.0%).*main' annotated || fail "callgrind_annotate: $(cat annotated)"
fi
finish
