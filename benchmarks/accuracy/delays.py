#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Explains the elapsed time of runs: the path of each run as running, busy delay, scheduler delay.

    benchmarks/accuracy/delays.py [--runs N] [--only NAME[,NAME...]] [--small] [--threads LIST]
                                  [--build DIR]

Records each program N times on each number of threads (method: Huynh and Taura). The columns are
percentages of the path's length, which is the elapsed time: running; busy delay; scheduler delay,
then its parts by the edge on which they occur. Shown are the run with the median scheduler delay
and the range of all runs. The table goes to stdout.
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True  # leaves no files in the source tree
import measure

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EDGES = ("create", "create_continue", "wait_continue", "end", "inside")


def shares(profile):
    """Percent: running, busy delay, scheduler delay, then scheduler delay by edge; or None."""
    path = profile["run_path"]
    if path["path_ticks"] == 0:
        return None
    scheduler = path["scheduler_delay_ticks"]
    ticks = [path["running_ticks"], sum(path["busy_delay_ticks"].values()), sum(scheduler.values())]
    return [100 * part / path["path_ticks"] for part in ticks + [scheduler[edge] for edge in EDGES]]


def record(program, recording, threads, arguments):
    """The shares of one run, or None and a message."""
    recording.remove()
    environment = dict(recording.environment, LD_LIBRARY_PATH=f"{recording.prefix}/lib")
    if measure.Run([program, *arguments, "--threads", str(threads)], environment).status != 0:
        return None, "fails under the profiler"
    profile, message = recording.analyze("--explore", "never", "--simulate", "always", "-P", "1")
    return (shares(profile), profile["run_path"]["not_made"]) if profile else (None, message)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__.split("\n\n", 2)[2],
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=5, help="of each program on each number of threads (default 5)")
    options.add_argument("--only", default="sparselu", help="programs, separated by commas (default sparselu)")
    options.add_argument("--small", action="store_true", help="the sizes of the test: shows that all works")
    options.add_argument("--threads", default="1,2,4,8,16", help="default 1,2,4,8,16")
    options.add_argument("--build", default=os.path.join(ROOT, "build/release"), help="build folder of Taskpath")
    options = options.parse_args()
    build = os.path.abspath(options.build)
    recording = measure.Recording(measure.find_prefix(os.path.join(build, "stage")), os.path.join(build, "delays-data"))
    rows = [("program", "threads", "running", "busy", "scheduler", "(range)", *EDGES)]
    for name in options.only.split(","):
        program = os.path.join(build, "benchmarks/overhead/apps/stock", name)
        if not os.path.exists(program):
            sys.exit(f"tp: error: {program}: expected a benchmark program, got no such file\nhint: scripts/build")
        for threads in options.threads.split(","):
            print(f"{name} on {threads} ...", file=sys.stderr, flush=True)
            found = [record(program, recording, threads, ["--small"] if options.small else []) for _ in range(options.runs)]
            runs = sorted((shares for shares, _ in found if shares), key=lambda run: run[2])
            if not runs:
                rows.append((name, threads, found[0][1]))
                continue
            middle = runs[len(runs) // 2]
            scheduler = [run[2] for run in runs]
            rows.append((name, threads, *(f"{share:.1f}" for share in middle[:3]), f"{min(scheduler):.1f}-{max(scheduler):.1f}",
                         *(f"{share:.1f}" for share in middle[3:])))
    recording.remove()
    print(measure.text_table(rows))
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cpus")


if __name__ == "__main__":
    main()
