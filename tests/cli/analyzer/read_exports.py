#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the files of tp-analyze --export and compares their sums with the profile.

    read_exports.py PROFILE.json FOLDER

FOLDER contains one file per format, named after it. Exclusive work must add up to T1, critical work
to Tinf, tasks to all tasks; per site they must equal those of the profile.
"""
import collections
import gzip
import json
import os
import sys


def folded(path):
    sums = collections.Counter()
    for line in open(path):
        stack, value = line.rstrip("\n").rsplit(" ", 1)
        assert stack.split(";")[0] == "main", line
        sums[stack.split(";")[-1]] += int(value)
    return sums


def speedscope(path):
    file = json.load(open(path))
    assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = [frame["name"] for frame in file["shared"]["frames"]]
    result = []
    for profile in file["profiles"]:
        assert profile["type"] == "sampled" and len(profile["samples"]) == len(profile["weights"])
        assert (profile["startValue"], profile["endValue"]) == (0, sum(profile["weights"]))
        sums = collections.Counter()
        for stack, weight in zip(profile["samples"], profile["weights"]):
            assert frames[stack[0]] == "main"
            sums[frames[stack[-1]]] += weight
        result.append(sums)
    return result


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """(number, value) of a message; values are integers or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            assert key & 7 == 2, key
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size
        yield key >> 3, value


def packed(data):
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def pprof(path):
    message = collections.defaultdict(list)
    for number, value in fields(gzip.open(path).read()):
        message[number].append(value)
    strings = [text.decode() for text in message[6]]
    assert strings[0] == ""
    types = [tuple(strings[value] for _, value in fields(each)) for each in message[1]]
    assert [name for name, _ in types] == ["tasks", "work", "critical_work"]
    functions = {dict(fields(each))[1]: strings[dict(fields(each))[2]] for each in message[5]}
    locations = {dict(fields(each))[1]: functions[dict(fields(dict(fields(each))[4]))[1]] for each in message[4]}
    sums = [collections.Counter() for _ in types]
    for sample in map(dict, map(fields, message[2])):
        stack = [locations[each] for each in packed(sample[1])]
        assert stack[-1] == "main"
        for total, value in zip(sums, packed(sample[2])):
            total[stack[0]] += value
    return sums


def callgrind(path):
    names, sums, inclusive, totals = {}, collections.Counter(), {}, None
    function = callee = None

    def name(text):
        number, _, full = text.partition(" ")
        return names.setdefault(number, full or None)

    for line in open(path):
        key, _, value = line.rstrip("\n").partition("=")
        if key == "fn":
            function = name("fn" + value)
        elif key == "cfn":
            callee = name("fn" + value)
        elif key == "calls":
            continue
        elif line.startswith("totals:"):
            totals = list(map(int, line.split()[1:]))
        elif line[0].isdigit():
            costs = list(map(int, line.split()[1:]))
            if callee:
                inclusive[function, callee] = costs
                callee = None
            else:
                for event, cost in enumerate(costs):
                    sums[event, function] += cost
    split = [collections.Counter({f: c for (e, f), c in sums.items() if e == event}) for event in range(3)]
    assert totals == [sum(each.values()) for each in split], totals
    # What main does itself and what it calls is everything.
    for event in range(3):
        assert totals[event] == split[event]["main"] + sum(c[event] for (f, _), c in inclusive.items() if f == "main")
    return split


COUNTERS = ("threads at work", "tasking overhead", "no CPU", "steals")


def perfetto(path):
    """{track: {slice: [ns, and sums of annotations]}} and {track: sum of the samples}."""
    tracks, names, annotations, open_slices = {}, {}, {}, {}
    slices, samples = collections.defaultdict(dict), collections.Counter()
    last = collections.defaultdict(int)
    for number, packet in fields(open(path, "rb").read()):
        assert number == 1
        packet = dict(fields(packet))
        if 60 in packet:
            track = dict(fields(packet[60]))
            assert track[1] not in tracks, "two tracks of one number"
            tracks[track[1]] = track.get(2, b"").decode()
            assert (8 in track) == (tracks[track[1]] in COUNTERS or tracks[track[1]].startswith(("idle: ", "ready: "))), \
                f"{track}: Perfetto drops samples of what is not declared a counter, and slices of what is"
        if 12 in packet:
            for kind, entry in fields(packet[12]):
                entry = dict(fields(entry))
                (names if kind == 2 else annotations)[entry[1]] = entry[2].decode()
        if 11 not in packet:
            continue
        event = list(fields(packet[11]))
        kind, track = dict(event)[9], tracks[dict(event)[11]]
        assert packet[8] >= last[track], "times go backwards"
        last[track] = packet[8]
        if kind == 1:
            assert track not in open_slices, "slices overlap"
            values = {annotations[dict(fields(a))[1]]: dict(fields(a))[3] for n, a in event if n == 4}
            open_slices[track] = slices[track].setdefault(names[dict(event)[10]], collections.Counter())
            open_slices[track].update(ns=-packet[8], **values)
        elif kind == 2:
            open_slices.pop(track)["ns"] += packet[8]
        else:
            samples[track] += dict(event)[30]
    assert not open_slices
    return slices, samples


