#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does recording change what it measures? The benchmarks on 1 to 16 threads and pinned to one CPU.

    benchmarks/accuracy/perturbation.py [--small] [--only NAME[,NAME...]] [--threads LIST]
                                        [--repetitions N] [--unmodified] [--build DIR]

Runs, in turn for each number of threads, the program on the distribution's libtbb, and the program
compiled with our headers and recorded. With --unmodified the same binary is recorded on our libtbb,
so that its own loops keep their addresses.
    work         work of all steps of the recorded run, divided by the CPU time of the other run:
                 1.00 if recording adds nothing to the steps and all CPU time is in steps
    parallelism  schedule-independent: a property of the program, the same for any number of threads
    tasks alone  the same for the tasks only: without the work of main and main's share of the
                 critical path, which in a short program is the loader and the first page faults
    pinned       parallelism of 2 threads on one CPU: what a profile made on one core would have
                 shown (TaskProf's RQ2)
Shows medians over the repetitions, and for work the range of all pairs.
"""
import argparse
import os
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True  # leaves no files in the source tree
import measure

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Subject:
    """One program of one build."""

    def __init__(self, build, name, arguments, recorded):
        self.name, self.arguments, self.recorded = name, arguments, recorded
        self.programs = os.path.join(build, "benchmarks/overhead/apps")
        self.prefix = measure.find_prefix(os.path.join(build, "stage"))
        self.folder = os.path.join(build, "perturbation-data")

    def run(self, version, threads, environment, launcher=()):
        command = [*launcher, os.path.join(self.programs, version, self.name), "--threads", str(threads), *self.arguments]
        run = measure.Run(command, environment)
        if run.status != 0 or ", ok\n" not in run.output:
            sys.exit(f"tp: error: {self.name}: expected a right result, got status {run.status}: {run.output.strip()}")
        return run

    def profile(self, threads, launcher=()):
        recording = measure.Recording(self.prefix, self.folder)
        environment = dict(recording.environment, LD_LIBRARY_PATH=f"{self.prefix}/lib")
        self.run(self.recorded, threads, environment, launcher)
        profile, message = recording.analyze()
        recording.remove()
        if profile is None:
            sys.exit(f"tp: error: {self.name}: {message}")
        return profile

    def pair(self, threads):
        """(work by CPU time, schedule-independent parallelism, the same for the tasks alone)"""
        cpu = self.run("stock", threads, {key: value for key, value in os.environ.items() if not key.startswith("TP_")}).cpu
        profile = self.profile(threads)
        main = next(site for site in profile["sites"] if site["file"] == "main")
        alone = (profile["work"] - main["exclusive_work"]) / (profile["divisible_span"] - main["critical_work"])
        return profile["work"] / measure.ticks_per_second(profile) / cpu, profile["divisible_parallelism"], alone


def row_of(subject, threads, repetitions):
    pairs = {count: [subject.pair(count) for _ in range(repetitions)] for count in threads}
    one_cpu = ("taskset", "-c", str(min(os.sched_getaffinity(0))))
    pinned = [subject.profile(2, one_cpu)["divisible_parallelism"] for _ in range(repetitions)]
    work, parallelism, alone = ([[pair[figure] for pair in pairs[count]] for count in threads] for figure in range(3))
    everything = [ratio for ratios in work for ratio in ratios]
    medians = [[f"{statistics.median(values):.4g}" for values in figure] for figure in (parallelism, alone, [pinned])]
    return [subject.name] + [f"{statistics.median(ratios):.3f}" for ratios in work] + [measure.spread(everything)] + sum(medians, [])


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__.split("\n\n", 2)[2],
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--small", action="store_true", help="the sizes of the tests: shows that all works")
    options.add_argument("--only", default="", help="programs to run, separated by commas")
    options.add_argument("--threads", default="1,2,4,8,16", help="default 1,2,4,8,16")
    options.add_argument("--repetitions", type=int, default=3, help="pairs of each (default 3)")
    options.add_argument("--unmodified", action="store_true", help="record the binary that runs on the distribution's libtbb")
    options.add_argument("--build", default=os.path.join(ROOT, "build/release"), help="build folder of Taskpath")
    options = options.parse_args()
    build = os.path.abspath(options.build)
    threads = [int(count) for count in options.threads.split(",")]
    recorded = "stock" if options.unmodified else "headers"
    folder = os.path.join(build, "benchmarks/overhead/apps", recorded)
    names = [name for name in options.only.split(",") if name] or sorted(
        name for name in (os.listdir(folder) if os.path.isdir(folder) else []) if not name.endswith(".serial"))
    if not names:
        sys.exit(f"tp: error: {folder}: expected the benchmark programs, got none\n"
                 f"hint: cmake --build {options.build} --target benchmark_stock benchmark_headers")
    heads = [[f"{figure}, {threads[0]} threads", *map(str, threads[1:])] for figure in ("work", "parallelism", "tasks alone")]
    rows = [["", *heads[0], "range", *heads[1], *heads[2], "pinned"]]
    for name in names:
        print(f"{name:<40}", end="\r" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)
        rows.append(row_of(Subject(build, name, ["--small"] if options.small else [], recorded), threads, options.repetitions))
    print(measure.text_table(rows))
    print(f"load average {os.getloadavg()[0]:.1f}, {len(os.sched_getaffinity(0))} CPUs")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("\ninterrupted")
