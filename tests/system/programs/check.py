#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every case of a program, analyzes its recording, and compares the profile with what the program expects.

usage: check.py PROGRAM --way headers|swap --threads N --analyze TP-ANALYZE [--run TP-RUN] [--repeat R] [--case NAME]
                        [--recorded PREFIX] [--validate] [--divide] [--as-if-cores N]

Way `swap`: the program was built with the distribution's headers, so lines `expect headers ...` (and sites, which
then need debug information) are left out. With --recorded nothing is run: PREFIX<case> are folders with out, err,
status and data that an earlier run left, perhaps on another machine. A case that needs more threads (`expect
nothing`) counts as not run; with one thread any other one compares at least one figure that can be wrong, apart from
the work. With --validate the JSON of the first recording of each case, and of its profile, is compared with the
schemas. --divide: as tp-run --divide; other cases of the same program compare some figures only with it. Ends
with 1 and one line per difference.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import one_function_per_row
from comparison import Comparison

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--way", choices=["headers", "swap"], default="headers")
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--repeat", type=int, default=3)
parser.add_argument("--analyze", required=True)
parser.add_argument("--run")
parser.add_argument("--case")
parser.add_argument("--recorded")
parser.add_argument("--validate", action="store_true")
parser.add_argument("--divide", action="store_true")
parser.add_argument("--as-if-cores", type=int, default=0)
options = parser.parse_args()
if options.validate:
    import validate_json
for name in [name for name in os.environ if name.startswith("TP_")]:
    del os.environ[name]


class Recorded:
    """The fields of the result of subprocess.run() that we use."""

    def __init__(self, folder):
        self.stdout, self.stderr, status = (open(os.path.join(folder, name)).read() for name in ("out", "err", "status"))
        self.returncode = int(status)


def run_case(case, data):
    command = [options.program, case, str(options.threads)]
    if options.run:
        command = [options.run, "-q", "-e", "virtual", "-o", data, "--"] + command
    environment = dict(os.environ, TP_EVENT="virtual", TP_DATA=data)
    if options.divide:
        environment["TP_DIVIDE"] = "1"
    if options.as_if_cores:
        environment["TP_AS_IF_CORES"] = str(options.as_if_cores)
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=250)


def check_rows(profile, data):
    problems = one_function_per_row.check(profile, *one_function_per_row.read_recording(data))
    if problems:
        raise Exception("; ".join(problems))


def profile_of(case, folder, is_first):
    """Returns (lines the program printed, its profile)."""
    data = os.path.join(options.recorded + case if options.recorded else folder, "data")
    ran = Recorded(options.recorded + case) if options.recorded else run_case(case, data)
    if ran.returncode != 0:
        raise Exception(f"exit status {ran.returncode}: {ran.stderr}")
    if "tp: " in ran.stderr:
        raise Exception(f"on stderr: {ran.stderr}")
    analysis = subprocess.run([options.analyze, "-q", "--wrapper", "none", "--json", "-", "-d", data, "-o", folder],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=250)
    if analysis.returncode != 0:
        raise Exception(f"tp-analyze: exit status {analysis.returncode}: {analysis.stderr}")
    if case not in LEAKING and is_first:
        check_edges(data)
    profile = json.loads(analysis.stdout)
    if is_first and not options.recorded:
        check_rows(profile, data)
    if options.validate and is_first:
        wrong = validate_json.differences_of_data(data) + validate_json.differences("profile", profile)
        if wrong:
            raise Exception("not what the schemas say: " + "; ".join(wrong))
    return ran.stdout.splitlines(), profile


# Cases whose edges are not counted, with the reason.
LEAKING = {"out_of_a_scan": "oneTBB never destroys the nodes of a scan that is cancelled"}


