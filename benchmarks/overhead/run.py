#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of recording: the benchmarks with the distribution's libtbb and with ours, in turn.

    benchmarks/overhead/run.py [--quick] [--only NAME[,NAME...]] [--repetitions N]
                               [--versions LIST] [--build DIR] [--out DIR] [--fresh]

Versions, which run one after the other in each repetition, so that a machine that gets slower
affects all of them:
    stock     the unmodified program on the distribution's libtbb; all ratios are relative to it
    off       the same program on our libtbb, with TP_DISABLE=1
    on        the same program on our libtbb, recording
    headers   compiled with our headers (exact joins, divisible leaves), recording
Ratios are computed pair by pair, from the CPU time and the wall time of the measured part of the
program; the report gives the median and the range. If valgrind is installed, the instructions of
the small size on one thread are counted too: they do not depend on the load of the machine.

OUT (default BUILD/benchmark-results) receives runs.csv, to which each run is appended when it ends
(an interrupted benchmarks/overhead/run.py continues from it), and at the end report.txt, report.md,
report.csv and report.svg. --quick: small sizes, each about as long as a test, and 3 repetitions:
shows that everything works; its times mean little.
"""
import argparse
import csv
import fcntl
import hashlib
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True  # leaves no files in the source tree
import measure
import overhead_report

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VERSIONS = ("stock", "off", "on", "headers")
FIELDS = ("build", "program", "version", "repetition", "size", "wall", "cpu", "process_cpu", "instructions", "tasks", "steps", "bytes",
          "attributed", "parallelism",
          "load")
LINE = re.compile(r"^\w+: size (\d+), wall ([\d.]+) s, cpu ([\d.]+) s, ok$", re.MULTILINE)


class Suite:
    """The programs of one build and the ways to run them."""

    def __init__(self, build, out, quick):
        self.programs = os.path.join(build, "benchmarks/overhead/apps")
        self.prefix = measure.find_prefix(os.path.join(build, "stage"))
        self.recording_folder = os.path.join(out, "tp-data")
        self.arguments = ["--small"] if quick else []

    def identity(self):
        """A hash of our libtbb: runs of different libraries are not mixed."""
        with open(f"{self.prefix}/lib/libtbb.so.12", "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()[:12]

    def build(self, tree, versions):
        targets = ["benchmark_stock"] + ["benchmark_headers"] * ("headers" in versions)
        if subprocess.run(["cmake", "--build", tree, "--target", *targets], stdout=sys.stderr).returncode != 0:
            sys.exit(f"tp: error: {tree}: the benchmark programs do not build\nhint: scripts/build")

    def names(self):
        folder = os.path.join(self.programs, "stock")
        return sorted(name for name in os.listdir(folder) if not name.endswith(".serial")) if os.path.isdir(folder) else []

    def program(self, name, version):
        return os.path.join(self.programs, "headers" if version == "headers" else "stock", name)

    def environment(self, version):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("TP_")}
        if version != "stock":
            environment.update(LD_LIBRARY_PATH=f"{self.prefix}/lib", TP_DATA=self.recording_folder)
        if version == "off":
            environment["TP_DISABLE"] = "1"
        return environment

    def time(self, name, version):
        recording = measure.Recording(self.prefix, self.recording_folder)
        run = measure.Run([self.program(name, version), *self.arguments], self.environment(version))
        line = LINE.search(run.output)
        if run.status != 0 or not line:
            sys.exit(f"tp: error: {name}: {version}: expected a right result, got status {run.status}: {run.output.strip()}")
        row = {"size": line[1], "wall": line[2], "cpu": line[3], "process_cpu": f"{run.cpu:.6f}"}
        if version in ("on", "headers"):
            profile, message = recording.analyze()
            if profile is None:
                sys.exit(f"tp: error: {name}: {version}: {message}")
            row.update(tasks=profile["trace"]["tasks_spawned"], steps=profile["trace"]["steps"], bytes=recording.bytes(),
                       attributed=profile["attribution"]["percent"], parallelism=profile["parallelism"])
        recording.remove()
        return row

    def count_instructions(self, name, version):
        """Instructions of the measured part: small size, one thread; 0 if callgrind has none."""
        measure.Recording(self.prefix, self.recording_folder)
        run = measure.Run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                           "--toggle-collect=*measured_part*", self.program(name, version), "--small", "--threads", "1"],
                          dict(self.environment(version), TP_EVENT="tsc"))
        collected = re.search(r"Collected : (\d+)", run.output)
        return int(collected[1]) if run.status == 0 and collected else 0


class Log:
    """runs.csv: all runs so far with this build, by (program, version, repetition)."""

    def __init__(self, path, build, fresh):
        self.path, self.build, self.rows = path, build, {}
        if fresh and os.path.exists(path):
            os.remove(path)
        if os.path.exists(path):
            with open(path, newline="") as file:
                self.rows = {self.key(row): row for row in csv.DictReader(file) if row["build"] == build}

    @staticmethod
    def key(row):
        return row["program"], row["version"], int(row["repetition"])

    def add(self, row):
        row["build"] = self.build
        is_new = not os.path.exists(self.path)
        with open(self.path, "a", newline="") as file:
            writer = csv.DictWriter(file, FIELDS)
            if is_new:
                writer.writeheader()
            writer.writerow(row)
        self.rows[self.key(row)] = {field: str(row.get(field, "")) for field in FIELDS}


def show(text):
    end = "\r" if sys.stderr.isatty() else "\n"
    print(f"{text:<78}", end=end, file=sys.stderr, flush=True)


def measure_all(suite, log, names, versions, repetitions):
    wanted = [(name, version, repetition) for name in names for repetition in range(repetitions) for version in versions]
    missing = [key for key in wanted if key not in log.rows]
    if len(missing) < len(wanted):
        show(f"{len(wanted) - len(missing)} of {len(wanted)} runs are in {log.path}")
    has_valgrind = subprocess.run(["which", "valgrind"], stdout=subprocess.DEVNULL).returncode == 0
    for done, (name, version, repetition) in enumerate(missing):
        show(f"{done + 1}/{len(missing)}  {name}  {version}  {repetition + 1}")
        row = dict(program=name, version=version, repetition=repetition, load=f"{os.getloadavg()[0]:.2f}")
        row.update(suite.time(name, version))
        if repetition == 0 and has_valgrind:
            row["instructions"] = suite.count_instructions(name, version)
        log.add(row)
    return [log.rows[key] for key in wanted]


def lock(folder):
    """Locks the folder until the process ends: two instances would disturb each other's runs."""
    file = open(os.path.join(folder, "lock"), "w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"tp: error: {folder}: expected no other benchmarks/overhead/run.py at work here, got one\nhint: --out DIR")
    return file


def parse_options():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__.split("\n\n", 2)[2],
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="small sizes, 3 repetitions")
    options.add_argument("--only", default="", help="programs to run, separated by commas")
    options.add_argument("--repetitions", type=int, help="runs of each version (default 7; 3 with --quick)")
    options.add_argument("--versions", default=",".join(VERSIONS), help=f"default {','.join(VERSIONS)}")
    options.add_argument("--build", default=os.path.join(ROOT, "build/release"), help="build folder of Taskpath")
    options.add_argument("--out", help="folder for the results (default BUILD/benchmark-results, or ...-quick)")
    options.add_argument("--fresh", action="store_true", help="forget the runs of an earlier call")
    options = options.parse_args()
    options.build = os.path.abspath(options.build)
    options.repetitions = options.repetitions or (3 if options.quick else 7)
    options.out = os.path.abspath(options.out or os.path.join(options.build, "benchmark-results" + "-quick" * options.quick))
    options.versions = options.versions.split(",")
    unknown = set(options.versions) - set(VERSIONS)
    if unknown or options.versions[0] != "stock" or options.repetitions < 1:
        sys.exit(f"tp: error: --versions: expected stock and some of {', '.join(VERSIONS[1:])}, got {options.versions}")
    return options


def main():
    options = parse_options()
    suite = Suite(options.build, options.out, options.quick)
    show("building the programs ...")
    suite.build(options.build, options.versions)
    names = [name for name in options.only.split(",") if name] or suite.names()
    unknown = set(names) - set(suite.names())
    if unknown or not names:
        sys.exit(f"tp: error: --only: {', '.join(sorted(unknown))}: expected some of {', '.join(suite.names())}")
    os.makedirs(options.out, exist_ok=True)
    held = lock(options.out)
    log = Log(os.path.join(options.out, "runs.csv"), suite.identity(), options.fresh)
    rows = measure_all(suite, log, names, options.versions, options.repetitions)
    overhead_report.write(rows, options.versions, options.out)
    print(open(os.path.join(options.out, "report.txt")).read(), end="")
    held.close()
    print(f"wrote report.txt, report.md, report.csv and report.svg to {options.out}", file=sys.stderr)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("\ninterrupted: the same command goes on from here")
