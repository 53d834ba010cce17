#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Recordings of format version 1 (tests/golden/v1/README.md): every version reads them, with the
# same result.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
golden=$here/../../golden/v1

# has_all OLD NEW: checks that the JSON in NEW has everything that OLD has. Texts for people may
# change. Version 1 left out of on_span the tasks that the critical path enters by an edge: all of
# it may have grown but the local span. It counted threads that sleep in a step as busy CPUs: busy
# delay may have become scheduler delay. It knew no construct of sites that only headers record, and no
# threads of the program: there may be a warning more, and one about loops.
has_all() {
  python3 - "$1" "$2" <<'END'
import json, math, sys

FOR_PEOPLE = {"advice", "text", "outcome", "likely_cause", "not_made", "not_explored", "from", "to"}
differences = []

def compare(path, old, new):
    if isinstance(old, dict) and isinstance(new, dict):
        is_candidate = "points" in old  # its name is a sentence
        for key, value in old.items():
            if key not in new:
                differences.append(f"{path}/{key}: gone")
            elif key == "on_span":
                compare(f"{path}/{key}/local/span", value["local"]["span"], new[key]["local"]["span"])
                for rule, figures in value.items():
                    for name in ("count", "work", "span"):
                        if new[key][rule][name] < figures[name]:
                            differences.append(f"{path}/{key}/{rule}/{name}: {figures[name]} became {new[key][rule][name]}")
            elif key == "constructs" and not value:
                pass
            elif key == "warnings":
                compare(f"{path}/{key}", value, [w for w in new[key] if w["name"] not in ("threads", "locks_not_observed", "split_unknown")])
            elif key in ("busy_delay_ticks", "scheduler_delay_ticks"):
                for edge, ticks in old["busy_delay_ticks"].items():
                    compare(f"{path}/delay/{edge}", ticks + old["scheduler_delay_ticks"][edge],
                            new["busy_delay_ticks"][edge] + new["scheduler_delay_ticks"][edge])
                    if new["busy_delay_ticks"][edge] > ticks:
                        differences.append(f"{path}/{key}/{edge}: {ticks} became {new['busy_delay_ticks'][edge]}")
            elif key not in FOR_PEOPLE and not (is_candidate and key == "name"):
                compare(f"{path}/{key}", value, new[key])
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, pair in enumerate(zip(old, new)):
            compare(f"{path}/{i}", *pair)
    elif isinstance(old, float) and isinstance(new, float):
        if not math.isclose(old, new, rel_tol=1e-9):
            differences.append(f"{path}: {old} became {new}")
    elif old != new:
        differences.append(f"{path}: {str(old)[:100]} became {str(new)[:100]}")

compare("", json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))
print("\n".join(differences), end="\n" if differences else "")
sys.exit(1 if differences else 0)
END
}

for archive in "$golden"/*.tar.xz; do
  name=$(basename "$archive" .tar.xz)
  tar -xJf "$archive" || fail "tar $archive"
  # The program was recorded in another folder.
  [ ! -e "$name/$name.debug" ] || sed -i "s|/tmp/demo/$name\"|$work/$name/$name.debug\"|" "$name/sites.jsonl"
  exits 0 -q --format json -d "$name" "$name.csv"
  cmp "$name.csv" "$golden/$name.ws_profile.csv" || fail "$name: another profile: $(diff "$golden/$name.ws_profile.csv" "$name.csv")"
  has_all "$golden/$name.profile.json" out || fail "$name: the JSON differs"
  python3 -B "$here/../../support/validate_json.py" "$name" || fail "$name: not what the schemas say"
done

# all_records contains every kind of record, as its name says.
exits 0 --dump all_records
for op in Spawn SpawnWait Wait WaitEnd Begin End Task LoopBegin LoopEnd Join Release Acquire Region ContextEnd Cut Extended; do
  grep -qE "^[0-9]+ $op " out || fail "no $op in all_records"
done
for kind in thread_begin thread_end pause resume forked stack_out stack_in edge_uses feed; do in_out " $kind"; done
exits 0 -q --format json addresses
in_out '"found_by": ['
in_out '"debug_info"'
in_out '"page-faults"'
# Without the program its sites have only the names of types.
rm addresses/addresses.debug
exits 0 -q --format json addresses
not_in_out '"debug_info"'
in_out '"type"'
finish