def check_edges(data):
    """Checks that every edge is acquired or dropped as often as recorded: the analyzer keeps all
    others to the end."""
    dump = subprocess.run([options.analyze, "--dump", "-d", data], stdout=subprocess.PIPE, text=True, timeout=250, check=True)
    to_come = {}
    released = 0
    for words in map(str.split, dump.stdout.splitlines()):
        operands = dict(word.split("=", 1) for word in words if "=" in word)
        if words[0] == "stream":
            stream, released = words[1], 0
        elif "Release" in words:
            to_come[f"{stream}.{released}"] = 0 if "kept" in words else to_come.get(f"{stream}.{released}", 0) + 1
            released += 1
        elif "Acquire" in words:
            to_come[operands["edge"]] = to_come.get(operands["edge"], 0) - 1
        elif "edge_uses" in words:
            to_come[operands["edge"]] = to_come.get(operands["edge"], 0) + int(operands["change"])
    wrong = {edge: count for edge, count in to_come.items() if count > 0}
    if wrong:
        raise Exception(f"edges and how often they are still to be acquired: {wrong}")


class Check(Comparison):
    def always(self, expected):
        self.conservation(outside=sum(int(words[1]) for words in expected if words[0] == "outside"))
        least, most = self.profile["divisible_span"], self.profile["divisible_span_at_most"]
        self.limits()
        if least > most:
            self.differences.append(f"divisible span {least} above its upper bound {most}")
        # Joins that did not run count for loops that are split further.
        if most > self.profile["span"] and not any(site["tasking"]["joins"] for site in self.profile["sites"]):
            self.differences.append(f"divisible span {most} above span {self.profile['span']}")

    def limits(self):
        """What holds of limits of concurrency in every profile."""
        least = self.profile["span"]
        for limit in self.profile["limits"]:
            under = -(-(limit["work"] + limit["latency"]) // limit["width"])
            ends = limit.get("before", 0) + limit.get("after", 0)
            self.equal("least time of a limit", ends + under, limit["least_time"])
            if not limit["like_machine"]:
                least = max(least, limit["least_time"])
        if not self.profile.get("latency"):
            self.equal("least time", least, self.profile["least_time"])
        for run in self.profile["prediction"]["scaling"]:
            if run["time"] < least:
                self.differences.append(f"predicted on {run['procs']} CPUs: {run['time']}, below the least time {least}")

    def line(self, words):
        profile = self.profile
        kind, rest = words[0], words[1:]
        if kind == "headers":
            if options.way == "headers":
                self.line(rest)
        elif kind in ("work", "span", "divisible_span"):
            self.equal(kind, int(rest[0]), profile[kind])
        elif kind == "measured" or (kind in ("divided", "divided-only") and options.divide):
            self.equal("divisible span", [int(rest[0])] * 2, [profile["divisible_span"], profile["divisible_span_at_most"]])
            self.equal("divisible span is measured", True, profile["divisible_is_measured"])
        elif kind == "divided":
            self.between("divisible span at most", (int(rest[0]), profile["work"]), profile["divisible_span_at_most"])
        elif kind == "divided-only":
            pass
        elif kind == "spent":
            self.equal("work, by what was spent", int(rest[0]), profile["work"])
        elif kind == "between":
            got = profile["trace"]["exceptions"] if rest[0] == "exceptions" else profile[rest[0]]
            self.between(rest[0], (int(rest[1]), int(rest[2])), got)
        elif kind in ("site", "percent"):
            row = self.site(int(rest[0]))
            if row is None:
                lines = [site["line"] for site in profile["sites"]]
                self.differences.append(f"site at line {rest[0]}: not found among {lines}")
            elif kind == "site":
                got = [row["work"], row["span"], row["critical_work"]]
                self.equal(f"work, span, critical work at line {rest[0]}", [int(word) for word in rest[1:]], got)
            else:
                self.equal(f"percent critical work at line {rest[0]}", float(rest[1]), row["critical_percent"])
        elif kind in ("what-if", "what-if-parallelism"):
            points = next(curve for curve in profile["what_if"]["curves"] if curve["all"])["points"]
            point = next(point for point in points if point["factor"] == int(rest[0]))
            if kind == "what-if":
                got = [point["work_times_factor"], point["span_times_factor"]]
                self.equal(f"what-if {rest[0]}: work, span (times factor)", [int(word) for word in rest[1:]], got)
            else:
                self.equal(f"what-if {rest[0]}: parallelism", float(rest[1]), point["parallelism"])
        elif kind == "regions":
            self.equal("regions", int(rest[0]), len(profile["regions"]))
        elif kind == "parallelism":
            self.equal("parallelism", float(rest[0]), profile["parallelism"])
        elif kind == "least_time":
            self.equal("least time", int(rest[0]), profile["least_time"])
        elif kind == "limit":
            found = sorted([limit["kind"], limit["threads"], limit["width"], limit["work"], limit.get("before", 0),
                            limit.get("after", 0)] for limit in profile["limits"])
            wanted = [rest[0]] + [int(word) for word in rest[1:]]
            self.count += 1
            if wanted not in found:
                self.differences.append(f"limit {wanted}: not found among {found}")
        elif kind == "predicted":
            run = next(run for run in profile["prediction"]["scaling"] if run["procs"] == int(rest[0]))
            self.between(f"predicted on {rest[0]} CPUs", (int(rest[1]), int(rest[2])), run["time"])
        elif kind == "tasks":
            self.equal("tasks", int(rest[0]), profile["trace"]["tasks_spawned"])
        else:
            raise Exception(f"check.py does not know 'expect {kind}'")

    def site(self, line):
        program = os.path.basename(options.program) + ".cpp"
        for site in self.profile["sites"]:
            here = site["file"] == "main" if line == 0 else os.path.basename(site["file"]) == program
            if here and site["line"] == line:
                return site
        return None


if options.case:
    cases = [options.case]
elif options.recorded:
    cases = [folder[len(options.recorded):] for folder in sorted(glob.glob(options.recorded + "*"))]
else:
    cases = subprocess.run([options.program, "list"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()


def can_fail(expected, profile):
    """Whether a figure other than the work is compared with a value, or with a range that leaves out some of what the
    profile could show: from a twentieth of the work to all of it."""
    for words in (words[1:] if words[0] == "headers" else words for words in expected):
        if words[0] == "between" and words[1] != "exceptions":  # these can be too few or too many
            if int(words[2]) * 20 > profile["work"] or int(words[3]) < profile["work"]:
                return True
        elif words[0] not in ("work", "spent", "only", "outside"):
            return True
    return False


failures = checked = not_run = 0
for case in cases:
    for repetition in range(options.repeat):
        with tempfile.TemporaryDirectory() as folder:
            try:
                lines, profile = profile_of(case, folder, repetition == 0)
                comparison = Check(profile)
                expected = [line.split()[1:] for line in lines if line.startswith("expect ")]
                if options.way != "headers" and ["only", "headers"] in expected:
                    expected = expected[:expected.index(["only", "headers"])]
                if any(words[0] == "nothing" for words in expected):
                    not_run += 1
                    break
                if expected:
                    comparison.always(expected)
                if options.way == "headers" and options.threads == 1 and not can_fail(expected, profile):
                    comparison.differences.append("compares no figure that can be wrong")
                for words in expected:
                    if words[0] not in ("only", "outside"):
                        comparison.line(words)
                checked += comparison.count
                differences = comparison.differences
            except Exception as problem:
                differences = [str(problem)]
        if differences:
            failures += 1
            print(f"{case}, {options.threads} threads, run {repetition + 1}: " + "; ".join(differences))
            break
print(f"{len(cases) - failures - not_run} of {len(cases)} cases right, {not_run} not run with {options.threads} threads, "
      f"{checked} figures compared")
# With four threads all can run.
sys.exit(1 if failures or not cases or (not_run > 0 and options.threads >= 4) else 0)