def check_perfetto(path, profile):
    """What perfetto() read equals the profile. Exact if a tick is one ns."""
    slices, samples = perfetto(path)
    hz, trace, run_path = profile["clock"]["time_hz"], profile["trace"], profile["run_path"]

    def equal(what, ticks, ns, roundings=1):
        expected = ticks * 1e9 / hz
        assert abs(expected - ns) <= (0 if hz == 1e9 else 1 + roundings), f"{what}: {expected} ns, got {ns}"

    threads = [total for track, sums in slices.items() if track.startswith("thread ") for total in sums.values()]

    def of_threads(name):
        return sum(value for total in threads for key, value in total.items() if key.startswith(name))

    assert (of_threads("work"), of_threads("steps")) == (profile["work"], sum(site["steps"] for site in profile["sites"]))
    equal("steps", trace["step_time_ticks"], of_threads("ns") - of_threads("between"), 2 * trace["steps"])
    equal("idle", trace["idle_ticks"], sum(n for track, n in samples.items() if track.startswith("idle: ")), trace["streams"])
    equal("overhead", trace["overhead_ticks"], samples["tasking overhead"])
    assert samples["steals"] == sum(site["tasking"]["steals"] for site in profile["sites"])
    if run_path["not_made"]:
        return
    path = slices["critical path of the run"]
    equal("path", run_path["path_ticks"], sum(total["ns"] for total in path.values()))
    edges = {"create": "created", "create_continue": "after a creation", "wait_continue": "after a wait",
             "end": "after a task", "inside": "held up", "lock": "waits for a lock"}
    parts = len(run_path["segments"])
    for edge, name in edges.items():
        equal(name, run_path["busy_delay_ticks"][edge] + run_path["scheduler_delay_ticks"][edge],
              path.get("ready: " + name, collections.Counter())["ns"], parts)
        assert samples["ready: " + name] == sum(profile["time_profile"]["ready"][edge])
    for site in profile["sites"]:
        name = site["name"] + (f" ({site['functions'][0]})" if site["functions"] else "")
        equal(name, site["run_path"]["running_ticks"], path.get(name, collections.Counter())["ns"], parts)
    assert samples["no CPU"] == sum(profile["time_profile"]["no_cpu"])


def dot(path):
    """The nodes' labels, and the numbers of tasks along the edges."""
    nodes, spawns = {}, 0
    for line in open(path):
        if " -> " in line:
            spawns += int(line.split('"')[1])
        elif line.startswith("  s"):
            nodes[line.split('"')[1].split("\\n")[0]] = line
    return nodes, spawns


def html(path):
    """The data of a page."""
    text = open(path, encoding="utf-8").read()
    return json.loads(text.split('<script type="application/json" id="data">')[1].split("</script>")[0])


def main():
    profile, folder = json.load(open(sys.argv[1])), sys.argv[2]

    def frame(site):
        return site["name"] + (f" ({site['functions'][0]})" if site["functions"] else "")

    sites = {frame(site): site for site in profile["sites"]}
    work = collections.Counter({name: site["exclusive_work"] for name, site in sites.items()})
    critical = collections.Counter({name: site["critical_work"] for name, site in sites.items()})
    tasks = collections.Counter({name: site["invocations"] for name, site in sites.items()})
    assert (sum(work.values()), sum(critical.values())) == (profile["work"], profile["span"])

    def same(what, expected, actual):
        assert +expected == +actual, f"{what}: expected {+expected}, got {+actual}"

    for what, expected in ("folded", work), ("folded-critical", critical):  # ; separates frames
        same(what, collections.Counter({name.replace(";", ","): n for name, n in expected.items()}),
             folded(f"{folder}/{what}"))
    for what, expected, actual in zip(("work", "critical", "tasks"), (work, critical, tasks),
                                      speedscope(f"{folder}/speedscope")):
        same("speedscope " + what, expected, actual)
    for what, expected, actual in zip(("tasks", "work", "critical"), (tasks, work, critical), pprof(f"{folder}/pprof")):
        same("pprof " + what, expected, actual)
    for what, expected, actual in zip(("work", "critical", "tasks"), (work, critical, tasks),
                                      callgrind(f"{folder}/callgrind")):
        same("callgrind " + what, expected, actual)
    check_perfetto(f"{folder}/perfetto", profile)
    if os.path.exists(f"{folder}/html"):  # only where the page was bundled
        data = html(f"{folder}/html")
        assert [data[key] for key in ("work", "span", "unit")] == [profile[key] for key in ("work", "span", "unit")]
        assert [site["name"] for site in data["sites"]] == [site["name"] for site in profile["sites"]]
    nodes, spawns = dot(f"{folder}/dot")
    assert set(nodes) == set(sites) and spawns == profile["trace"]["tasks_spawned"]


main()
