#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares oneTBB, libomp and libgomp on programs that create the same tasks, after Huynh and Taura.

    benchmarks/openmp/run.py [--runs N] [--only NAME[,NAME...]] [--threads N] [--small] [--build DIR]
    benchmarks/openmp/run.py --check

All results are verified. `alone`: elapsed time without the profiler, the median of the runs, which alternate. `per task`:
the CPU time above that of the serial elision, per task, without the profiler; -: less than a twentieth of it. The rest is
from the recorded run with the median elapsed time: work, schedule-independent span and parallelism, and of the path of the
run, whose length is its elapsed time, the shares of running, busy delay and scheduler delay. libgomp reports nothing; a
program of g++ is recorded on libomp. OMP_WAIT_POLICY is passive.

--check: the small sizes on the virtual clock. Work and schedule-independent span must be the same integers in all ways, and
so must be the span where there are only tasks.
"""
import argparse
import json
import os
import re
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True  # leaves no files in the source tree
import measure

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SIZES = {"alignment": 120, "cilksort": 10_000_000, "fib": 25, "health": 400, "nqueens": 14, "sparselu": 40, "strassen": 1024,
         "uts": 6000}
LOOPS = ("alignment",)
LINE = re.compile(r"wall ([0-9.]+) s, cpu ([0-9.]+) s, ok$", re.MULTILINE)
# What a user calls it: the program that runs alone, the one that is recorded (None: cannot be), its serial elision, and
# whether libomp takes the place of the program's runtime.
WAYS = {"oneTBB": ("stock", "tbb", "gcc", False), "libomp": ("clang", "clang", "clang", False),
        "libomp, g++": ("gcc", "gcc", "gcc", True), "libgomp": ("gcc", None, "gcc", False)}


class Suite:
    def __init__(self, build, threads):
        self.folder, self.threads = os.path.join(build, "benchmarks/openmp"), threads
        self.serial = {"gcc": os.path.join(build, "benchmarks/overhead/apps/stock"), "clang": os.path.join(self.folder, "clang")}
        self.recording = measure.Recording(measure.find_prefix(os.path.join(build, "stage")), os.path.join(build, "compared-data"))
        try:
            with open(os.path.join(self.folder, "libomp"), encoding="utf-8") as file:
                self.libomp = file.read().strip()
        except FileNotFoundError:
            sys.exit(f"tp: error: {self.folder}: expected the programs to compare, got none\nhint: scripts/build")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("TP_", "OMP_"))}
        self.environment.update(OMP_WAIT_POLICY="passive", TP_LIBOMP=self.libomp)

    def command(self, name, way, size):
        return [os.path.join(self.folder, way, name), *size, "--threads", str(self.threads)]

    def alone(self, command, on_libomp=False):
        """(elapsed, CPU time) in seconds."""
        run = measure.Run(command, {**self.environment, **({"LD_PRELOAD": self.libomp} if on_libomp else {})})
        return self.times(command, run)

    @staticmethod
    def times(command, run):
        line = LINE.search(run.output)
        if run.status != 0 or not line:
            sys.exit(f"tp: error: {' '.join(command)}: expected a right result, got status {run.status}: {run.output.strip()}")
        return float(line[1]), float(line[2])

    def recorded(self, command, *options):
        self.recording.remove()
        run = measure.Run([f"{self.recording.prefix}/bin/tp-run", "-q", *options, "-o", self.recording.folder, "--", *command],
                          self.environment)
        self.times(command, run)
        profile, message = self.recording.analyze("--explore", "never", "--simulate", "always", "-P", "1")
        if profile is None:
            sys.exit(f"tp: error: {' '.join(command)}: {message}")
        if not profile["complete"]:
            sys.exit(f"tp: error: {' '.join(command)}: incomplete: {profile['incomplete_reasons']}")
        return profile


def row(name, way, alone, above, profiles):
    first = [name, way, f"{1000 * alone:.0f} ms", f"{above:.0f} ns" if above is not None else "-"]
    if not profiles:
        return [*first, *["-"] * 7]
    profile = sorted(profiles, key=lambda one: one["run"]["wall_ns"])[len(profiles) // 2]
    path, per_ms = profile["run_path"], measure.ticks_per_second(profile) / 1000
    parts = (path["running_ticks"], sum(path["busy_delay_ticks"].values()), sum(path["scheduler_delay_ticks"].values()))
    shares = [f"{100 * part / path['path_ticks']:.1f} %" for part in parts]
    return [*first, str(profile["trace"]["tasks_begun"]), f"{profile['work'] / per_ms:.0f} ms",
            f"{profile['divisible_span'] / per_ms:.2f} ms", f"{profile['divisible_parallelism']:.1f}", *shares]


def measure_program(suite, name, size, runs):
    alone, profiles = {}, {}
    serial = {}
    for _ in range(runs):
        for compiler, folder in suite.serial.items():
            serial.setdefault(compiler, []).append(suite.alone([os.path.join(folder, name + ".serial"), *size])[1])
        for way, (single, observed, _, on_libomp) in WAYS.items():
            alone.setdefault(way, []).append(suite.alone(suite.command(name, single, size), on_libomp))
            if observed:
                profiles.setdefault(way, []).append(suite.recorded(suite.command(name, observed, size)))
    tasks = profiles["oneTBB"][0]["trace"]["tasks_begun"]
    for way, (_, _, compiler, _) in WAYS.items():
        wall, cpu = (statistics.median(values) for values in zip(*alone[way]))
        base = statistics.median(serial[compiler])
        above = 1e9 * (cpu - base) / tasks if cpu > 1.05 * base else None
        yield row(name, way, wall, above, profiles.get(way))


def check(suite, names):
    failures = 0
    for name in names:
        figures = {}
        for threads in (1, 2, 3):
            suite.threads = threads
            for way in ("tbb", "gcc", "clang"):
                profile = suite.recorded(suite.command(name, way, ["--small"]), "-e", "virtual")
                spans = [profile["divisible_span"], *([profile["span"]] if name not in LOOPS else [])]
                figures[f"{way} on {threads}"] = profile["work"], *spans
        if name in LOOPS:  # on one thread libomp does not divide them
            figures = {way: figure for way, figure in figures.items() if not way.endswith("on 1")}
        same = len(set(figures.values())) == 1
        failures += not same
        print(f"{name}: " + ("work {}, span {}".format(*next(iter(figures.values()))[:2]) if same else f"FAILED: {json.dumps(figures)}"))
    print(f"{len(names)} programs, {failures} failures")
    return 1 if failures or not names else 0


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__.split("\n\n", 2)[2],
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=5, help="of each program in each way (default 5)")
    options.add_argument("--only", default=",".join(SIZES), help="programs, separated by commas (default all)")
    options.add_argument("--threads", type=int, default=2, help="default 2")
    options.add_argument("--small", action="store_true", help="the sizes of the test: shows that all works")
    options.add_argument("--check", action="store_true", help="compare work and span, on the virtual clock")
    options.add_argument("--build", default=os.path.join(ROOT, "build/release"), help="build folder of Taskpath")
    options = options.parse_args()
    suite, names = Suite(os.path.abspath(options.build), options.threads), options.only.split(",")
    if options.check:
        status = check(suite, names)
        suite.recording.remove()
        return status
    rows = [("program", "runtime", "alone", "per task", "tasks", "work", "span", "parallelism", "running", "busy", "scheduler")]
    for name in names:
        print(f"{name} ...", file=sys.stderr, flush=True)
        rows += measure_program(suite, name, ["--small"] if options.small else ["--size", str(SIZES[name])], options.runs)
    suite.recording.remove()
    print(measure.text_table(rows))
    print(f"{options.threads} threads, {os.cpu_count()} CPUs, load average {os.getloadavg()[0]:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
